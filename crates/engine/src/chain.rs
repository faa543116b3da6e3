//! The chain of those who decide about calls: asks for verdicts, and carries them out.
//!
//! A verdict is asked for once a call, at its entry, and carried out at the stops that the mechanism
//! makes anyway. An answered call costs the one stop that a filter makes, unless something is to be
//! done behind it.

use std::io;
use std::rc::Rc;

use contract::{Arch, Beside, Module, Outcome, Poke, Tid, Verdict};
use kernel::ptrace::{Stopped, SyscallStop, Tracee as Ptraced};
use kernel::signal;
use kernel::wait::Stop;

use crate::delays::Then;
use crate::multiplexed::{self, Told};
use crate::observer::Observer;
use crate::session::{Session, now};
use crate::tracee::Position;

/// Those who decide about calls.
#[derive(Debug, Default)]
pub struct Chain {
    module: Option<Box<dyn Module>>,
}

impl Chain {
    /// A thread goes by another id from now on.
    pub fn renamed(&mut self, from: Tid, to: Tid) {
        if let Some(module) = &mut self.module {
            module.renamed(from, to);
        }
    }

    /// A thread is no more, or is let go.
    pub fn ended(&mut self, tid: Tid) {
        if let Some(module) = &mut self.module {
            module.ended(tid);
        }
    }
}

impl Session {
    /// Has this module decide about the calls that it claims. These must be among
    /// [`crate::Options::calls`] and, for an agent, [`crate::Options::stopping`].
    pub fn decide_by(&mut self, module: Box<dyn Module>) {
        self.chain.module = Some(module);
    }

    /// A thread stands before a call whose entry half is captured: asks what becomes of it, and writes
    /// the memory that is to be written before it.
    pub(crate) fn decide(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        stop: &SyscallStop,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        let Some(module) = &mut self.chain.module else { return Ok(()) };
        let Some(tracee) = self.tracees.get_mut(tid).filter(|tracee| !tracee.starting) else {
            return Ok(());
        };
        let call = &tracee.call;
        let told = Told {
            arch: call.arch,
            raw_number: call.raw_number,
            number: call.number,
            args: call.args,
        };
        let cpu = call.cpu;
        if !module.claims().contains_of(told.arch, told.number) {
            return Ok(());
        }
        let verdict = module.decide(tid, call);
        if verdict.is_pass() {
            return Ok(());
        }
        tracee.verdict = Some(Rc::clone(&verdict));
        self.log(format_args!("verdict: {tid}, call {}: {verdict:?}", told.number));
        if !verdict.before.pokes.is_empty() {
            let written = self.poke(tid, stopped, &verdict.before.pokes);
            self.begin(tid, stop, told, cpu, observer)?;
            self.note_change(tid, |changes| changes.memory = written);
        }
        self.note_change(tid, |changes| {
            changes.result = verdict.answer.is_some();
            changes.delayed = verdict.before.delay.or(verdict.after.delay).is_some();
        });
        Ok(())
    }

    /// Whether the call is made before which a thread stands.
    pub(crate) fn is_made(&self, tid: Tid) -> bool {
        let verdict = self.tracees.get(tid).and_then(|tracee| tracee.verdict.as_ref());
        verdict.is_none_or(|verdict| verdict.answer.is_none())
    }

    /// A thread stands before a call of which all has been told: lets it go into it, when it is time.
    pub(crate) fn go_into_call(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        at: Stop,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        let verdict = self.tracees.get(tid).and_then(|tracee| tracee.verdict.clone());
        let Some(verdict) = verdict else { return self.go_on(tid, stopped, 0) };
        match verdict.before.delay {
            Some(delay) => self.hold(tid, stopped, delay, Then::IntoCall(at), observer),
            None => self.enter_as_decided(tid, stopped, at, observer),
        }
    }

