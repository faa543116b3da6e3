//! Which files the program sees.

use std::env;

use super::{Flag, Given, Of, Value, Values};
use crate::cli::config;
use crate::cli::options::TraceOptions;
use crate::cli::rules;
use crate::cli::usage::UsageError;

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("map", "the program sees HOST at the path GUEST; with :ro it cannot change it")
        .only(Of::Run)
        .takes(Value::Always("GUEST=HOST[:ro]"), Values::File)
        .more(
            "As a bind mount shows it, without root. HOST is a file or a directory; it may be given \
             several times, and the deepest GUEST counts that holds a path.",
        )
        .apply(|options, given| {
            let text = given.value.unwrap_or_default();
            let place = rules::place(text).map_err(|why| given.invalid(why))?;
            options.run_mut().files.places.push(place);
            Ok(())
        }),
    Flag::new("root", "the program sees the directory DIR as its /")
        .only(Of::Run)
        .takes(Value::Always("DIR"), Values::File)
        .more(
            "With the dynamic loader and the libraries found inside, as proot -r has it. PROG is looked \
             for there too. What of the host is wanted is added by --map /proc=/proc.",
        )
        .apply(|options, given| {
            let place = rules::root(given.value.unwrap_or_default());
            let place = place.map_err(|why| given.invalid(why))?;
            options.run_mut().files.places.push(place);
            Ok(())
        }),
    Flag::new("unreal", "the program sees its / at /unreal too").only(Of::Run).apply(|options, _| {
        options.run_mut().files.places.push(modules::unreal::place());
        Ok(())
    }),
    Flag::new("cwd", "the program begins in the directory DIR")
        .only(Of::Run)
        .takes(Value::Always("DIR"), Values::File)
        .more("By its own name for it. Without this it begins where it is, or in / if it cannot see that.")
        .apply(|options, given| {
            options.run_mut().files.working = given.value.map(Into::into);
            Ok(())
        }),
    Flag::new("deny", "calls fail: [CALLS][:PATH][=ERRNO]; may be repeated")
        .only(Of::Run)
        .takes(Value::Always("RULE"), Values::Any)
        .more(
            "CALLS is a set as -e trace takes it, or @write, calls that would change a file by its path. \
             PATH is the program's, and stands for all that is below it. ERRNO is EPERM if it is not \
             given. The first rule counts that a call meets. At the end it is told what was refused.",
        )
        .apply(|options, given| {
            let rule = rules::denial(given.text()?).map_err(|why| given.invalid(why))?;
            options.run_mut().files.denials.push(rule);
            Ok(())
        }),
    Flag::new("enforce", "--deny is kept, whatever the program tries")
        .only(Of::Run)
        .more(
            "Without this --deny shows how a program copes, and one that is out to deceive gets round it. \
             With it the supervisor answers the calls that a rule names; paths are decided upon by copies \
             that the program cannot change. 32-bit programs do not run then, and calls that cannot be \
             decided so fail: io_uring, mounts, ptrace. What is promised is in docs/modules/deny.md.",
        )
        .apply(|options, _| {
            options.run_mut().files.enforce = true;
            Ok(())
        }),
    Flag::new("learn", "tell at the end which files the program touched, as rules for --deny")
        .only(Of::Run)
        .apply(|options, _| {
            options.run_mut().files.learn = true;
            Ok(())
        }),
    Flag::new("report", "write what --deny and --learn tell to FILE, not to stderr")
        .only(Of::Run)
        .takes(Value::Always("FILE"), Values::File)
        .apply(|options, given| {
            let directory = env::current_dir().unwrap_or_default();
            let file = given.value.map(|file| directory.join(file));
            options.run_mut().files.report = file;
            Ok(())
        }),
    Flag::new("config", "read what the program sees from FILE (TOML)")
        .only(Of::Run)
        .takes(Value::Always("FILE"), Values::File)
        .more(
            "A key is the name of an option about what the program sees, without dashes. Its value is \
             what stands behind the option, a list where that may be repeated, or true for an option \
             without a value: map = [\"/data=/srv\"], unreal = true.",
        )
        .apply(read_config),
];

fn read_config(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    config::read(options, given.value.unwrap_or_default().as_ref())
}
