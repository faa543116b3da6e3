//! What rings hold, and what stops tell, on their way to the observer.

use std::time::{Duration, Instant};

use agent::abi::slot;
use contract::{Arch, Event, Tid};
use kernel::{clock, proc};

use super::{Agent, Seat, WRITTEN_BESIDE, Watch};
use crate::observer::Observer;
use crate::session::Session;

/// So long is told before the supervisor looks after stopped guests again.
const AT_A_TIME: Duration = Duration::from_millis(1);
/// By so many ticks of the counter, some microseconds, after a thread has said that it is about to
/// publish a record the supervisor sees that: the agent spares itself a fence.
const SEEN_AFTER: u64 = 20_000;
/// A thread that says for so many ticks, a second or more, that it is about to publish does not
/// hold up the others any longer.
const HELD_UP: u64 = 5_000_000_000;
/// A call that was entered so long ago has been made, if its thread sleeps. In nanoseconds.
const SURE: u64 = 2_000_000;
/// A call that was entered so long ago is told of in any case. In nanoseconds.
const YOUNG: u64 = 30_000_000;
/// Where so much waits, in bytes, some of it is told between two stops.
const MUCH: usize = 1 << 20;
/// Where so much waits, in bytes, nobody holds it up.
const TOO_MUCH: usize = 256 << 20;
/// Where there are more threads, their rings are not looked at again at once: with thousands of
/// them, it would be all that the supervisor does.
const MANY_THREADS: usize = 256;
/// But after so long they are, however long the look takes.
const LONG: Duration = Duration::from_millis(5);

/// When the supervisor has looked at all rings.
#[derive(Debug)]
pub struct Looked {
    threads: usize,
    last: Instant,
    took: Duration,
}

impl Looked {
    /// It has not looked yet.
    pub fn never() -> Looked {
        Looked { threads: 0, last: Instant::now(), took: Duration::ZERO }
    }

    /// Notes that it has looked at so many since then.
    fn note(&mut self, threads: usize, begin: Instant) {
        let last = Instant::now();
        *self = Looked { threads, last, took: last - begin };
    }

    /// Whether that was so short a time ago, measured by how long it took, that it had better do
    /// something else first. Records of other threads are then told of a little later.
    pub fn is_fresh(&self) -> bool {
        self.threads > MANY_THREADS && self.last.elapsed() < (self.took * 4).min(LONG)
    }
}

/// Tells an observer what happened: at once where no agent is, or where nothing older can be left to
/// tell; else in its turn. `alone`: of all threads, only the one that the event is of runs.
pub fn tell(
    agent: &mut Option<Agent>,
    alone: bool,
    event: &Event<'_>,
    observer: &mut dyn Observer,
) {
    match agent {
        None => observer.event(event),
        // Without a watch no ring is in use.
        Some(agent) if alone || agent.watch == Watch::Asleep => {
            agent.order.tell_at_once(event, observer);
        }
        Some(agent) => agent.order.keep(event),
    }
}

impl Session {
    /// Tells what waits and what all rings hold, in the order in which it happened. Returns how much
    /// that was: how many halves of calls, and how many things that stops tell. Where there is more
    /// than can be told in a few milliseconds, the rest is for the next time.
    ///
    /// A thread that has read its clock and not yet published says so: what happened later waits
    /// for the next time. So does a call that was entered just now: until the thread is in it, a
    /// signal can still undo it.
    pub(crate) fn drain(&mut self, observer: &mut dyn Observer) -> usize {
        let (dispatches, lease) = (self.dispatches(), self.lease());
        let Some(agent) = &mut self.agent else { return 0 };
        let begin = Instant::now();
        let order = &mut agent.order;
        order.clock.note(clock::pair());
        let now = clock::tsc().saturating_sub(SEEN_AFTER);
        let sure = now.saturating_sub(order.clock.ticks(SURE));
        let young = now.saturating_sub(order.clock.ticks(YOUNG));
        let mut until = now;
        for (tid, tracee) in self.tracees.iter_mut() {
            let Some(seat) = &mut tracee.seat else { continue };
            if dispatches {
                seat.slot.store(slot::LEASE, lease);
            }
            if let Some((since, seen)) = seat.announced(now)
                && seen.saturating_add(HELD_UP) > now
            {
                until = until.min(since);
            }
            if seat.has_more() {
                seat.take_in_some(order.lane(tid));
            }
            if let Some(entered) = seat.open_since().filter(|time| (young..now).contains(time))
                && order.has_halves(tid)
                && (entered > sure || !seat.is_asleep(entered, now - entered, || is_asleep(tid)))
            {
                until = until.min(entered);
            }
        }
        agent.looked.note(self.tracees.len(), begin);
        agent.order.settled = until;
        let mut told = self.tell_some(observer);
        if let Some(agent) = &mut self.agent {
            if agent.order.size() > TOO_MUCH {
                told += agent.order.tell_before(u64::MAX, None, observer);
            }
            agent.order.forget_ended(&self.tracees);
        }
        self.count_told();
        told
    }

