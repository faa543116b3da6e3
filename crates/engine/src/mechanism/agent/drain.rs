//! From rings to the observer.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

use agent::abi::slot;
use agent::entries::{Half, What as Tells};
use contract::{Arch, Capture, Event, GuestAddr, Outcome, Phase, Stamp, Tid, What};
use kernel::{clock, proc};

use super::clock::Clock;
use super::seat::Seat;
use super::signals::ERESTARTNOINTR;
use crate::observer::{Interest, Observer};
use crate::session::Session;
use crate::toll::Toll;
use crate::tracee::Position;

/// So long are halves told before the supervisor looks after stopped guests again.
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
/// Where there are more threads, their rings are not looked at again at once: with thousands of
/// them, it would be all that the supervisor does.
const MANY_THREADS: usize = 256;
/// But after so long they are, however long the look takes.
const LONG: Duration = Duration::from_millis(5);
/// How many are told between two looks at the clock.
const BATCH: usize = 64;

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

    /// Notes that it has looked at so many since then; when it was done.
    fn note(&mut self, threads: usize, begin: Instant) -> Instant {
        let last = Instant::now();
        *self = Looked { threads, last, took: last - begin };
        last
    }

    /// Whether that was so short a time ago, measured by how long it took, that it had better do
    /// something else first. Records of other threads are then told of a little later.
    pub fn is_fresh(&self) -> bool {
        self.threads > MANY_THREADS && self.last.elapsed() < (self.took * 4).min(LONG)
    }
}

impl Session {
    /// Tells what all rings hold, in the order in which it happened. Returns how many halves of
    /// calls that were. Where they hold more than can be told in a few milliseconds, the rest is
    /// for the next time.
    ///
    /// A thread that has read its clock and not yet published says so: what happened later waits
    /// for the next time. So does a call that was entered just now: until the thread is in it, a
    /// signal can still undo it.
    pub(crate) fn drain(&mut self, observer: &mut dyn Observer) -> usize {
        let (dispatches, lease) = (self.dispatches(), self.lease());
        let Some(agent) = &mut self.agent else { return 0 };
        let begin = Instant::now();
        agent.clock.note(clock::pair());
        let now = clock::tsc().saturating_sub(SEEN_AFTER);
        let sure = now.saturating_sub(agent.clock.ticks(SURE));
        let young = now.saturating_sub(agent.clock.ticks(YOUNG));
        let mut until = now;
        let mut first = BinaryHeap::new();
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
            seat.take_in();
            let Some(time) = seat.first_time() else { continue };
            first.push(Reverse((time, tid)));
            if let Some(entered) = seat.open_since().filter(|time| (young..now).contains(time))
                && (entered > sure || !seat.is_asleep(entered, now - entered, || is_asleep(tid)))
            {
                until = until.min(entered);
            }
        }
        let mut told = 0;
        let begin = agent.looked.note(self.tracees.len(), begin);
        while let Some(Reverse((time, tid))) = first.pop() {
            if time >= until || begin.elapsed() > AT_A_TIME {
                break;
            }
            // All of this thread's up to the first of the next thread.
            let next = first.peek().map_or(until, |Reverse((time, _))| (*time).min(until));
            told += self.tell_halves(tid, next.max(time + 1), BATCH, observer);
            let seat = self.tracees.get(tid).and_then(|tracee| tracee.seat.as_ref());
            first.extend(seat.and_then(Seat::first_time).map(|time| Reverse((time, tid))));
        }
        told
    }

    /// Whether records wait to be told, or are about to be published.
    pub(crate) fn has_records(&mut self) -> bool {
        self.tracees.iter_mut().any(|(_, tracee)| {
            tracee.seat.as_mut().is_some_and(|seat| {
                let is_busy = seat.slot.load(slot::SINCE) != 0;
                seat.take_in();
                is_busy || seat.first_time().is_some()
            })
        })
    }

    /// Tells everything that a stopped or ended thread has left in its ring.
    pub(crate) fn drain_thread(&mut self, tid: Tid, observer: &mut dyn Observer) {
        self.drain_thread_until(tid, u64::MAX, observer);
    }

    /// The same, up to a time as `rdtsc` gives it.
    pub(super) fn drain_thread_until(&mut self, tid: Tid, until: u64, observer: &mut dyn Observer) {
        if self.agent.is_none() {
            return;
        }
        // What has been taken over makes room for the rest.
        self.tell_halves(tid, until, usize::MAX, observer);
        if let Some(seat) = self.tracees.get_mut(tid).and_then(|tracee| tracee.seat.as_mut()) {
            seat.take_in();
            self.tell_halves(tid, until, usize::MAX, observer);
        }
    }

    /// The same for a thread that is in no call of the agent. If its ring says that it is in one, the
    /// guest has written over it.
    pub(crate) fn drain_outside(&mut self, tid: Tid, observer: &mut dyn Observer) {
        self.drain_thread(tid, observer);
        let seat = self.tracees.get_mut(tid).and_then(|tracee| tracee.seat.as_mut());
        if let Some(seat) = seat.filter(|seat| seat.inside.is_some()) {
            seat.spoil();
            self.drain_thread(tid, observer);
        }
    }

    fn tell_halves(
        &mut self,
        tid: Tid,
        until: u64,
        most: usize,
        observer: &mut dyn Observer,
    ) -> usize {
        let (Some(agent), Some(tracee)) = (&mut self.agent, self.tracees.get_mut(tid)) else {
            return 0;
        };
        let Some(seat) = &mut tracee.seat else { return 0 };
        let mut telling = Telling {
            tid,
            in_net_call: tracee.position != Position::Outside,
            clock: &mut agent.clock,
            call: &mut tracee.call,
            toll: &mut self.toll,
            calls_ended: &mut self.calls_ended,
            observer,
        };
        let told =
            seat.tell_before(until, most, |seat, half, returns| telling.tell(seat, &half, returns));
        if seat.is_spoilt() {
            telling.give_up(seat);
        }
        told
    }
}

