//! The producer's side of a thread's ring.
//!
//! Entries do not wrap. The supervisor takes what lies between its tail and our head, so all that
//! is written from the head on is ours until the head is moved behind it.

use super::Machine;
use super::slot::Slot;
use crate::abi::{Entry, copied, entry, slot};

/// What is free of a ring, as it was when it was looked at; since then it can only have grown.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    slot: Slot,
    head: u64,
    free: u64,
}

/// Room for one entry.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    ring: Ring,
    /// What is left of the ring before its end and would be too small, in bytes.
    skip: u64,
    /// How many bytes the entry may have.
    most: u64,
}

impl Ring {
    /// The ring of a slot.
    pub fn of(slot: Slot) -> Ring {
        let head = slot.word(slot::HEAD) & !7;
        let used = head.wrapping_sub(slot.tail());
        Ring { slot, head, free: slot.ring_len().saturating_sub(used) & !7 }
    }

    /// Room for an entry of at most so many bytes, a multiple of 8; `None` if there is not enough.
    pub fn room(self, most: u64) -> Option<Room> {
        let len = self.slot.ring_len();
        let to_end = len - (self.head & (len - 1));
        let skip = if most <= to_end { 0 } else { to_end };
        let needed = skip.checked_add(most)?;
        (most <= len && needed <= self.free).then_some(Room { ring: self, skip, most })
    }
}

impl Room {
    /// Whether there would still be room for so many bytes behind the entry.
    pub fn leaves(&self, most: u64) -> bool {
        let taken = self.skip + self.most;
        let rest = Ring {
            head: self.ring.head.wrapping_add(taken),
            free: self.ring.free - taken,
            ..self.ring
        };
        rest.room(most).is_some()
    }

    /// Begins the entry, with the words that each of its kind has. There is room for them.
    pub fn begin<const N: usize>(self, kind: u16, time: u64, words: [u64; N]) -> Writer {
        let head = self.ring.head.wrapping_add(self.skip);
        let at = self.ring.slot.in_ring(head);
        self.ring.slot.set_word(at + TIME, time);
        self.ring.slot.set_words(at + HEAD_LEN, words);
        Writer {
            slot: self.ring.slot,
            ring_head: self.ring.head,
            head,
            at,
            tag: u64::from(kind) << 32,
            len: HEAD_LEN + 8 * N as u64,
            most: self.most,
        }
    }
}

/// Where in an entry's first word the number of its copies is.
const COPIES: u32 = 48;
/// Size of an entry's head, and where its time lies, in bytes.
const HEAD_LEN: u64 = size_of::<Entry>() as u64;
const TIME: u64 = core::mem::offset_of!(Entry, time) as u64;

/// An entry that is being written.
#[derive(Debug)]
pub struct Writer {
    slot: Slot,
    /// The head as it still is.
    ring_head: u64,
    /// Behind what is skipped.
    head: u64,
    /// Where the entry lies in the slot.
    at: u64,
    /// Its kind and the number of its copies, as its first word has them. One word: what is written
    /// in parts and read at once holds up the processor.
    tag: u64,
    len: u64,
    most: u64,
}

impl Writer {
    /// Appends a copy of `len` bytes of guest memory, as far as it is readable. `fault` says that
    /// memory behind them was wanted and is known to be unreadable.
    pub fn copy(&mut self, machine: &impl Machine, addr: u64, len: u64, fault: bool) {
        let start = self.len + COPIED_LEN;
        if start > self.most {
            return;
        }
        let (to, len) = self.slot.bytes(self.at + start, len.min(self.most - start));
        // SAFETY: in the slot, between head and tail, where nobody else writes or reads.
        let copied = unsafe { machine.copy(to, addr, len) }.min(len);
        let fault = fault || copied < len;
        let kind = if fault { copied::FAULT } else { copied::WHOLE };
        self.end_copy(addr, copied, kind);
    }

    /// Appends what `write` puts behind a copy's head: it is told where in the slot that is, and says how
    /// much it is, at most `len` bytes. `None` where it fails, or there is no room.
    pub fn name(
        &mut self,
        descriptor: u64,
        len: u64,
        write: impl FnOnce(u64) -> Option<u64>,
    ) -> Option<()> {
        let start = self.len + COPIED_LEN;
        if start + len > self.most {
            return None;
        }
        let written = write(self.at + start)?.min(len);
        self.end_copy(descriptor, written, copied::NAME);
        Some(())
    }

    /// Writes the head of a copy whose bytes lie behind it.
    fn end_copy(&mut self, addr: u64, len: u64, kind: u32) {
        self.slot.set_word(self.at + self.len, addr);
        self.slot.set_word(self.at + self.len + 8, len | u64::from(kind) << 32);
        self.len += COPIED_LEN + len.next_multiple_of(8);
        self.tag += 1 << COPIES;
    }

    /// The 32-bit number at `addr`, if a copy in the entry holds it; copies begin behind so many
    /// words that follow the head.
    pub fn number_at(&self, addr: u64, words: u64) -> Option<u64> {
        let mut at = HEAD_LEN + 8 * words;
        for _ in 0..self.tag >> COPIES {
            let within = addr.wrapping_sub(self.slot.word(self.at + at));
            let size = self.slot.word(self.at + at + 8);
            let len = size & u64::from(u32::MAX);
            let is_memory = size >> 32 != copied::NAME.into();
            let start = at + COPIED_LEN;
            if is_memory && within < len && len - within >= 4 {
                return Some(self.unaligned(start + within) & u64::from(u32::MAX));
            }
            at = start + len.next_multiple_of(8);
        }
        None
    }

