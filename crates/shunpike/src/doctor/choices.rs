//! Which mechanism `shunpike trace` chooses here, by the code that chooses.

use std::fmt::Write as _;

use kernel::probe::Host;

use crate::cli::{Command, Program};
use crate::trace;

/// Command lines as users write them: one for each use.
const USES: [&str; 8] = [
    "trace PROG",
    "trace -f PROG",
    "trace -f -e trace=openat PROG",
    "trace -f -c PROG",
    "trace -f -y PROG",
    "trace -f -b execve PROG",
    "trace -e trace=openat PROG",
    "trace -p 123",
];

/// A line for each use, and why.
pub(super) fn table(host: &Host) -> String {
    let mut text = String::new();
    for line in USES {
        let choice = match host.seize {
            Ok(()) => choose(line),
            Err(_) => "none      nothing can be traced here".to_owned(),
        };
        let _ = writeln!(text, "  shunpike {line:<32} {choice}");
    }
    text
}

fn choose(line: &str) -> String {
    let command = Program::new(None).parse(line.split(' ').map(Into::into));
    let Ok(Command::Trace(options)) = command else { return "not understood".to_owned() };
    match trace::choose_mechanism(&options) {
        Ok(choice) => choice.described(),
        Err(error) => format!("none      {error}"),
    }
}
