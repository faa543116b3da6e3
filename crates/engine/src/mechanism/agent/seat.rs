//! A guest thread's place in the agent.

use std::cell::RefCell;
use std::rc::Rc;

use agent::abi::{self, slot};
use kernel::ptrace::Dispatch;

use super::arena::Slot;
use super::extent::Extent;
use super::lane::Lane;
use super::space::Space;

/// The most that waits to be told of one thread before its ring is left alone while it runs, in
/// bytes: what is told waits for other threads, as long as these say that they have something older.
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
    /// The agent waits for calls of other programs, and did not for those of this one, which made enough
    /// of them when it last ran.
    pub is_foreseen: bool,
    /// Dispatch is set up for it, as the net.
    pub has_dispatch: bool,
    /// Its guest blocks `SIGSYS`, and dispatch does not let it.
    pub blocks_sys: bool,
    /// `%gs` does not point to the slot: what the thread is about to make would have it too.
    pub is_left: bool,
    /// All calls stop from now on.
    closed: bool,
    /// The guest has written over its ring: nothing of it is believed any more.
    spoilt: bool,
    /// Up to where the ring has been read.
    tail: u64,
    /// The same of the paths that were opened.
    opened: u64,
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
            is_foreseen: false,
            has_dispatch: true,
            blocks_sys: false,
            is_left: false,
            closed: false,
            spoilt: false,
            tail: 0,
            opened: 0,
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

    /// Notes, as its program ends, whether so many calls came to the agent as it waits for elsewhere.
    pub fn look_back(&self, enough: u32) {
        if self.is_foreseen
            && self.slot.load(slot::CAME) < enough.into()
            && let Some(program) = &self.space.borrow().program
        {
            program.expect_many(false);
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
        let attention = if self.closed { slot::CLOSED } else { u32::from(wanted) };
        self.slot.store(slot::ATTENTION, attention.into());
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

    /// Whether the ring holds something that has not been taken over.
    pub fn has_more(&self) -> bool {
        self.slot.load(slot::HEAD) != self.tail && !self.spoilt
    }

    /// Takes over what the ring holds.
    pub fn take_in(&mut self, lane: &mut Lane) {
        let head = self.slot.load(slot::HEAD);
        if head.wrapping_sub(self.tail) > self.slot.ring_len() {
            self.spoil();
        }
        if self.spoilt {
            return;
        }
        lane.add_halves(|halves| self.slot.copy_ring(self.tail, head, halves));
        self.tail = head;
        self.slot.store(slot::TAIL, head);
    }

    /// The same for a thread that runs, unless very much is waiting already: then the ring fills, and
    /// calls go through the net.
    pub fn take_in_some(&mut self, lane: &mut Lane) {
        lane.ring_has_more = lane.size() > WAITING_MAX;
        if !lane.ring_has_more {
            self.take_in(lane);
        }
    }

    /// Tells each path that the agent has let the guest open since the last time, the oldest first; of
    /// very many only the latest. The guest may have written anything there.
    pub fn take_opened(&mut self, mut tell: impl FnMut(&[u8])) {
        let head = self.slot.load(slot::OPENED);
        let from = self.opened.max(head.saturating_sub(slot::OPENED_ROOM));
        let is_whole = from == self.opened;
        self.opened = head;
        if from >= head {
            return;
        }
        let mut bytes = Vec::new();
        self.slot.copy_opened(from, head, &mut bytes);
        // The first one may be what was left of one.
        let paths = bytes.split(|byte| *byte == 0).skip(usize::from(!is_whole));
        paths.filter(|path| !path.is_empty()).for_each(&mut tell);
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
