//! A guest thread's place in the agent.

use std::cell::RefCell;
use std::mem;
use std::rc::Rc;

use agent::abi::{self, slot};
use agent::entries::{Entries, Half, What};

use kernel::ptrace::Dispatch;

use super::arena::Slot;
use super::extent::Extent;
use super::space::Space;
use crate::observer::Interest;

/// The most that waits to be told of one thread before its ring is left alone, in bytes: what is
/// told waits for other threads, as long as these say that they have something older.
const WAITING_MAX: usize = 16 << 20;

/// A look at a thread in an open call.
#[derive(Clone, Copy, Debug)]
struct Look {
    /// When the call was entered, as `rdtsc` gives it.
    entered: u64,
    /// How old the call was, in ticks.
    age: u64,
    asleep: bool,
}

/// A guest thread's place in the agent.
#[derive(Debug)]
pub struct Seat {
    /// Its memory.
    pub slot: Slot,
    /// Its address space, shared by the threads of a process.
    pub space: Rc<RefCell<Space>>,
    /// How much of the arena is mapped there.
    pub extent: Rc<Extent>,
    /// What the observer wants of the call that was entered by the agent and has not returned.
    pub inside: Option<Interest>,
    /// The observer has not been told of that call's entry.
    pub unannounced: bool,
    /// Dispatch is set up for it, as the net.
    pub has_dispatch: bool,
    /// Its guest blocks `SIGSYS`, and dispatch does not let it.
    pub blocks_sys: bool,
    /// All calls stop from now on.
    closed: bool,
    /// The guest has written over its ring: nothing of it is believed any more.
    spoilt: bool,
    /// Up to where the ring has been read.
    tail: u64,
    /// What was read and has not been told.
    waiting: Vec<u8>,
    /// How much of that has been told.
    told: usize,
    /// The last look at the thread.
    look: Option<Look>,
    /// What was last seen of [`slot::SINCE`], and when it was first seen so.
    announced: (u64, u64),
}

impl Seat {
    /// A thread's new place.
    pub fn new(slot: Slot, space: Rc<RefCell<Space>>, extent: Rc<Extent>) -> Seat {
        Seat {
            slot,
            space,
            extent,
            inside: None,
            unannounced: false,
            has_dispatch: true,
            blocks_sys: false,
            closed: false,
            spoilt: false,
            tail: 0,
            waiting: Vec::new(),
            told: 0,
            look: None,
            announced: (0, 0),
        }
    }

    /// Whether the thread was seen to sleep in the call that it entered then, so many ticks ago. To
    /// see is dear: it is done again only for a call that has become twice as old.
    pub fn is_asleep(&mut self, entered: u64, age: u64, see: impl FnOnce() -> bool) -> bool {
        match self.look.filter(|look| look.entered == entered) {
            Some(look) if look.asleep || age / 2 < look.age => look.asleep,
            _ => {
                let asleep = see();
                self.look = Some(Look { entered, age, asleep });
                asleep
            }
        }
    }

    /// Where the thread has announced a record: what that is not older than, and when the supervisor,
    /// for which it is `now`, first saw that. Both as `rdtsc` gives it.
    pub fn announced(&mut self, now: u64) -> Option<(u64, u64)> {
        let since = self.slot.load(slot::SINCE);
        if since != self.announced.0 {
            self.announced = (since, now);
        }
        (since != 0).then_some(self.announced)
    }

    /// Whether all its calls stop.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The next call shall stop, or need not.
    pub fn set_attention(&self, wanted: bool) {
        self.slot.store(slot::ATTENTION, u64::from(wanted || self.closed));
    }

    /// Whether this base of `%gs` is one of an agent.
    pub fn is_base(base: u64) -> bool {
        base >> 32 == abi::ARENA >> 32
    }

    /// Calls stay at their sites, and dispatch lets them pass. The thread is in no call of the agent.
    pub fn shut(&self) {
        self.slot.store(slot::GATE, 1 << 32);
        self.slot.store(slot::SELECTOR, Dispatch::ALLOW.into());
    }

    /// Calls go to the agent, which records them up to this time, and dispatch stops all others.
    pub fn open(&self, until: u64) {
        self.slot.store(slot::LEASE, until);
        self.slot.store(slot::SELECTOR, Dispatch::BLOCK.into());
        self.slot.store(slot::GATE, 0);
    }

    /// Takes over what the ring holds, unless very much is waiting already: then the ring fills, and
    /// calls go through the net.
    pub fn take_in(&mut self) {
        let head = self.slot.load(slot::HEAD);
        if head == self.tail || self.spoilt || self.waiting.len() - self.told > WAITING_MAX {
            return;
        }
        if head.wrapping_sub(self.tail) > self.slot.ring_len() {
            self.spoil();
            return;
        }
        self.slot.copy_ring(self.tail, head, &mut self.waiting);
        self.tail = head;
        self.slot.store(slot::TAIL, head);
    }

    /// When the call was entered, as `rdtsc` gives it, whose entry half is published, and whose exit
    /// half is not: the thread may not have made it yet.
    pub fn open_since(&self) -> Option<u64> {
        (self.slot.load(slot::OPEN) != 0).then(|| self.slot.load(slot::LAST))
    }

    /// The thread was taken out of the agent: it publishes nothing of what it was about to.
    pub fn left(&self) {
        self.slot.store(slot::OPEN, 0);
        self.slot.store(slot::SINCE, 0);
        // The upper half is whether it is shut.
        let gate = self.slot.load(slot::GATE);
        self.slot.store(slot::GATE, gate >> 32 << 32);
    }

    /// Forgets the entry half of a call that was not made, if that is all that is waiting.
    pub fn drop_open(&mut self) {
        let mut entries = Entries::new(&self.waiting[self.told..]);
        let is_entry = matches!(entries.next(), Some(Ok(Half { what: What::Enter(_), .. })));
        if is_entry && entries.rest().is_empty() {
            self.waiting.clear();
            self.told = 0;
        }
    }

    /// When the first half was written that is waiting, as `rdtsc` gives it.
    pub fn first_time(&self) -> Option<u64> {
        Entries::new(&self.waiting[self.told..]).first_time()
    }

    /// Gives each waiting half, in order, to `tell`, as long as their times are before `until`, and
    /// no more than `most`; with it, whether the next one is an exit half which is to be told at
    /// once as well. Returns how many there were.
    pub fn tell_before(
        &mut self,
        until: u64,
        most: usize,
        mut tell: impl FnMut(&mut Self, Half<'_>, bool),
    ) -> usize {
        let waiting = mem::take(&mut self.waiting);
        let mut entries = Entries::new(&waiting[self.told..]);
        let mut count = 0;
        while count < most && entries.first_time().is_some_and(|time| time < until) {
            match entries.next() {
                Some(Ok(half)) => {
                    tell(self, half, entries.exits_before(until));
                    count += 1;
                }
                Some(Err(_)) => self.spoil(),
                None => break,
            }
        }
        self.told = waiting.len() - entries.rest().len();
        self.waiting = waiting;
        if self.told == self.waiting.len() {
            self.waiting.clear();
            self.told = 0;
        }
        count
    }

    /// From now on all calls stop.
    pub fn close(&mut self) {
        self.closed = true;
        self.set_attention(true);
    }

    /// Whether records are missing, since the guest has written over its ring.
    pub fn is_spoilt(&self) -> bool {
        self.spoilt
    }

    /// Notes that the guest has written over its ring.
    pub fn spoil(&mut self) {
        self.spoilt = true;
        self.close();
    }
}
