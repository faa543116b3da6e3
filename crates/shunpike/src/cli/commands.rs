//! The subcommands. To add one: a line in [`SUBCOMMANDS`], its parser below, and what it asks for
//! in [`Command`], which `main` carries out.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use lexopt::Arg::{Long, Short, Value};

use super::complete::{SHELLS, shell_names};
use super::flags::{Of, REWIND};
use super::options::{RewindOptions, TraceOptions};
use super::parse::{self, Parsed};
use super::usage::UsageError;
use super::{check, help, man, topic};

/// What the command line asks for.
#[derive(PartialEq, Debug)]
pub enum Command {
    /// Trace a program.
    Trace(Box<TraceOptions>),
    /// Run a program that sees what it is shown.
    Run(Box<TraceOptions>),
    /// Run a program from one point on, again and again.
    Rewind(Box<RewindOptions>),
    /// Tell what this machine can do.
    Doctor,
    /// Print this text.
    Print(String),
}

/// The program under the name by which it was called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    name: String,
}

/// A subcommand.
pub(super) struct Subcommand {
    pub name: &'static str,
    /// What stands behind the name.
    pub synopsis: &'static str,
    pub help: &'static str,
    parse: fn(&Program, lexopt::Parser) -> Result<Command, UsageError>,
}

/// Every subcommand, in the order of help.
pub(super) const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand {
        name: "trace",
        synopsis: "[OPTIONS] {PROG [ARGS] | -p PID}",
        help: "run a program and show its system calls, as strace does",
        parse: trace,
    },
    Subcommand {
        name: "run",
        synopsis: "[OPTIONS] PROG [ARGS]",
        help: "run a program in a system of its own: other names, other files; a convenience, \
               not a sandbox",
        parse: run,
    },
    Subcommand {
        name: "rewind",
        synopsis: "[OPTIONS] PROG [ARGS]",
        help: "run a program up to where it reads its input, then from there again and again, \
               without starting it anew",
        parse: rewind,
    },
    Subcommand {
        name: "explain",
        synopsis: "{CALL [VALUE] | NUMBER | %CLASS}",
        help: "tell what a system call's arguments are, its classes, and how it is shown; with \
               VALUE, what one of the cases is on which they depend, as in: explain fcntl F_SETLK",
        parse: explain,
    },
    Subcommand {
        name: "doctor",
        synopsis: "",
        help: "tell what this kernel and this user can do, and what it costs",
        parse: doctor,
    },
    Subcommand {
        name: "man",
        synopsis: "",
        help: "print the manual page, as in: shunpike man | man -l -",
        parse: man,
    },
    Subcommand {
        name: "completions",
        synopsis: "SHELL",
        help: "print completions for bash, zsh or fish",
        parse: completions,
    },
];

impl Program {
    /// The program as `argv[0]` names it.
    pub fn new(argv0: Option<&OsStr>) -> Program {
        let name = argv0.and_then(|argv0| Path::new(argv0).file_name());
        Program { name: name.map_or("shunpike".into(), |name| name.to_string_lossy().into_owned()) }
    }

    /// The name by which it was called; messages start with it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it was called `strace`, and so takes the options of `trace` without a subcommand.
    pub fn is_strace(&self) -> bool {
        self.name == "strace"
    }

