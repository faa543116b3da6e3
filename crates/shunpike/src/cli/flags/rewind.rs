//! The flags of `shunpike rewind`.

use std::path::PathBuf;
use std::time::Duration;

use engine::rewind::Obstacle;

use super::value::{duration, number};
use super::{Category, Flag, Given, Value, Values};
use crate::cli::options::{RewindOptions, RewindPoint};
use crate::cli::usage::UsageError;

pub(super) const CATEGORIES: &[Category<RewindOptions>] = &[
    Category { title: "Where to return to", flags: POINT },
    Category { title: "What to run", flags: RUNS },
    Category { title: "Output", flags: OUTPUT },
];

/// The most programs at a time.
const JOBS: usize = 1024;

const POINT: &[Flag<RewindOptions>] = &[
    Flag::new("at-input", "before the first call that reads the input (the default)")
        .more(
            "A program that asks for the size of its input before it reads (as gcc's cc1 and git do) is really run \
             before the first run: with at most 16 of the inputs, two or three times each. If what it does depends on what it was \
             told, or a run is cut off, it returns to before that. Where another point is chosen nothing is tried, \
             and the summary warns of such a call before it.",
        )
        .apply(|options, _| {
            options.point = RewindPoint::Input;
            Ok(())
        }),
    Flag::new("at", "before the first call of this name, or the NTH one")
        .takes(Value::Always("CALL[:NTH]"), Values::Calls)
        .more("The first one is number 1.")
        .apply(at),
    Flag::new("at-symbol", "before the function NAME of the program or of a library")
        .takes(Value::Always("NAME"), Values::Any)
        .more(
            "The symbol, or what is written in Rust or C++: 'ns::f', or 'ns::f(int)' where there are several. It is \
             looked for in the program's own file, and in the libraries that it loads if that has none; the file \
             must have its symbols, or export the function. Of an IFUNC, such as strlen or memcpy, it is the function \
             that the loader was told to take for it: others may stand for the same (memmove). Of several \
             processes the first one counts, and the last program that it runs.",
        )
        .apply(|options, given| {
            options.point = RewindPoint::Symbol(given.text()?.to_owned());
            Ok(())
        }),
    Flag::new("at-start", "before the program's first instruction").apply(|options, _| {
        options.point = RewindPoint::Start;
        Ok(())
    }),
    Flag::new("allow", "pass over what a snapshot cannot hold")
        .takes(Value::Always("KINDS"), Values::SetOf(&Obstacle::KINDS))
        .more(
            "KINDS is a list of descriptors (sockets, pipes to others, terminals, message queues and the like: what they \
             hold is not put back), shared-memory, timers, locks and untracked-memory. Without this the \
             program is refused, with the name of what stands in the way.",
        )
        .apply(allow),
];

const RUNS: &[Flag<RewindOptions>] = &[
    Flag::new("times", "run N times (default: once for each input)")
        .short('n')
        .takes(Value::Always("N"), Values::Any)
        .apply(|options, given| {
            let times = number(given, usize::MAX).ok().filter(|&times| times > 0);
            let invalid = || given.invalid("it takes a number from 1".to_owned());
            options.times = Some(times.ok_or_else(invalid)? as u64);
            Ok(())
        }),
    Flag::new("input", "give each file of DIR to a run, as its standard input")
        .short('i')
        .takes(Value::Always("DIR"), Values::File)
        .more(
            "In the order of their names, and from the first one again if there are more runs. DIR \
             may be a file. Without this each run reads what stands on the standard input.",
        )
        .apply(|options, given| {
            options.inputs = given.value.map(PathBuf::from);
            Ok(())
        }),
    Flag::new("input-path", "the program reads its input from PATH")
        .takes(Value::Always("PATH"), Values::File)
        .more(
            "PATH is as the program names it; with --input, its content is replaced before each \
             run. The point is before the first call that opens it or asks about it.",
        )
        .apply(|options, given| {
            options.input_path = given.value.map(PathBuf::from);
            Ok(())
        }),
    Flag::new("jobs", "run N programs at a time")
        .short('j')
        .takes(Value::Always("N"), Values::Any)
        .apply(|options, given| {
            let jobs = number(given, JOBS).ok().filter(|&jobs| jobs > 0);
            let invalid = || given.invalid(format!("it takes a number from 1 to {JOBS}"));
            options.jobs = jobs.ok_or_else(invalid)?;
            Ok(())
        }),
    Flag::new("timeout", "end a run after so long (default 10s)")
        .short('t')
        .takes(Value::Always("TIME"), Values::Any)
        .more(
            "TIME is a number and one of s, ms, us, ns; seconds where there is none. A run that takes \
             long ends also where it has written 256 MiB, which are kept in memory.",
        )
        .apply(|options, given| {
            let seconds = given.text()?.parse().ok().map(Duration::from_secs);
            options.timeout = seconds.map_or_else(|| duration(given), Ok)?;
            if options.timeout.is_zero() {
                return Err(given.invalid("it takes a time above 0".to_owned()));
            }
            Ok(())
        }),
    Flag::new("first-only", "end a run when its first process ends")
        .more(
            "Without this it lasts until none of its processes can write to its outputs any more, as for one who \
             reads them from a pipe. One that goes on for good, or waits for the end of a socket that --allow has \
             passed over, lets each run be out of time. So does one that does not see by wait(2), SIGCHLD or the end \
             of a pipe that the first process has ended, but by getppid(2), kill(2), PR_SET_PDEATHSIG or SIGHUP.",
        )
        .apply(|options, _| {
            options.first_only = true;
            Ok(())
        }),
];

const OUTPUT: &[Flag<RewindOptions>] = &[
    Flag::new("json", "write a record of each run to FILE, a line each")
        .takes(Value::Always("FILE"), Values::File)
        .apply(|options, given| {
            options.json = given.value.map(PathBuf::from);
            Ok(())
        }),
    Flag::new("quiet", "print the summary only").short('q').apply(|options, _| {
        options.quiet = true;
        Ok(())
    }),
    Flag::new("help", "print this help").short('h'),
];

fn at(options: &mut RewindOptions, given: &Given<'_>) -> Result<(), UsageError> {
    let text = given.text()?;
    let (name, nth) = text.split_once(':').unwrap_or((text, "1"));
    let call = table::arch::x86_64::by_name(name);
    let call = call.ok_or_else(|| given.invalid("it takes the name of a system call"))?;
    let nth = nth.parse().ok().filter(|nth: &u64| *nth > 0);
    let nth =
        nth.ok_or_else(|| given.invalid("behind the call's name it takes a number from 1"))?;
    options.point = RewindPoint::Call(call.number.into(), nth - 1);
    Ok(())
}

fn allow(options: &mut RewindOptions, given: &Given<'_>) -> Result<(), UsageError> {
    let kinds = Obstacle::KINDS;
    for kind in given.text()?.split(',') {
        match kind {
            "all" => options.allowed.extend(kinds.map(str::to_owned)),
            known if kinds.contains(&known) => options.allowed.push(known.to_owned()),
            _ => return Err(given.invalid(format!("it takes a list of {}", kinds.join(", ")))),
        }
    }
    Ok(())
}
