//! What the program sees, but for files.

use std::ffi::OsStr;

use contract::Reply;
use table::errno;

use super::filter::set_calls;
use super::{Flag, Given, Of, Value, Values};
use crate::cli::filter::call_set;
use crate::cli::options::TraceOptions;
use crate::cli::usage::UsageError;

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("hostname", "the host is called NAME")
        .only(Of::Run)
        .aliases(&["uts-hostname"])
        .takes(Value::Always("NAME"), Values::Any)
        .more(
            "uname(2) tells it, and so do gethostname(3) and hostname(1). The program may \
             change it, for itself and what it starts.",
        )
        .apply(|options, given| name(options, given, |names| &mut names.host)),
    Flag::new("domainname", "the domain (NIS) is called NAME")
        .only(Of::Run)
        .aliases(&["uts-domainname"])
        .takes(Value::Always("NAME"), Values::Any)
        .apply(|options, given| name(options, given, |names| &mut names.domain)),
    Flag::new("uts-sysname", "uname(2) tells NAME as the system, in place of Linux")
        .only(Of::Run)
        .takes(Value::Always("NAME"), Values::Any)
        .apply(|options, given| name(options, given, |names| &mut names.system)),
    Flag::new("uts-release", "uname(2) tells NAME as the kernel's release")
        .only(Of::Run)
        .takes(Value::Always("NAME"), Values::Any)
        .apply(|options, given| name(options, given, |names| &mut names.release)),
    Flag::new("uts-version", "uname(2) tells NAME as the kernel's version")
        .only(Of::Run)
        .takes(Value::Always("NAME"), Values::Any)
        .apply(|options, given| name(options, given, |names| &mut names.version)),
    Flag::new("uts-machine", "uname(2) tells NAME as the machine")
        .only(Of::Run)
        .takes(Value::Always("NAME"), Values::Any)
        .apply(|options, given| name(options, given, |names| &mut names.machine)),
    Flag::new("answer", "the calls in SET are not made, and return RESULT")
        .only(Of::Run)
        .takes(Value::Always("SET=RESULT"), Values::Any)
        .more(
            "SET is as for --trace; RESULT is a number, or the name of an error: \
             --answer=sync,fsync=0, --answer=io_uring_setup=ENOSYS. Nobody is asked: the kernel \
             answers, or the program itself. May be repeated; the first that is about a call counts.",
        )
        .apply(answer),
    Flag::new("no-sysemu", "with --mechanism=sysemu: emulate no call to begin with")
        .only(Of::Run)
        .more(
            "The program may switch it, as under User-Mode Linux: /proc/sysemu has 0, no call is \
             emulated, or 1 or 2, those that are answered are; a write to it sets it.",
        )
        .apply(|options, _| {
            options.run_mut().no_sysemu = true;
            Ok(())
        }),
    Flag::new("explain", "print what the program would see, and what is claimed for it")
        .only(Of::Run)
        .more(
            "First as a file that --config reads; then, as comments in it, a line for each thing, with \
             the calls about which it has to be asked. Nothing is run.",
        )
        .apply(|options, _| {
            options.run_mut().explain = true;
            Ok(())
        }),
    Flag::new("trace", "show the program's calls too, or those in SET, as shunpike trace does")
        .only(Of::Run)
        .qualifiers(&["trace", "t"])
        .takes(Value::LongMaybe("SET"), Values::Calls)
        .more(
            "Calls are shown as the program makes them, with what it gets for them. All the options \
             about what is shown are those of shunpike trace.",
        )
        .apply(|options, given| {
            if given.value.is_some() {
                set_calls(options, given)?;
            }
            let set = given.value.map_or("all".into(), OsStr::to_string_lossy).into_owned();
            options.run_mut().traced = Some(set);
            Ok(())
        }),
];

/// Sets one of the names of `uname(2)`.
fn name(
    options: &mut TraceOptions,
    given: &Given<'_>,
    field: fn(&mut modules::uts::Names) -> &mut Option<String>,
) -> Result<(), UsageError> {
    *field(&mut options.run_mut().names) = Some(given.text()?.to_owned());
    Ok(())
}

/// `SET=RESULT`.
fn answer(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    let text = given.text()?;
    let way_out = "it takes SET=RESULT, as in getpid=42 or sync=EIO";
    let (set, result) = text.rsplit_once('=').ok_or_else(|| given.invalid(way_out))?;
    let reply = match result.parse() {
        Ok(value) => Reply::Value(value),
        Err(_) => {
            let error = errno::by_name(result).and_then(|error| u16::try_from(error).ok());
            Reply::Error(error.ok_or_else(|| given.invalid(way_out))?)
        }
    };
    options.run_mut().answers.push((call_set(set)?, reply, text.to_owned()));
    Ok(())
}
