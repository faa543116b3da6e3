//! The one table of flags. The parser, `--help`, the man page and the completions read it, and
//! nothing else says what a flag is called or what it takes.

mod decoding;
mod files;
mod filter;
mod misc;
mod output;
mod rewind;
mod run;
mod start;
mod statistics;
mod tampering;
mod tracing;
mod value;

use std::ffi::OsStr;

use super::options::{RewindOptions, TraceOptions};
use super::usage::UsageError;

pub(super) use filter::split_expression;

/// The flags of `shunpike trace` and `shunpike run` by subject, in the order in which help shows them.
const CATEGORIES: &[Category] = &[
    Category { title: "What the program sees", flags: run::FLAGS },
    Category { title: "Which files it sees", flags: files::FLAGS },
    Category { title: "Startup", flags: start::FLAGS },
    Category { title: "Tracing", flags: tracing::FLAGS },
    Category { title: "Filtering", flags: filter::FLAGS },
    Category { title: "Output", flags: output::FLAGS },
    Category { title: "Decoding", flags: decoding::FLAGS },
    Category { title: "Statistics", flags: statistics::FLAGS },
    Category { title: "Tampering", flags: tampering::FLAGS },
    Category { title: "Miscellaneous", flags: misc::FLAGS },
];

/// The flags of `shunpike rewind`, by subject.
pub(super) const REWIND: &[Category<RewindOptions>] = rewind::CATEGORIES;

/// Flags of one subject, of a subcommand that has these options.
pub(super) struct Category<O: 'static = TraceOptions> {
    pub title: &'static str,
    pub flags: &'static [Flag<O>],
}

/// A subcommand that has flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Of {
    Trace,
    Run,
}

impl Of {
    /// Each of them.
    pub(super) const ALL: [Of; 2] = [Of::Trace, Of::Run];

    /// The subcommand's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Of::Trace => "trace",
            Of::Run => "run",
        }
    }

    /// Its flags, in the order of help.
    pub(super) fn flags(self) -> impl Iterator<Item = &'static Flag> {
        self.categories().flat_map(|(_, flags)| flags)
    }

    /// The flags that only another one has.
    pub(super) fn others(self) -> impl Iterator<Item = (Of, &'static Flag)> {
        let of = move |other: Of| other.flags().filter_map(move |flag| Some((flag.only?, flag)));
        Of::ALL.into_iter().filter(move |other| *other != self).flat_map(of)
    }

    /// Its flags by subject, with the subject's title.
    pub(super) fn categories(self) -> impl Iterator<Item = (&'static str, Vec<&'static Flag>)> {
        let flags = move |category: &'static Category| {
            let its = category.flags.iter().filter(|flag| flag.only.is_none_or(|of| of == self));
            (category.title, its.collect::<Vec<_>>())
        };
        CATEGORIES.iter().map(flags).filter(|(_, flags)| !flags.is_empty())
    }
}

/// A flag of a subcommand that has these options: of `shunpike trace` and `shunpike run`, or of
/// `shunpike rewind`.
pub(super) struct Flag<O: 'static = TraceOptions> {
    /// The only one of the first two that has it, if not both have.
    pub only: Option<Of>,
    /// The long name, without dashes.
    pub long: &'static str,
    /// Other long names.
    pub aliases: &'static [&'static str],
    /// The short name.
    pub short: Option<char>,
    /// A short name that is deprecated: it is taken with a warning, and help does not show it.
    pub deprecated: Option<char>,
    /// The names under which `-e NAME=VALUE` sets the same thing.
    pub qualifiers: &'static [&'static str],
    /// What stands behind the flag.
    pub value: Value,
    /// What that may be.
    pub values: Values,
    /// Whether repeating the short form says more, as in `-tt`. The long form says it outright
    /// and then cannot be given beside the short one.
    pub counted: bool,
    /// What it does, in a line.
    pub help: &'static str,
    /// More about it, for the man page; paragraphs are parted by empty lines.
    pub long_help: &'static str,
    /// How it changes the options.
    pub apply: fn(&mut O, &Given<'_>) -> Result<(), UsageError>,
}

