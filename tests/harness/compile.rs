//! Builds guests out of `tests/guests` into the target folder, when they are out of date.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::tools;

/// How a C guest is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// By gcc, with the system's libc, dynamically linked.
    Dynamic,
    /// By musl-gcc, statically linked.
    Musl,
}

impl Variant {
    /// The name in the tests' names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dynamic => "dynamic",
            Self::Musl => "musl",
        }
    }

    fn compiler(self) -> &'static str {
        match self {
            Self::Dynamic => "gcc",
            Self::Musl => "musl-gcc",
        }
    }

    /// Why guests cannot be built so here, if they cannot.
    pub fn missing(self) -> Option<String> {
        let compiler = self.compiler();
        tools::find(compiler).is_none().then(|| format!("{compiler} is not installed"))
    }
}

/// Builds a C guest, unless it is newer than its source and guest.h; gives its program.
pub fn c(source: &Path, variant: Variant) -> Result<PathBuf, String> {
    // In each folder of sources a name is given once.
    let of = source.parent().and_then(Path::file_name).unwrap_or_default().display();
    let folder = tools::scratch(&format!("guests-{}/{of}", variant.name()));
    let program = folder.join(tools::stem(source));
    let header = tools::tests().join("guests/guest.h");
    if is_newer(&program, &[source, &header]) {
        return Ok(program);
    }
    let mut command = Command::new(variant.compiler());
    command.args(["-O1", "-g", "-Wall", "-Wextra", "-pthread"]);
    if variant == Variant::Musl {
        // musl-gcc knows no kernel headers; they come after musl's own.
        command.args(["-static", "-idirafter", "/usr/include"]);
        command.args(["-idirafter", "/usr/include/x86_64-linux-gnu"]);
    }
    built(command.arg("-o").arg(&program).arg(source), program)
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
