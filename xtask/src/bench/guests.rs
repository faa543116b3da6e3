//! Builds the guest programs, and a small project for `make`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::notes::Notes;

/// What is needed by the rows: a path each, or why it is not there.
#[derive(Debug)]
pub struct Guests {
    /// `benches/guests/getppid.c`.
    pub getppid: Needed,
    /// `benches/guests/threads.c`.
    pub threads: Needed,
    /// `benches/guests/churn.c`.
    pub churn: Needed,
    /// `benches/guests/live.c`.
    pub live: Needed,
    /// `benches/guests/state.c`.
    pub state: Needed,
    /// `benches/guests/mprotect.c`.
    pub mprotect: Needed,
    /// `benches/guests/protections.c`.
    pub protections: Needed,
    /// A folder with a makefile and 20 C files.
    pub project: Needed,
    /// A folder with a makefile and longer C files.
    pub modules: Needed,
    /// `benches/guests/within.c`, for machines without a library of C.
    pub within: Needed,
    /// The Python interpreter itself, not a script that looks for it.
    pub python: Needed,
}

/// A path, or why there is none.
pub type Needed = Result<PathBuf, String>;

/// How many C files the project has.
const FILES: usize = 20;

/// Builds them at `place`. The versions of the programs used are noted.
pub fn build(place: &Path, notes: &mut Notes) -> Guests {
    notes.version("cc");
    notes.version("make");
    notes.version("python3");
    let compiled = |name| compile(place, name).map_err(|error| format!("{error:#}"));
    Guests {
        getppid: compiled("getppid"),
        threads: compiled("threads"),
        churn: compiled("churn"),
        live: compiled("live"),
        state: compiled("state"),
        mprotect: compiled("mprotect"),
        protections: compiled("protections"),
        project: project(place).map_err(|error| format!("{error:#}")),
        modules: modules(place).map_err(|error| format!("{error:#}")),
        within: compiled("within"),
        python: python().map_err(|error| format!("{error:#}")),
    }
}

fn compile(place: &Path, name: &str) -> Result<PathBuf> {
    let source = crate::workspace::root().join("benches/guests").join(name).with_extension("c");
    let program = place.join(name);
    let status = Command::new("cc")
        .args(["-O2", "-pthread", "-o"])
        .args([&program, &source])
        .status()
        .context("no C compiler: cannot run cc")?;
    ensure!(status.success(), "cc cannot compile {}", source.display());
    Ok(program)
}

fn project(place: &Path) -> Result<PathBuf> {
    let project = place.join("project");
    fs::create_dir_all(&project)?;
    let mut main = String::new();
    for file in 0..FILES {
        fs::write(project.join(format!("part{file}.c")), part(file, 40)?)?;
        writeln!(main, "int part{file}(int x);")?;
    }
    main.push_str("int main(void)\n{\n\tint x = 0;\n");
    for file in 0..FILES {
        writeln!(main, "\tx = part{file}(x);")?;
    }
    main.push_str("\treturn x == 1;\n}\n");
    fs::write(project.join("main.c"), main)?;
    // Not one of the project's own.
    fs::write(project.join("module.inc"), part(FILES, 250)?)?;
    fs::write(project.join("Makefile"), makefile("-O1"))?;
    Ok(project)
}

/// Builds a program of all files, or of the first so many as `FILES` says.
fn makefile(level: &str) -> String {
    format!(
        "FILES = 100\n\
         program: main.o $(patsubst %.c,%.o,$(wordlist 1,$(FILES),$(sort $(wildcard part*.c))))\n\
         \tcc -o $@ $^\n\
         %.o: %.c\n\tcc {level} -c -o $@ $<\n"
    )
}

/// How many longer files there are.
const MODULES: usize = 10;

fn modules(place: &Path) -> Result<PathBuf> {
    let modules = place.join("modules");
    fs::create_dir_all(&modules)?;
    for file in 0..MODULES {
        fs::write(modules.join(format!("part{file}.c")), part(file, 250)?)?;
    }
    fs::write(modules.join("main.c"), "int main(void)\n{\n\treturn 0;\n}\n")?;
    fs::write(modules.join("Makefile"), makefile("-O2"))?;
    Ok(modules)
}

/// A C file that gives the compiler something to read and to do: some six lines a function.
fn part(file: usize, functions: usize) -> Result<String> {
    let mut text = String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n");
    for function in 0..functions {
        writeln!(
            text,
            "static int f{function}(int x)\n{{\n\tchar text[64];\n\tsnprintf(text, sizeof text, \
             \"%d\", x + {function});\n\treturn atoi(text) % {} + (int)strlen(text);\n}}",
            function + 7
        )?;
    }
    writeln!(text, "int part{file}(int x)\n{{")?;
    for function in 0..functions {
        writeln!(text, "\tx = f{function}(x);")?;
    }
    text.push_str("\treturn x;\n}\n");
    Ok(text)
}

fn python() -> Result<PathBuf> {
    let output = Command::new("python3")
        .args(["-c", "import json, ssl, sys; print(sys.executable)"])
        .output()
        .context("cannot run python3")?;
    ensure!(output.status.success(), "python3 has no modules json and ssl");
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}
