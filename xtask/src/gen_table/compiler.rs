//! Asks the C compiler what the headers say.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// Headers of C libraries that the kernel's own include. They are there, but empty.
const STUBS: [&str; 18] = [
    "endian.h",
    "errno.h",
    "limits.h",
    "netinet/if_ether.h",
    "netinet/in.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "sys/ioctl.h",
    "sys/param.h",
    "sys/socket.h",
    "sys/time.h",
    "sys/types.h",
    "time.h",
    "unistd.h",
    "xen/interface/xen.h",
];

/// A C compiler that sees the given UAPI headers and no others.
pub struct Compiler {
    includes: [PathBuf; 2],
    /// Where [`STUBS`] are.
    stubs: PathBuf,
    scratch: PathBuf,
}

/// What comes before the expressions of a program: headers and declarations.
#[derive(Default, Clone)]
pub struct Prelude {
    /// Headers, as they stand between `<` and `>`.
    pub headers: Vec<String>,
    /// Lines of C for what the kernel keeps to itself.
    pub lines: Vec<String>,
}

/// For which programs something is compiled.
#[derive(Clone, Copy)]
pub enum Model {
    /// 64-bit ones.
    Lp64,
    /// 32-bit ones.
    Ilp32,
}

impl Prelude {
    fn text(&self) -> String {
        let mut text = String::new();
        for header in &self.headers {
            let _ = writeln!(text, "#include <{header}>");
        }
        for line in &self.lines {
            let _ = writeln!(text, "{line}");
        }
        text
    }
}

impl Compiler {
    /// A compiler for the headers in `headers/any-linux-any` and `headers/x86-linux-any`.
    pub fn new(headers: &Path) -> Result<Compiler> {
        let scratch = crate::workspace::root().join("target/xtask-gen");
        std::fs::create_dir_all(&scratch).context("cannot make target/xtask-gen")?;
        let stubs = scratch.join("stubs");
        for name in STUBS {
            let stub = stubs.join(name);
            std::fs::create_dir_all(stub.parent().context("a file has a folder")?)?;
            std::fs::write(stub, "")?;
        }
        Ok(Compiler {
            includes: [headers.join("x86-linux-any"), headers.join("any-linux-any")],
            stubs,
            scratch,
        })
    }

    /// Where the headers are.
    pub fn includes(&self) -> &[PathBuf] {
        &self.includes
    }

    /// The macros that are defined behind the prelude, with their text.
    pub fn macros(&self, prelude: &Prelude) -> Result<BTreeMap<String, String>> {
        let listing = self.cc(&prelude.text(), &["-E", "-dM"])?;
        let defines = listing.lines().filter_map(|line| {
            let (name, text) = line.strip_prefix("#define ")?.split_once(' ')?;
            Some((name.to_owned(), text.to_owned()))
        });
        Ok(defines.collect())
    }

    /// The values of constant expressions in a 64-bit program.
    pub fn values(&self, prelude: &Prelude, expressions: &[String]) -> Result<Vec<u64>> {
        self.values_by(Model::Lp64, prelude, expressions)
    }

    /// The values of constant expressions. Nothing is run: they are read out of the assembly, so
    /// that 32-bit programs need no library.
    pub fn values_by(
        &self,
        model: Model,
        prelude: &Prelude,
        expressions: &[String],
    ) -> Result<Vec<u64>> {
        if expressions.is_empty() {
            return Ok(Vec::new());
        }
        let mut program = prelude.text();
        program.push_str("const unsigned long long values[] = {\n");
        for expression in expressions {
            let _ = writeln!(program, "(unsigned long long)({expression}),");
        }
        program.push_str("};\n");
        let flag = match model {
            Model::Lp64 => "-m64",
            Model::Ilp32 => "-m32",
        };
        let assembly = self.cc(&program, &["-w", flag, "-S", "-o", "-"])?;
        let bytes = data(&assembly, "values:")?;
        let values: Vec<u64> = bytes
            .chunks_exact(8)
            .map(|value| u64::from_le_bytes(value.try_into().expect("chunks of eight bytes")))
            .collect();
        ensure!(values.len() == expressions.len(), "values are missing");
        Ok(values)
    }

    /// The text of a header.
    pub fn header(&self, name: &str) -> Result<String> {
        for include in &self.includes {
            if let Ok(text) = std::fs::read_to_string(include.join(name)) {
                return Ok(text);
            }
        }
        bail!("no header {name} below the given directory")
    }

    fn cc(&self, source: &str, args: &[&str]) -> Result<String> {
        let file = self.scratch.join("program.c");
        std::fs::write(&file, source)?;
        let run = Command::new("cc")
            .args(["-nostdinc", "-I"])
            .arg(&self.includes[0])
            .arg("-I")
            .arg(&self.includes[1])
            .arg("-I")
            .arg(&self.stubs)
            .args(args)
            .arg(&file)
            .output()
            .context("cannot run cc; install a C compiler")?;
        ensure!(
            run.status.success(),
            "the C compiler refuses {}:\n{}",
            file.display(),
            String::from_utf8_lossy(&run.stderr)
        );
        Ok(String::from_utf8(run.stdout)?)
    }
}

/// The bytes that an assembly has behind this label.
fn data(assembly: &str, label: &str) -> Result<Vec<u8>> {
    let lines = assembly.lines().map(str::trim).skip_while(|line| *line != label).skip(1);
    let mut bytes = Vec::new();
    for line in lines {
        let (directive, operand) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let number = || operand.parse::<i128>().with_context(|| format!("no number: {line}"));
        match directive {
            ".quad" => bytes.extend((number()? as u64).to_le_bytes()),
            ".long" => bytes.extend((number()? as u32).to_le_bytes()),
            ".zero" => bytes.resize(bytes.len() + number()? as usize, 0),
            _ => break,
        }
    }
    Ok(bytes)
}
