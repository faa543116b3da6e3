//! Watch, change and rewind an unmodified Linux program at close to native speed.
//!
//! A program of your own that changes what another one sees: a [`contract::Module`], and [`run::with`].
//! `examples/seeded.rs` is one.
#![forbid(unsafe_code)]

/// What modules are written with: what a call is, and what becomes of it.
pub use contract;
/// What calls mean, and their numbers.
pub use table;

pub mod cli;
pub mod doctor;
pub mod errors;
pub mod explain;
pub mod rewind;
pub mod run;
pub mod status;
mod tips;
pub mod trace;
mod wrap;
