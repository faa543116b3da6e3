//! From what a thread's ring and its stops tell to what the observer is told.

use agent::entries::{Half, What as Tells};
use contract::{Arch, Capture, Event, GuestAddr, Outcome, Phase, Stamp, Tid, What};
use kernel::ptrace::ERESTARTNOINTR;

use super::buffers::Buffers;
use super::clock::Clock;
use crate::descriptors;
use crate::observer::Observer;

/// How many calls rings have told of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Calls {
    /// Their entries.
    pub entered: u64,
    /// Their exits.
    pub ended: u64,
}

/// How many calls may still be told of. What happens behind the last one is not told, except that
/// guests end or are let go: they make it only since the supervisor hears of their calls late.
#[derive(Clone, Copy, Debug)]
pub struct Left(pub Option<u64>);

impl Left {
    /// Whether this is told. A call that is not shown does not count.
    fn takes(&mut self, what: &What<'_>, counts: bool) -> bool {
        let Some(left) = &mut self.0 else { return true };
        match what {
            What::Exit(_) | What::Call(_) => {
                let takes = *left > 0;
                *left = left.saturating_sub(counts.into());
                takes
            }
            What::Detached | What::Exited { .. } | What::Killed { .. } => true,
            _ => *left > 0,
        }
    }
}

/// What it takes to tell of a thread.
pub struct Telling<'s> {
    pub tid: Tid,
    pub clock: &'s mut Clock,
    pub calls: &'s mut Calls,
    pub left: &'s mut Left,
    /// Here it is noted if the guest is found to have written over its ring.
    pub spoilt: &'s mut Vec<Tid>,
    pub buffers: &'s mut Buffers,
    pub observer: &'s mut dyn Observer,
}

impl Telling<'_> {
    fn event(&mut self, time: Stamp, what: What<'_>) {
        let counts = match what {
            What::Exit(call) | What::Call(call) => self.observer.counts(call),
            _ => false,
        };
        if self.left.takes(&what, counts) {
            self.observer.event(&Event { tid: self.tid, time, what });
        }
    }
}

/// How far it has been told of a thread.
#[derive(Debug, Default)]
pub struct Story {
    /// The call that its ring told of last.
    call: Capture,
    inside: Inside,
}

/// In which call a thread is, as far as has been told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Inside {
    /// In none.
    #[default]
    Nothing,
    /// In one that the agent makes. The observer does not know of it if it is not `wanted`, and does
    /// not know yet if it is not `announced`.
    Agent { wanted: bool, announced: bool },
    /// In one of the net.
    Net,
}

/// What is to be told does not fit what was told before: the guest has written over its ring.
#[derive(Debug)]
pub struct Contradiction;

impl Story {
    /// The call of the agent in which the thread is.
    pub fn open_call(&self) -> Option<&Capture> {
        matches!(self.inside, Inside::Agent { .. }).then_some(&self.call)
    }

    /// Tells of a half that the ring held; of an entry only with its exit where that `returns` at
    /// once.
    pub fn half(
        &mut self,
        time: Stamp,
        half: &Half<'_>,
        returns: bool,
        to: &mut Telling<'_>,
    ) -> Result<(), Contradiction> {
        match (half.what, self.inside) {
            (Tells::Enter(_), Inside::Nothing) => {
                enter(&mut self.call, time, half, to.tid);
                to.calls.entered += 1;
                let wanted = to.observer.wants(to.tid, &self.call);
                self.inside = Inside::Agent { wanted, announced: !returns };
                if wanted && !returns {
                    to.event(time, What::Enter(&self.call));
                }
                Ok(())
            }
            (Tells::Exit(exit), Inside::Agent { wanted, announced }) => {
                self.inside = Inside::Nothing;
                self.call.outcome = Some(Outcome::of(exit.value, time, exit.cpu));
                copy(&mut self.call, Phase::Exit, half, to.tid);
                to.calls.ended += u64::from(wanted && to.observer.counts(&self.call));
                if wanted {
                    to.event(time, ended(&self.call, announced));
                }
                Ok(())
            }
            _ => Err(Contradiction),
        }
    }

