//! The calls' descriptions, one file a family.

mod creds;
mod file;
mod network;
mod process;
mod signal;
mod socket_option;

/// Every family's entries.
pub(crate) static FAMILIES: &[&[crate::Call]] =
    &[creds::CALLS, file::CALLS, network::CALLS, process::CALLS, signal::CALLS];
