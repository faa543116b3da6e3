//! Real programs under the installed strace and under Shunpike: the same lines.
//!
//! Each program runs once under `strace -f -o` and once under `shunpike trace -f -o`, in folders
//! that look the same and, where the kernel allows it, at the same addresses. What differs from run
//! to run becomes a word; then the processes are compared one by one, in the order in which they
//! were made. The share of equal lines must be at least what the table of programs says for it:
//! raise it when it rises.
//!
//! The guests of `guests/compared` make calls with arguments that real programs do not give; their
//! lines are compared under several options. Those of `guests/answered` are told that their calls have
//! succeeded. The calls of `guests/injected` are tampered with in each form that there is.
//!
//! `SHUNPIKE_DIFF=1 cargo test --test differential` also prints the differing lines, by call, the
//! most frequent call first. A difference that is meant to be stands in known-differences.txt,
//! with its reason.
#![forbid(unsafe_code)]

mod compare;
#[path = "../harness/mod.rs"]
mod harness;
mod known;
mod looks;
mod programs;
mod report;
mod run;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Completion, Failed, Trial};

use compare::compare;
use harness::compile::{self, Variant};
use harness::{tools, tracer};
use looks::{ANSWERED, I386_LOOKS, LOOKS, TAMPERED};
use programs::{LEAST_SHARE, Order, PROGRAMS, Program, STRESSORS};
use report::TOTALS;

fn main() {
    let programs = PROGRAMS
        .iter()
        .map(|program| Trial::ignorable_test(program.name, move || compare_installed(program)));
    let stressors = STRESSORS.iter().map(|stressor| {
        Trial::ignorable_test(format!("stress-{stressor}"), move || compare_stressor(stressor))
    });
    let trials = programs.chain(stressors).chain(guest_trials());
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials.collect());
    print!("{}", TOTALS.shown());
    conclusion.exit();
}

/// Compares a program if it is installed.
fn compare_installed(program: &Program<'_>) -> Result<Completion, Failed> {
    let missing = [program.command[0]]
        .iter()
        .chain(program.needs)
        .find(|tool| tools::find(tool).is_none())
        .map(|tool| format!("{tool} is not installed"));
    match tracer::no_oracle().map(str::to_owned).or(missing) {
        Some(reason) => Ok(Completion::ignored_with(reason)),
        None => compare(program).map(|()| Completion::Completed).map_err(Failed::from),
    }
}

/// Compares one round of a stressor of stress-ng(1).
fn compare_stressor(stressor: &str) -> Result<Completion, Failed> {
    let (one, rounds) = (format!("--{stressor}"), format!("--{stressor}-ops"));
    compare_installed(&Program {
        name: &format!("stress-{stressor}"),
        setup: "",
        command: &["stress-ng", "-q", "--no-rand-seed", &one, "1", &rounds, "1"],
        options: &[],
        order: Order::Any,
        share: LEAST_SHARE,
        needs: &[],
    })
}

/// A trial for each guest of these folders with each look.
fn guest_trials() -> impl Iterator<Item = Trial> {
    let folders = [
        ("compared", Variant::Dynamic, LOOKS),
        ("compared_i386", Variant::I386, I386_LOOKS),
        ("injected", Variant::Dynamic, TAMPERED),
        ("answered", Variant::Dynamic, ANSWERED),
    ];
    folders.into_iter().flat_map(|(folder, variant, looks)| {
        let sources = tools::files(&format!("guests/{folder}"), "c");
        sources.into_iter().flat_map(move |source| {
            let program = Arc::new(OnceLock::new());
            looks
                .iter()
                .map(move |options| guest_trial(source.clone(), variant, options, program.clone()))
        })
    })
}

/// A trial of a guest with these options; of those that run side by side one builds the program.
fn guest_trial(
    source: PathBuf,
    variant: Variant,
    options: &'static [&'static str],
    program: Arc<OnceLock<Result<PathBuf, String>>>,
) -> Trial {
    let look = if options.is_empty() { "plain".to_owned() } else { options.join(" ") };
    let kind = if variant == Variant::I386 { "i386-" } else { "" };
    let name = format!("guest-{kind}{}", tools::stem(&source));
    Trial::ignorable_test(format!("{name} {look}"), move || {
        match tracer::no_oracle().map(str::to_owned).or_else(|| variant.missing()) {
            Some(reason) => Ok(Completion::ignored_with(reason)),
            None => program
                .get_or_init(|| compile::c(&source, variant))
                .as_ref()
                .map_err(String::clone)
                .and_then(|program| compare_guest(&name, program, options))
                .map(|()| Completion::Completed)
                .map_err(Failed::from),
        }
    })
}

fn compare_guest(name: &str, program: &Path, options: &[&str]) -> Result<(), String> {
    let guest = program.to_str().ok_or("the target folder's name is not UTF-8")?;
    let command = &[guest][..];
    compare(&Program {
        name,
        setup: "",
        command,
        options,
        order: Order::Same,
        share: 100.0,
        needs: &[],
    })
}
