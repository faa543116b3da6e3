//! What waits to be told of one thread, in the order in which it came: halves of calls that its ring
//! has held, and what its stops tell.

use std::collections::VecDeque;
use std::mem;

use agent::entries::{Entries, Half, What as Tells};
use contract::{Capture, EventKind, GuestAddr, Origin, SigInfo, Stack, Stamp, Tid, What};

use super::buffers::Buffers;
use super::clock::Clock;
use super::telling::{Story, Telling, enter};

/// What waits to be told of one thread, and how far it has been told of it.
///
/// Whatever waits has a turn: its time, as `rdtsc` gives it. Within a thread turns never go back,
/// though two clocks may disagree a little, and a guest may write any time into its ring.
#[derive(Debug, Default)]
pub struct Lane {
    /// What waits is not all: more has been left in the ring.
    pub ring_has_more: bool,
    /// Halves as they were in the ring; those up to `told` are done with.
    halves: Vec<u8>,
    told: usize,
    /// How many bytes of halves have come so far.
    come: u64,
    stops: VecDeque<Stop>,
    /// How much memory these take, in bytes.
    stops_size: usize,
    /// The turn of what was told last.
    last: u64,
    /// The guest has written over the ring: what it holds is not told.
    spoilt: bool,
    story: Story,
}

/// What a stop tells.
#[derive(Debug)]
struct Stop {
    /// How many bytes of halves had come before.
    behind: u64,
    turn: u64,
    what: EventKind<(), ()>,
    /// The call that it tells of.
    call: Capture,
    /// What is known of the signal that it tells of.
    info: Option<SigInfo>,
    ip: Option<GuestAddr>,
    stack: Option<Stack>,
}

impl Lane {
    /// Makes room for halves.
    pub fn make_room(&mut self, buffers: &mut Buffers) {
        if self.halves.capacity() == 0 {
            self.halves = buffers.take();
        }
    }

    /// Adds halves: what `copy` appends to those that wait.
    pub fn add_halves(&mut self, copy: impl FnOnce(&mut Vec<u8>)) {
        // What has been told makes room before it is more than what waits.
        if self.told > self.halves.len() / 2 {
            self.halves.drain(..self.told);
            self.told = 0;
        }
        let before = self.halves.len();
        copy(&mut self.halves);
        self.come += (self.halves.len() - before) as u64;
        self.skip_spoilt();
    }

    /// Adds what a stop tells.
    pub fn add_stop(&mut self, turn: u64, what: What<'_>) {
        let (mut call, mut info, mut ip, mut stack) = (Capture::default(), None, None, None);
        let what = what.map(
            |told| call = told.clone(),
            |origin| (info, ip, stack) = (origin.info.copied(), origin.ip, origin.stack.cloned()),
        );
        let stop = Stop { behind: self.come, turn, what, call, info, ip, stack };
        self.stops_size += stop.size();
        self.stops.push_back(stop);
    }

    /// Tells what a stop tells, where nothing waits.
    pub fn tell_at_once(&mut self, turn: u64, time: Stamp, what: What<'_>, to: &mut Telling<'_>) {
        self.last = self.last.max(turn);
        self.tell_event(time, what, to);
    }

    /// How much waits, in bytes.
    pub fn size(&self) -> usize {
        self.halves.len() - self.told + self.stops_size
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        !self.has_halves() && self.stops.is_empty()
    }

    /// Whether halves wait.
    pub fn has_halves(&self) -> bool {
        self.told < self.halves.len()
    }

    /// The turn of what is to be told first.
    pub fn next_turn(&self) -> Option<u64> {
        let stop = self.stops.front().map(|stop| stop.turn);
        let halves = &self.halves[self.told..self.before_stop()];
        let turn = if halves.is_empty() {
            stop?
        } else {
            // No later than the stop behind it, whatever the ring says.
            let time = Entries::new(halves).first_time().unwrap_or(0);
            time.min(stop.unwrap_or(u64::MAX))
        };
        Some(turn.max(self.last))
    }

    /// Tells what has its turn before `until`, and no more than `most`. Returns how many that were.
    pub fn tell_before(&mut self, until: u64, most: usize, to: &mut Telling<'_>) -> usize {
        let mut count = 0;
        loop {
            count += self.tell_halves(until, most - count, to);
            let at_stop = self.told == self.before_stop() && count < most;
            let due = |stop: &Stop| at_stop && stop.turn.max(self.last) < until;
            if !self.stops.front().is_some_and(due) {
                break;
            }
            if let Some(stop) = self.stops.pop_front() {
                self.stops_size -= stop.size();
                self.tell_stop(stop, to);
                count += 1;
            }
        }
        if !self.has_halves() {
            self.told = 0;
            to.buffers.give_back(mem::take(&mut self.halves));
        }
        count
    }

