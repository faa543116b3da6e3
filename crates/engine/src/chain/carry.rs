//! Carries verdicts out.

use std::borrow::Cow;
use std::io;

use contract::{Arch, Beside, Content, Element, Outcome, Poke, Reply, Tid, Verdict};
use kernel::memory;
use kernel::ptrace::{
    RESTARTS, Resume, Side, Stopped, SyscallStop, SyscallStopKind, Tracee as Ptraced,
};
use kernel::signal;
use kernel::wait::Stop;
use table::arch::x86_64;

use super::ask::{Decided, bytes_of, vector_of};
use super::scratch::{self, Awaits, Deferred};
use crate::delays::Then;
use crate::mechanism::Mechanism;
use crate::multiplexed::{self, Told};
use crate::observer::Observer;
use crate::session::{Session, now};
use crate::tracee::Position;

/// What a guest gets where there can be no room for changed arguments.
const ENOMEM: u16 = 12;
/// What it gets where the arguments of its call are no registers, and so cannot be changed.
const ENOSYS: u16 = 38;
/// `mmap2(2)` of 32-bit programs.
const MMAP2: u64 = 192;
/// Marks the x32 ABI in a call's number (`__X32_SYSCALL_BIT`).
const X32_BIT: u64 = 0x4000_0000;
/// `PROT_READ | PROT_WRITE`, and `MAP_PRIVATE | MAP_ANONYMOUS`.
const READ_WRITE: u64 = 3;
const PRIVATE_ANONYMOUS: u64 = 0x22;

