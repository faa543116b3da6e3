//! Compares what strace and Shunpike tell of a program.

use std::collections::BTreeSet;

use crate::harness::diff::{self, Change};
use crate::harness::tracer::{self, Tracer};
use crate::known::known_differences;
use crate::programs::Order::{Any, Same};
use crate::programs::Program;
use crate::report::{TOTALS, by_call, equal};
use crate::run::run;

/// How often programs are compared at most: in what runs side by side chance has a part.
const ATTEMPTS: usize = 3;

/// Compares a program, and again when too few lines are equal: a line that one of the tracers lacks is
/// lacking each time.
pub fn compare(program: &Program<'_>) -> Result<(), String> {
    let mut outcome = compare_once(program);
    for _ in 1..ATTEMPTS {
        if outcome.is_ok() {
            break;
        }
        outcome = compare_once(program);
    }
    outcome
}

/// Runs a program under strace, and under Shunpike with and without stops; where calls are tampered
/// with, by two stops and by one too. Fails when too few lines are equal.
fn compare_once(program: &Program<'_>) -> Result<(), String> {
    let oracle = run(program, Tracer::Strace)?;
    if program.options.iter().any(|option| option.contains(':') || option.starts_with("fault=")) {
        compare_with(program, &oracle, Tracer::Ptrace)?;
        compare_with(program, &oracle, Tracer::Sysemu)?;
    }
    compare_with(program, &oracle, Tracer::Seccomp)?;
    match tracer::no_agent() {
        None => compare_with(program, &oracle, Tracer::Agent),
        Some(reason) => {
            println!("{} agent: skipped: {reason}", program.name);
            Ok(())
        }
    }
}

fn compare_with(
    program: &Program<'_>,
    oracle: &[Vec<String>],
    tracer: Tracer,
) -> Result<(), String> {
    let ours = run(program, tracer)?;
    let mut different = differences(program, oracle, &ours);
    let all = larger_side(&different);
    let known = known_differences(program, tracer)?;
    different.retain(|change| !known.iter().any(|pattern| pattern.is_match(change.line())));
    let unexplained = larger_side(&different);

    let lines = match program.order {
        Same => oracle.iter().map(Vec::len).sum(),
        Any => set(oracle).len(),
    };
    TOTALS.add(lines, all, unexplained);
    let share = equal(lines, unexplained);
    // One write, so that reports of programs that run side by side stay apart.
    let name = format!("{} {}", program.name, tracer.name());
    let mut report = format!(
        "{name}: {lines} lines, {:.2} % equal, {share:.2} % with what is known\n",
        equal(lines, all)
    );
    if std::env::var_os("SHUNPIKE_DIFF").is_some() {
        report += &by_call(&different);
    }
    print!("{report}");
    if share < program.share {
        let shown = diff::shown(&different, 30);
        return Err(format!(
            "{share:.2} % of {lines} lines are equal or known not to be, {} % must be; \
             - strace, + {}:\n{shown}",
            program.share,
            tracer.name()
        ));
    }
    Ok(())
}

/// How many lines differ: a line that is another is on both sides.
fn larger_side(changes: &[Change]) -> usize {
    let missing = changes.iter().filter(|change| matches!(change, Change::Missing(_))).count();
    missing.max(changes.len() - missing)
}

/// The lines that only one side has.
fn differences<'a>(
    program: &Program<'_>,
    oracle: &'a [Vec<String>],
    ours: &'a [Vec<String>],
) -> Vec<Change<'a>> {
    let borrowed = |lines: &'a [String]| lines.iter().map(String::as_str).collect::<Vec<_>>();
    match program.order {
        Same => {
            let tasks = oracle.len().max(ours.len());
            let task = |side: &'a [Vec<String>], index| {
                side.get(index).map(|lines: &Vec<String>| borrowed(lines)).unwrap_or_default()
            };
            (0..tasks)
                .flat_map(|index| diff::changes(&task(oracle, index), &task(ours, index)))
                .collect()
        }
        Any => diff::set_changes(&set(oracle), &set(ours)),
    }
}

fn set(tasks: &[Vec<String>]) -> BTreeSet<&str> {
    tasks.iter().flatten().map(String::as_str).collect()
}
