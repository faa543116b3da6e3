//! The ledger of crossings that `--toll` prints.

use std::fmt::Write as _;
use std::fs;

use anyhow::Context;
use engine::Toll;
use kernel::toll::Kind;

use super::mechanism::Choice;
use crate::cli::TollTarget;
use crate::cli::TraceOptions;
use crate::errors::say;

const KINDS: [(Kind, &str); 7] = [
    (Kind::Wait, "waits"),
    (Kind::Ptrace, "ptrace requests"),
    (Kind::MemoryRead, "memory reads"),
    (Kind::MemoryWrite, "memory writes"),
    (Kind::ProcRead, "/proc reads"),
    (Kind::Signal, "signals sent"),
    (Kind::Other, "others"),
];

/// Prints the ledger where the options say.
///
/// # Errors
/// It cannot be written.
pub(super) fn report(
    options: &TraceOptions,
    choice: &Choice,
    toll: &Toll,
    name: &str,
) -> anyhow::Result<()> {
    match &options.toll {
        None => {}
        Some(TollTarget::Stderr) => say(ledger(choice, toll)),
        Some(TollTarget::File(path)) => fs::write(path, ledger(choice, toll) + "\n")
            .with_context(|| format!("{name}: cannot write '{}'", path.display()))?,
    }
    Ok(())
}

fn ledger(choice: &Choice, toll: &Toll) -> String {
    let mut text = String::new();
    let per_call = |count: u64| count as f64 / toll.calls_seen.max(1) as f64;
    let mut row = |what: &str, count: u64| {
        let _ = writeln!(text, "{what:<26} {count:>12} {:>10.3}", per_call(count));
    };
    row("calls seen", toll.calls_seen);
    row("calls told", toll.calls_told);
    row("calls decided", toll.calls_decided);
    row("calls by the agent", toll.calls_by_agent);
    row("threads with lost records", toll.spoilt_threads);
    row("programs without an agent", toll.without_agent);
    row("stops", toll.stops.total());
    row("  system calls", toll.stops.syscall);
    row("  seccomp", toll.stops.seccomp);
    row("  signals", toll.stops.signal);
    row("  others", toll.stops.other);
    row("ends of threads", toll.ends);
    row("rounds", toll.rounds);
    row("bindings to a processor", toll.bindings);
    row("supervisor kernel calls", KINDS.iter().map(|(kind, _)| toll.kernel.of(*kind)).sum());
    for (kind, what) in KINDS {
        row(&format!("  {what}"), toll.kernel.of(kind));
    }
    let _ = writeln!(text, "by {}", choice.described());
    if let Some(why) = toll.why_without {
        let _ = writeln!(text, "no agent since {why}");
    }
    format!("{:<26} {:>12} {:>10}\n{}", "toll", "count", "per call", text.trim_end())
}
