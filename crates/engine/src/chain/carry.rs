//! Carries verdicts out.

use std::io;

use contract::{Arch, Beside, Capture, Outcome, Poke, Reply, Tid, Verdict};
use kernel::ptrace::{RESTARTS, Resume, Stopped, SyscallStop, Tracee as Ptraced};
use kernel::signal;
use kernel::wait::Stop;
use table::arch::i386;

use super::decided::Decided;
use super::deferred::{Awaits, Deferred};
use crate::delays::Then;
use crate::mechanism::Mechanism;
use crate::multiplexed::{self, Told};
use crate::observer::Observer;
use crate::session::{Session, now};
use crate::tracee::Position;

/// What a guest gets where there can be no room for changed arguments.
pub(super) const ENOMEM: u16 = 12;
/// What it gets where its call has no number of its own, and so its arguments cannot be changed.
const ENOSYS: u16 = 38;

/// Whether a thread can go into its call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ready {
    /// What was decided about it is known, if anything was.
    Yes,
    /// It has to make other calls first.
    Prepares,
    /// It is to be made, and stands behind an entry that makes none.
    Emulated,
}

impl Session {
    /// A thread stands before a call that somebody claims, whose entry half is captured: asks what
    /// becomes of it, and writes the memory that is to be written before it.
    pub(crate) fn decide(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        stop: &SyscallStop,
        observer: &mut dyn Observer,
    ) -> io::Result<Ready> {
        let (mut decided, awaited) = self.decision(tid, observer);
        let is_emulated = self.is_emulated(tid);
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(Ready::Yes) };
        if is_emulated && decided.verdict.answer.is_none() {
            let awaits = awaited.unwrap_or(Awaits::Call);
            tracee.deferred = Some(Deferred::new(decided, awaits, &tracee.call));
            return Ok(Ready::Emulated);
        }
        if decided.is_pass() {
            return Ok(Ready::Yes);
        }
        let call = &tracee.call;
        let told = Told {
            arch: call.arch,
            raw_number: call.raw_number,
            number: call.number,
            args: call.args,
        };
        let cpu = call.cpu;
        if let Some(awaits) = self.made_ready(tid, stopped, &mut decided, awaited)? {
            if let Some(tracee) = self.tracees.get_mut(tid) {
                tracee.deferred = Some(Deferred::new(decided, awaits, &tracee.call));
            }
            return Ok(Ready::Prepares);
        }
        if let Some(reply) = self.answer(tid, &mut decided, observer) {
            decided.verdict.answer = Some(contract::Answer::of(reply));
        }
        self.log(format_args!("verdict: {tid}, call {}: {:?}", told.number, decided.verdict));
        let before = decided.verdict.before.clone();
        let Verdict { answer, handed, after, as_if_made, .. } = &decided.verdict;
        let is_chosen = (answer.is_some() || handed.is_some()) && !as_if_made;
        let changed = (is_chosen, after.delay);
        if let Some(tracee) = self.tracees.get_mut(tid) {
            tracee.verdict = Some(decided);
        }
        if !before.pokes.is_empty() {
            let written = self.poke(tid, stopped, &before.pokes);
            self.begin(tid, stop, told, cpu, observer)?;
            self.note_change(tid, |changes| changes.memory = written);
        }
        self.note_change(tid, |changes| {
            changes.result = changed.0;
            changes.delayed = before.delay.or(changed.1).is_some();
        });
        Ok(Ready::Yes)
    }

    /// What was decided about the call before which a thread stands, and what it has waited for since: modules are
    /// asked once.
    fn decision(&mut self, tid: Tid, observer: &mut dyn Observer) -> (Decided, Option<Awaits>) {
        let waited = self
            .tracees
            .get_mut(tid)
            .and_then(|tracee| tracee.deferred.take_if(|deferred| deferred.is_about(&tracee.call)));
        if let Some((decided, awaited)) = waited.map(Deferred::into_decided) {
            return (decided, Some(awaited));
        }
        self.toll.calls_decided += 1;
        self.tell_opened();
        let decided = self.ask(tid, observer);
        self.heed_redirection();
        (decided, None)
    }

    /// Gives a thread what its call needs as it was decided. What it has to wait for, if for anything; `awaited` is
    /// what it has waited for.
    fn made_ready(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        decided: &mut Decided,
        awaited: Option<Awaits>,
    ) -> io::Result<Option<Awaits>> {
        if decided.passed().is_some() {
            return self.pass(tid, stopped, decided, awaited);
        }
        if decided.verdict.answer.is_some() || decided.verdict.arguments.is_empty() {
            return Ok(None);
        }
        let is_made = self.tracees.get(tid).is_some_and(|tracee| has_number(&tracee.call));
        if !is_made {
            decided.refuse(ENOSYS);
        } else if !self.change_arguments(tid, stopped, decided)? {
            if !matches!(awaited, Some(Awaits::Room)) {
                return Ok(Some(Awaits::Room));
            }
            decided.refuse(ENOMEM);
        }
        Ok(None)
    }

    /// Whether the call before which a thread stands will not be made, whatever it is given.
    pub(crate) fn is_emulated(&self, tid: Tid) -> bool {
        self.tracees.get(tid).is_some_and(|tracee| tracee.resumed == Resume::Emulate)
    }

    /// A thread stands before an emulated call that is to be made after all, of this number, and
    /// behind its instruction, which ends at this address: has it make that call.
    pub(crate) fn return_to_call(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        (number, behind): (u64, u64),
    ) -> io::Result<()> {
        self.end_run(tid);
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        tracee.position = Position::Returning;
        stopped.call_again(number, behind)?;
        self.go_on(tid, stopped, 0)
    }

    /// Whether the call is made before which a thread stands.
    pub(crate) fn is_made(&self, tid: Tid) -> bool {
        let verdict = self.tracees.get(tid).and_then(|tracee| tracee.verdict.as_ref());
        verdict.is_none_or(|decided| decided.verdict.answer.is_none())
    }

    /// Whether something is to be done at the end of the call before which a thread stands.
    pub(crate) fn is_awaited(&self, tid: Tid) -> bool {
        let decided = self.tracees.get(tid).and_then(|tracee| tracee.verdict.as_ref());
        decided.is_some_and(Decided::is_awaited)
    }

    /// A thread stands before a call of which all has been told: lets it go into it, when it is time.
    pub(crate) fn go_into_call(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        at: Stop,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        let decided = self.tracees.get(tid).and_then(|tracee| tracee.verdict.as_ref());
        let Some(decided) = decided else { return self.go_on(tid, stopped, 0) };
        match decided.verdict.before.delay {
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
        let is_emulated = self.is_emulated(tid);
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let (process, cpu) = (tracee.process, tracee.call.cpu);
        let Some(decided) = &tracee.verdict else { return self.go_on(tid, stopped, 0) };
        let (signal, instead) = (decided.verdict.signal, decided.verdict.instead);
        if let Some(answer) = &decided.verdict.answer {
            let reply = answer.result;
            match instead {
                // Nobody makes it. But of a call with a number these results would have it begin anew.
                None if is_emulated && !RESTARTS.contains(&reply.raw()) => {
                    stopped.set_result(reply.raw())?;
                }
                None => stopped.skip_call(reply.raw())?,
                Some(number) => stopped.set_call_number(number)?,
            }
            // Under a filter there need not be another stop; nor where calls are emulated.
            let emulates = tracee.mechanism == Mechanism::Sysemu && self.options.emulation.is_on();
            let is_last = at == Stop::Seccomp || is_emulated || emulates;
            let followed = tracee.position == Position::Followed && !tracee.told;
            if is_last && !decided.is_awaited() && !followed {
                tracee.verdict = None;
                tracee.position = Position::Outside;
                if tracee.told {
                    let outcome = chosen(reply, tracee.call.arch, now(), cpu);
                    self.note_stack(tid, &stopped);
                    self.end_call(tid, outcome, observer)?;
                }
                self.place_between_calls(tid);
                let emulating = self.is_next_emulated(tid);
                if let Some(tracee) = self.tracees.get_mut(tid) {
                    tracee.emulating = emulating;
                }
            }
        }
        match signal {
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
        let decided = tracee.verdict.take();
        let call = (tracee.call.arch, tracee.call.number, tracee.call.args);
        let arch = call.0;
        let outcome = Outcome { value: in_abi(arch, outcome.value), ..outcome };
        let outcome = multiplexed::outcome(&stopped, &tracee.call, outcome);
        let is_made = decided.as_ref().is_none_or(|decided| decided.verdict.answer.is_none());
        if stop == Stop::Syscall && is_made {
            self.note_mapping(tid, call);
            if !outcome.failed {
                self.note_aside(tid, &stopped, outcome.value);
            }
        }
        self.note_stack(tid, &stopped);
        let Some(decided) = decided else {
            self.end_told_call(tid, outcome, observer)?;
            self.place_between_calls(tid);
            return self.after_net_call(tid, stopped, stop);
        };
        if is_made {
            self.put_arguments_back(tid, &stopped, &decided)?;
        }
        let reply = match &decided.verdict.answer {
            Some(answer) => Some(answer.result),
            None => self.show_end(tid, &decided, outcome, observer),
        };
        let ended = reply.map(|reply| chosen(reply, arch, outcome.time, outcome.cpu));
        if let Some(ended) = ended.filter(|ended| ended.value != outcome.value) {
            stopped.set_result(ended.value)?;
        }
        let Beside { delay, pokes } = &decided.verdict.after;
        let written = self.poke(tid, &stopped, pokes);
        self.note_change(tid, |changes| changes.memory |= written);
        self.end_told_call(tid, ended.unwrap_or(outcome), observer)?;
        match delay {
            Some(delay) => self.hold(tid, stopped, *delay, Then::BehindCall(stop), observer),
            None => self.after_net_call(tid, stopped, stop),
        }
    }

    /// A call is over: tells of it, where it was told that it began.
    fn end_told_call(
        &mut self,
        tid: Tid,
        outcome: Outcome,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        match self.tracees.get(tid) {
            Some(tracee) if tracee.told => self.end_call(tid, outcome, observer),
            _ => Ok(()),
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
        let Some(tracee) = self.tracees.get(tid) else { return false };
        for poke in pokes {
            let address = tracee.call.args[usize::from(poke.arg)];
            match stopped.write_many([(address, poke.bytes.as_slice())]) {
                Ok(()) => written = true,
                Err(_) => self.chain.poke_failed(tid, &tracee.call, poke),
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

/// Whether the kernel makes the call if it is given its number and its arguments: one for which another
/// one stands may have no number of its own.
fn has_number(call: &Capture) -> bool {
    !call.stands_for_another() || i386::is_made(call.number)
}

/// How an answered call ends, in this ABI.
fn chosen(reply: Reply, arch: Arch, time: contract::Stamp, cpu: u64) -> Outcome {
    let outcome = Outcome::chosen(reply, time, cpu);
    Outcome { value: in_abi(arch, outcome.value), ..outcome }
}

/// A result as programs of this ABI see it: of a 32-bit one the upper half of the register says
/// nothing.
pub(super) fn in_abi(arch: Arch, value: i64) -> i64 {
    match arch {
        Arch::I386 => i64::from(value as i32),
        Arch::X86_64 | Arch::X32 => value,
    }
}

/// A signal's place in a set.
fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}
