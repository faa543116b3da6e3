//! Modules made of functions, and shells that run under them.

use std::cell::RefCell;
use std::io::Read;
use std::rc::Rc;

use contract::{Answer, CallSet, Capture, Event, Failure, Guest, Module, Tid, Verdict};
use engine::{GuestEnd, Mechanism, ModuleFailure, Observer, Options, Session};
use kernel::probe;
use kernel::spawn::{Program, Role};

/// What a module does when it is asked.
pub type Decide = fn(&mut dyn Guest, &Capture) -> Result<Verdict, Failure>;
pub type Behind = fn(&mut dyn Guest, &Capture) -> Result<Option<Answer>, Failure>;

/// A module of two functions, and the threads it has heard of.
pub struct By(pub CallSet, pub Decide, pub Behind, pub Heard);

/// Births, execs and ends.
pub type Heard = Rc<RefCell<Vec<(&'static str, Tid)>>>;

impl std::fmt::Debug for By {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("By")
    }
}

impl Module for By {
    fn name(&self) -> &'static str {
        "by"
    }

    fn claims(&self) -> CallSet {
        self.0
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        self.1(guest, call)
    }

    fn behind(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Option<Answer>, Failure> {
        self.2(guest, call)
    }

    fn born(&mut self, birth: &contract::Birth) {
        self.3.borrow_mut().push(("born", birth.child));
    }

    fn executed(&mut self, _from: Tid, to: Tid) {
        self.3.borrow_mut().push(("executed", to));
    }

    fn ended(&mut self, tid: Tid) {
        self.3.borrow_mut().push(("ended", tid));
    }
}

/// What modules could not decide.
#[derive(Default)]
pub struct Complaints(Vec<String>);

impl Observer for Complaints {
    fn event(&mut self, _event: &Event<'_>) {}

    fn module_failed(&mut self, failure: &ModuleFailure<'_>) {
        self.0.push(failure.cause.to_owned());
    }
}

pub fn calls(ids: &[table::Id]) -> CallSet {
    let mut calls = CallSet::NONE;
    ids.iter().for_each(|id| calls.insert(id.number.into()));
    calls
}

/// An agent that never comes, since the program makes fewer calls.
pub const NEVER: u32 = 1 << 20;

/// Runs a script of the shell under each mechanism: what it prints, and what its modules could not do.
pub fn run(script: &str, modules: &dyn Fn() -> Vec<Box<dyn Module>>) -> Vec<(String, Vec<String>)> {
    let mut mechanisms = vec![(Mechanism::Ptrace, 0), (Mechanism::Sysemu, 0)];
    if probe::filter_trace().is_ok() {
        let agents = [(Mechanism::Agent, 0), (Mechanism::Agent, NEVER)];
        mechanisms.extend([(Mechanism::Seccomp, 0)].into_iter().chain(agents));
    }
    let mut all = Vec::new();
    for (mechanism, agent_after) in mechanisms {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let out = format!("/proc/{}/fd/{}", std::process::id(), fd(&writer));
        let args = ["sh", "-c", &format!("exec >{out} 2>&1; {script}")];
        let args = args.map(|arg| arg.as_bytes().to_vec()).to_vec();
        let program = Program::new(b"/bin/sh".to_vec(), args, vec![b"LC_ALL=C".to_vec()]).unwrap();
        let options = Options {
            mechanism,
            agent_after,
            calls: CallSet::NONE,
            follow: true,
            ..Options::default()
        };
        let mut session = Session::new(options, modules());
        session.launch(program, Role::Child).unwrap();
        let mut complaints = Complaints::default();
        let end = session.run(&mut complaints).unwrap();
        assert_eq!(end.guest, Some(GuestEnd::Exited(0)), "{mechanism:?}");
        drop(writer);
        let mut printed = String::new();
        reader.read_to_string(&mut printed).unwrap();
        all.push((printed, complaints.0));
    }
    all
}

pub fn fd(writer: &std::io::PipeWriter) -> i32 {
    use std::os::fd::AsRawFd;
    writer.as_raw_fd()
}

/// What all mechanisms print.
pub fn same(all: Vec<(String, Vec<String>)>) -> (String, Vec<String>) {
    let first = all[0].clone();
    for other in &all {
        assert_eq!(*other, first);
    }
    first
}

pub fn nothing(_: &mut dyn Guest, _: &Capture) -> Result<Option<Answer>, Failure> {
    Ok(None)
}
