//! Completions for shells, from the table of flags.

mod bash;
mod fish;
mod zsh;

use super::filter::call_candidates;
use super::flags::{Flag, Of};

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

/// Every flag, once, with the subcommands that have it.
fn each() -> impl Iterator<Item = (&'static Flag, Vec<Of>)> {
    let own = |of: Of| {
        of.flags().filter(move |flag| flag.only == Some(of)).map(move |flag| (flag, vec![of]))
    };
    let common =
        Of::Trace.flags().filter(|flag| flag.only.is_none()).map(|flag| (flag, Of::ALL.to_vec()));
    common.chain(own(Of::Trace)).chain(own(Of::Run))
}

/// The flags that `-e` can set, by the name that help shows.
fn qualified() -> impl Iterator<Item = (&'static Flag, &'static str)> {
    Of::Trace.flags().filter_map(|flag| flag.qualifiers.first().map(|&name| (flag, name)))
}
