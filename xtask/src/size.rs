//! `cargo xtask size`: how large the table's data is, and the command if that is asked for.
//!
//! The table is measured before it is linked: what the linker leaves out or shares makes it smaller.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

const MIB: u64 = 1 << 20;
const TABLE: u64 = 2 * MIB;
const COMMAND: u64 = 12 * MIB;

/// Fails where something is larger than it may be.
pub fn check(options: &[&str]) -> Result<()> {
    let with_release = match options {
        [] => false,
        ["--release"] => true,
        other => bail!("no such option: {:?}", other.join(" ")),
    };
    compare("the table", data(&built(&["--package", "shunpike-table"], "rlib")?)?, TABLE)?;
    if with_release {
        let command = built(&["--release", "--package", "shunpike", "--bin", "shunpike"], "")?;
        let len = command.metadata().with_context(|| command.display().to_string())?.len();
        compare("the command", len, COMMAND)?;
    }
    Ok(())
}

fn compare(what: &str, size: u64, most: u64) -> Result<()> {
    let mib = |bytes: u64| bytes as f64 / MIB as f64;
    println!("{what}: {:.2} MiB of {:.0}", mib(size), mib(most));
    ensure!(
        size <= most,
        "{what} is too large: share what is described twice, or drop what nobody names"
    );
    Ok(())
}

/// What cargo builds last with this extension.
fn built(options: &[&str], extension: &str) -> Result<PathBuf> {
    let output = Command::new("cargo")
        .args(["build", "--quiet", "--message-format=json"])
        .args(options)
        .current_dir(crate::workspace::root())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "{} cannot be built", options.join(" "));
    let messages = String::from_utf8(output.stdout)?;
    let artifacts = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let files = artifacts.filter_map(|message| message["filenames"].as_array().cloned());
    let mut paths = files.flatten().filter_map(|file| Some(PathBuf::from(file.as_str()?)));
    paths
        .rfind(|path| path.extension().unwrap_or_default() == extension)
        .with_context(|| format!("no .{extension} was built"))
}

/// How many bytes of data an archive's objects hold, as `size` of the binutils tells.
fn data(archive: &Path) -> Result<u64> {
    let output = Command::new("size").arg("-A").arg(archive).output();
    let output = output.context("cannot run size: it comes with gcc, in the package binutils")?;
    ensure!(output.status.success(), "size cannot read {}", archive.display());
    let sections = String::from_utf8(output.stdout)?;
    let of_line = |line: &str| {
        let mut words = line.split_whitespace();
        let is_data = [".rodata", ".data", ".bss"]
            .iter()
            .any(|name| words.clone().next().unwrap_or_default().starts_with(name));
        if is_data { words.nth(1)?.parse::<u64>().ok() } else { None }
    };
    let sum = sections.lines().filter_map(of_line).sum();
    ensure!(sum > 0, "{} holds no data", archive.display());
    Ok(sum)
}
