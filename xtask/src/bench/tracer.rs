//! Shunpike's mechanisms and its peers: how each is called.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::form::Form;
use super::notes::Notes;
use super::options::Options;
use super::rows::Guest;
use super::run;

/// The peers that are known, by the names of their commands.
pub const PEERS: [&str; 2] = ["strace", "perf"];

/// Something under which a guest runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tracer {
    /// Nothing: the measure of all others.
    Native,
    /// `shunpike trace` at this path, with this mechanism.
    Shunpike(PathBuf, &'static str),
    /// `strace`.
    Strace,
    /// `perf trace`.
    Perf,
}

/// The files that one run may write.
#[derive(Debug)]
pub struct Files {
    /// The trace.
    pub trace: PathBuf,
    /// Shunpike's ledger of crossings.
    pub toll: PathBuf,
    /// What was said on stderr.
    pub stderr: PathBuf,
}

impl Files {
    /// Files at `place`; each run overwrites those of the run before.
    pub fn at(place: &Path) -> Files {
        Files { trace: place.join("trace"), toll: place.join("toll"), stderr: place.join("stderr") }
    }
}

/// Native, then every tracer that works here and was asked for.
pub fn available(
    shunpike: PathBuf,
    options: &Options,
    place: &Path,
    notes: &mut Notes,
) -> Vec<Tracer> {
    let mut tracers = vec![Tracer::Native];
    let wanted = |peer: &str| match &options.peers {
        None => true,
        Some(peers) => peers.iter().any(|name| name == peer),
    };
    let mut candidates: Vec<Tracer> =
        ["ptrace", "seccomp", "auto"].map(|name| Tracer::Shunpike(shunpike.clone(), name)).into();
    if wanted("strace") {
        notes.version("strace");
        candidates.push(Tracer::Strace);
    }
    if wanted("perf") {
        notes.version("perf");
        candidates.push(Tracer::Perf);
    }
    let nothing = Guest { program: "true".into(), args: Vec::new(), directory: None };
    let files = Files::at(place);
    for tracer in candidates {
        match run::run(tracer.command(Form::Openat, &nothing, &files), Stdio::null(), &files.stderr)
        {
            Ok(_) => tracers.push(tracer),
            Err(reason) => notes.drop(&tracer.name(Form::Everything), &reason),
        }
    }
    tracers
}

impl Tracer {
    /// What a table's column is called.
    pub fn name(&self, form: Form) -> String {
        match (self, form) {
            (Tracer::Native, _) => "native".to_owned(),
            (Tracer::Shunpike(_, mechanism), _) => format!("shunpike {mechanism}"),
            (Tracer::Strace, Form::Everything) => "strace".to_owned(),
            (Tracer::Strace, Form::Openat) => "strace --seccomp-bpf".to_owned(),
            (Tracer::Perf, _) => "perf trace".to_owned(),
        }
    }

    /// Runs `guest` with its threads and children traced, the text to a file.
    pub fn command(&self, form: Form, guest: &Guest, files: &Files) -> Command {
        let mut words: Vec<OsString> = match self {
            Tracer::Native => Vec::new(),
            Tracer::Shunpike(path, mechanism) => {
                let mut toll = OsString::from("--toll=");
                toll.push(&files.toll);
                let mechanism = format!("--mechanism={mechanism}").into();
                vec![path.into(), "trace".into(), "-f".into(), mechanism, toll]
            }
            Tracer::Strace if form == Form::Openat => {
                vec!["strace".into(), "-f".into(), "--seccomp-bpf".into()]
            }
            Tracer::Strace => vec!["strace".into(), "-f".into()],
            Tracer::Perf => vec!["perf".into(), "trace".into()],
        };
        if *self != Tracer::Native {
            words.extend(["-o".into(), files.trace.clone().into()]);
            if form == Form::Openat {
                let calls = if *self == Tracer::Perf { "openat" } else { "trace=openat" };
                words.extend(["-e".into(), calls.into()]);
            }
        }
        guest.behind(words)
    }
}
