//! Where a trace is written, and how its lines look.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::value::{PRECISIONS, look_up, names, number, one_of, precision};
use super::{Flag, Given, Value, Values};
use crate::cli::filter::QuietSet;
use crate::cli::options::{
    ColorChoice, Format, Precision, StackTrace, Target, TimeFormat, TraceOptions,
};
use crate::cli::usage::UsageError;

/// The last column that can be asked for.
const WIDEST: usize = 1 << 20;

const FORMATS: [(&str, Format); 2] = [("text", Format::Text), ("json", Format::Json)];

const COLORS: [(&str, ColorChoice); 3] =
    [("auto", ColorChoice::Auto), ("always", ColorChoice::Always), ("never", ColorChoice::Never)];

const STACKS: [(&str, StackTrace); 2] =
    [("symbol", StackTrace::Symbol), ("source", StackTrace::Source)];

const CLOCKS: [(&str, Option<TimeFormat>); 3] =
    [("none", None), ("time", Some(TimeFormat::TimeOfDay)), ("unix", Some(TimeFormat::Unix))];

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("output", "write the trace to FILE instead of stderr")
        .short('o')
        .takes(Value::Always("FILE"), Values::File)
        .more(
            "If FILE starts with | or !, the rest is a shell command, and the trace goes to its \
             standard input. With --output-separately each process has its own FILE.PID.",
        )
        .apply(output),
    Flag::new("output-append-mode", "append to the file of -o instead of replacing it")
        .short('A')
        .apply(|options, _| {
            options.output.append = true;
            Ok(())
        }),
    Flag::new("output-separately", "write each process's trace to its own file, FILE.PID").apply(
        |options, _| {
            options.output.separately = true;
            Ok(())
        },
    ),
    Flag::new("format", "write the trace as text, or as json: one object a line")
        .takes(Value::Always("FORMAT"), Values::OneOf(&names(&FORMATS)))
        .apply(|options, given| {
            options.output.format = one_of(given, &FORMATS)?;
            Ok(())
        }),
    Flag::new("json", "short for --format=json").apply(|options, _| {
        options.output.format = Format::Json;
        Ok(())
    }),
    Flag::new("color", "use colours: auto, always or never")
        .takes(Value::LongMaybe("WHEN"), Values::OneOf(&names(&COLORS)))
        .more(
            "auto, the default, uses them on a terminal, unless NO_COLOR is set, STRACE_COLORS \
             is empty, or TERM is dumb. --color alone is --color=always.",
        )
        .apply(|options, given| {
            options.output.color = match given.value {
                Some(_) => one_of(given, &COLORS)?,
                None => ColorChoice::Always,
            };
            Ok(())
        }),
    Flag::new("columns", "put the = of results in column N (default 40)")
        .short('a')
        .takes(Value::Always("N"), Values::Any)
        .apply(|options, given| {
            options.line.result_column = number(given, WIDEST)?;
            Ok(())
        }),
    Flag::new(
        "absolute-timestamps",
        "print the time of day; -tt with microseconds, -ttt since 1970",
    )
    .aliases(&["timestamps"])
    .counted('t')
    .takes(Value::LongMaybe("FORMAT"), Values::OneOf(&["none", "time", "unix"]))
    .more(
        "-tt adds microseconds; -ttt prints seconds since 1970 with microseconds. FORMAT is \
             [[format:]none|time|unix],[[precision:]s|ms|us|ns]; the default is time,s.",
    )
    .apply(absolute_timestamps),
    Flag::new("relative-timestamps", "print the time since the call before")
        .short('r')
        .takes(Value::LongMaybe("PRECISION"), Values::OneOf(&names(&PRECISIONS)))
        .more("PRECISION is one of s, ms, us (the default) and ns.")
        .apply(|options, given| {
            options.line.relative_time = Some(precision(given)?);
            Ok(())
        }),
    Flag::new("syscall-times", "print the time spent in each call")
        .short('T')
        .takes(Value::LongMaybe("PRECISION"), Values::OneOf(&names(&PRECISIONS)))
        .more("PRECISION is one of s, ms, us (the default) and ns.")
        .apply(|options, given| {
            options.line.call_time = Some(precision(given)?);
            Ok(())
        }),
    Flag::new("syscall-number", "print the number of each call").short('n').apply(|options, _| {
        options.line.call_number = true;
        Ok(())
    }),
    Flag::new("instruction-pointer", "print the instruction pointer of each call")
        .short('i')
        .apply(|options, _| {
            options.line.instruction_pointer = true;
            Ok(())
        }),
    Flag::new("stack-trace", "print the stack behind each call; -kk with lines of source")
        .aliases(&["stack-traces"])
        .counted('k')
        .takes(Value::LongMaybe("KIND"), Values::OneOf(&names(&STACKS)))
        .more(
            "A line a frame: the file, the function and how far into it, the place in the file. \
             KIND is symbol, the default, or source: where the file has debugging information, \
             the line of source too.",
        )
        .apply(stack_trace),
    Flag::new("stack-trace-frame-limit", "print at most N frames of a stack (default 256)")
        .takes(Value::Always("N"), Values::Any)
        .apply(|options, given| {
            options.line.stack_frames = number(given, usize::MAX)?;
            if options.line.stack_frames == 0 {
                return Err(given.invalid("it takes a number from 1 on"));
            }
            Ok(())
        }),
    Flag::new("always-show-pid", "print the process id on each line, also with only one process")
        .apply(|options, _| {
            options.line.always_pid = true;
            Ok(())
        }),
    Flag::new("quiet", "leave out messages; -qq more of them, -qqq all")
        .aliases(&["silent", "silence"])
        .qualifiers(&["quiet", "silent", "silence", "q"])
        .counted('q')
        .takes(Value::LongMaybe("SET"), Values::SetOf(QuietSet::NAMES))
        .more(
            "-q, and --quiet alone, leaves out attach and personality, -qq also exit, -qqq everything. attach: \
             attaching and detaching. exit: how a process ended. path-resolution: what the \
             paths of -P stand for. personality: changes between the 64-bit and the 32-bit ABI. \
             thread-execve: threads that vanish when another calls execve(2).",
        )
        .apply(quiet),
];

