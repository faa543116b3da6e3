//! `shunpike run`: runs a program that sees what modules show it.

mod explain;
mod modules;

use std::process::ExitCode;

use crate::cli::TraceOptions;
use crate::trace;

/// Runs what the options say, or tells what they say. `name` is what the command was called by. The
/// exit status is the program's.
///
/// # Errors
/// A module cannot do what was asked for, or the program cannot be run.
pub fn run(options: &TraceOptions, name: &str) -> anyhow::Result<ExitCode> {
    let Some(run) = &options.run else { return trace::run(options, name) };
    let modules = modules::all(run)?;
    if run.explain {
        print!("{}", explain::explain(options, &modules)?);
        return Ok(ExitCode::SUCCESS);
    }
    trace::run_with(options, modules, name)
}