/// What it takes to tell a thread's halves.
struct Telling<'s> {
    tid: Tid,
    in_net_call: bool,
    clock: &'s mut Clock,
    call: &'s mut Capture,
    toll: &'s mut Toll,
    calls_ended: &'s mut u64,
    observer: &'s mut dyn Observer,
}

impl Telling<'_> {
    /// What the call has returned in which the thread is will not be known: it is told of as one
    /// that was interrupted.
    fn give_up(&mut self, seat: &mut Seat) {
        if seat.inside.take() == Some(Interest::Exit) {
            let time = self.call.entered;
            self.call.outcome = Some(Outcome::of(ERESTARTNOINTR, time, 0));
            self.ended(seat, time);
        }
    }

    /// Tells of the end of the call.
    fn ended(&mut self, seat: &mut Seat, time: Stamp) {
        let announced = !std::mem::take(&mut seat.unannounced);
        let what = if announced { What::Exit(self.call) } else { What::Call(self.call) };
        self.observer.event(&Event { tid: self.tid, time, what });
    }

    /// Tells of a half; of an entry only with its exit where that `returns` at once.
    fn tell(&mut self, seat: &mut Seat, half: &Half<'_>, returns: bool) {
        // An exit has its entry, an entry its exit, and what is in a call of the net is not in
        // another, unless the guest plays with its rings.
        let is_exit = matches!(half.what, Tells::Exit(_));
        if seat.inside.is_some() != is_exit || self.in_net_call {
            seat.spoil();
        }
        if seat.is_spoilt() {
            return;
        }
        let time = Stamp(self.clock.nanoseconds(half.time));
        match half.what {
            Tells::Enter(enter) => {
                let call = &mut *self.call;
                let (ip, sp) = (GuestAddr(enter.ip), GuestAddr(enter.sp));
                call.enter(Arch::X86_64, enter.number, enter.args, ip, sp);
                call.cpu = 0;
                call.entered = time;
                copy(call, Phase::Entry, half);
                self.toll.calls_seen += 1;
                self.toll.calls_told += 1;
                self.toll.calls_by_agent += 1;
                seat.unannounced = returns;
                seat.inside = Some(if returns {
                    Interest::Exit
                } else {
                    let what = What::Enter(self.call);
                    self.observer.event(&Event { tid: self.tid, time, what })
                });
            }
            Tells::Exit(exit) => {
                let Some(interest) = seat.inside.take() else { return };
                self.call.outcome = Some(Outcome::of(exit.value, time, 0));
                copy(self.call, Phase::Exit, half);
                if interest == Interest::Exit {
                    self.ended(seat, time);
                }
                *self.calls_ended += 1;
            }
        }
    }
}

/// Whether a thread sleeps: then it is in its call, and not before it.
fn is_asleep(tid: Tid) -> bool {
    proc::is_asleep(tid.0).unwrap_or(false)
}

fn copy(call: &mut Capture, phase: Phase, half: &Half<'_>) {
    for copy in half.copies.clone() {
        call.begin(phase, GuestAddr(copy.addr));
        call.extend(copy.bytes);
        if copy.fault {
            call.fault();
        }
    }
}
