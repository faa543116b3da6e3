//! `cargo xtask gen`: writes the parts of `crates/table` that follow from the kernel's UAPI headers.
//!
//! What to take from the headers is said by the text files in `xtask/spec`; numbers, offsets and
//! sizes come from a C compiler that reads those headers and no others.

mod arch;
mod compiler;
mod errno;
mod flags;
mod netlink;
mod output;
mod requests;
mod spec;
mod structs;

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use compiler::Compiler;
use output::Output;

/// Runs the chore. `args` is the command line behind `gen`.
pub fn run(args: &[&str]) -> Result<()> {
    let (headers, check) = parse(args)?;
    let compiler = Compiler::new(&headers)?;
    let mut output = Output::default();
    arch::generate(&compiler, &mut output)?;
    flags::generate(&compiler, &mut output)?;
    structs::generate(&compiler, &mut output)?;
    netlink::generate(&compiler, &mut output)?;
    errno::generate(&compiler, &mut output)?;
    requests::generate(&compiler, &mut output)?;
    if check { output.check() } else { output.write() }
}

fn parse(args: &[&str]) -> Result<(PathBuf, bool)> {
    let mut headers = None;
    let mut check = false;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match *arg {
            "--headers" => headers = rest.next().map(PathBuf::from),
            "--check" => check = true,
            other => bail!("unknown argument {other:?}; see docs/howto/add-a-flag.md"),
        }
    }
    let headers = headers.context(
        "which headers? Give --headers DIR, where DIR holds any-linux-any and x86-linux-any \
         (docs/howto/add-a-flag.md says where to get it)",
    )?;
    ensure!(
        headers.join("any-linux-any/linux").is_dir(),
        "{} does not hold any-linux-any/linux; see docs/howto/add-a-flag.md",
        headers.display()
    );
    Ok((headers, check))
}
