//! A guest program, and its runs: natively and under each tracer, each made once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::compile::{self, Variant};
use super::launch::{self, End, Outcome};
use super::tools;
use super::trace::Trace;
use super::tracer::Tracer;

/// What a guest's first comment may ask for:
/// `@stdin TEXT`, `@musl no`, `@steady` (two runs make the same
/// calls in the same order, apart from addresses, pids and times), `@options OPTION...` (of the
/// tracer; several lines add up).
#[derive(Debug, Default)]
struct Wishes {
    stdin: String,
    no_musl: bool,
    no_agent: bool,
    /// Not without `-f`.
    not_alone: bool,
    /// Not where the agent comes late.
    not_late: bool,
    /// Not with strace.
    no_strace: bool,
    steady: bool,
    /// Options for the tracer.
    options: Vec<String>,
}

/// A guest in one variant.
#[derive(Debug)]
pub struct Guest {
    pub name: String,
    build: Build,
    wishes: Wishes,
    command: OnceLock<Result<Vec<PathBuf>, String>>,
    native: OnceLock<Result<Outcome, String>>,
    traced: [OnceLock<Result<Run, String>>; Tracer::COUNT],
}

#[derive(Debug)]
enum Build {
    C { source: PathBuf, variant: Variant },
    Language { source: PathBuf, tool: &'static str },
}

/// A traced run.
#[derive(Debug)]
pub struct Run {
    pub outcome: Outcome,
    pub trace: Trace,
}

/// The languages besides C: a file's ending, and the tool that runs or builds it.
const LANGUAGES: &[(&str, &str)] =
    &[("go", "go"), ("py", "python3"), ("js", "node"), ("java", "javac")];

impl Guest {
    /// The C guests of a folder below `tests/guests`, in each variant that they allow.
    pub fn all_c(folder: &str) -> Vec<Self> {
        let mut guests = Vec::new();
        for source in tools::files(&format!("guests/{folder}"), "c") {
            for variant in [Variant::Dynamic, Variant::Musl] {
                let wishes = Wishes::of(&source);
                if variant == Variant::Musl && wishes.no_musl {
                    continue;
                }
                let name = format!("{folder}/{}/{}", tools::stem(&source), variant.name());
                guests.push(Self::new(name, Build::C { source: source.clone(), variant }, wishes));
            }
        }
        guests
    }

    /// The 32-bit guests of a folder below `tests/guests`.
    pub fn all_i386(folder: &str) -> Vec<Self> {
        let sources = tools::files(&format!("guests/{folder}"), "c").into_iter();
        let guest = |source: PathBuf| {
            let wishes = Wishes::of(&source);
            let name = format!("{folder}/{}", tools::stem(&source));
            Self::new(name, Build::C { source, variant: Variant::I386 }, wishes)
        };
        sources.map(guest).collect()
    }

    /// The guests in other languages.
    pub fn all_languages() -> Vec<Self> {
        let mut guests = Vec::new();
        for (ending, tool) in LANGUAGES {
            for source in tools::files("guests/languages", ending) {
                // The same program in several languages.
                let name = format!("languages/{}/{ending}", tools::stem(&source));
                let wishes = Wishes::of(&source);
                guests.push(Self::new(name, Build::Language { source, tool }, wishes));
            }
        }
        guests
    }

    fn new(name: String, build: Build, wishes: Wishes) -> Self {
        let traced = [const { OnceLock::new() }; Tracer::COUNT];
        let (command, native) = (OnceLock::new(), OnceLock::new());
        Self { name, build, wishes, command, native, traced }
    }

    /// Why this guest cannot be built here, if it cannot.
    pub fn missing(&self) -> Option<String> {
        match &self.build {
            Build::C { variant, .. } => variant.missing(),
            Build::Language { tool, .. } => {
                tools::find(tool).is_none().then(|| format!("{tool} is not installed"))
            }
        }
    }

    /// Whether this guest is to be traced by this tracer.
    pub fn is_for(&self, tracer: Tracer) -> bool {
        let unwanted = tracer.is_agent() && self.wishes.no_agent
            || tracer == Tracer::Alone && self.wishes.not_alone
            || tracer == Tracer::Strace && self.wishes.no_strace
            || tracer == Tracer::Auto && self.wishes.not_late;
        !unwanted
    }

    /// Whether two runs make the same calls in the same order.
    pub fn is_steady(&self) -> bool {
        self.wishes.steady
    }

    /// The options that this guest wants its tracer to have.
    pub fn options(&self) -> Vec<&str> {
        self.wishes.options.iter().map(String::as_str).collect()
    }

