//! Supervisors are killed before one of their kernel calls, be it which it may: what they trace lives
//! on, and does what it would have done without them.
#![forbid(unsafe_code)]

mod harness;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use harness::launch::LIMIT;
use harness::tools;
use harness::tracer;
use kernel::ptrace::{Options, Resume, Side, Stopped, SyscallSource, SyscallStopKind, Tracee};
use kernel::signal;
use kernel::spawn::{Program, Role};
use kernel::wait::{self, CpuTime, Patience, Stop, What};

const KILL: i32 = 9;

/// Who of the processes of a command line is the supervisor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Supervisor {
    /// The first: it attaches to a guest.
    First,
    /// What the first makes by way of another, and then is the guest (`-D`).
    Grandchild,
}

/// A command line whose supervisor is killed.
struct Victim {
    supervisor: Supervisor,
    /// All processes that were heard of, the first first.
    known: Vec<i32>,
    /// The kernel call before which it is killed, and how many there were so far.
    last: u64,
    calls: u64,
}

/// What has come of it.
#[derive(Debug)]
struct Ends {
    /// The supervisor was killed, and did not end by itself before.
    killed: bool,
    /// The first process's status, where it is the guest.
    guest: Option<What>,
}

impl Victim {
    /// Runs `shunpike trace` with these arguments and streams.
    fn run(
        supervisor: Supervisor,
        last: u64,
        args: &[String],
        folder: &Path,
        streams: [OwnedFd; 3],
    ) -> Ends {
        let program = tracer::shunpike().into_os_string().into_encoded_bytes();
        let words = ["shunpike", "trace", "--mechanism=agent"].map(|word| word.as_bytes().to_vec());
        let words = words.into_iter().chain(args.iter().map(|arg| arg.as_bytes().to_vec()));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let cache = [b"XDG_CACHE_HOME=", folder.as_os_str().as_bytes()].concat();
        let environment = vec![[b"PATH=", path.as_bytes()].concat(), cache];
        let program = Program::new(program, words.collect(), environment).unwrap();
        wait::listen().unwrap();
        let mut launch = program.streams(streams).launch(Role::Child).unwrap();
        let options = Options { follow: true, ..Options::default() };
        Tracee::seize(launch.pid(), options).unwrap().interrupt().unwrap();
        launch.release().unwrap();
        Victim { supervisor, known: vec![launch.pid()], last, calls: 0 }.watch()
    }

    fn watch(mut self) -> Ends {
        let mut ends = Ends { killed: false, guest: None };
        let mut is_over = false;
        let awaits_guest = self.supervisor == Supervisor::Grandchild;
        while !is_over || awaits_guest && ends.guest.is_none() {
            let change = wait::next(Patience::Block, CpuTime::Unwanted).unwrap().unwrap();
            match change.what {
                What::Stopped(stopped, stop) => self.stopped(change.tid, stopped, stop),
                what if self.is_supervisor(change.tid) => {
                    is_over = true;
                    ends.killed = matches!(what, What::Killed { signal: KILL, .. });
                }
                what if change.tid == self.known[0] => ends.guest = Some(what),
                _ => {}
            }
        }
        ends
    }

    /// What a request answers of a process that was killed is left alone: its end is reported.
    fn stopped(&mut self, tid: i32, stopped: Tracee<Stopped>, stop: Stop) {
        let place = self.known.iter().position(|known| *known == tid);
        let place = place.unwrap_or_else(|| {
            self.known.push(tid);
            self.known.len() - 1
        });
        let is_supervisor = place == self.place();
        if place > self.place() || place < self.place() && stop == Stop::NewTask {
            let _ = stopped.detach(0);
            return;
        }
        if is_supervisor && stop == Stop::Syscall && self.enters(&stopped) {
            self.calls += 1;
            if self.calls == self.last {
                signal::send(tid, KILL).unwrap();
                return;
            }
        }
        let how = if is_supervisor { Resume::Syscall } else { Resume::Continue };
        let signal = if let Stop::Signal(signal) = stop { signal } else { 0 };
        let _ = stopped.resume(how, signal);
    }

    fn enters(&self, stopped: &Tracee<Stopped>) -> bool {
        let stop = stopped.syscall(SyscallSource::Info, Side::Entry);
        stop.is_ok_and(|stop| matches!(stop.what, SyscallStopKind::Entry { .. }))
    }

