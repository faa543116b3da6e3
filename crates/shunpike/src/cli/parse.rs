//! From arguments to options.

use std::ffi::{OsStr, OsString};

use super::check::{self, Use};
use super::flags::{self, Category, Flag, Given, Of, Value, Values};
use super::options::TraceOptions;
use super::usage::UsageError;

/// What the arguments of `trace` or `run` ask for.
#[derive(PartialEq, Debug)]
pub(super) enum Parsed {
    Options(Box<TraceOptions>),
    Help,
    Version,
}

/// The flags that arguments may be.
struct Known<O: 'static> {
    own: Vec<&'static Flag<O>>,
    /// Those of another subcommand alone, for who looks for them here.
    others: Vec<(Of, &'static Flag<O>)>,
}

/// What stands next on a command line.
enum Next<O: 'static> {
    /// A flag, how it was written, whether that is its short form, and its value.
    Flag(&'static Flag<O>, String, bool, Option<OsString>),
    /// The program and its arguments; nothing if there is none.
    Command(Vec<OsString>),
    Help,
    Version,
}

/// Parses the arguments of a subcommand. Options end at the first operand, which is the program.
pub(super) fn parse(of: Of, mut arguments: lexopt::Parser) -> Result<Parsed, UsageError> {
    // As getopt(3) has it: `-o=x` names the file `=x`.
    arguments.set_short_equals(false);
    let mut options = if of == Of::Run { TraceOptions::of_run() } else { TraceOptions::default() };
    let known = Known { own: of.flags().collect(), others: of.others().collect() };
    let mut uses = Vec::new();
    loop {
        match next(&mut arguments, &known)? {
            Next::Help => return Ok(Parsed::Help),
            Next::Version => return Ok(Parsed::Version),
            Next::Command(command) => {
                options.command = command;
                break;
            }
            Next::Flag(flag, spelling, short, value) => {
                let (given, value) = match (flag.values, value) {
                    (Values::Expression, Some(expression)) => of_expression(of, &expression),
                    (_, value) => (Use { flag, spelling, short }, value),
                };
                uses.push(given);
                apply(&mut options, &uses, value.as_deref())?;
            }
        }
    }
    options.warnings = check::check(&options, &uses)?;
    Ok(Parsed::Options(Box::new(options)))
}

/// Parses the arguments of a subcommand with options of its own, and returns the program with its
/// arguments. `None` if help was asked for.
pub(super) fn parse_own<O>(
    mut arguments: lexopt::Parser,
    categories: &'static [Category<O>],
    options: &mut O,
) -> Result<Option<Vec<OsString>>, UsageError> {
    arguments.set_short_equals(false);
    let own = categories.iter().flat_map(|category| category.flags).collect();
    let known = Known { own, others: Vec::new() };
    loop {
        match next(&mut arguments, &known)? {
            Next::Help | Next::Version => return Ok(None),
            Next::Command(command) => return Ok(Some(command)),
            Next::Flag(flag, spelling, _, value) => {
                let given = Given { spelling, times: 0, value: value.as_deref() };
                (flag.apply)(options, &given)?;
            }
        }
    }
}

/// What stands next.
fn next<O>(arguments: &mut lexopt::Parser, known: &Known<O>) -> Result<Next<O>, UsageError> {
    let Some(argument) = arguments.next().map_err(misplaced)? else {
        return Ok(Next::Command(Vec::new()));
    };
    let (flag, spelling, short) = match argument {
        lexopt::Arg::Short(short) => (by_short(known, short)?, format!("-{short}"), true),
        lexopt::Arg::Long(long) => {
            let long = long.to_owned();
            let (name, flag) = by_long(known, &long, arguments)?;
            (flag, format!("--{name}"), false)
        }
        lexopt::Arg::Value(program) => {
            let rest = arguments.raw_args().map_err(misplaced)?;
            return Ok(Next::Command([program].into_iter().chain(rest).collect()));
        }
    };
    let value = value(arguments, flag, &spelling, short)?;
    Ok(match flag.long {
        "help" => Next::Help,
        "version" => Next::Version,
        _ => Next::Flag(flag, spelling, short, value),
    })
}

