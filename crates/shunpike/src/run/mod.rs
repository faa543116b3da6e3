//! `shunpike run`: runs a program that sees what modules show it.

mod explain;
mod modules;
mod program;
mod report;
mod ways;

use std::process::ExitCode;

use engine::Emulation;

use crate::cli::{MechanismChoice, TraceOptions};
use crate::trace;

/// Runs what the options say, or tells what they say. `name` is what the command was called by. The
/// exit status is the program's.
///
/// # Errors
/// A module cannot do what was asked for, or the program cannot be run.
pub fn run(options: &TraceOptions, name: &str) -> anyhow::Result<ExitCode> {
    let Some(run) = &options.run else { return trace::run(options, name) };
    let emulation = Emulation::new(!run.no_sysemu);
    let emulates = options.mechanism == MechanismChoice::Sysemu;
    let modules = modules::of(run, emulates.then_some(&emulation))?;
    if run.explain {
        print!("{}", explain::explain(options, &modules.all)?);
        return Ok(ExitCode::SUCCESS);
    }
    let beginning = program::Beginning::new(&modules.map, run.files.working.as_deref())?;
    let start = trace::Start {
        modules: modules.all,
        enforcement: modules.enforcement,
        emulation,
        find: &|command| beginning.find(command),
        directory: Some(beginning.directory()),
        at_end: &|| {
            modules.ways.remove();
            modules.report.tell(name)
        },
    };
    trace::run_with(options, start, name)
}
