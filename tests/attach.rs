//! The agent comes into programs, goes again while they run, and nothing of it is left.
#![forbid(unsafe_code)]

mod harness;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use harness::compile::{self, Variant};
use harness::launch::LIMIT;
use harness::tools;

/// SIGTERM. Not SIGINT: a shell that runs the tests in the background has that ignored.
const TERM: i32 = 15;
const KILL: i32 = 9;

/// A program that answers each line with the same one. It ends with the test.
struct Guest {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    lines: u32,
}

/// What a process has that the agent might change.
#[derive(PartialEq, Eq, Debug)]
struct Traces {
    /// Mappings that can be executed, or have to do with the agent.
    mappings: Vec<String>,
    /// Its signals' actions, its filters.
    status: Vec<String>,
    /// Executable mappings that are not what their files say.
    patched: Vec<String>,
}

impl Guest {
    fn start(command: &mut Command) -> Guest {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the guest starts");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        let mut guest = Guest { process, input, output, lines: 0 };
        guest.answers();
        guest
    }

    fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Sees that the guest still works.
    fn answers(&mut self) {
        self.lines += 1;
        let line = format!("line {}\n", self.lines);
        let input = self.input.as_mut().expect("it is open up to the end");
        input.write_all(line.as_bytes()).expect("the guest reads");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("the guest writes text");
        assert_eq!(answer, line, "the guest has ended: {:?}", self.process.try_wait());
    }

    fn traces(&self) -> Traces {
        Traces::of(self.pid())
    }

    /// The guest's end, which comes with its input's.
    fn end(mut self) -> ExitStatus {
        self.input = None;
        until("the guest ends", || self.process.try_wait().unwrap())
    }
}

impl Traces {
    fn of(pid: u32) -> Traces {
        let proc = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap();
        let is_ours = |line: &&str| line.contains("r-x") || line.contains("memfd");
        let maps = proc("maps");
        let mappings: Vec<_> = maps.lines().filter(is_ours).map(str::to_owned).collect();
        let fields = ["SigCgt", "SigIgn", "Seccomp", "NoNewPrivs", "TracerPid"];
        let is_told = |line: &&str| fields.iter().any(|field| line.starts_with(field));
        let status = proc("status").lines().filter(is_told).map(str::to_owned).collect();
        let patched = mappings.iter().filter(|line| !is_as_its_file(pid, line));
        Traces { patched: patched.cloned().collect(), mappings, status }
    }
}

/// Whether a mapping, as a line of `/proc/PID/maps`, has the bytes of its file.
fn is_as_its_file(pid: u32, line: &str) -> bool {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let Some(path) = fields.get(5).filter(|path| path.starts_with('/')) else { return true };
    let number = |digits| u64::from_str_radix(digits, 16).unwrap();
    let (start, end) = fields[0].split_once('-').unwrap();
    let mut mapped = vec![0; (number(end) - number(start)) as usize];
    let memory = File::open(format!("/proc/{pid}/mem")).unwrap();
    memory.read_exact_at(&mut mapped, number(start)).unwrap();
    // The agent's memory is a file without a path.
    let Ok(file) = fs::read(path) else { return false };
    let bytes = &file[number(fields[2]) as usize..];
    let len = bytes.len().min(mapped.len());
    bytes[..len] == mapped[..len]
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A tracer of a guest. It ends with the test.
struct Tracer {
    process: Child,
    trace: PathBuf,
}

impl Tracer {
    /// Returns once the tracer is there and the agent has recorded calls.
    fn attach(guest: &mut Guest, options: &[&str]) -> Tracer {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let trace = tools::scratch("attach").join(format!("{}-{number}", std::process::id()));
        let process = Command::new(env!("CARGO_BIN_EXE_shunpike"))
            .args(["trace", "-f", "--mechanism=agent", "-p", &guest.pid().to_string(), "-o"])
            .arg(&trace)
            .args(options)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the tracer starts");
        let tracer = Tracer { process, trace };
        let status = format!("/proc/{}/status", guest.pid());
        until("it is attached", || {
            let status = fs::read_to_string(&status).ok()?;
            (!status.contains("TracerPid:\t0\n")).then_some(())
        });
        // So many lines that the sites of the calls for each are patched.
        (0..8).for_each(|_| guest.answers());
        tracer
    }

    fn signal(&mut self, signal: i32) -> ExitStatus {
        let pid = self.process.id().to_string();
        Command::new("kill").args([&format!("-{signal}"), &pid]).status().expect("kill(1)");
        until("the tracer ends", || self.process.try_wait().unwrap())
    }

    fn trace(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.trace).unwrap()).into_owned()
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_file(&self.trace);
    }
}

/// The first answer that is not `None`.
fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begin.elapsed() < LIMIT, "waited in vain: {what}");
        std::thread::yield_now();
    }
}

/// The guest with threads; `None`, with the reason said, where it cannot be built.
fn works(letters: &str) -> Option<Guest> {
    if let Some(reason) = Variant::Dynamic.missing() {
        println!("skipped: {reason}");
        return None;
    }
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let source = tools::tests().join("guests/attached/works.c");
        compile::c(&source, Variant::Dynamic).expect("it compiles")
    });
    Some(Guest::start(Command::new(program).arg(letters)))
}

