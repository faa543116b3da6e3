//! `cargo xtask fuzz`: breeds inputs for the fuzz target `fuzz/decode.rs`, with stable Rust.
//!
//! `cargo fuzz` wants a nightly compiler for its sanitizers. What the breeding needs is LLVM's
//! coverage counters alone, for which these flags ask.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::workspace;

const TARGET: &str = "x86_64-unknown-linux-gnu";
const FLAGS: &str = "--cfg fuzzing -C codegen-units=1 -C passes=sancov-module \
     -C llvm-args=-sanitizer-coverage-level=4 \
     -C llvm-args=-sanitizer-coverage-inline-8bit-counters \
     -C llvm-args=-sanitizer-coverage-pc-table \
     -C llvm-args=-sanitizer-coverage-trace-compares";

/// Builds the target and runs it for so many seconds. What it has bred stays in
/// `target/fuzz/corpus`, and an input that fails in `target/fuzz`.
///
/// # Errors
/// A wrong argument, a build that fails, or an input that does.
pub fn run(arguments: &[&str]) -> Result<()> {
    let seconds: u32 = match arguments {
        [] => 60,
        [seconds] => seconds.parse().context("usage: cargo xtask fuzz [SECONDS]")?,
        _ => anyhow::bail!("usage: cargo xtask fuzz [SECONDS]"),
    };
    let root = workspace::root();
    let place = root.join("target/fuzz");
    let corpus = place.join("corpus");
    fs::create_dir_all(&corpus).with_context(|| format!("cannot make {}", corpus.display()))?;
    let built = Command::new("cargo")
        .args(["build", "--release", "--target", TARGET, "--target-dir"])
        .arg(&place)
        .current_dir(root.join("fuzz"))
        .env("RUSTFLAGS", FLAGS)
        .status()
        .context("cannot run cargo")?;
    ensure!(built.success(), "the fuzz target does not build (it needs g++, for libFuzzer)");
    let ran = Command::new(place.join(TARGET).join("release/decode"))
        .arg(format!("-max_total_time={seconds}"))
        .args(["-max_len=4096", "-timeout=10", "-verbosity=0", "-print_final_stats=1"])
        .arg(format!("-artifact_prefix={}/", place.display()))
        .arg(&corpus)
        .status()
        .context("cannot run the fuzz target")?;
    ensure!(ran.success(), "an input fails: it is in {}", place.display());
    Ok(())
}