    fn place(&self) -> usize {
        if self.supervisor == Supervisor::First { 0 } else { 2 }
    }

    fn is_supervisor(&self, tid: i32) -> bool {
        self.known.get(self.place()) == Some(&tid)
    }
}

/// The kernel calls before which supervisors are killed: some of them, or each where `SHUNPIKE_SOAK` is set.
fn moments(calls: u64, step: usize) -> impl Iterator<Item = u64> {
    let step = if std::env::var_os("SHUNPIKE_SOAK").is_some() { 1 } else { step };
    (1..calls).step_by(step)
}

/// A test that gives up at last.
fn in_time<T: Send + 'static>(test: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, outcome) = mpsc::channel();
    let thread = thread::spawn(move || done.send(test()));
    match outcome.recv_timeout(LIMIT) {
        Ok(value) => value,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(thread.join().unwrap_err())
        }
    }
}

fn skips() -> bool {
    let reason = tracer::no_agent();
    reason.inspect(|reason| println!("skipped: {reason}")).is_some()
}

/// Starts bash with this script under a supervisor that is killed at some moment. The script copies its
/// input, and ends with 5.
fn started(name: &'static str, script: &'static str, follow: bool, step: usize) {
    if skips() {
        return;
    }
    let folder = tools::empty_scratch(&format!("outlived-{name}"));
    let input = folder.join("input");
    fs::write(&input, "a line\nand another\n").unwrap();
    for moment in moments(u64::MAX, step) {
        let output = folder.join("output");
        let streams = [
            File::open(&input).unwrap().into(),
            File::create(&output).unwrap().into(),
            File::create(folder.join("errors")).unwrap().into(),
        ];
        let trace = folder.join("trace").display().to_string();
        let words =
            ["-qq", "-D", "-o", &trace, if follow { "-f" } else { "-q" }, "bash", "-c", script];
        let words = words.map(str::to_owned).to_vec();
        let place = folder.clone();
        let ends =
            in_time(move || Victim::run(Supervisor::Grandchild, moment, &words, &place, streams));
        let told = fs::read_to_string(&output).unwrap();
        match ends.guest {
            // Its program had not begun.
            Some(What::Exited(1)) if ends.killed && told.is_empty() => {}
            Some(What::Exited(5)) => assert_eq!(told, "a line\nand another\n", "{moment}"),
            end => panic!("killed before call {moment}: {end:?}"),
        }
        if !ends.killed {
            println!("{name}: {moment} calls at most");
            return;
        }
    }
}

#[test]
fn a_started_program() {
    started("started", "read -r a; read -r b; echo \"$a\"; echo \"$b\"; exit 5", false, 13);
}

#[test]
fn a_started_program_and_its_children() {
    started("children", "read -r a; echo \"$a\" | cat; cat; exit 5", true, 61);
}

#[test]
fn a_program_that_runs() {
    if skips() {
        return;
    }
    let folder = tools::empty_scratch("outlived-attached");
    for moment in moments(400, 11) {
        let mut guest =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = guest.stdin.take().unwrap();
        let mut output = BufReader::new(guest.stdout.take().unwrap());
        let mut answers = || {
            input.write_all(b"line\n").unwrap();
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            assert_eq!(line, "line\n", "killed before call {moment}");
        };
        // It runs its program.
        answers();
        let words = ["-f", "-o", "/dev/null", "-p", &guest.id().to_string()].map(str::to_owned);
        let place = folder.clone();
        let (done, outcome) = mpsc::channel();
        let thread = thread::spawn(move || {
            let none = || OwnedFd::from(File::options().write(true).open("/dev/null").unwrap());
            let streams = [none(), none(), none()];
            let ends = Victim::run(Supervisor::First, moment, &words, &place, streams);
            done.send(ends).unwrap();
        });
        let ends = loop {
            answers();
            match outcome.try_recv() {
                Err(mpsc::TryRecvError::Empty) => {}
                ends => break ends,
            }
        };
        thread.join().unwrap();
        assert!(ends.unwrap().killed);
        (0..3).for_each(|_| answers());
        drop(input);
        assert_eq!(guest.wait().unwrap().code(), Some(0), "killed before call {moment}");
    }
}
