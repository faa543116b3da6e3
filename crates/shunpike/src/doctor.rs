//! `shunpike doctor`.

use std::process::ExitCode;

/// Tells what this kernel and this user can do, and what it costs.
///
/// # Errors
/// If that cannot be found out.
pub fn run() -> anyhow::Result<ExitCode> {
    anyhow::bail!("the doctor is not there yet")
}
