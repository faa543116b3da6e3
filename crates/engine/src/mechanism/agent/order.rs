//! What all threads do is told in the order in which it happened.
//!
//! A stop is seen at once, while what other threads did before it may still lie in their rings, or
//! has not come there yet. So what it tells waits, as what rings have held does: in a [`Lane`] for
//! each thread, of which the first is always told next.

use std::cmp::Reverse;
use std::collections::binary_heap::{BinaryHeap, PeekMut};
use std::mem;
use std::time::Instant;

use contract::{Capture, Event, Tid, TidMap};
use kernel::clock::{self, Pair};

use super::buffers::Buffers;
use super::clock::Clock;
use super::lane::Lane;
use super::telling::{Calls, Left, Telling};
use crate::observer::Observer;
use crate::tracee_table::TraceeTable;

/// How many are told between two looks at the clock.
const BATCH: usize = 64;

/// What waits to be told of all threads.
#[derive(Debug)]
pub struct Order {
    /// The clock of the rings.
    pub clock: Clock,
    lanes: TidMap<Lane>,
    buffers: Buffers,
    /// Something may wait.
    waits: bool,
    /// What happened before this time, as `rdtsc` gives it, waits here or has been told.
    pub settled: u64,
    calls: Calls,
    left: Left,
    /// Threads that were found to have written over their rings.
    spoilt: Vec<Tid>,
}

impl Order {
    /// Nothing waits. The clock was seen then for the first time: the longer ago, the better. No more
    /// calls are told of than the `limit` says.
    pub fn new(started: Pair, limit: Option<u64>) -> Order {
        Order {
            clock: Clock::new(started, clock::pair()),
            lanes: TidMap::default(),
            buffers: Buffers::default(),
            waits: false,
            settled: 0,
            calls: Calls::default(),
            left: Left(limit),
            spoilt: Vec::new(),
        }
    }

    /// What waits of a thread, with room for more.
    pub fn lane(&mut self, tid: Tid) -> &mut Lane {
        self.waits = true;
        let lane = self.lanes.entry(tid).or_default();
        lane.make_room(&mut self.buffers);
        lane
    }

    /// The call of the agent in which a thread is, if it is in one.
    pub fn open_call(&self, tid: Tid) -> Option<Capture> {
        self.lanes.get(&tid)?.open_call(tid, &self.clock)
    }

    /// Whether halves wait that the ring of this thread has held.
    pub fn has_halves(&self, tid: Tid) -> bool {
        self.lanes.get(&tid).is_some_and(Lane::has_halves)
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        !self.waits
    }

    /// How much waits, in bytes.
    pub fn size(&self) -> usize {
        if self.waits { self.lanes.values().map(Lane::size).sum() } else { 0 }
    }

    /// Keeps what a stop tells until its turn comes.
    pub fn keep(&mut self, event: &Event<'_>) {
        let turn = self.clock.tsc(event.time.0);
        self.waits = true;
        self.lanes.entry(event.tid).or_default().add_stop(turn, event.what);
    }

    /// Tells what a stop tells, and before it all that waits.
    pub fn tell_at_once(&mut self, event: &Event<'_>, observer: &mut dyn Observer) {
        self.tell_before(u64::MAX, None, observer);
        let Event { tid, time, what } = *event;
        let turn = self.clock.tsc(time.0);
        let Order { clock, lanes, buffers, calls, left, spoilt, .. } = self;
        let mut telling = Telling { tid, clock, calls, left, spoilt, buffers, observer };
        lanes.entry(tid).or_default().tell_at_once(turn, time, what, &mut telling);
    }

    /// Tells what has its turn before `until`, as `rdtsc` gives it, as far as it gets to it before the
    /// deadline. Returns how many that were.
    pub fn tell_before(
        &mut self,
        until: u64,
        deadline: Option<Instant>,
        observer: &mut dyn Observer,
    ) -> usize {
        if !self.waits {
            return 0;
        }
        let Order { clock, lanes, buffers, waits, settled, calls, left, spoilt } = self;
        let mut lanes: Vec<_> = lanes.iter_mut().collect();
        let turns = lanes.iter().enumerate();
        let turns =
            turns.filter_map(|(index, (_, lane))| Some(Reverse((lane.next_turn()?, index))));
        let mut others: BinaryHeap<_> = turns.collect();
        let (mut told, mut look_at) = (0, BATCH);
        let mut first = others.pop();
        while let Some(Reverse((turn, index))) = first {
            if turn >= until {
                return told;
            }
            if told >= look_at {
                look_at = told + BATCH;
                if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                    return told;
                }
            }
            // All of this thread's up to the first of the next thread.
            let next = others.peek().map_or(until, |Reverse((turn, _))| until.min(*turn));
            let (tid, lane) = &mut lanes[index];
            let tid = **tid;
            let mut telling = Telling { tid, clock, calls, left, spoilt, buffers, observer };
            told += lane.tell_before(next.max(turn.saturating_add(1)), BATCH, &mut telling);
            first = match (lane.next_turn(), others.peek_mut()) {
                (Some(turn), Some(mut other)) if turn > other.0.0 => {
                    Some(mem::replace(&mut *other, Reverse((turn, index))))
                }
                (Some(turn), _) => Some(Reverse((turn, index))),
                (None, _) if lane.ring_has_more && until < u64::MAX => {
                    // What comes next lies in the ring.
                    *settled = 0;
                    return told;
                }
                (None, other) => other.map(PeekMut::pop),
            };
        }
        *waits = false;
        told
    }

    /// Forgets those threads that are no more and of which nothing waits, if there are any.
    pub fn forget_ended(&mut self, tracees: &TraceeTable) {
        if self.lanes.len() > tracees.len() {
            self.lanes.retain(|tid, lane| !lane.is_empty() || tracees.contains(*tid));
        }
    }

    /// How many calls of rings were told of since this was asked for last.
    pub fn take_calls(&mut self) -> Calls {
        mem::take(&mut self.calls)
    }

    /// Which threads were found to have written over their rings since this was asked for last.
    pub fn take_spoilt(&mut self) -> Vec<Tid> {
        mem::take(&mut self.spoilt)
    }
}

#[cfg(test)]
mod tests;
