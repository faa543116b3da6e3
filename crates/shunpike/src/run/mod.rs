//! `shunpike run`: runs a program that sees what modules show it.

mod explain;
mod modules;
mod program;
mod report;
mod ways;

use std::ffi::OsString;

use contract::Module;
use engine::Emulation;

use crate::cli::{MechanismChoice, TraceOptions};
use crate::status::Status;
use crate::trace;

/// Runs what the options say, or tells what they say. `name` is what the command was called by. The
/// exit status is the program's.
///
/// # Errors
/// A module cannot do what was asked for, or the program cannot be run.
pub fn run(options: &TraceOptions, name: &str) -> anyhow::Result<Status> {
    let Some(run) = &options.run else { return trace::run(options, name) };
    let emulation = Emulation::new(!run.no_sysemu);
    let emulates = options.mechanism == MechanismChoice::Sysemu;
    let modules = modules::of(run, emulates.then_some(&emulation))?;
    let beginning = program::Beginning::new(&modules.map, run.files.working.as_deref())?;
    if run.explain {
        print!("{}", explain::explain(options, run, &beginning, &modules.all)?);
        return Ok(Status::SUCCESS);
    }
    let running = modules.running;
    let start = trace::Start {
        modules: modules.all,
        enforcement: modules.enforcement,
        emulation,
        find: &|command| beginning.find(command),
        directory: beginning.directory(),
        program_of: Box::new(move |process| running.as_ref()?.program(process)),
        at_end: &|| {
            modules.ways.remove();
            modules.report.tell(name)
        },
    };
    trace::run_with(options, start, name)
}

/// Runs a command about whose calls these modules decide: the first is nearest to the program. `name` is
/// what messages begin with. The exit status is the program's.
///
/// It makes a process, and waits for whatever child of this process ends; so no other thread should do
/// either meanwhile. A program that is killed by a signal takes this process with it.
///
/// # Errors
/// There is no such program, or it cannot be run.
pub fn with(
    modules: Vec<Box<dyn Module>>,
    command: &[OsString],
    name: &str,
) -> anyhow::Result<Status> {
    let options = TraceOptions { command: command.to_vec(), ..TraceOptions::of_run() };
    let start = trace::Start {
        modules,
        enforcement: None,
        emulation: Emulation::default(),
        find: &trace::program::find,
        directory: None,
        program_of: Box::new(|_| None),
        at_end: &|| Ok(()),
    };
    trace::run_with(&options, start, name)
}
