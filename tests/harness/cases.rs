//! Case files: what the command prints and returns, as text.
//!
//! A file in `tests/cases` holds cases. Each begins with a line `$ COMMAND`, which a shell runs
//! in an empty folder, with `shunpike` and the guests of `guests/cases` in its PATH. Then come
//! the lines which it prints, standard output and error together, and last `[STATUS]`. Lines
//! before the first case are comments. `SHUNPIKE_BLESS=1 cargo test` writes down what came out.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::diff::{self, Verdict};
use super::launch::{self, End};
use super::normalise::{self, Rules};
use super::tools;
use super::tracer;

/// What differs from run to run, in the order in which it is replaced. Times keep their shape.
const RULES: &[(&str, &str)] = &[
    (r"0x(5[56]|7[ef])[0-9a-f]{10}", "ADDRESS"),
    (r"/\* \d+ vars \*/", "/* N vars */"),
    (r"\b\d{10}\.\d{9}", "0000000000.000000000"),
    (r"\b\d{10}\.\d{6}", "0000000000.000000"),
    (r"\b\d\d:\d\d:\d\d\.\d{9}", "00:00:00.000000000"),
    (r"\b\d\d:\d\d:\d\d\.\d{6}", "00:00:00.000000"),
    (r"\b\d\d:\d\d:\d\d\.\d{3}\b", "00:00:00.000"),
    (r"\b\d\d:\d\d:\d\d\b", "00:00:00"),
    (r"(<|\(\+ *|(?m:^) *)\d\.\d{9}", "${1}0.000000000"),
    (r"(<|\(\+ *|(?m:^) *)\d\.\d{6}", "${1}0.000000"),
    (r"\[pid +\d+\]", "[pid PID]"),
    (r"(?m)^\d+ +([a-z+<-])", "PID $1"),
    (r"(getpid|clone|wait4)\((.*)\)( +)= \d+", "$1($2)$3= PID"),
    (r"kill\(\d+, (\w+)\) +=", "kill(PID, $1) ="),
    (r"si_pid=\d+, si_uid=\d+", "si_pid=PID, si_uid=UID"),
    (r"getuid\(\)( +)= \d+", "getuid()$1= UID"),
    (r"([Pp])rocess \d+", "${1}rocess PID"),
    (r"PID=\d+ runs", "PID=PID runs"),
    (r"PTRACE_SEIZE, \d{1,7}\)", "PTRACE_SEIZE, PID)"),
    (r"\[0000[0-9a-f]{12}\]", "[INSTRUCTION]"),
    (r":\[\d{3,}([\],-])", ":[INODE$1"),
    (r"->\d{3,}([\],])", "->INODE$1"),
    (r"<pid:\d+>", "<pid:PID>"),
    (r"\b\d{3,}<family>", "PID<family>"),
    (r"pidfd_open\(\d+,", "pidfd_open(PID,"),
    // JSON lines.
    (r#""(time|duration)":\d+"#, r#""$1":0"#),
    (r#""([pt]id|si_[pu]id)":\d+"#, r#""$1":0"#),
    (r#""(address)":"[^"]*""#, r#""$1":"0x0""#),
    (r#""started":"[^"]*""#, r#""started":"DATE""#),
    // What the shell says of a job, at a time of its choice.
    (r"(?m)^(Killed|Terminated)\n", ""),
    // A line of the summary: share, seconds and microseconds a call vary, counts stay.
    (r"(?m)^ *\d+\.\d\d +\d+\.\d{6} +\d+( +\d+)", "  0.00    0.000000           0$1"),
];

/// The cases of one file.
pub struct CaseFile {
    path: PathBuf,
}

struct Case<'a> {
    command: &'a str,
    expected: String,
}

/// Every case file.
pub fn all() -> Vec<CaseFile> {
    tools::files("cases", "txt").into_iter().map(|path| CaseFile { path }).collect()
}

impl CaseFile {
    /// The name in the tests' names.
    pub fn name(&self) -> &str {
        tools::stem(&self.path)
    }

    /// Runs the file's cases; fails with every difference, or writes it down if asked to.
    pub fn check(&self) -> Result<(), String> {
        let error = |error: std::io::Error| format!("{}: {error}", self.path.display());
        let text = std::fs::read_to_string(&self.path).map_err(error)?;
        let (comment, cases) = parse(&text);
        let mut came_out = comment.to_owned();
        let mut failures = String::new();
        for case in &cases {
            let got = run(self.name(), case.command)?;
            let (expected, lines): (Vec<_>, Vec<_>) =
                (case.expected.lines().collect(), got.lines().collect());
            if let Verdict::Differs(changes) = diff::compare(&expected, &lines) {
                let changes = diff::shown(&changes, 40);
                write!(failures, "$ {}\n{changes}", case.command).expect("writing to a string");
            }
            write!(came_out, "$ {}\n{got}\n", case.command).expect("writing to a string");
        }
        let blessed = format!("{}\n", came_out.trim_end());
        if std::env::var_os("SHUNPIKE_BLESS").is_some() {
            std::fs::write(&self.path, blessed).map_err(error)
        } else if failures.is_empty() {
            Ok(())
        } else {
            let hint = "SHUNPIKE_BLESS=1 writes down what came out";
            Err(format!("{}:\n{failures}{hint}", self.path.display()))
        }
    }
}

/// The comment at the head of a file, and its cases.
fn parse(text: &str) -> (&str, Vec<Case<'_>>) {
    let Some(first) = (if text.starts_with("$ ") { Some(0) } else { text.find("\n$ ") }) else {
        return (text, Vec::new());
    };
    let (comment, rest) = text.split_at(if first == 0 { 0 } else { first + 1 });
    let mut cases: Vec<Case> = Vec::new();
    for line in rest.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            cases.push(Case { command, expected: String::new() });
        } else if let Some(case) = cases.last_mut() {
            case.expected += line;
            case.expected.push('\n');
        }
    }
    for case in &mut cases {
        // Cases are set apart by an empty line.
        case.expected = format!("{}\n", case.expected.trim_end_matches('\n'));
    }
    (comment, cases)
}

/// What a command prints, and its status, made comparable.
fn run(name: &str, command: &str) -> Result<String, String> {
    let programs = programs()?;
    let folder = tools::empty_scratch(&format!("cases/{name}"));
    let mut shell = Command::new("sh");
    let path = std::env::var("PATH").unwrap_or_default();
    // The shell's own PATH is set inside, since `launch` passes on only the outer one.
    let script = format!("PATH='{}':'{path}'; exec 2>&1\n{command}", programs.display());
    shell.args(["-c", &script]);
    let outcome = launch::run(shell, &folder, "").map_err(|error| format!("{command}: {error}"))?;
    let status = match outcome.end {
        End::Exited(status) => format!("[{status}]"),
        End::Killed(signal) => format!("[killed by {signal}]"),
        End::TimedOut => {
            return Err(format!("{command}: hangs; it printed\n{}", outcome.stdout));
        }
    };
    let mut text = outcome
        .stdout
        .replace(&programs.display().to_string(), "PROGRAMS")
        .replace(&folder.display().to_string(), "FOLDER");
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for (pattern, word) in rules() {
        text = pattern.replace_all(&text, *word).into_owned();
    }
    Ok(text + &status + "\n")
}

fn rules() -> &'static Rules {
    static COMPILED: OnceLock<Rules> = OnceLock::new();
    COMPILED.get_or_init(|| normalise::compiled(RULES))
}

/// The folder with `shunpike` and the guests of the cases, which need no libc, so that their
/// traces are the same everywhere.
fn programs() -> Result<&'static Path, String> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = FOLDER.get_or_init(|| {
        let folder = tools::empty_scratch("case-programs");
        std::os::unix::fs::symlink(tracer::shunpike(), folder.join("shunpike"))
            .map_err(|error| format!("cannot link shunpike: {error}"))?;
        for source in tools::files("guests/cases", "c") {
            let output = Command::new("gcc")
                .args(["-O1", "-Wall", "-Wextra", "-static", "-nostdlib", "-ffreestanding"])
                .args(["-fno-stack-protector", "-fno-pie", "-no-pie", "-o"])
                .arg(folder.join(tools::stem(&source)))
                .arg(&source)
                .output()
                .map_err(|error| format!("gcc: {error}"))?;
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into_owned());
            }
        }
        Ok(folder)
    });
    made.as_deref().map_err(Clone::clone)
}
