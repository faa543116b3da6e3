//! The protocol of the rings, in every order in which two threads can run and memory can be seen
//! (`loom`). What is checked is a model: each of its steps names what it stands for.
//!
//! `loom` knows no time. Where the supervisor relies on a store being seen some microseconds later
//! (`SEEN_AFTER`, `PERIOD`), the model has a clock that everybody who looks at it synchronises with:
//! whoever sees a later time sees what was written before an earlier one. With a clock that tells
//! nothing but the time the same models fail, as tests here show: the delay, or a fence in the agent,
//! has to be there.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;

/// Words of a ring, `Tables::ring_len`. Entries have two, so every second one needs a skip.
const WORDS: u64 = 5;
/// What an entry takes.
const ENTRY: u64 = 2;
/// The first word of what is skipped; others hold a time.
const SKIP: u64 = u64::MAX;

/// `abi::slot`: the fields that both sides use.
#[derive(Default)]
struct Slot {
    head: AtomicU64,
    since: AtomicU64,
    tail: AtomicU64,
    attention: AtomicU64,
    /// Plain memory: `loom` reports who reads it while another one writes.
    ring: [UnsafeCell<u64>; WORDS as usize],
}

/// The guest's thread.
struct Agent<'s> {
    slot: &'s Slot,
    head: u64,
}

impl Agent<'_> {
    /// `guest::ring`: `Ring::of`, `Ring::room`, `Room::begin`, `Writer::publish`. Returns whether
    /// there was room.
    fn publish(&mut self, time: u64) -> bool {
        let free = WORDS - (self.head - self.slot.tail.load(Ordering::Acquire));
        let to_end = WORDS - self.head % WORDS;
        let skip = if ENTRY <= to_end { 0 } else { to_end };
        if skip + ENTRY > free {
            return false;
        }
        if skip > 0 {
            self.set_word(self.head, SKIP);
        }
        let at = self.head + skip;
        self.set_word(at, time);
        self.set_word(at + 1, time);
        self.head = at + ENTRY;
        self.slot.head.store(self.head, Ordering::Release);
        true
    }

    fn set_word(&self, at: u64, value: u64) {
        self.slot.ring[(at % WORDS) as usize].with_mut(|word| {
            // SAFETY: the word outlives the closure; `loom` sees that nobody else looks at it.
            unsafe { *word = value };
        });
    }

    /// `guest::call::enter` between `Slot::announce` and `Slot::conclude`.
    fn record(&mut self, clock: &Clock) {
        self.slot.since.store(1, Ordering::Relaxed);
        let time = clock.now();
        assert!(self.publish(time));
        self.slot.since.store(0, Ordering::Release);
    }
}

/// `engine::mechanism::agent::seat::Seat`.
struct Seat<'s> {
    slot: &'s Slot,
    tail: u64,
    waiting: Vec<u64>,
}

impl Seat<'_> {
    fn new(slot: &Slot) -> Seat<'_> {
        Seat { slot, tail: 0, waiting: Vec::new() }
    }

    /// `Seat::take_in`.
    fn take_in(&mut self) {
        let head = self.slot.head.load(Ordering::Acquire);
        while self.tail < head {
            let time = self.word(self.tail);
            if time == SKIP {
                self.tail += WORDS - self.tail % WORDS;
                continue;
            }
            assert_eq!(self.word(self.tail + 1), time, "an entry is torn");
            self.waiting.push(time);
            self.tail += ENTRY;
        }
        self.slot.tail.store(head, Ordering::Release);
    }

    fn word(&self, at: u64) -> u64 {
        // SAFETY: as for `Agent::set_word`.
        self.slot.ring[(at % WORDS) as usize].with(|word| unsafe { *word })
    }
}

/// The time stamp counter.
struct Clock {
    time: AtomicU64,
    order: Ordering,
}

impl Clock {
    /// Whoever looks later sees what was written before: a store takes less than `SEEN_AFTER`.
    fn with_delay() -> Clock {
        Clock { time: AtomicU64::new(1), order: Ordering::AcqRel }
    }

    /// Says nothing of what else is seen.
    fn without_delay() -> Clock {
        Clock { time: AtomicU64::new(1), order: Ordering::Relaxed }
    }

    fn now(&self) -> u64 {
        self.time.fetch_add(1, self.order)
    }
}