/// What stands behind a flag, with its name in help.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// Nothing.
    Never,
    /// A value.
    Always(&'static str),
    /// A value behind the long form, nothing behind the short one.
    LongOnly(&'static str),
    /// Perhaps a value behind the long form's `=`, nothing behind the short form.
    LongMaybe(&'static str),
}

/// What a flag's value may be, as completions offer it.
#[derive(Clone, Copy)]
pub(super) enum Values {
    /// Anything.
    Any,
    /// A path.
    File,
    /// Process ids.
    Pids,
    /// A user.
    User,
    /// One of these.
    OneOf(&'static [&'static str]),
    /// A set of these: `all`, `none` or a list, perhaps behind a `!`.
    SetOf(&'static [&'static str]),
    /// A set of system calls.
    Calls,
    /// A set of signals.
    Signals,
    /// A qualifying expression, as `-e` takes it.
    Expression,
}

/// One use of a flag on the command line.
pub(super) struct Given<'a> {
    /// How it was written, with its dashes.
    pub spelling: String,
    /// How often the short form has been given, this time included; 0 for the long form.
    pub times: usize,
    /// The value, if there is one.
    pub value: Option<&'a OsStr>,
}

impl<O> Flag<O> {
    /// A switch without a short form.
    const fn new(long: &'static str, help: &'static str) -> Flag<O> {
        Flag {
            only: None,
            long,
            aliases: &[],
            short: None,
            deprecated: None,
            qualifiers: &[],
            value: Value::Never,
            values: Values::Any,
            counted: false,
            help,
            long_help: "",
            apply: |_, _| Ok(()),
        }
    }

    const fn only(mut self, of: Of) -> Flag<O> {
        self.only = Some(of);
        self
    }

    const fn short(mut self, short: char) -> Flag<O> {
        self.short = Some(short);
        self
    }

    const fn deprecated(mut self, short: char) -> Flag<O> {
        self.deprecated = Some(short);
        self
    }

    const fn counted(mut self, short: char) -> Flag<O> {
        self.counted = true;
        self.short(short)
    }

    const fn aliases(mut self, aliases: &'static [&'static str]) -> Flag<O> {
        self.aliases = aliases;
        self
    }

    const fn qualifiers(mut self, qualifiers: &'static [&'static str]) -> Flag<O> {
        self.qualifiers = qualifiers;
        self
    }

    const fn takes(mut self, value: Value, values: Values) -> Flag<O> {
        self.value = value;
        self.values = values;
        self
    }

    const fn more(mut self, long_help: &'static str) -> Flag<O> {
        self.long_help = long_help;
        self
    }

    const fn apply(mut self, apply: fn(&mut O, &Given<'_>) -> Result<(), UsageError>) -> Flag<O> {
        self.apply = apply;
        self
    }

    /// The flag's long names.
    pub(super) fn longs(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.long).chain(self.aliases.iter().copied())
    }

    /// Both forms, as messages name a flag: `-c/--summary-only`.
    pub(super) fn both(&self) -> String {
        match self.short {
            Some(short) => format!("-{short}/--{}", self.long),
            None => format!("--{}", self.long),
        }
    }
}

impl Given<'_> {
    /// The value as text.
    fn text(&self) -> Result<&str, UsageError> {
        self.value.unwrap_or_default().to_str().ok_or_else(|| self.invalid("it must be UTF-8"))
    }

    /// The error for a value that cannot be used; `way_out` says what can.
    fn invalid(&self, way_out: impl Into<String>) -> UsageError {
        let value = self.value.unwrap_or_default().to_string_lossy();
        let sign = if self.spelling.starts_with("-e ") { "=" } else { "" };
        UsageError::new(format!("invalid {}{sign} argument: '{value}'", self.spelling))
            .way_out(way_out)
    }
}

/// The flags about what a program sees: what a file for `--config` may hold.
pub(super) fn seen_by_program() -> impl Iterator<Item = &'static Flag> {
    run::FLAGS.iter().chain(files::FLAGS)
}

/// The flags that change nothing where calls are not shown.
pub(super) fn about_what_is_shown() -> impl Iterator<Item = &'static Flag> {
    // Expressions are other flags; paths and descriptors also choose what is tampered with.
    const OTHERS: [&str; 5] = ["expression", "trace-path", "trace-fds", "quiet", "toll"];
    [filter::FLAGS, output::FLAGS, decoding::FLAGS, statistics::FLAGS]
        .into_iter()
        .flatten()
        .filter(|flag| !OTHERS.contains(&flag.long))
}

/// The flag with this long name.
///
/// # Panics
/// If there is none: only for names that the source itself spells.
pub(super) fn named(long: &str) -> &'static Flag {
    match Of::ALL.into_iter().flat_map(Of::flags).find(|flag| flag.long == long) {
        Some(flag) => flag,
        None => panic!("no flag is called {long}"),
    }
}