    /// Lets a thread go into a call as its verdict says, all delays past.
    pub(crate) fn enter_as_decided(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        at: Stop,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let (process, cpu) = (tracee.process, tracee.call.cpu);
        let Some(verdict) = tracee.verdict.clone() else { return self.go_on(tid, stopped, 0) };
        if let Some(answer) = verdict.answer {
            match answer.instead {
                None => stopped.skip_call(answer.result.raw())?,
                Some(number) => stopped.set_call_number(number)?,
            }
            // Under a filter there need not be another stop.
            if at == Stop::Seccomp && answer.instead.is_none() && verdict.after.is_nothing() {
                tracee.verdict = None;
                tracee.position = Position::Outside;
                let outcome = outcome_of(&verdict, tracee.call.arch, now(), cpu);
                self.note_stack(tid, &stopped);
                self.end_call(tid, outcome.expect("it is answered"), observer)?;
            }
        }
        match verdict.signal {
            // At this stop the kernel takes no signal from us.
            Some(signal) if at == Stop::Seccomp => {
                signal::send_to_thread(process.0, tid.0, signal)?;
                if let Some(tracee) = self.tracees.get_mut(tid) {
                    tracee.sent |= bit(signal);
                }
                self.go_on(tid, stopped, 0)
            }
            signal => self.go_on(tid, stopped, signal.unwrap_or(0)),
        }
    }

    /// A thread stands behind a call that is followed, with this outcome: does what its verdict says,
    /// and tells of its end. Then it goes on, when it is time.
    pub(crate) fn behind_call(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        (stop, outcome): (Stop, Outcome),
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        tracee.position = Position::Outside;
        let verdict = tracee.verdict.take();
        let call = (tracee.call.arch, tracee.call.number, tracee.call.args);
        let arch = call.0;
        let outcome = Outcome { value: in_abi(arch, outcome.value), ..outcome };
        let outcome = multiplexed::outcome(&stopped, &tracee.call, outcome);
        if stop == Stop::Syscall && verdict.as_ref().is_none_or(|verdict| verdict.answer.is_none())
        {
            self.note_mapping(tid, call);
            if !outcome.failed {
                self.note_aside(tid, &stopped, outcome.value);
            }
        }
        self.note_stack(tid, &stopped);
        let Some(verdict) = verdict else {
            self.end_call(tid, outcome, observer)?;
            self.place_between_calls(tid);
            return self.after_net_call(tid, stopped, stop);
        };
        let chosen = outcome_of(&verdict, arch, outcome.time, outcome.cpu);
        if let Some(chosen) = chosen.filter(|chosen| chosen.value != outcome.value) {
            stopped.set_result(chosen.value)?;
        }
        let Beside { delay, pokes } = &verdict.after;
        let written = self.poke(tid, &stopped, pokes);
        self.note_change(tid, |changes| changes.memory |= written);
        self.end_call(tid, chosen.unwrap_or(outcome), observer)?;
        match delay {
            Some(delay) => self.hold(tid, stopped, *delay, Then::BehindCall(stop), observer),
            None => self.after_net_call(tid, stopped, stop),
        }
    }

    /// A thread is about to get a signal. One that we have sent is to look as if the kernel had.
    pub(crate) fn disguise(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        signal: i32,
    ) -> io::Result<()> {
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        if tracee.sent & bit(signal) != 0 && signal::is_to_thread(&stopped.signal_info()?) {
            tracee.sent &= !bit(signal);
            stopped.set_signal_info(&signal::info_of_kernel(signal))?;
        }
        Ok(())
    }

    /// Writes what can be written. Returns whether anything could be.
    fn poke(&mut self, tid: Tid, stopped: &Ptraced<Stopped>, pokes: &[Poke]) -> bool {
        let mut written = false;
        let (Some(module), Some(tracee)) = (&mut self.chain.module, self.tracees.get(tid)) else {
            return false;
        };
        for poke in pokes {
            let address = tracee.call.args[usize::from(poke.arg)];
            match stopped.write_many([(address, poke.bytes.as_slice())]) {
                Ok(()) => written = true,
                Err(_) => module.poke_failed(tid, &tracee.call, poke),
            }
        }
        written
    }

    fn note_change(&mut self, tid: Tid, note: impl FnOnce(&mut contract::Changes)) {
        if let Some(tracee) = self.tracees.get_mut(tid) {
            note(&mut tracee.call.changes);
        }
    }
}

/// What an answered call returns, in this ABI.
fn outcome_of(verdict: &Verdict, arch: Arch, time: contract::Stamp, cpu: u64) -> Option<Outcome> {
    let outcome = Outcome::chosen(verdict.answer?.result, time, cpu);
    Some(Outcome { value: in_abi(arch, outcome.value), ..outcome })
}

/// A result as programs of this ABI see it: of a 32-bit one the upper half of the register says
/// nothing.
fn in_abi(arch: Arch, value: i64) -> i64 {
    match arch {
        Arch::I386 => i64::from(value as i32),
        Arch::X86_64 | Arch::X32 => value,
    }
}

/// A signal's place in a set.
fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}
