//! Error names and messages: `xtask/spec/errno.txt` → `crates/table/src/errno/list.rs`.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use super::compiler::{Compiler, Prelude};
use super::output::Output;
use super::spec;

/// Adds the list of errors.
pub fn generate(compiler: &Compiler, output: &mut Output) -> Result<()> {
    let text = spec::read_text("errno.txt")?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let errors = lines
        .map(|line| line.split_once(' ').context("not `NAME MESSAGE`"))
        .collect::<Result<Vec<_>>>()?;
    let prelude = Prelude { headers: vec![String::from("asm/errno.h")], lines: Vec::new() };
    let name_and_value = |(name, _): &(&str, &str)| {
        let (name, value) = name.split_once('=').unwrap_or((name, name));
        (name.to_owned(), value.to_owned())
    };
    let (names, expressions): (Vec<_>, Vec<_>) = errors.iter().map(name_and_value).unzip();
    let values = compiler.values(&prelude, &expressions)?;

    let mut list = String::from(
        "//! The errors that calls return.\n\n/// Value, name and message of each error, by value.\n\
         pub(super) static ERRORS: &[(u32, &str, &str)] = &[",
    );
    for ((value, name), (_, message)) in values.iter().zip(&names).zip(&errors) {
        let _ = write!(list, "({value}, {name:?}, {message:?}),");
    }
    list.push_str("];\n");
    output.add("errno/list.rs", "xtask/spec/errno.txt", &list)
}
