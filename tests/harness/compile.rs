//! Builds guests out of `tests/guests` into the target folder, when they are out of date.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread;

use super::tools;

/// How a C guest is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// By gcc, with the system's libc, dynamically linked.
    Dynamic,
    /// By musl-gcc, statically linked.
    Musl,
    /// By gcc, for 32-bit programs, without a libc.
    I386,
}

impl Variant {
    /// The name in the tests' names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dynamic => "dynamic",
            Self::Musl => "musl",
            Self::I386 => "i386",
        }
    }

    fn compiler(self) -> &'static str {
        match self {
            Self::Dynamic | Self::I386 => "gcc",
            Self::Musl => "musl-gcc",
        }
    }

    /// Why guests cannot be built so here, if they cannot.
    pub fn missing(self) -> Option<String> {
        let compiler = self.compiler();
        if tools::find(compiler).is_none() {
            return Some(format!("{compiler} is not installed"));
        }
        (self == Self::I386 && !runs_i386())
            .then(|| "32-bit programs cannot be built or do not run here".to_owned())
    }
}

/// Whether 32-bit programs can be built and run.
fn runs_i386() -> bool {
    static RUNS: OnceLock<bool> = OnceLock::new();
    *RUNS.get_or_init(|| {
        let folder = tools::scratch("guests-i386");
        let (source, program) = (folder.join("probe.c"), folder.join("probe"));
        let exit = "void _start(void) { __asm__(\"int $0x80\" :: \"a\"(1), \"b\"(0)); }";
        let mut compiler = Command::new("gcc");
        compiler.args(I386_OPTIONS).arg("-o").arg(&program).arg(&source);
        std::fs::write(&source, exit).is_ok()
            && compiler.output().is_ok_and(|output| output.status.success())
            && Command::new(&program).status().is_ok_and(|status| status.success())
    })
}

/// For 32-bit programs without a libc. The kernel's headers are those of 64-bit ones.
const I386_OPTIONS: [&str; 9] = [
    "-m32",
    "-nostdlib",
    "-static",
    "-fno-pie",
    "-no-pie",
    "-fno-stack-protector",
    "-O1",
    "-idirafter",
    "/usr/include/x86_64-linux-gnu",
];

/// Builds a C guest, unless it is newer than its source and headers; gives its program. Trials that
/// build the same one beside each other do not meet: it comes to its place when it is whole.
pub fn c(source: &Path, variant: Variant) -> Result<PathBuf, String> {
    // In each folder of sources a name is given once.
    let of = source.parent().and_then(Path::file_name).unwrap_or_default().display();
    let folder = tools::scratch(&format!("guests-{}/{of}", variant.name()));
    let program = folder.join(tools::stem(source));
    let guests = tools::tests().join("guests");
    let headers = match variant {
        Variant::Dynamic | Variant::Musl => ["guest.h", "errors.h"].as_slice(),
        Variant::I386 => &["compared_i386/i386.h", "guest_i386.h", "errors.h"],
    };
    let headers: Vec<PathBuf> = headers.iter().map(|name| guests.join(name)).collect();
    let sources: Vec<&Path> =
        [source].into_iter().chain(headers.iter().map(AsRef::as_ref)).collect();
    if is_newer(&program, &sources) {
        return Ok(program);
    }
    let fresh = program.with_extension(format!("{:?}", thread::current().id()));
    let mut command = Command::new(variant.compiler());
    if variant == Variant::I386 {
        command.args(I386_OPTIONS).args(["-Wall", "-Wextra"]);
    } else {
        command.args(["-O1", "-g", "-Wall", "-Wextra", "-pthread"]);
    }
    if variant == Variant::Musl {
        // musl-gcc knows no kernel headers; they come after musl's own.
        command.args(["-static", "-idirafter", "/usr/include"]);
        command.args(["-idirafter", "/usr/include/x86_64-linux-gnu"]);
    }
    let fresh = built(command.arg("-o").arg(&fresh).arg(source), fresh)?;
    fs::rename(fresh, &program).map_err(|error| format!("{}: {error}", program.display()))?;
    Ok(program)
}

/// Builds a program of another language by this command, unless it is newer than its source.
pub fn built_by(command: &mut Command, source: &Path, program: PathBuf) -> Result<PathBuf, String> {
    if is_newer(&program, &[source]) { Ok(program) } else { built(command, program) }
}

fn built(command: &mut Command, program: PathBuf) -> Result<PathBuf, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        Ok(program)
    } else {
        Err(format!("{command:?}:\n{}", String::from_utf8_lossy(&output.stderr)))
    }
}

fn is_newer(program: &Path, sources: &[&Path]) -> bool {
    let changed = |file: &Path| file.metadata().and_then(|metadata| metadata.modified());
    let Ok(made) = changed(program) else {
        return false;
    };
    sources.iter().all(|source| changed(source).is_ok_and(|changed| changed < made))
}