fn python() -> Option<Guest> {
    let python = Path::new("/usr/bin/python3");
    if !python.exists() {
        println!("skipped: there is no {}", python.display());
        return None;
    }
    let script = "import os, sys
for line in sys.stdin:
    for number in range(500):
        os.getppid()
    print(line, end='', flush=True)";
    Some(Guest::start(Command::new(python).args(["-c", script])))
}

/// Attaches and lets go, twice; nothing of it is left either time.
fn comes_and_goes(mut guest: Guest, end: i32, calls: &[&str]) {
    let before = guest.traces();
    assert_eq!(before.patched, [""; 0]);
    for _ in 0..2 {
        let mut tracer = Tracer::attach(&mut guest, &[]);
        let status = tracer.signal(TERM);
        assert_eq!(status.signal(), Some(TERM), "{status}");
        let trace = tracer.trace();
        for call in calls {
            assert!(trace.contains(call), "no {call} in {trace}");
        }
        assert_eq!(guest.traces(), before);
        guest.answers();
    }
    assert_eq!(guest.end().code(), Some(end));
}

#[test]
fn a_program_with_threads_signals_and_children_is_as_it_was() {
    for letters in ["cf", "cfm"] {
        let Some(guest) = works(letters) else { return };
        comes_and_goes(guest, 5, &["getppid() ", "EFAULT", "execve(", "--- SIGALRM"]);
    }
}

#[test]
fn a_python_program_is_as_it_was() {
    let Some(guest) = python() else { return };
    comes_and_goes(guest, 0, &["getppid() ", "write(1, \"line "]);
}

#[test]
fn a_program_that_sleeps_is_as_it_was() {
    let guest = Guest::start(&mut Command::new("cat"));
    comes_and_goes(guest, 0, &["write(1, \"line "]);
}

#[test]
fn most_calls_are_recorded_without_a_stop() {
    let Some(mut guest) = python() else { return };
    let toll = tools::scratch("attach").join(format!("{}-toll", std::process::id()));
    let option = format!("--toll={}", toll.display());
    Tracer::attach(&mut guest, &[&option]).signal(TERM);
    let ledger = fs::read_to_string(&toll).unwrap();
    let count = |row: &str| -> u64 {
        let line = ledger.lines().find_map(|line| line.strip_prefix(row)).unwrap();
        line.split_ascii_whitespace().next().unwrap().parse().unwrap()
    };
    assert!(count("calls seen") > 4000, "{ledger}");
    assert!(count("calls by the agent") * 10 > count("calls seen") * 9, "{ledger}");
    fs::remove_file(toll).unwrap();
}

#[test]
fn a_guest_goes_on_when_its_tracer_is_killed() {
    let guests = [works(""), python(), Some(Guest::start(&mut Command::new("cat")))];
    for (guest, end) in guests.into_iter().zip([5, 0, 0]) {
        let Some(mut guest) = guest else { continue };
        let mut tracer = Tracer::attach(&mut guest, &[]);
        assert_eq!(tracer.signal(KILL).signal(), Some(KILL));
        (0..5).for_each(|_| guest.answers());
        assert_eq!(guest.end().code(), Some(end));
    }
}

#[test]
fn a_program_that_was_started_is_let_go_as_it_was() {
    let trace = tools::scratch("attach").join(format!("{}-started", std::process::id()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_shunpike"));
    // It gets the tracer's signal too.
    let guest = ["sh", "-c", "trap '' TERM; exec cat"];
    command.args(["trace", "-I2", "-o"]).arg(&trace).args(guest).stderr(Stdio::null());
    // Its lines go through the tracer.
    let mut tracer = Guest::start(&mut command);
    (0..8).for_each(|_| tracer.answers());
    let id = tracer.pid();
    let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    let pid: u32 = children.trim().parse().expect("the tracer has one child");
    Command::new("kill").args([&format!("-{TERM}"), &id.to_string()]).status().expect("kill(1)");
    let status = until("the tracer ends", || tracer.process.try_wait().unwrap());
    assert_eq!(status.signal(), Some(TERM), "{status}");
    let Traces { mappings, status, patched } = Traces::of(pid);
    assert_eq!(patched, [""; 0]);
    assert!(!mappings.iter().any(|line| line.contains("memfd")), "{mappings:?}");
    let ours = Traces::of(std::process::id()).status.into_iter();
    let inherited =
        ours.filter(|line| line.starts_with("Seccomp") || line.starts_with("NoNewPrivs"));
    let none = ["SigCgt:\t0000000000000000", "TracerPid:\t0"].map(str::to_owned);
    for line in inherited.chain(none) {
        assert!(status.contains(&line), "no {line:?} in {status:?}");
    }
    tracer.answers();
    let told = fs::read_to_string(&trace).unwrap();
    assert!(told.contains("write(1, \"line 8\\n\""), "{told}");
    fs::remove_file(trace).unwrap();
}
