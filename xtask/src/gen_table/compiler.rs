//! Asks the C compiler what the headers say.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// A C compiler that sees the given UAPI headers and no others.
pub struct Compiler {
    includes: [PathBuf; 2],
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
        Ok(Compiler {
            includes: [headers.join("x86-linux-any"), headers.join("any-linux-any")],
            scratch,
        })
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

    /// The values of integer expressions.
    pub fn values(&self, prelude: &Prelude, expressions: &[String]) -> Result<Vec<u64>> {
        let mut program = prelude.text();
        program.push_str("int printf(const char *, ...);\nint main(void) {\n");
        for expression in expressions {
            let _ = writeln!(program, "printf(\"%llu\\n\", (unsigned long long)({expression}));");
        }
        program.push_str("return 0; }\n");

        let binary = self.scratch.join("values");
        let target = binary.to_str().context("the path is not UTF-8")?;
        self.cc(&program, &["-w", "-o", target])?;
        let run = Command::new(&binary).output().context("cannot run the compiled program")?;
        ensure!(run.status.success(), "the compiled program failed");
        let text = String::from_utf8(run.stdout)?;
        let values: Vec<u64> = text.lines().map(str::parse).collect::<Result<_, _>>()?;
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
