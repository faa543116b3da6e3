//! What crossings cost here.

use std::fmt::Write as _;

use kernel::probe::Host;
use kernel::probe::cost::Subject;

/// A line for each thing that is measured: how long it takes, and its ratio to an untraced call.
pub(super) fn table(host: &Host) -> String {
    let costs = Subject::ALL.map(|subject| match host.seize {
        Err(refusal) if subject.needs_tracing() => (subject, Err(refusal)),
        _ => (subject, subject.measure()),
    });
    let [(_, call), ..] = costs;
    let mut text = String::new();
    for (subject, cost) in costs {
        let _ = match cost {
            Ok(cost) => write!(text, "  {:<50} {:>8.2} µs", describe(subject), cost / 1e3),
            Err(_) => write!(text, "  {:<50} {:>11}", describe(subject), "–"),
        };
        match (cost, call) {
            (Ok(cost), Ok(call)) => writeln!(text, " {:>8.1} ×", cost / call),
            _ => writeln!(text),
        }
        .expect("a string takes everything");
    }
    text
}

fn describe(subject: Subject) -> &'static str {
    match subject {
        Subject::Call => "a system call that does next to nothing, untraced",
        Subject::FilteredCall => "the same, let pass by a seccomp filter",
        Subject::PickedCall => "the same with the one stop that a filter causes",
        Subject::TracedCall => "the same with two stops (ptrace)",
        Subject::TracedCallApart => "the same, tracer and program on two processors",
        Subject::Request => "asking about a stopped thread (a ptrace request)",
        Subject::PageRead => "reading a page of a program's memory",
    }
}
