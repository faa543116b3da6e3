//! The command line: from arguments to a [`Command`].
//!
//! * [`flags`] is the one table of flags; [`parse`] follows it, [`check`] refuses what does not
//!   go together, and `help`, `man` and `complete` print it;
//! * [`options`] holds what comes out;
//! * [`filter`] is the language of `-e`;
//! * [`injection`] is the language of `-e inject=` and `-e fault=`;
//! * [`commands`] is the table of subcommands.

mod check;
pub mod color;
mod commands;
mod complete;
mod config;
mod duration;
mod filter;
mod flags;
mod help;
mod injection;
mod man;
mod options;
mod parse;
mod rules;
mod suggest;
#[cfg(test)]
mod tests;
mod topic;
mod usage;

pub use commands::{Command, Program};
pub(crate) use config::{in_toml, list};
pub use filter::{
    DecodeFds, DecodePids, FdSet, QuietSet, SecurityContextSet, SignalSet, StatusSet,
};
pub use injection::Injection;
pub use options::*;
pub(crate) use rules::denial_of;
pub use usage::UsageError;
