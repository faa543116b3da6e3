//! One run of a program under a tracer, as lines that can be compared.

use std::process::Command;

use crate::harness::launch::{self, End};
use crate::harness::normalise::{self, Normaliser};
use crate::harness::tools;
use crate::harness::trace::Trace;
use crate::harness::tracer::Tracer;
use crate::programs::Order::{self, Any, Same};
use crate::programs::Program;

/// The normalised lines of each process, in the order in which they were made. Where a table was
/// asked for, its lines.
pub fn run(program: &Program<'_>, tracer: Tracer) -> Result<Vec<Vec<String>>, String> {
    let text = trace(program, tracer)?;
    if program.options.contains(&"-c") {
        return Ok(vec![text.lines().map(str::to_owned).collect()]);
    }
    let trace = Trace::parse(&text).map_err(|error| format!("{}: {error}", tracer.name()))?;
    Ok(normalised(&trace, program.order))
}

/// What a tracer writes about a program.
fn trace(program: &Program<'_>, tracer: Tracer) -> Result<String, String> {
    // The folder's name is the same for both, since programs print it.
    let folder = tools::empty_scratch(&format!(
        "programs/{}{}",
        program.name,
        program.options.concat().replace('/', "_")
    ));
    let error = |error: std::io::Error| format!("{}: {error}", tracer.name());
    let mut setup = Command::new("sh");
    setup.args(["-ec", program.setup]);
    let outcome = launch::run(setup, &folder, "").map_err(error)?;
    if outcome.end != End::Exited(0) {
        return Err(format!("the setup fails: {outcome:?}"));
    }
    let output = folder.with_extension(tracer.name());
    let mut command = tracer.following(&output, program.options);
    command.args(program.command);
    let outcome = launch::run(launch::with_fixed_addresses(command), &folder, "").map_err(error)?;
    if outcome.end == End::TimedOut {
        return Err(format!("{} hangs: {outcome:?}", tracer.name()));
    }
    launch::read_lossy(&output)
        .map_err(|error| format!("{}: no trace: {error}: {outcome:?}", tracer.name()))
}

/// The lines of each process without what differs from run to run. SIGCHLD's lines come last: when
/// a signal arrives is chance.
fn normalised(trace: &Trace, order: Order) -> Vec<Vec<String>> {
    let normaliser = Normaliser::new(trace);
    let line = |line: &String| match order {
        Same => normaliser.line(line),
        Any => normalise::without_numbers_of_chance(&normaliser.line(line)),
    };
    let mut tasks = Vec::new();
    for task in &trace.tasks {
        let lines = task.lines.iter().map(line);
        let (signals, mut lines): (Vec<_>, Vec<_>) =
            lines.partition(|line| line.starts_with("--- SIGCHLD "));
        lines.extend(signals);
        tasks.push(lines);
    }
    tasks
}
