//! Which program is traced, and how it is started.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use contract::Tid;

use super::value::{names, one_of};
use super::{Flag, Given, Of, Value, Values};
use crate::cli::options::{Daemonize, TraceOptions, User};
use crate::cli::usage::UsageError;

const DAEMONIZE: [(&str, Daemonize); 4] = [
    ("grandchild", Daemonize::Grandchild),
    ("pgroup", Daemonize::ProcessGroup),
    ("pgrp", Daemonize::ProcessGroup),
    ("session", Daemonize::Session),
];

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("attach", "trace the process PID; may be repeated")
        .only(Of::Trace)
        .short('p')
        .takes(Value::Always("PID"), Values::Pids)
        .more(
            "PID may be a list, its ids parted by commas, spaces, tabs or newlines, as in \
             -p \"$(pidof nginx)\". With -f, all threads of the process are traced. When the \
             tracer is interrupted it detaches and the process goes on. A program to run may be \
             given as well.",
        )
        .apply(attach),
    Flag::new("env", "set VAR in the program's environment, or remove it")
        .short('E')
        .takes(Value::Always("VAR[=VALUE]"), Values::Any)
        .more("Without =VALUE the variable is removed. May be repeated; the order counts.")
        .apply(env),
    Flag::new("user", "run the program as USER, or as UID:GID")
        .short('u')
        .takes(Value::Always("USER|UID:GID"), Values::User)
        .more(
            "A USER comes with that user's groups. Only root can do this; it is also the way to \
             trace set-user-ID programs with their rights.",
        )
        .apply(user),
    Flag::new("argv0", "give the program NAME as its argv[0]")
        .takes(Value::Always("NAME"), Values::Any)
        .apply(|options, given| {
            options.launch.argv0 = given.value.map(OsStr::to_owned);
            Ok(())
        }),
    Flag::new(
        "daemonize",
        "run the tracer as a grandchild; -DD in its own process group, -DDD in its own session",
    )
    .only(Of::Trace)
    .counted('D')
    .aliases(&["daemonise", "daemonized", "daemonised"])
    .takes(Value::LongMaybe("HOW"), Values::OneOf(&names(&DAEMONIZE)))
    .more(
        "The program then stays a direct child of whoever started the tracer, and with -DD a \
             signal to its process group does not reach the tracer. HOW is grandchild (-D), \
             pgroup (-DD) or session (-DDD).",
    )
    .apply(daemonize),
];

fn attach(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    let separators = [',', ' ', '\t', '\n'];
    let text = given.text()?;
    let pids = text.split(separators).filter(|pid| !pid.is_empty());
    let none = (!text.is_empty() && text.trim_matches(separators).is_empty()).then_some("");
    for pid in pids.chain(none) {
        match pid.parse() {
            Ok(id @ 1..) => options.attach.push(Tid(id)),
            _ => {
                return Err(UsageError::new(format!("Invalid process id: '{pid}'"))
                    .way_out("a process id is a number above 0"));
            }
        }
    }
    Ok(())
}

fn env(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    let text = given.value.unwrap_or_default().as_bytes();
    let mut parts = text.splitn(2, |&byte| byte == b'=').map(OsStr::from_bytes);
    let name = parts.next().unwrap_or_default().to_owned();
    options.launch.env.push((name, parts.next().map(OsStr::to_owned)));
    Ok(())
}

fn user(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    let text = given.text()?;
    options.launch.user = Some(match text.split_once(':') {
        None => User::Name(text.to_owned()),
        Some((uid, gid)) => match (uid.parse(), gid.parse()) {
            (Ok(uid), Ok(gid)) => User::Ids { uid, gid },
            _ => return Err(given.invalid("UID and GID are numbers, as in 1000:100")),
        },
    });
    Ok(())
}

fn daemonize(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    options.launch.daemonize = Some(match (given.times, given.value) {
        (0, Some(_)) => one_of(given, &DAEMONIZE)?,
        (0 | 1, _) => Daemonize::Grandchild,
        (2, _) => Daemonize::ProcessGroup,
        (3, _) => Daemonize::Session,
        (times, _) => {
            return Err(UsageError::new(format!(
                "Too many -D's ({times}), maximum supported -D count is 3"
            )));
        }
    });
    Ok(())
}
