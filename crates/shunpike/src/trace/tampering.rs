//! What `-e inject=` and `-e fault=` make of calls.

use std::collections::HashMap;

use contract::{
    Answer, Arch, CallSet, Capture, Failure, Guest, Module, Poke, Tid, TidMap, Verdict,
};

use super::selection::Selection;
use crate::cli::Injection;
use crate::errors::say;

/// The module that tampers with calls: those of which the trace tells.
#[derive(Debug)]
pub(super) struct Tampering {
    /// What the command was called by.
    name: String,
    claims: CallSet,
    selection: Selection,
    rules: Vec<Rule>,
    /// How often each thread has made which call, by ABI and number.
    counts: TidMap<HashMap<(Arch, u64), u64>>,
}

/// An injection, and what becomes of the calls that it means.
#[derive(Debug)]
struct Rule {
    injection: Injection,
    verdict: Verdict,
}

impl Tampering {
    /// Does what these injections say, of calls that are told of.
    pub(super) fn new(
        injections: &[Injection],
        told: CallSet,
        selection: Selection,
        name: &str,
    ) -> Tampering {
        let claims = injections
            .iter()
            .fold(CallSet::NONE, |claims, injection| claims.union(injection.calls));
        let rules = injections.iter().map(|injection| Rule {
            verdict: verdict(injection, Arch::X86_64),
            injection: injection.clone(),
        });
        Tampering {
            name: name.to_owned(),
            claims: claims.intersection(told),
            selection,
            rules: rules.collect(),
            counts: TidMap::default(),
        }
    }

    /// What becomes of this call, which counts.
    fn verdict(&mut self, tid: Tid, call: &Capture) -> Verdict {
        let is_meant = |rule: &&Rule| rule.injection.calls.contains_of(call.arch, call.number);
        let rule = self.rules.iter().rfind(is_meant);
        let counts = self.counts.entry(tid).or_default();
        let count = counts.entry((call.arch, call.number)).or_default();
        *count += 1;
        let Some(rule) = rule.filter(|rule| rule.injection.when.is_due(*count)) else {
            return Verdict::pass();
        };
        let needs_number = call.arch != Arch::X86_64 && rule.injection.instead.is_some();
        let described = call.arch.call(call.number);
        let args = described.map_or(6, |described| described.args.len());
        let known = |poke: &Poke| usize::from(poke.arg) < args;
        let pokes = || rule.verdict.before.pokes.iter().chain(&rule.verdict.after.pokes);
        if !needs_number && pokes().all(known) {
            return rule.verdict.clone();
        }
        for poke in pokes().filter(|poke| !known(poke)) {
            let name = described.map_or("?", |described| described.name);
            let place = poke.arg + 1;
            self.complain(
                tid,
                &format!(
                    "requested to tamper with argument #{place}, but system call '{name}' has only \
                     {args} arguments"
                ),
            );
        }
        let mut verdict = verdict(&rule.injection, call.arch);
        verdict.before.pokes.retain(known);
        verdict.after.pokes.retain(known);
        verdict
    }

    fn complain(&self, tid: Tid, what: &str) {
        say(format_args!("{}: poke_tcb: Failed to tamper with process {tid}: {what}", self.name));
    }
}

impl Module for Tampering {
    fn name(&self) -> &'static str {
        "inject"
    }

    fn claims(&self) -> CallSet {
        self.claims
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        // As in strace: the program starts as it is.
        if guest.is_starting() || !self.selection.wants(call) {
            return Ok(Verdict::pass());
        }
        Ok(self.verdict(guest.tid(), call))
    }

    fn poke_failed(&mut self, tid: Tid, call: &Capture, poke: &Poke) {
        let (place, address) = (poke.arg + 1, call.args[usize::from(poke.arg)]);
        self.complain(tid, &format!("couldn't poke; argument {place} points to {address:#x}"));
    }

    fn executed(&mut self, from: Tid, to: Tid) {
        if let Some(counts) = self.counts.remove(&from) {
            self.counts.insert(to, counts);
        }
    }

    fn ended(&mut self, tid: Tid) {
        self.counts.remove(&tid);
    }
}