    /// Tells for a while what is known to come next. Returns how much that was.
    fn tell_some(&mut self, observer: &mut dyn Observer) -> usize {
        let Some(agent) = &mut self.agent else { return 0 };
        let deadline = Some(Instant::now() + AT_A_TIME);
        let told = agent.order.tell_before(agent.order.settled, deadline, observer);
        agent.behind = told > 0 && agent.order.size() > MUCH;
        told
    }

    /// A stop has been served. Where very much waits, guests had better not get far ahead: some of it
    /// is told before the next one goes on.
    pub(crate) fn catch_up(&mut self, observer: &mut dyn Observer) {
        if self.agent.as_ref().is_some_and(|agent| agent.behind) {
            self.tell_some(observer);
        }
    }

    /// Whether a call writes to where the observer shows calls, as far as that is known.
    pub(crate) fn is_written_beside(&self, tid: Tid, arch: Arch, number: u64, fd: u64) -> bool {
        self.agent.is_some()
            && (arch, number) == (Arch::X86_64, WRITTEN_BESIDE.number.into())
            && self.tracees.get(tid).is_some_and(|tracee| self.shown.has(tracee.process, fd))
    }

    /// A thread is about to write there: tells what came before. Of other threads, what is known of them.
    pub(crate) fn tell_before_output(&mut self, tid: Tid, observer: &mut dyn Observer) {
        if self.is_alone(tid) {
            self.tell_rest(observer);
        } else if self.agent.as_ref().is_some_and(|agent| !agent.looked.is_fresh()) {
            self.drain(observer);
        }
    }

    /// Tells all that waits: at the end, or where nothing more can come before.
    pub(crate) fn tell_rest(&mut self, observer: &mut dyn Observer) {
        if let Some(agent) = &mut self.agent {
            agent.order.tell_before(u64::MAX, None, observer);
        }
        self.count_told();
    }

    fn count_told(&mut self) {
        let Some(agent) = &mut self.agent else { return };
        let calls = agent.order.take_calls();
        self.toll.calls_seen += calls.entered;
        self.toll.calls_told += calls.entered;
        self.toll.calls_by_agent += calls.entered;
        self.calls_ended += calls.ended;
        for tid in agent.order.take_spoilt() {
            match self.tracees.get_mut(tid).and_then(|tracee| tracee.seat.as_mut()) {
                Some(seat) => seat.spoil(),
                None => self.toll.spoilt_threads += 1,
            }
        }
    }

    /// Whether something waits to be told, or is about to be published.
    pub(crate) fn has_records(&mut self) -> bool {
        let Some(agent) = &self.agent else { return false };
        let in_use = |seat: &Seat| seat.slot.load(slot::SINCE) != 0 || seat.has_more();
        !agent.order.is_empty()
            || self.tracees.iter_mut().any(|(_, tracee)| tracee.seat.as_ref().is_some_and(in_use))
    }

    /// Takes over what the ring of a stopped or ended thread holds, before anything is told of the
    /// stop.
    pub(crate) fn take_in(&mut self, tid: Tid) {
        self.tell_opened_by(tid);
        let Some(agent) = &mut self.agent else { return };
        let seat = self.tracees.get_mut(tid).and_then(|tracee| tracee.seat.as_mut());
        if let Some(seat) = seat.filter(|seat| seat.has_more()) {
            seat.take_in(agent.order.lane(tid));
        }
    }
}

/// Whether a thread sleeps: then it is in its call, and not before it.
fn is_asleep(tid: Tid) -> bool {
    proc::is_asleep(tid.0).unwrap_or(false)
}
