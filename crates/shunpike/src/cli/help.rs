//! What `--help` prints.

use std::fmt::Write;

use super::commands::{Program, SUBCOMMANDS};
use super::flags::{Category, Flag, Of, Value};
use crate::wrap::wrap;

/// Longest line.
const WIDTH: usize = 100;
/// Where the text about a flag starts.
const COLUMN: usize = 34;

/// How a run ends, for help and man page.
pub(super) const EXIT_STATUS: &str = "The exit status is that of the traced program. If a signal \
     killed it, the tracer ends by the same signal. If Shunpike itself fails or does not \
     understand its command line, it is 1.";

/// What `run` is not.
pub(super) const NO_SANDBOX: &str = "What a program is shown is a convenience, not a sandbox: one \
     that means to can see and touch everything that its user may.";

/// The help of the program as a whole.
pub(super) fn overview() -> String {
    let mut text = "Watch the system calls of an unmodified program, and change what it sees, at the lowest cost.\n\n\
         Usage: shunpike SUBCOMMAND ...\n   or: shunpike -h | --help | -V | --version\n\n\
         Subcommands:\n"
        .to_owned();
    for subcommand in SUBCOMMANDS {
        entry(&mut text, &format!("{} {}", subcommand.name, subcommand.synopsis), subcommand.help);
    }
    text.push_str("\nCalled as strace, it takes the options of trace, without a subcommand.\n\n");
    paragraph(&mut text, EXIT_STATUS);
    text
}

/// The help of a subcommand without options.
pub(super) fn of(program: &Program, name: &str) -> String {
    let mut text = String::new();
    for subcommand in SUBCOMMANDS.iter().filter(|subcommand| subcommand.name == name) {
        let usage = format!("Usage: {} {name} {}", program.name(), subcommand.synopsis);
        let _ = writeln!(text, "{}\n", usage.trim_end());
        paragraph(&mut text, &format!("{}.", subcommand.help));
    }
    text
}

/// The help of a subcommand with flags: each of them, by subject.
pub(super) fn with_flags(program: &Program, of: Of) -> String {
    let command = match program.is_strace() {
        true => program.name().to_owned(),
        false => format!("{} {}", program.name(), of.name()),
    };
    let mut text = format!("Usage: {command} [OPTIONS] PROG [ARGS]\n");
    if of == Of::Trace {
        let _ = writeln!(text, "   or: {command} [OPTIONS] -p PID");
    }
    for (title, flags) in of.categories() {
        let _ = writeln!(text, "\n{title}:");
        for flag in flags {
            entry(&mut text, &forms(flag), flag.help);
        }
    }
    text.push('\n');
    if of == Of::Run {
        paragraph(&mut text, NO_SANDBOX);
        text.push('\n');
    }
    paragraph(&mut text, "Options end at PROG. `shunpike man` prints the whole manual.");
    text.push('\n');
    paragraph(&mut text, EXIT_STATUS);
    text
}

/// The help of a subcommand with options of its own.
pub(super) fn with_own_flags<O>(
    program: &Program,
    name: &str,
    categories: &'static [Category<O>],
) -> String {
    let mut text = of(program, name);
    for category in categories {
        let _ = writeln!(text, "\n{}:", category.title);
        for flag in category.flags {
            entry(&mut text, &forms(flag), flag.help);
        }
    }
    text.push('\n');
    paragraph(&mut text, "Options end at PROG. `shunpike man` prints the whole manual.");
    text
}

/// Both forms of a flag with its value: `-o FILE, --output=FILE`, `-e raw=SET, --raw=SET`.
fn forms<O>(flag: &Flag<O>) -> String {
    let long = match flag.value {
        Value::Never => format!("--{}", flag.long),
        Value::Always(value) | Value::LongOnly(value) => format!("--{}={value}", flag.long),
        Value::LongMaybe(value) => format!("--{}[={value}]", flag.long),
    };
    match (flag.short, flag.value, flag.qualifiers) {
        (Some(short), Value::Always(value), _) => format!("-{short} {value}, {long}"),
        (Some(short), ..) => format!("-{short}, {long}"),
        (None, Value::Always(value), [name, ..]) => format!("-e {name}={value}, {long}"),
        (None, ..) => format!("    {long}"),
    }
}

/// A name with its text beside it, or below where the name is long.
fn entry(out: &mut String, name: &str, about: &str) {
    let name = name.trim_end();
    let mut left = format!("  {name}");
    if left.len() + 2 > COLUMN {
        let _ = writeln!(out, "{left}");
        left.clear();
    }
    for line in wrap(about, WIDTH - COLUMN) {
        let _ = writeln!(out, "{left:COLUMN$}{line}");
        left.clear();
    }
}

fn paragraph(out: &mut String, text: &str) {
    for line in wrap(text, WIDTH) {
        let _ = writeln!(out, "{line}");
    }
}
