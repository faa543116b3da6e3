//! Files for `--config`: options about what a program sees, as TOML.

mod written;

use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::errors::answer;

use super::flags::{Flag, Given, Value, seen_by_program};
use super::options::TraceOptions;
use super::usage::UsageError;

pub(crate) use written::{in_toml, list};

/// What a file may hold that is no TOML type of ours.
const VALUES: &str = "it is a text, a list of texts, or true";

/// Applies what a file says.
pub(super) fn read(options: &mut TraceOptions, file: &Path) -> Result<(), UsageError> {
    let text = fs::read_to_string(file).map_err(|error| {
        let error = answer(&error);
        UsageError::new(format!("cannot read the configuration {}: {error}", file.display()))
    })?;
    let at = |span: Range<usize>| {
        let before = &text[..span.start.min(text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        format!("{}:{line}:{column}", file.display())
    };
    let table = DeTable::parse(&text).map_err(|error| {
        UsageError::new(format!("{}: {}", at(error.span().unwrap_or_default()), error.message()))
    })?;
    let mut entries: Vec<_> = table.into_inner().into_iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in entries {
        let within = |span, error: UsageError| UsageError::new(format!("{}: {error}", at(span)));
        let flag = named(key.get_ref()).map_err(|error| within(key.span(), error))?;
        for (span, value) in texts(value.span(), value.into_inner()) {
            let applied = value.and_then(|value| apply(options, flag, value.as_deref()));
            applied.map_err(|error| within(span, error))?;
        }
    }
    Ok(())
}

/// The option that a key names.
fn named(key: &str) -> Result<&'static Flag, UsageError> {
    let found = seen_by_program().find(|flag| flag.longs().any(|long| long == key));
    match found.filter(|flag| flag.long != "config") {
        Some(flag) => Ok(flag),
        None => {
            let names = seen_by_program().map(|flag| flag.long).filter(|long| *long != "config");
            Err(UsageError::new(format!("unknown key '{key}'")).nearest(key, names))
        }
    }
}

/// A text behind an option, or that the option is given; nothing for `false`.
type Text = Result<Option<String>, UsageError>;

/// What a value says, a use of the option for each text.
fn texts(span: Range<usize>, value: DeValue) -> Vec<(Range<usize>, Text)> {
    match value {
        DeValue::Boolean(true) => vec![(span, Ok(None))],
        DeValue::Boolean(false) => Vec::new(),
        DeValue::String(text) => vec![(span, Ok(Some(text.into_owned())))],
        DeValue::Array(values) => values
            .into_iter()
            .flat_map(|value| match value.span() {
                span if matches!(value.get_ref(), DeValue::String(_)) => {
                    texts(span, value.into_inner())
                }
                span => vec![(span, Err(UsageError::new("a list holds texts")))],
            })
            .collect(),
        other => {
            let kind = other.type_str();
            let error =
                UsageError::new(format!("a value of the kind '{kind}' has no meaning here"));
            vec![(span, Err(error.way_out(VALUES)))]
        }
    }
}

fn apply(options: &mut TraceOptions, flag: &Flag, value: Option<&str>) -> Result<(), UsageError> {
    let spelling = format!("--{}", flag.long);
    match (flag.value, value) {
        (Value::Never, Some(_)) => Err(UsageError::new(format!("'{}' takes no text", flag.long))
            .way_out("it is true or false")),
        (Value::Always(what), None) => {
            Err(UsageError::new(format!("'{}' needs a text", flag.long))
                .way_out(format!("it is {what}")))
        }
        _ => (flag.apply)(options, &Given { spelling, times: 0, value: value.map(OsStr::new) }),
    }
}
