//! Modules that fail.

use contract::{CallSet, Capture, Failure, Guest, GuestAddr, Module, Tid, Verdict};
use table::arch::x86_64;

use crate::harness::{By, Decide, Heard, calls, nothing, run, same};

#[test]
fn a_module_that_fails_or_panics_gives_an_error() {
    let modules = || {
        let decide: Decide = |_, call| match call.string(GuestAddr(call.args[1])) {
            Some(b"/panic") => panic!("on purpose"),
            Some(b"/fail") => Err("it would not".into()),
            _ => Ok(Verdict::pass()),
        };
        vec![Box::new(By(calls(&[x86_64::OPENAT]), decide, nothing, Heard::default())) as _]
    };
    let (printed, complaints) = same(run("cat /fail /panic; echo alive", &modules));
    assert_eq!(printed, "cat: /fail: Input/output error\ncat: /panic: Input/output error\nalive\n");
    assert_eq!(complaints, ["it would not", "it panicked: on purpose"]);
}

#[test]
fn a_module_that_panics_when_it_is_told_gives_an_error_to_the_next_call() {
    for what in ["born", "executed", "ended"] {
        let modules = || vec![Box::new(Clumsy(what)) as _];
        for (printed, complaints) in run("(cd /; env true); cd /; echo alive", &modules) {
            assert!(printed.ends_with("alive\n"), "{what}: {printed}");
            let refused = printed.lines().filter(|line| line.contains("cd")).count();
            assert!(refused > 0 && refused == complaints.len(), "{what}: {printed} {complaints:?}");
            let said = |complaint: &String| complaint.contains(", it panicked: ");
            assert!(complaints.iter().all(said), "{complaints:?}");
        }
    }
}

/// A module that panics when it is told this, and lets every `chdir(2)` be made.
#[derive(Debug)]
struct Clumsy(&'static str);

impl Module for Clumsy {
    fn name(&self) -> &'static str {
        "clumsy"
    }

    fn claims(&self) -> CallSet {
        calls(&[x86_64::CHDIR])
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, _: &mut dyn Guest, _: &Capture) -> Result<Verdict, Failure> {
        Ok(Verdict::pass())
    }

    fn born(&mut self, _birth: &contract::Birth) {
        self.told("born");
    }

    fn executed(&mut self, _from: Tid, _to: Tid) {
        self.told("executed");
    }

    fn ended(&mut self, _tid: Tid) {
        self.told("ended");
    }
}

impl Clumsy {
    fn told(&self, what: &str) {
        assert_ne!(what, self.0, "{what}");
    }
}
