//! The `shunpike` command.
#![forbid(unsafe_code)]
#![cfg_attr(target_env = "gnu", no_main)]

use std::io::{self, Write};

use shunpike::cli::{Command, Program, TraceOptions};
use shunpike::status::Status;
use shunpike::{doctor, errors, rewind, run, trace};

#[cfg(target_env = "gnu")]
kernel::entry!(status);

#[cfg(not(target_env = "gnu"))]
fn main() -> Status {
    command()
}

/// The command, as a number for the C library.
#[cfg(target_env = "gnu")]
fn status() -> u8 {
    command().number()
}

fn command() -> Status {
    let mut arguments = std::env::args_os();
    let program = Program::new(arguments.next().as_deref());
    let command = match program.parse(arguments) {
        Ok(command) => command,
        Err(error) => {
            errors::say(program.explain(&error));
            return Status::FAILURE;
        }
    };
    let ended = match command {
        Command::Trace(options) => {
            warn(&options, &program);
            trace::run(&options, program.name())
        }
        Command::Run(options) => {
            warn(&options, &program);
            run::run(&options, program.name())
        }
        Command::Rewind(options) => rewind::run(&options),
        Command::Doctor => doctor::run(),
        Command::Print(text) => print(&text),
    };
    ended.unwrap_or_else(|error| {
        errors::say(format_args!("{}: {}", program.name(), errors::causes(&error)));
        Status::FAILURE
    })
}

/// Says what the user should know before a run.
fn warn(options: &TraceOptions, program: &Program) {
    for warning in &options.warnings {
        errors::say(format_args!("{}: {warning}", program.name()));
    }
}

/// Prints to stdout. A reader that has seen enough is not an error.
fn print(text: &str) -> anyhow::Result<Status> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(Status::SUCCESS),
    }
}
