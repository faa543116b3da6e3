//! Builds the image that runs in the guest, and what the library says of it.
//!
//! The image is built the same way whatever the library's profile and flags are. Its one object is
//! linked with nothing, so that it cannot panic, and flattened to the bytes that are mapped.

use std::env;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

#[allow(dead_code, reason = "of the layouts only addresses are needed here")]
#[path = "src/abi.rs"]
mod abi;
#[path = "build/elf.rs"]
mod elf;

/// What `rustc` is told. Vector registers are the guest's: `tests/image.rs` sees that none is used.
const RUSTC_ARGS: [&str; 14] = [
    "--edition=2024",
    "--crate-name=image",
    "--crate-type=lib",
    "--emit=obj",
    "-Copt-level=2",
    "-Ccodegen-units=1",
    "-Cpanic=abort",
    "-Crelocation-model=static",
    "-Cdebuginfo=0",
    "-Cdebug-assertions=no",
    "-Coverflow-checks=no",
    "-Cforce-unwind-tables=no",
    "-Cno-vectorize-loops",
    "-Cno-vectorize-slp",
];

fn main() {
    for path in ["build.rs", "build", "image", "src/abi.rs", "src/abi", "src/guest"] {
        println!("cargo:rerun-if-changed={path}");
    }
    let target = var("TARGET");
    assert!(
        target.starts_with("x86_64") && target.contains("linux"),
        "the agent runs in x86-64 Linux programs only, and cannot be built for {target}"
    );
    let out = PathBuf::from(var("OUT_DIR"));
    let (object, linked) = (out.join("image.o"), out.join("image.elf"));
    run(Command::new(var("RUSTC"))
        .args(RUSTC_ARGS)
        .arg(format!("--target={target}"))
        .arg("image/lib.rs")
        .arg("-o")
        .arg(&object));
    run(Command::new(env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".to_owned()))
        .args(["-nostdlib", "-static", "-no-pie", "-Wl,--gc-sections,--build-id=none"])
        .args(["-Wl,-z,noexecstack,--entry=entry", "-T", "image/image.ld"])
        .arg(format!("-Wl,--defsym=IMAGE={:#x}", abi::IMAGE))
        .arg(format!("-Wl,--defsym=TRUSTED_LEN={:#x}", abi::TRUSTED_LEN))
        .arg(&object)
        .arg("-o")
        .arg(&linked));
    generate(&linked, &out).unwrap_or_else(|error| panic!("{}: {error}", linked.display()));
}

/// Writes the image's bytes, and Rust source that tells its addresses.
fn generate(linked: &Path, out: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let file = std::fs::read(linked)?;
    let elf = elf::Elf::parse(&file)?;
    let bytes = elf.flatten(abi::IMAGE)?;
    let room = abi::TABLES - abi::IMAGE;
    if bytes.len() as u64 > room {
        return Err(format!("{} bytes, but there is room for {room}", bytes.len()).into());
    }
    std::fs::write(out.join("image.bin"), bytes)?;

    let mut source =
        String::from("/// Addresses in the image.\npub const SYMBOLS: Symbols = Symbols {");
    let names = [
        "entry",
        "saved",
        "call",
        "remote",
        "batch",
        "batch_end",
        "after",
        "returned",
        "orphaned",
        "restore",
    ];
    for name in names {
        write!(source, "{name}: {:#x},", elf.symbol(name)?)?;
    }
    write!(source, "faults: [")?;
    let faults = [
        ("read_word_load", "read_word_faulted"),
        ("read_bytes_load", "read_bytes_end"),
        ("read_bytes_copy", "read_bytes_end"),
    ];
    for (fault, resume) in faults {
        write!(source, "({:#x}, {:#x}),", elf.symbol(fault)?, elf.symbol(resume)?)?;
    }
    writeln!(source, "] }};")?;
    writeln!(source, "/// Where the image's code ends; constants follow.")?;
    writeln!(source, "pub const CODE_END: u64 = {:#x};", elf.symbol("code_end")?)?;
    std::fs::write(out.join("image.rs"), source)?;
    Ok(())
}

fn run(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("building the agent's image: {command:?}: {error}"));
    assert!(
        output.status.success(),
        "building the agent's image: {command:?}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}

fn var(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