/// The flag that an expression of `-e` uses, with its value.
fn of_expression(of: Of, expression: &OsStr) -> (Use, Option<OsString>) {
    let (flag, qualifier, set) = flags::split_expression(of, expression);
    (Use { flag, spelling: format!("-e {qualifier}"), short: false }, Some(set.to_owned()))
}

/// Applies the last use.
fn apply(
    options: &mut TraceOptions,
    uses: &[Use],
    value: Option<&OsStr>,
) -> Result<(), UsageError> {
    let Some(Use { flag, spelling, short }) = uses.last() else { return Ok(()) };
    let same = uses.iter().filter(|earlier| earlier.short && earlier.spelling == *spelling);
    let times = if *short { same.count() } else { 0 };
    (flag.apply)(options, &Given { spelling: spelling.clone(), times, value })
}

/// Takes the value that belongs to a flag.
fn value<O>(
    arguments: &mut lexopt::Parser,
    flag: &Flag<O>,
    spelling: &str,
    short: bool,
) -> Result<Option<OsString>, UsageError> {
    let required = match flag.value {
        Value::Always(_) => true,
        Value::LongOnly(_) => !short,
        Value::LongMaybe(_) if !short => return Ok(arguments.optional_value()),
        Value::Never if !short && arguments.optional_value().is_some() => {
            let cause = format!("option '{spelling}' doesn't allow an argument");
            return Err(UsageError::new(cause));
        }
        Value::LongMaybe(_) | Value::Never => false,
    };
    if !required {
        return Ok(None);
    }
    arguments.value().map(Some).map_err(|_| {
        UsageError::new(match short {
            true => format!("option requires an argument -- '{}'", &spelling[1..]),
            false => format!("option '{spelling}' requires an argument"),
        })
    })
}

fn by_short<O>(known: &Known<O>, short: char) -> Result<&'static Flag<O>, UsageError> {
    let is_it = |flag: &Flag<O>| [flag.short, flag.deprecated].contains(&Some(short));
    known.own.iter().copied().find(|flag| is_it(flag)).ok_or_else(|| {
        let error = UsageError::new(format!("invalid option -- '{short}'"));
        known.elsewhere(is_it).map_or(error.clone(), |hint| error.way_out(hint))
    })
}

impl<O> Known<O> {
    /// Where there is such a flag, if not here.
    fn elsewhere(&self, is_it: impl Fn(&Flag<O>) -> bool) -> Option<String> {
        let (of, flag) = self.others.iter().find(|(_, flag)| is_it(flag))?;
        Some(format!("only 'shunpike {}' has {}", of.name(), flag.both()))
    }
}

/// The flag of this long name, or of the only long name that starts like this, and that name.
fn by_long<O>(
    known: &Known<O>,
    long: &str,
    arguments: &mut lexopt::Parser,
) -> Result<(&'static str, &'static Flag<O>), UsageError> {
    let names = || known.own.iter().flat_map(|flag| flag.longs().map(move |name| (name, *flag)));
    if let Some(found) = names().find(|(name, _)| *name == long) {
        return Ok(found);
    }
    let starting: Vec<_> = names().filter(|(name, _)| name.starts_with(long)).collect();
    // As getopt_long(3) tells it: with the value behind it.
    let mut written = || match arguments.optional_value() {
        Some(value) => format!("--{long}={}", value.display()),
        None => format!("--{long}"),
    };
    match starting.as_slice() {
        [] => {
            let error = UsageError::new(format!("unrecognized option '{}'", written()));
            let dashed: Vec<String> = names().map(|(name, _)| format!("--{name}")).collect();
            Err(match known.elsewhere(|flag| flag.longs().any(|name| name == long)) {
                Some(hint) => error.way_out(hint),
                None => error.nearest(&format!("--{long}"), dashed.iter().map(String::as_str)),
            })
        }
        [first @ (_, flag), rest @ ..] if rest.iter().all(|(_, other)| other.long == flag.long) => {
            Ok(*first)
        }
        all => {
            let names: Vec<String> = all.iter().map(|(name, _)| format!("--{name}")).collect();
            Err(UsageError::new(format!("option '{}' is ambiguous", written()))
                .way_out(format!("it may be {}", names.join(", "))))
        }
    }
}

/// What a word is that is no option, no value and no program.
fn misplaced(error: lexopt::Error) -> UsageError {
    UsageError::new(error.to_string())
}