    /// The 8 bytes at this offset of the entry; what lies behind it reads as anything.
    fn unaligned(&self, offset: u64) -> u64 {
        let bits = offset % 8 * 8;
        let low = self.slot.word(self.at + offset) >> bits;
        if bits == 0 { low } else { low | self.slot.word(self.at + offset + 8) << (64 - bits) }
    }

    /// Makes the entry, with what is skipped before it, the supervisor's.
    #[inline(always)]
    pub fn publish(self) {
        let Writer { slot, ring_head, head, at, tag, len, .. } = self;
        slot.set_word(at, len | tag);
        let skip = head.wrapping_sub(ring_head);
        if skip > 0 {
            let at = slot.in_ring(ring_head);
            slot.set_word(at, skip | u64::from(entry::SKIP) << 32);
        }
        slot.set_head(head.wrapping_add(len));
    }
}

/// Size of a copy's head, in bytes.
pub const COPIED_LEN: u64 = size_of::<crate::abi::Copied>() as u64;

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::*;
    use crate::entries::Entries;
    use crate::guest::testing::{Model, OwnedSlot, PAGE, drain};
    use proptest::prelude::*;

    /// Size of an exit half behind its head, in bytes.
    const EXIT_LEN: u64 = size_of::<crate::abi::Exit>() as u64;

    /// What is done to a ring.
    #[derive(Clone, Debug)]
    enum Step {
        /// An entry with copies so long, where so many more bytes were asked for.
        Publish(Vec<u64>, u64),
        /// The supervisor takes all there is.
        Drain,
    }

    fn step() -> impl Strategy<Value = Step> {
        let copies = prop::collection::vec(0..0x1_0000u64, 0..4);
        let publish = (copies, 0..0x4000u64)
            .prop_map(|(copies, more)| Step::Publish(copies, more.next_multiple_of(8)));
        prop_oneof![3 => publish, 1 => Just(Step::Drain)]
    }

    /// The lengths of the copies of each entry.
    fn lengths(bytes: &[u8]) -> Vec<Vec<u64>> {
        let halves = Entries::new(bytes).map(|half| half.unwrap());
        halves.map(|half| half.copies.map(|copy| copy.bytes.len() as u64).collect()).collect()
    }

    proptest! {
        #[test]
        fn what_is_published_is_drained(steps in prop::collection::vec(step(), 0..40)) {
            let mut machine = Model::default();
            machine.pages.extend((1..18).map(|page| (page * PAGE, vec![7; PAGE as usize])));
            let mut owned = OwnedSlot::new();
            let slot = owned.slot();
            let mut waiting = Vec::new();
            for step in steps {
                match step {
                    Step::Publish(copies, more) => {
                        let size = |len: &u64| COPIED_LEN + len.next_multiple_of(8);
                        let most = HEAD_LEN + EXIT_LEN + copies.iter().map(size).sum::<u64>() + more;
                        let Some(room) = Ring::of(slot).room(most) else {
                            // Half of the ring is always to be had once it is empty.
                            prop_assert!(!waiting.is_empty() || most > slot.ring_len() / 2);
                            continue;
                        };
                        let mut writer = room.begin(entry::EXIT, 0, [0, 0]);
                        copies.iter().for_each(|len| writer.copy(&machine, PAGE, *len, false));
                        writer.publish();
                        waiting.push(copies);
                    }
                    Step::Drain => {
                        let drained = drain(slot);
                        prop_assert_eq!(lengths(&drained), core::mem::take(&mut waiting));
                    }
                }
            }
            let mut others = (0..slot::RING).step_by(8).filter(|at| {
                *at != slot::HEAD && *at != slot::TAIL
            });
            prop_assert!(others.all(|at| slot.word(at) == 0));
        }
    }

    /// A slot that two threads use, as a guest and its supervisor do.
    #[derive(Clone, Copy)]
    struct Shared(Slot);

    // SAFETY: the slot's memory outlives the threads, and all that is read and written of it is
    // atomic, or handed over by its head and tail.
    unsafe impl Send for Shared {}

    #[test]
    fn nothing_is_lost_where_producer_and_consumer_run_at_once() {
        const ENTRIES: u64 = 5000;
        let mut owned = OwnedSlot::new();
        let slot = owned.slot();
        let shared = Shared(slot);
        let len_of = |index: u64| index * 37 % 5000;
        let consume = move || {
            let slot = { shared }.0;
            let mut next = 0;
            while next < ENTRIES {
                for half in Entries::new(&drain(slot)) {
                    let mut half = half.unwrap();
                    let copy = half.copies.next().unwrap();
                    assert_eq!((half.time, copy.bytes.len() as u64), (next, len_of(next)));
                    assert!(copy.bytes.iter().all(|byte| *byte == 7));
                    next += 1;
                }
            }
        };
        std::thread::scope(|scope| {
            let consumer = scope.spawn(consume);
            let mut machine = Model::default();
            machine.pages.extend([1, 2].map(|page| (page * PAGE, vec![7; PAGE as usize])));
            for index in 0..ENTRIES {
                let len = len_of(index);
                let most = HEAD_LEN + EXIT_LEN + COPIED_LEN + len.next_multiple_of(8);
                let room = loop {
                    if let Some(room) = Ring::of(slot).room(most) {
                        break room;
                    }
                    assert!(!consumer.is_finished());
                    std::thread::yield_now();
                };
                let mut writer = room.begin(entry::EXIT, index, [index, 0]);
                writer.copy(&machine, PAGE, len, false);
                writer.publish();
            }
        });
        assert!(owned.is_whole());
    }
}