/// Whether a thread can go into its call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ready {
    /// What was decided about it is known, if anything was.
    Yes,
    /// The guest has to make room for its arguments first.
    NeedsRoom,
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
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(Ready::Yes) };
        let waited = tracee.deferred.take_if(|deferred| deferred.is_about(&tracee.call));
        let (mut decided, awaited) = match waited.map(Deferred::into_decided) {
            Some((decided, awaited)) => (decided, Some(awaited)),
            None => {
                self.toll.calls_decided += 1;
                self.tell_opened();
                let decided = self.ask(tid, observer);
                self.heed_redirection();
                (decided, None)
            }
        };
        let is_emulated = self.is_emulated(tid);
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(Ready::Yes) };
        if is_emulated && decided.verdict.answer.is_none() {
            tracee.deferred = Some(Deferred::new(decided, Awaits::Call, &tracee.call));
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
        if decided.verdict.answer.is_none() && !decided.verdict.arguments.is_empty() {
            let stands_for_another = told.arch == Arch::I386 && told.raw_number != told.number;
            if stands_for_another {
                decided.refuse(ENOSYS);
            } else if !self.change_arguments(tid, stopped, &decided)? {
                if awaited == Some(Awaits::Room) {
                    decided.refuse(ENOMEM);
                } else if let Some(tracee) = self.tracees.get_mut(tid) {
                    tracee.deferred = Some(Deferred::new(decided, Awaits::Room, &tracee.call));
                    return Ok(Ready::NeedsRoom);
                }
            }
        }
        if let Some(reply) = self.answer(tid, &mut decided, observer) {
            decided.verdict.answer = Some(contract::Answer::of(reply));
        }
        self.log(format_args!("verdict: {tid}, call {}: {:?}", told.number, decided.verdict));
        let before = decided.verdict.before.clone();
        let Verdict { answer, handed, after, .. } = &decided.verdict;
        let changed = (answer.is_some() || handed.is_some(), after.delay);
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

    /// Gives the thread the arguments with which its call is to be made. Not if there is no room for
    /// them.
    fn change_arguments(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        decided: &Decided,
    ) -> io::Result<bool> {
        let Some(tracee) = self.tracees.get(tid) else { return Ok(false) };
        let arch = tracee.call.arch;
        let arguments = &decided.verdict.arguments;
        let vector = vector_of(arguments);
        let mut pieces: Vec<Cow<[u8]>> =
            bytes_of(arguments).map(|(_, bytes)| Cow::Borrowed(bytes)).collect();
        if let Some((_, elements)) = vector {
            pieces.extend(bytes_in(elements).map(Cow::Borrowed));
            pieces.push(Cow::Owned(vec![0; (elements.len() + 1) * pointer_len(arch)]));
        }
        let mut places = Vec::new().into_iter();
        let mut vector_at = 0;
        if !pieces.is_empty() {
            let (cookie, pages) = (self.chain.cookie, &mut self.chain.pages);
            let room = tracee.room.as_ref();
            let bytes: Vec<&[u8]> = pieces.iter().map(AsRef::as_ref).collect();
            let placed = room.and_then(|room| room.place(tid, arch, &bytes, cookie, pages));
            let Some(mut placed) = placed else { return Ok(false) };
            if let Some((_, elements)) = vector {
                let array = placed.pop().expect("it has its place");
                let strings = placed.split_off(placed.len() - bytes_in(elements).count());
                memory::write(tid.0, &[(array, &pointers(arch, elements, &strings))])?;
                vector_at = array;
            }
            places = placed.into_iter();
        }
        for argument in arguments {
            let value = match &argument.content {
                Content::Value(value) => *value,
                Content::Bytes(_) => places.next().expect("each has its place"),
                Content::Vector(_) => vector_at,
            };
            stopped.set_argument(argument.index, value, arch == Arch::I386)?;
        }
        if let Some(opening) = arch.number_of(x86_64::OPENAT).filter(|_| decided.hands_out()) {
            stopped.set_call_number(opening)?;
        }
        Ok(true)
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

    /// A thread stands before a call for whose arguments there is no room: has it make some first.
    pub(crate) fn make_room(&mut self, tid: Tid, stopped: Ptraced<Stopped>) -> io::Result<()> {
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let arch = tracee.call.arch;
        let number = match arch {
            Arch::X86_64 => x86_64::MMAP.number.into(),
            Arch::X32 => X32_BIT | u64::from(x86_64::MMAP.number),
            Arch::I386 => MMAP2,
        };
        let args = [0, scratch::EXTENT_LEN, READ_WRITE, PRIVATE_ANONYMOUS, u64::MAX, 0];
        set_arguments(&stopped, arch, args)?;
        stopped.set_call_number(number)?;
        tracee.position = Position::MakingRoom;
        self.go_on(tid, stopped, 0)
    }

    /// A thread has made room: has it make its own call again.
    pub(crate) fn room_made(&mut self, tid: Tid, stopped: Ptraced<Stopped>) -> io::Result<()> {
        let stop = self.syscall_stop(&stopped, Side::Exit)?;
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        if let SyscallStopKind::Exit { value, failed: false } = stop.what {
            tracee.room.get_or_insert_default().add(in_abi_unsigned(tracee.call.arch, value));
        }
        set_arguments(&stopped, tracee.call.arch, tracee.call.args)?;
        stopped.call_again(tracee.call.raw_number, tracee.call.ip.0)?;
        tracee.position = Position::Outside;
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

    /// A thread stands behind a call that was made with other arguments: it gets its own back. Those of
    /// a program that it has just begun to execute are none of them.
    fn put_arguments_back(
        &self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        decided: &Decided,
    ) -> io::Result<()> {
        let Some(tracee) = self.tracees.get(tid).filter(|tracee| !tracee.fresh) else {
            return Ok(());
        };
        let Verdict { arguments, .. } = &decided.verdict;
        for argument in arguments {
            let value = tracee.call.args[usize::from(argument.index)];
            stopped.set_argument(argument.index, value, tracee.call.arch == Arch::I386)?;
        }
        if decided.hands_out() {
            // If the kernel begins the call anew, it is the guest's.
            stopped.set_call_number(tracee.call.raw_number)?;
        }
        Ok(())
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

/// How an answered call ends, in this ABI.
fn chosen(reply: Reply, arch: Arch, time: contract::Stamp, cpu: u64) -> Outcome {
    let outcome = Outcome::chosen(reply, time, cpu);
    Outcome { value: in_abi(arch, outcome.value), ..outcome }
}

/// Gives a thread that stands before or behind a call these arguments.
fn set_arguments(stopped: &Ptraced<Stopped>, arch: Arch, args: [u64; 6]) -> io::Result<()> {
    for (index, value) in (0..).zip(args) {
        stopped.set_argument(index, value, arch == Arch::I386)?;
    }
    Ok(())
}

/// An address that a call has returned.
fn in_abi_unsigned(arch: Arch, value: i64) -> u64 {
    match arch {
        Arch::I386 => u64::from(value as u32),
        Arch::X86_64 | Arch::X32 => value as u64,
    }
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

/// The bytes of a vector's elements.
fn bytes_in(elements: &[Element]) -> impl Iterator<Item = &[u8]> {
    elements.iter().filter_map(|element| match element {
        Element::Bytes(bytes) => Some(bytes.as_slice()),
        Element::At(_) => None,
    })
}

/// A vector's pointers, with the NULL at its end; `strings` is where the elements' bytes are.
fn pointers(arch: Arch, elements: &[Element], strings: &[u64]) -> Vec<u8> {
    let mut strings = strings.iter().copied();
    let mut array = Vec::new();
    for element in elements {
        let at = match element {
            Element::At(at) => at.0,
            Element::Bytes(_) => strings.next().expect("each has its place"),
        };
        array.extend_from_slice(&at.to_le_bytes()[..pointer_len(arch)]);
    }
    array.extend_from_slice(&[0; 8][..pointer_len(arch)]);
    array
}

fn pointer_len(arch: Arch) -> usize {
    if arch == Arch::X86_64 { 8 } else { 4 }
}