    /// Parses the arguments behind `argv[0]`.
    ///
    /// # Errors
    /// If they cannot be followed. [`Program::explain`] words the error for the user.
    pub fn parse(
        &self,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<Command, UsageError> {
        let mut arguments = lexopt::Parser::from_args(arguments.into_iter().collect::<Vec<_>>());
        if self.is_strace() {
            return trace(self, arguments);
        }
        let first = arguments.next().map_err(|error| UsageError::new(error.to_string()))?;
        let name = match first {
            Some(Short('h') | Long("help")) => return Ok(Command::Print(help::overview())),
            Some(Short('V') | Long("version")) => return Ok(Command::Print(version())),
            Some(Value(name)) => name,
            Some(option) => {
                return Err(UsageError::new(option.unexpected().to_string())
                    .way_out("options of a subcommand stand behind its name"));
            }
            None => return Err(UsageError::new("must have a subcommand").way_out(names())),
        };
        let name = name.to_string_lossy();
        match SUBCOMMANDS.iter().find(|subcommand| subcommand.name == name) {
            Some(subcommand) => {
                (subcommand.parse)(self, arguments).map_err(|error| error.within(subcommand.name))
            }
            None => Err(unknown_subcommand(&name)),
        }
    }

    /// An error as the user reads it: cause, way out, and where to read more.
    pub fn explain(&self, error: &UsageError) -> String {
        let name = &self.name;
        let help = match error.subcommand() {
            Some(subcommand) => format!("{name} {subcommand} --help"),
            None => format!("{name} --help"),
        };
        format!("{name}: {error}\nTry '{help}' for more information.")
    }
}

fn trace(program: &Program, arguments: lexopt::Parser) -> Result<Command, UsageError> {
    with_flags(program, Of::Trace, arguments, Command::Trace)
}

fn run(program: &Program, arguments: lexopt::Parser) -> Result<Command, UsageError> {
    with_flags(program, Of::Run, arguments, Command::Run)
}

/// Parses the arguments of a subcommand that has flags.
fn with_flags(
    program: &Program,
    of: Of,
    arguments: lexopt::Parser,
    command: fn(Box<TraceOptions>) -> Command,
) -> Result<Command, UsageError> {
    Ok(match parse::parse(of, arguments)? {
        Parsed::Options(options) => command(options),
        Parsed::Help => Command::Print(help::with_flags(program, of)),
        Parsed::Version => Command::Print(version()),
    })
}

fn rewind(program: &Program, arguments: lexopt::Parser) -> Result<Command, UsageError> {
    let mut options = RewindOptions::default();
    let Some(command) = parse::parse_own(arguments, REWIND, &mut options)? else {
        return Ok(Command::Print(help::with_own_flags(program, "rewind", REWIND)));
    };
    options.command = command;
    check::check_rewind(&options)?;
    Ok(Command::Rewind(Box::new(options)))
}

fn doctor(program: &Program, arguments: lexopt::Parser) -> Result<Command, UsageError> {
    operands(program, arguments, "doctor", |operands| match operands {
        [] => Ok(Command::Doctor),
        [extra, ..] => Err(unexpected_operand(extra)),
    })
}

fn explain(program: &Program, arguments: lexopt::Parser) -> Result<Command, UsageError> {
    operands(program, arguments, "explain", |operands| match operands {
        [] => Err(UsageError::new("the system call is missing")
            .way_out("explain openat, explain 257, explain %file")),
        [topic] => topic::explain(topic, None).map(Command::Print),
        [call, value] => topic::explain(call, Some(value)).map(Command::Print),
        [_, _, extra, ..] => Err(unexpected_operand(extra)),
    })
}

fn man(program: &Program, arguments: lexopt::Parser) -> Result<Command, UsageError> {
    operands(program, arguments, "man", |operands| match operands {
        [] => Ok(Command::Print(man::page())),
        [extra, ..] => Err(unexpected_operand(extra)),
    })
}

fn completions(program: &Program, arguments: lexopt::Parser) -> Result<Command, UsageError> {
    let way_out = format!("it is one of {}", shell_names().join(", "));
    operands(program, arguments, "completions", |operands| match operands {
        [] => Err(UsageError::new("the shell is missing").way_out(way_out)),
        [name] => match SHELLS.iter().find(|shell| shell.name == name) {
            Some(shell) => Ok(Command::Print((shell.script)())),
            None => Err(UsageError::new(format!("unknown shell '{name}'")).way_out(way_out)),
        },
        [_, extra, ..] => Err(unexpected_operand(extra)),
    })
}

/// Parses the arguments of a subcommand that has no options but `--help`.
fn operands(
    program: &Program,
    mut arguments: lexopt::Parser,
    name: &str,
    command: impl FnOnce(&[String]) -> Result<Command, UsageError>,
) -> Result<Command, UsageError> {
    let mut operands = Vec::new();
    while let Some(argument) =
        arguments.next().map_err(|error| UsageError::new(error.to_string()))?
    {
        match argument {
            Short('h') | Long("help") => return Ok(Command::Print(help::of(program, name))),
            Value(operand) => operands.push(operand.to_string_lossy().into_owned()),
            option => return Err(UsageError::new(option.unexpected().to_string())),
        }
    }
    command(&operands)
}

fn unexpected_operand(operand: &str) -> UsageError {
    UsageError::new(format!("unexpected argument '{operand}'"))
}

fn unknown_subcommand(name: &str) -> UsageError {
    let error = UsageError::new(format!("unknown subcommand '{name}'"));
    match super::suggest::nearest(name, SUBCOMMANDS.iter().map(|known| known.name)) {
        Some(nearest) => error.way_out(format!("did you mean '{nearest}'?")),
        None => {
            error.way_out(format!("{}; to trace a program, put 'trace' before its name", names()))
        }
    }
}

/// The names of the subcommands, as a message lists them.
fn names() -> String {
    let names: Vec<&str> = SUBCOMMANDS.iter().map(|subcommand| subcommand.name).collect();
    format!("the subcommands are {}", names.join(", "))
}

fn version() -> String {
    format!("shunpike {}\n", env!("CARGO_PKG_VERSION"))
}
