//! The calls' descriptions, one file a family.

mod creds;
mod file;
mod signal;

/// Every family's entries.
pub(crate) static FAMILIES: &[&[crate::Call]] = &[creds::CALLS, file::CALLS, signal::CALLS];
