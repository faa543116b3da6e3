//! The project's own chores: `cargo xtask CHORE`.
#![forbid(unsafe_code)]

mod bench;
mod coverage;
mod fuzz;
mod gen_table;
mod size;
mod walls;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask CHORE
  walls    check who imports whom, and where unsafe code may live
  gen --headers DIR [--check]
           write the generated part of crates/table, or compare with it
  coverage print the share of the calls that are fully described
  size [--release]
           check that the table is no larger than it may be; with --release, the command, too
  fuzz [SECONDS]
           breed inputs that might break the decoder or the outputs, for a minute by default
  bench [--help] [ROW…] [OPTION…]
           time programs under shunpike and its peers, as ratios to native";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        ["walls"] => walls::check(),
        ["gen", options @ ..] => gen_table::run(options),
        ["bench", options @ ..] => bench::run(options),
        ["fuzz", options @ ..] => fuzz::run(options),
        ["coverage"] => coverage::print(),
        ["size", options @ ..] => size::check(options),
        _ => Err(anyhow::anyhow!("no such chore: {:?}\n{USAGE}", args.join(" "))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