/// What becomes of the calls of an ABI that an injection means.
fn verdict(injection: &Injection, arch: Arch) -> Verdict {
    let instead = injection.instead.and_then(|call| arch.number_of(call));
    Verdict {
        answer: injection.reply.map(Answer::of),
        instead: injection.reply.and(instead),
        signal: injection.signal,
        before: injection.before.clone(),
        after: injection.after.clone(),
        ..Verdict::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Command, Program};
    use contract::GuestAddr;
    use table::Id;
    use table::arch::x86_64;

    /// The module for these expressions of `-e`.
    fn tampering(expressions: &[&str]) -> Tampering {
        let each = expressions.iter().flat_map(|expression| ["-e", expression]);
        let words = ["trace"].into_iter().chain(each).chain(["program"]);
        let Ok(Command::Trace(options)) = Program::new(None).parse(words.map(Into::into)) else {
            panic!("not understood: {expressions:?}");
        };
        Tampering::new(&options.injections, CallSet::ALL, Selection::of(&options), "test")
    }

    fn capture(arch: Arch, number: u64) -> Capture {
        let mut capture = Capture::default();
        capture.enter(arch, number, [0; 6], GuestAddr::NULL, GuestAddr::NULL);
        capture
    }

    fn errors(module: &mut Tampering, tid: i32, call: Id, times: usize) -> Vec<i64> {
        let capture = capture(Arch::X86_64, call.number.into());
        let decide = |_| module.verdict(Tid(tid), &capture);
        let verdicts = (0..times).map(decide);
        verdicts.map(|verdict| verdict.answer.map_or(0, |answer| answer.result.raw())).collect()
    }

    #[test]
    fn each_thread_counts_each_call_by_itself() {
        let mut module = tampering(&["inject=%file:error=EIO:when=2"]);
        assert_eq!(errors(&mut module, 1, x86_64::CHDIR, 1), [0]);
        assert_eq!(errors(&mut module, 1, x86_64::OPENAT, 3), [0, -5, 0]);
        assert_eq!(errors(&mut module, 2, x86_64::CHDIR, 1), [0]);
        assert_eq!(errors(&mut module, 1, x86_64::CHDIR, 2), [-5, 0]);
        module.executed(Tid(2), Tid(3));
        assert_eq!(errors(&mut module, 3, x86_64::CHDIR, 1), [-5]);
        module.ended(Tid(1));
        assert_eq!(errors(&mut module, 1, x86_64::CHDIR, 2), [0, -5]);
    }

    #[test]
    fn the_last_injection_for_a_call_counts() {
        let mut module =
            tampering(&["fault=chdir,chroot", "inject=chdir:retval=7:when=1", "fault=openat"]);
        assert_eq!(errors(&mut module, 1, x86_64::CHDIR, 2), [7, 0]);
        assert_eq!(errors(&mut module, 1, x86_64::CHROOT, 1), [-38]);
        assert!(!module.claims().contains(x86_64::CLOSE.number.into()));
    }

    #[test]
    fn a_call_in_anothers_place_has_its_number_in_the_callers_abi() {
        let mut module = tampering(&["inject=chdir:error=EIO:syscall=getuid"]);
        let mut instead = |arch, number| {
            let capture = capture(arch, number);
            module.verdict(Tid(1), &capture).instead
        };
        assert_eq!(instead(Arch::X86_64, 80), Some(102));
        assert_eq!(instead(Arch::I386, 12), Some(24));
        assert_eq!(instead(Arch::X32, 80), Some(0x4000_0000 | 102));
    }

    #[test]
    fn what_is_no_argument_is_not_written() {
        let mut module = tampering(&["inject=chdir:poke_exit=@arg1=00,@arg2=00"]);
        let capture = capture(Arch::X86_64, x86_64::CHDIR.number.into());
        let verdict = module.verdict(Tid(1), &capture);
        assert_eq!(verdict.after.pokes, [Poke { arg: 0, bytes: vec![0] }]);
        assert!(verdict.answer.is_none());
    }
}
