//! `shunpike trace`.

use std::process::ExitCode;

use crate::cli::TraceOptions;

/// Runs or attaches to what the options say, and shows its calls.
///
/// # Errors
/// If it cannot be started or watched.
pub fn run(_options: &TraceOptions) -> anyhow::Result<ExitCode> {
    anyhow::bail!("tracing is not there yet")
}