    /// Tells halves that come before the first stop.
    fn tell_halves(&mut self, until: u64, most: usize, to: &mut Telling<'_>) -> usize {
        let latest = self.stops.front().map_or(u64::MAX, |stop| stop.turn);
        let end = self.before_stop();
        let halves = mem::take(&mut self.halves);
        let mut entries = Entries::new(&halves[self.told..end]);
        let mut count = 0;
        let mut spoilt = false;
        while count < most && !spoilt && !entries.rest().is_empty() {
            let turn = entries.first_time().unwrap_or(0).min(latest).max(self.last);
            if turn >= until {
                break;
            }
            match entries.next() {
                Some(Ok(half)) => {
                    self.last = turn;
                    let time = Stamp(to.clock.nanoseconds(turn));
                    let returns = entries.exits_before(until);
                    spoilt = self.story.half(time, &half, returns, to).is_err();
                    count += 1;
                }
                Some(Err(_)) => spoilt = true,
                None => break,
            }
        }
        self.told = end - entries.rest().len();
        self.halves = halves;
        if spoilt {
            self.story.give_up(Stamp(to.clock.nanoseconds(self.last)), to);
            self.spoil(to);
        }
        count
    }

    fn tell_stop(&mut self, stop: Stop, to: &mut Telling<'_>) {
        let Stop { turn, what, mut call, info, ip, stack, .. } = stop;
        self.last = self.last.max(turn);
        let time = Stamp(to.clock.nanoseconds(self.last));
        if matches!(what, EventKind::Enter(())) {
            call.entered = time;
        }
        let origin = Origin { info: info.as_ref(), ip, stack: stack.as_ref() };
        self.tell_event(time, what.map(|()| &call, |()| origin), to);
    }

    fn tell_event(&mut self, time: Stamp, what: What<'_>, to: &mut Telling<'_>) {
        if self.story.event(time, what, to).is_err() {
            self.spoil(to);
        }
        if matches!(what, What::Attached { .. } | What::Executed) {
            // Another thread by this id, or another program, has another ring.
            self.spoilt = false;
        }
        self.skip_spoilt();
    }

    /// The call of the agent in which the thread is, if it is in one.
    pub fn open_call(&self, tid: Tid, clock: &Clock) -> Option<Capture> {
        let Some((_, half)) = self.last_half() else {
            return self.story.open_call().filter(|_| self.stops.is_empty()).cloned();
        };
        matches!(half.what, Tells::Enter(_)).then(|| {
            let mut call = Capture::default();
            enter(&mut call, Stamp(clock.on_line(half.time)), &half, tid);
            call
        })
    }

    /// Forgets the entry of a call that was not made, unless it has been told. Returns whether that
    /// was so.
    pub fn undo_entry(&mut self) -> bool {
        let entry = self.last_half().filter(|(_, half)| matches!(half.what, Tells::Enter(_)));
        let Some(start) = entry.map(|(start, _)| start) else { return false };
        self.come -= (self.halves.len() - start) as u64;
        self.halves.truncate(start);
        true
    }

    /// The last half that waits, if it came after the last stop, and where it begins.
    fn last_half(&self) -> Option<(usize, Half<'_>)> {
        let from = self.stops.back().map_or(self.told, |stop| self.place(stop.behind));
        let mut start = from;
        let mut last = None;
        let mut entries = Entries::new(&self.halves[from..]);
        while let Some(half) = entries.next() {
            last = Some((start, half.ok()?));
            start = self.halves.len() - entries.rest().len();
        }
        last
    }

    /// Where the halves end that come before the first stop.
    fn before_stop(&self) -> usize {
        self.stops.front().map_or(self.halves.len(), |stop| self.place(stop.behind))
    }

    /// Where among the halves those end before which so many bytes had come.
    fn place(&self, behind: u64) -> usize {
        let after = usize::try_from(self.come - behind).unwrap_or(usize::MAX);
        self.halves.len().saturating_sub(after).max(self.told)
    }

    /// Nothing that the ring holds is told from now on.
    fn spoil(&mut self, to: &mut Telling<'_>) {
        self.spoilt = true;
        to.spoilt.push(to.tid);
        self.skip_spoilt();
    }

    fn skip_spoilt(&mut self) {
        if self.spoilt {
            self.told = self.before_stop();
        }
    }
}

impl Stop {
    /// How much memory it takes, in bytes.
    fn size(&self) -> usize {
        let copies = self.call.spans().map(|(span, bytes)| size_of_val(&span) + bytes.len());
        size_of::<Stop>() + copies.sum::<usize>()
    }
}