    /// The run without a tracer: what the guest must do under each.
    pub fn native(&self) -> Result<&Outcome, String> {
        let make = || {
            let command = self.program()?;
            let mut native = Command::new(&command[0]);
            native.args(&command[1..]);
            let folder = tools::empty_scratch(&format!("{}/native", self.name));
            let outcome = launch::run(native, &folder, &self.wishes.stdin)
                .map_err(|error| error.to_string())?;
            match outcome.end {
                End::TimedOut => Err(format!("hangs without a tracer; it said {outcome:?}")),
                _ => Ok(outcome),
            }
        };
        self.native.get_or_init(make).as_ref().map_err(Clone::clone)
    }

    /// The run under this tracer.
    pub fn traced(&self, tracer: Tracer) -> Result<&Run, String> {
        let make = || self.trace(tracer, tracer.name(), &[]);
        self.traced[tracer as usize].get_or_init(make).as_ref().map_err(Clone::clone)
    }

    /// A new run under this tracer with options, in a scratch folder of this name.
    pub fn trace(&self, tracer: Tracer, folder: &str, options: &[&str]) -> Result<Run, String> {
        let (outcome, text) = self.output(tracer, folder, options)?;
        Ok(Run { outcome, trace: Trace::parse(&text)? })
    }

    /// The same, and what the tracer wrote, in whatever format.
    pub fn output(
        &self,
        tracer: Tracer,
        folder: &str,
        options: &[&str],
    ) -> Result<(Outcome, String), String> {
        let folder = tools::empty_scratch(&format!("{}/{folder}", self.name));
        let output = folder.with_extension("trace");
        let mut command = tracer.following(&output, options);
        command.args(self.program()?);
        let outcome =
            launch::run(command, &folder, &self.wishes.stdin).map_err(|error| error.to_string())?;
        let text = launch::read_lossy(&output);
        if outcome.end == End::TimedOut {
            let text = text.unwrap_or_default();
            let from = text.len().saturating_sub(4000);
            let tail = String::from_utf8_lossy(&text.as_bytes()[from..]).into_owned();
            return Err(format!("hangs; the trace ends:\n{tail}\nstderr: {}", outcome.stderr));
        }
        let text = text.map_err(|error| {
            format!("no trace: {error}; {:?}; stderr: {}", outcome.end, outcome.stderr)
        })?;
        Ok((outcome, text))
    }

    /// The program's command line; builds the program at first.
    fn program(&self) -> Result<&[PathBuf], String> {
        let make = || match &self.build {
            Build::C { source, variant } => Ok(vec![compile::c(source, *variant)?]),
            Build::Language { source, tool } => language(source, tool),
        };
        self.command.get_or_init(make).as_deref().map_err(Clone::clone)
    }
}

/// Builds a guest in another language, where it must be built; gives its command line.
fn language(source: &Path, tool: &str) -> Result<Vec<PathBuf>, String> {
    let folder = tools::scratch("guests-languages");
    let stem = tools::stem(source);
    match tool {
        "go" => {
            let program = folder.join(stem);
            let mut build = Command::new("go");
            build.args(["build", "-o"]).arg(&program).arg(source);
            Ok(vec![compile::built_by(&mut build, source, program)?])
        }
        "javac" => {
            let class = folder.join(stem).with_extension("class");
            let mut build = Command::new("javac");
            compile::built_by(build.arg("-d").arg(&folder).arg(source), source, class)?;
            Ok(vec!["java".into(), "-cp".into(), folder, stem.into()])
        }
        _ => Ok(vec![tool.into(), source.to_owned()]),
    }
}

impl Wishes {
    fn of(source: &Path) -> Self {
        let text = std::fs::read_to_string(source)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", source.display()));
        let mut wishes = Self::default();
        let in_comment = |line: &&str| !line.is_empty() && !line.starts_with("#include");
        for line in text.lines().take_while(in_comment) {
            let Some((_, wish)) = line.split_once('@') else {
                continue;
            };
            let (key, value) = wish.trim_end().split_once(' ').unwrap_or((wish.trim_end(), ""));
            match key {
                "stdin" => wishes.stdin = value.replace("\\n", "\n"),
                "musl" => wishes.no_musl = value.starts_with("no"),
                "agent" => wishes.no_agent = value.starts_with("no"),
                "alone" => wishes.not_alone = value.starts_with("no"),
                "late" => wishes.not_late = value.starts_with("no"),
                "strace" => wishes.no_strace = value.starts_with("no"),
                "steady" => wishes.steady = true,
                "options" => wishes.options.extend(value.split(' ').map(str::to_owned)),
                _ => panic!("{}: unknown wish @{wish}", source.display()),
            }
        }
        wishes
    }
}
