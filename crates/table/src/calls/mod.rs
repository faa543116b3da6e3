//! The calls' descriptions, one file a family.

mod file;

/// Every family's entries.
pub(crate) static FAMILIES: &[&[crate::Call]] = &[file::CALLS];
