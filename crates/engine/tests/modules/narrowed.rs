//! Modules that are asked about certain things only.

use contract::{
    About, Answer, Argument, CallSet, Capture, Failure, Guest, Module, Narrowing, Reply, Verdict,
};
use engine::{GuestEnd, Mechanism, Options, Session};
use kernel::probe;
use kernel::spawn::{Program, Role};
use table::arch::x86_64;

use crate::harness::{Complaints, calls, run, same};

/// A module that is asked about one directory, in which all is one file, and about one descriptor, to which
/// nothing is written.
#[derive(Debug)]
struct Narrow;

impl Module for Narrow {
    fn name(&self) -> &'static str {
        "narrow"
    }

    fn claims(&self) -> CallSet {
        calls(&[x86_64::OPENAT, x86_64::WRITE, x86_64::UMASK])
    }

    fn narrowed(&self) -> Vec<Narrowing> {
        let about = |id, about| Narrowing { calls: calls(&[id]), about: vec![about] };
        vec![
            about(x86_64::OPENAT, About::Path(b"/claimed".to_vec())),
            about(x86_64::WRITE, About::Descriptor(2)),
        ]
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, _: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        let is = |id: table::Id| call.number == u64::from(id.number);
        Ok(if is(x86_64::UMASK) {
            Verdict::answer(Answer::of(Reply::Value(0o77)))
        } else if is(x86_64::OPENAT) {
            Verdict::with(vec![Argument::path(1, "/proc/self/comm")])
        } else {
            Verdict::error(13)
        })
    }
}

#[test]
fn a_module_is_asked_about_certain_things_only() {
    let modules = || vec![Box::new(Narrow) as Box<dyn Module>];
    let script = "echo one; cat /claimed /claimed/f; cat /claimed-not || echo none; umask";
    let (printed, complaints) = same(run(script, &modules));
    assert_eq!((printed.as_str(), complaints), ("one\ncat\ncat\nnone\n0077\n", Vec::new()));
}

#[test]
fn calls_about_other_descriptors_do_not_stop() {
    if probe::filter_trace().is_err() {
        return;
    }
    let script = "exec >/dev/null; i=0; while [ $i -lt 1000 ]; do echo; i=$((i+1)); done; exit 0";
    let args = ["sh", "-c", script].map(|arg| arg.as_bytes().to_vec()).to_vec();
    let program = Program::new(b"/bin/sh".to_vec(), args, Vec::new()).unwrap();
    let (mechanism, calls) = (Mechanism::Seccomp, CallSet::NONE);
    let options = Options { mechanism, calls, follow: true, ..Options::default() };
    let mut session = Session::new(options, vec![Box::new(Narrow)]);
    session.launch(program, Role::Child).unwrap();
    let end = session.run(&mut Complaints::default()).unwrap();
    assert_eq!(end.guest, Some(GuestEnd::Exited(0)));
    assert!(end.toll.calls_seen < 100, "{:?}", end.toll);
}
