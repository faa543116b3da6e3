//! `cargo xtask coverage`: how many calls of each ABI the table describes fully.
//!
//! The counting is an example of the table's crate: `xtask` must build while the table does not,
//! since it generates parts of it.

use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Prints the share.
pub fn print() -> Result<()> {
    let status = Command::new("cargo")
        .args(["run", "--quiet", "--package", "shunpike-table", "--example", "coverage"])
        .current_dir(crate::workspace::root())
        .status()
        .context("cannot run cargo")?;
    ensure!(status.success(), "the table's example `coverage` failed");
    Ok(())
}
