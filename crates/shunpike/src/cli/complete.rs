//! Completions for shells, from the table of flags.

mod bash;
mod fish;
mod zsh;

use super::filter::call_candidates;
use super::flags::{Flag, Of, REWIND, Value, Values};

/// A shell for which there are completions.
pub(super) struct Shell {
    pub name: &'static str,
    /// Writes the script that makes them known.
    pub script: fn() -> String,
}

/// The shells.
pub(super) const SHELLS: &[Shell] = &[
    Shell { name: "bash", script: bash::script },
    Shell { name: "zsh", script: zsh::script },
    Shell { name: "fish", script: fish::script },
];

/// The names of the shells.
pub(super) fn shell_names() -> Vec<&'static str> {
    SHELLS.iter().map(|shell| shell.name).collect()
}

/// What a set of calls may hold, parted by spaces.
fn calls() -> String {
    let mut words = "all none ".to_owned();
    words.push_str(&call_candidates().collect::<Vec<_>>().join(" "));
    words
}

/// What a set of signals may hold, parted by spaces.
fn signals() -> String {
    let mut words = "all none".to_owned();
    for name in (1..=31).filter_map(table::signal::name) {
        words.push(' ');
        words.push_str(name);
    }
    words
}

/// What a set of these names may hold, parted by spaces.
fn set_of(names: &[&str]) -> String {
    format!("all none {}", names.join(" "))
}

/// A flag of any subcommand, as completions show it.
struct Offer {
    short: Option<char>,
    longs: Vec<&'static str>,
    qualifiers: &'static [&'static str],
    value: Value,
    values: Values,
    help: &'static str,
}

impl<O> From<&'static Flag<O>> for Offer {
    fn from(flag: &'static Flag<O>) -> Offer {
        let Flag { short, qualifiers, value, values, help, .. } = *flag;
        Offer { short, longs: flag.longs().collect(), qualifiers, value, values, help }
    }
}

/// The subcommand whose flags are its own.
const REWIND_NAME: &str = "rewind";

fn rewind() -> impl Iterator<Item = Offer> {
    REWIND.iter().flat_map(|category| category.flags).map(Offer::from)
}

/// The subcommands that have flags, with these.
fn commands() -> Vec<(&'static str, Vec<Offer>)> {
    let of = |of: Of| (of.name(), of.flags().map(Offer::from).collect());
    let own = (REWIND_NAME, rewind().collect());
    Of::ALL.into_iter().map(of).chain([own]).collect()
}

/// Every flag, once, with the subcommands that have it.
fn each() -> impl Iterator<Item = (Offer, Vec<&'static str>)> {
    let own = |of: Of| {
        let its = of.flags().filter(move |flag| flag.only == Some(of));
        its.map(move |flag| (Offer::from(flag), vec![of.name()]))
    };
    let names = || Of::ALL.iter().map(|of| of.name()).collect();
    let common = Of::Trace.flags().filter(|flag| flag.only.is_none());
    let common = common.map(move |flag| (Offer::from(flag), names()));
    let rewind = rewind().map(|flag| (flag, vec![REWIND_NAME]));
    common.chain(own(Of::Trace)).chain(own(Of::Run)).chain(rewind)
}

/// The flags that `-e` can set, by the name that help shows.
fn qualified() -> impl Iterator<Item = (&'static Flag, &'static str)> {
    Of::Trace.flags().filter_map(|flag| flag.qualifiers.first().map(|&name| (flag, name)))
}
