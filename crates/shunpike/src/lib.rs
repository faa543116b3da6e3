//! Watch, change and rewind an unmodified Linux program at close to native speed.
#![forbid(unsafe_code)]

pub mod cli;
pub mod doctor;
pub mod errors;
pub mod explain;
pub mod rewind;
pub mod run;
mod tips;
pub mod trace;
mod wrap;