fn output(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    let value = given.value.unwrap_or_default();
    options.output.target = match value.as_bytes() {
        [b'|' | b'!'] => return Err(given.invalid("the command is missing, as in '|less'")),
        [b'|' | b'!', command @ ..] => Target::Command(OsStr::from_bytes(command).to_owned()),
        _ => Target::File(value.into()),
    };
    Ok(())
}

fn absolute_timestamps(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    let mut clock = Some(TimeFormat::TimeOfDay);
    let mut precision = Precision::Seconds;
    match given.times {
        0 => {
            for part in given.text()?.split(',').filter(|part| !part.is_empty()) {
                let format = part.strip_prefix("format:").unwrap_or(part);
                let digits = part.strip_prefix("precision:").unwrap_or(part);
                match (look_up(format, &CLOCKS), look_up(digits, &PRECISIONS)) {
                    (Some(found), _) => clock = found,
                    (None, Some(found)) => precision = found,
                    (None, None) => {
                        let way_out = "a format is one of none, time, unix, \
                                       and a precision one of s, ms, us, ns";
                        return Err(given.invalid(way_out));
                    }
                }
            }
        }
        1 => {}
        2 => precision = Precision::Micros,
        _ => (clock, precision) = (Some(TimeFormat::Unix), Precision::Micros),
    }
    options.line.absolute_time = clock.map(|clock| (clock, precision));
    Ok(())
}

fn stack_trace(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    options.line.stack = match (given.times, given.value) {
        (0, Some(_)) => one_of(given, &STACKS)?,
        (0 | 1, _) => StackTrace::Symbol,
        _ => StackTrace::Source,
    };
    Ok(())
}

fn quiet(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    options.filter.quiet = Some(match (given.times, given.value) {
        (0, Some(_)) => QuietSet::parse(given.text()?)?,
        (0 | 1, _) => QuietSet::OF_PROCESSES,
        (2, _) => QuietSet::OF_PROCESSES.union(QuietSet::EXIT),
        _ => QuietSet::ALL,
    });
    Ok(())
}
