//! The calls' descriptions, one file a family.

mod creds;
mod file;
mod process;
mod signal;

/// Every family's entries.
pub(crate) static FAMILIES: &[&[crate::Call]] =
    &[creds::CALLS, file::CALLS, process::CALLS, signal::CALLS];