#[test]
fn no_entry_is_lost_or_torn_or_read_twice() {
    loom::model(|| {
        let slot = Arc::new(Slot::default());
        let guest = {
            let slot = Arc::clone(&slot);
            thread::spawn(move || {
                let mut agent = Agent { slot: &slot, head: 0 };
                // What finds no room goes through the net, and is no matter of the ring's.
                (1..=4).filter(|time| agent.publish(*time)).collect::<Vec<u64>>()
            })
        };
        let mut seat = Seat::new(&slot);
        seat.take_in();
        seat.take_in();
        let published = guest.join().unwrap();
        // At its end, or at a stop.
        seat.take_in();
        assert!(published.len() >= 2);
        assert_eq!(seat.waiting, published);
    });
}

/// What the supervisor looks at first.
#[derive(Clone, Copy)]
enum First {
    Since,
    Head,
}

/// A thread records a call while `Session::drain` tells of records: once while it runs, and once when
/// it has ended. Another thread has recorded a call just before.
fn records_are_told_in_order(clock: fn() -> Clock, first: First) {
    loom::model(move || {
        let clock = Arc::new(clock());
        let slots = [(); 2].map(|()| Arc::new(Slot::default()));
        let guest = {
            let (clock, slot) = (Arc::clone(&clock), Arc::clone(&slots[0]));
            thread::spawn(move || Agent { slot: &slot, head: 0 }.record(&clock))
        };
        Agent { slot: &slots[1], head: 0 }.record(&clock);
        let mut seats = [0, 1].map(|index: usize| Seat::new(&slots[index]));
        let mut until = clock.now();
        for seat in &mut seats {
            if let First::Head = first {
                seat.take_in();
            }
            // `SINCE` is a lower bound: its value here is before all times.
            if seat.slot.since.load(Ordering::Acquire) != 0 {
                until = 0;
            }
            if let First::Since = first {
                seat.take_in();
            }
        }
        let mut told = tell_before(&mut seats, until);
        guest.join().unwrap();
        seats.iter_mut().for_each(Seat::take_in);
        told.extend(tell_before(&mut seats, u64::MAX));
        assert_eq!(told.len(), 2);
        assert!(told.is_sorted(), "told in the order {told:?}");
    });
}

/// `Session::drain`: what waits of all threads, in order.
fn tell_before(seats: &mut [Seat<'_>; 2], until: u64) -> Vec<u64> {
    let taken = seats.iter_mut().flat_map(|seat| seat.waiting.extract_if(.., |time| *time < until));
    let mut told: Vec<u64> = taken.collect();
    told.sort_unstable();
    told
}

#[test]
fn records_of_two_threads_are_told_in_order() {
    records_are_told_in_order(Clock::with_delay, First::Since);
}

#[test]
#[should_panic(expected = "told in the order")]
fn without_a_delay_an_older_record_may_come_later() {
    records_are_told_in_order(Clock::without_delay, First::Since);
}

#[test]
#[should_panic(expected = "told in the order")]
fn a_head_seen_before_since_may_miss_a_record() {
    records_are_told_in_order(Clock::with_delay, First::Head);
}

/// A thread makes a call while the supervisor falls asleep: `Session::watch_rings`. When it sleeps,
/// it has been told of the call, or the call stops and wakes it.
fn whoever_sleeps_is_woken(clock: fn() -> Clock, looks_at_since: bool) {
    loom::model(move || {
        let clock = Arc::new(clock());
        let slot = Arc::new(Slot::default());
        let guest = {
            let (clock, slot) = (Arc::clone(&clock), Arc::clone(&slot));
            // `guest::call::before`.
            thread::spawn(move || {
                slot.since.store(1, Ordering::Relaxed);
                let time = clock.now();
                let stops = slot.attention.load(Ordering::Acquire) != 0;
                if !stops {
                    assert!(Agent { slot: &slot, head: 0 }.publish(time));
                }
                slot.since.store(0, Ordering::Release);
                stops
            })
        };
        slot.attention.store(1, Ordering::Release);
        // `PERIOD` later it looks once more.
        clock.now();
        let mut seat = Seat::new(&slot);
        let busy = looks_at_since && slot.since.load(Ordering::Acquire) != 0;
        seat.take_in();
        let asleep = !busy && seat.waiting.is_empty();
        let stops = guest.join().unwrap();
        assert!(!asleep || stops, "nobody wakes the supervisor");
    });
}

#[test]
fn a_supervisor_that_sleeps_is_woken() {
    whoever_sleeps_is_woken(Clock::with_delay, true);
}

#[test]
#[should_panic(expected = "nobody wakes the supervisor")]
fn a_supervisor_that_looks_at_heads_alone_may_miss_a_call() {
    whoever_sleeps_is_woken(Clock::with_delay, false);
}

#[test]
#[should_panic(expected = "nobody wakes the supervisor")]
fn a_supervisor_that_does_not_wait_may_miss_a_call() {
    whoever_sleeps_is_woken(Clock::without_delay, true);
}