    /// Tells what a stop, or the end of the thread, has to tell. Fails, and has told it, where the
    /// ring had left the thread in a call.
    pub fn event(
        &mut self,
        time: Stamp,
        what: What<'_>,
        to: &mut Telling<'_>,
    ) -> Result<(), Contradiction> {
        let mut fits = Ok(());
        match (what, self.inside) {
            // A signal has taken the thread out of the agent.
            (What::Exit(call), Inside::Agent { wanted, announced }) => {
                self.inside = Inside::Nothing;
                if wanted {
                    to.event(time, ended(call, announced));
                }
                return Ok(());
            }
            (What::Enter(_) | What::Executed, Inside::Agent { .. }) => {
                self.give_up(time, to);
                fits = Err(Contradiction);
            }
            (
                What::Exited { .. } | What::Killed { .. } | What::Superseded { .. },
                Inside::Agent { wanted: true, .. },
            ) => to.event(time, What::Unfinished(&self.call)),
            _ => {}
        }
        match what {
            What::Enter(_) => self.inside = Inside::Net,
            What::Executed | What::RunsIn { .. } | What::Signal { .. } | What::Stopped { .. } => {}
            _ => self.inside = Inside::Nothing,
        }
        to.event(time, what);
        fits
    }

    /// What the call of the agent has returned in which the thread is will not be known: it is told
    /// of as one that was interrupted.
    pub fn give_up(&mut self, time: Stamp, to: &mut Telling<'_>) {
        if let Inside::Agent { wanted, announced } = self.inside {
            self.inside = Inside::Nothing;
            self.call.outcome = Some(Outcome::of(ERESTARTNOINTR, time, 0));
            if wanted {
                to.event(time, ended(&self.call, announced));
            }
        }
    }
}

fn ended(call: &Capture, announced: bool) -> What<'_> {
    if announced { What::Exit(call) } else { What::Call(call) }
}

/// Makes a capture of an entry half of this thread, if it is one.
pub fn enter(call: &mut Capture, time: Stamp, half: &Half<'_>, tid: Tid) {
    let Tells::Enter(enter) = half.what else { return };
    let (ip, sp) = (GuestAddr(enter.ip), GuestAddr(enter.sp));
    call.enter(Arch::X86_64, enter.number, enter.args, ip, sp);
    call.cpu = 0;
    call.entered = time;
    copy(call, Phase::Entry, half, tid);
}

fn copy(call: &mut Capture, phase: Phase, half: &Half<'_>, tid: Tid) {
    for copy in half.copies.clone() {
        if copy.is_name {
            call.fds.push(descriptors::named(tid, copy.addr as i32, copy.bytes.to_vec()));
            continue;
        }
        call.begin(phase, GuestAddr(copy.addr));
        call.extend(copy.bytes);
        if copy.fault {
            call.fault();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_calls_are_told_of_than_are_wanted() {
        let call = Capture::default();
        let mut left = Left(Some(2));
        let takes = [
            What::Enter(&call),
            What::Exit(&call),
            What::Call(&call),
            What::Enter(&call),
            What::Exit(&call),
            What::Executed,
            What::Exited { status: 0 },
            What::Detached,
        ]
        .map(|what| left.takes(&what, true));
        assert_eq!(takes, [true, true, true, false, false, false, true, true]);
        assert!(Left(None).takes(&What::Exit(&call), true));
    }

    #[test]
    fn calls_that_are_not_shown_do_not_count() {
        let call = Capture::default();
        let mut left = Left(Some(1));
        let takes = [false, true, true].map(|counts| left.takes(&What::Call(&call), counts));
        assert_eq!(takes, [true, true, false]);
    }
}
