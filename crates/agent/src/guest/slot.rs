//! The slot of the thread that runs.

use core::mem::offset_of;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering, compiler_fence};

use crate::abi::{self, Frame, Site, slot};

/// A thread's slot. Other threads of the guest and the supervisor can write it at any time: each
/// value is read and written as one word, and none of them is believed.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    base: *mut u8,
    ring_len: u64,
}

impl Slot {
    /// The slot at `base`, with a ring of this size.
    ///
    /// # Safety
    /// `base` is a multiple of 8, the size a power of two, and [`abi::slot_len`] bytes are mapped
    /// there for as long as the value is used, readable and writable, and no reference points into
    /// them. Where a frame in it is used, it names a [`Site`] that is there.
    pub unsafe fn at(base: *mut u8, ring_len: u32) -> Slot {
        Slot { base, ring_len: ring_len.into() }
    }

    /// Size of the ring, in bytes.
    pub fn ring_len(self) -> u64 {
        self.ring_len
    }

    /// Where a position of the ring lies in the slot.
    pub fn in_ring(self, position: u64) -> u64 {
        slot::RING + (position & (self.ring_len - 1))
    }

    /// The address so far into the slot: rounded down to a multiple of 8, and into the last word
    /// where it would lie behind it.
    fn pointer(self, offset: u64) -> *mut u64 {
        // Before the ring the compiler mostly knows the offset, and that it needs no bound.
        let bound = if offset < slot::RING { slot::RING } else { abi::slot_len(self.ring_len) };
        let offset = offset.min(bound - 8) & !7;
        // SAFETY: at least 8 bytes of the slot lie behind the offset, by the lines above.
        unsafe { self.base.add(offset as usize).cast() }
    }

    fn atomic(&self, offset: u64) -> &AtomicU64 {
        // SAFETY: a word of the slot, which is mapped and aligned; nobody makes other references
        // than to atomics.
        unsafe { AtomicU64::from_ptr(self.pointer(offset)) }
    }

    /// The word so far into the slot.
    pub fn word(self, offset: u64) -> u64 {
        self.atomic(offset).load(Ordering::Relaxed)
    }

    /// Writes the word so far into the slot.
    pub fn set_word(self, offset: u64, value: u64) {
        self.atomic(offset).store(value, Ordering::Relaxed);
    }

    /// Writes words that begin so far into the slot: as with [`Slot::set_word`] they lie in it.
    pub fn set_words<const N: usize>(self, offset: u64, values: [u64; N]) {
        const { assert!(8 * N as u64 <= slot::RING) };
        let offset = offset.min(abi::slot_len(self.ring_len) - 8 * N as u64) & !7;
        for (at, value) in (offset..).step_by(8).zip(values) {
            // SAFETY: at least N words of the slot lie behind the offset, by the lines above; a word as
            // in `atomic`.
            let word = unsafe { AtomicU64::from_ptr(self.base.add(at as usize).cast()) };
            word.store(value, Ordering::Relaxed);
        }
    }

    /// Where bytes may be written that begin so far into the slot, a multiple of 8, and how many of
    /// `len` lie in it.
    pub fn bytes(self, offset: u64, len: u64) -> (*mut u8, u64) {
        (self.pointer(offset).cast(), len.min(abi::slot_len(self.ring_len).saturating_sub(offset)))
    }

    /// The byte so far into the slot.
    pub fn byte(self, offset: u64) -> u8 {
        let word = self.word(offset);
        word.to_le_bytes()[(offset & 7) as usize]
    }

    /// Writes the byte so far into the slot.
    pub fn set_byte(self, offset: u64, value: u8) {
        let mut bytes = self.word(offset).to_le_bytes();
        bytes[(offset & 7) as usize] = value;
        self.set_word(offset, u64::from_le_bytes(bytes));
    }

    /// The guest's address of what lies so far into the slot.
    pub fn address(self, offset: u64) -> u64 {
        self.base.expose_provenance() as u64 + offset
    }

    /// The argument with which a call is made whose paths are changed.
    pub fn set_argument(self, index: u8, value: u64) {
        self.set_word(slot::ARGS + 8 * u64::from(index.min(5)), value);
    }

    /// Whether all calls with paths are left to the net.
    pub fn asks_paths(self) -> bool {
        self.word(slot::ASKS_PATHS) != 0
    }

    /// Puts the path of `len` bytes that begins so far into the slot behind those that the guest has
    /// opened. The supervisor sees it with [`Slot::publish_opened`].
    pub fn add_opened(self, offset: u64, len: u64) {
        let head = self.word(slot::OPENED);
        for at in 0..=len {
            let byte = if at < len { self.byte(offset + at) } else { 0 };
            let place = head.wrapping_add(at) % slot::OPENED_ROOM;
            self.set_byte(slot::OPENED_PATHS + place, byte);
        }
    }

    /// Makes a path of `len` bytes the supervisor's.
    pub fn publish_opened(self, len: u64) {
        let head = self.word(slot::OPENED).wrapping_add(len + 1);
        self.atomic(slot::OPENED).store(head, Ordering::Release);
    }

    /// A register of the guest: 0 to 5 the arguments, 6 the stack pointer; what
    /// [`abi::NETLINK_REGISTER`] and [`abi::SHOWN_REGISTER`] stand for; 0 for any other.
    pub fn register(self, index: u8) -> u64 {
        match index {
            0..6 => self.word(slot::FRAME + offset_of!(Frame, rdi) as u64 + 8 * u64::from(index)),
            6 => self.word(slot::FRAME + offset_of!(Frame, rsp) as u64),
            abi::NETLINK_REGISTER => self.is_among(slot::NETLINK),
            abi::SHOWN_REGISTER => self.is_among(slot::SHOWN),
            _ => 0,
        }
    }

    /// 1 where the descriptor in the first argument is one of those in this word of the slot.
    fn is_among(self, descriptors: u64) -> u64 {
        let descriptor = self.word(slot::FRAME + offset_of!(Frame, rdi) as u64) as u32;
        self.word(descriptors) >> descriptor.min(63) & 1
    }

    /// The number of the guest's call.
    pub fn number(self) -> u64 {
        self.word(slot::FRAME + offset_of!(Frame, rax) as u64)
    }

    /// The site that the guest came from.
    pub fn site(self) -> *const Site {
        self.word(slot::FRAME + offset_of!(Frame, site) as u64) as *const Site
    }

    /// Whether the supervisor wants the next call to stop.
    pub fn wants_stop(self) -> bool {
        self.attention() != 0
    }

    /// Whether all calls stop from now on.
    pub fn is_closed(self) -> bool {
        self.attention() == slot::CLOSED
    }

    fn attention(self) -> u32 {
        let pointer = self.pointer(slot::ATTENTION).cast();
        // SAFETY: as for `atomic`.
        unsafe { AtomicU32::from_ptr(pointer) }.load(Ordering::Acquire)
    }

    /// Whether at this time the supervisor may be gone, and the guest lives on.
    pub fn is_orphaned(self, time: u64) -> bool {
        let until = self.word(slot::LEASE);
        until != 0 && time > until
    }

    /// Counts a call that is left to the net.
    pub fn count_left(self) {
        self.set_word(slot::LEFT, self.word(slot::LEFT).wrapping_add(1));
    }

    /// Counts a call that came to be recorded, or to have its paths changed.
    pub fn count_came(self) {
        self.set_word(slot::CAME, self.word(slot::CAME).wrapping_add(1));
    }

    /// How many bytes the supervisor has taken out of the ring.
    pub fn tail(self) -> u64 {
        self.atomic(slot::TAIL).load(Ordering::Acquire)
    }

    /// Makes what was written to the ring the supervisor's.
    pub fn set_head(self, head: u64) {
        self.atomic(slot::HEAD).store(head, Ordering::Release);
    }

    /// Announces records of the present, as [`slot::SINCE`] says.
    pub fn announce(self) {
        // What was published last is in the past, and is at hand where the clock is not.
        self.set_word(slot::SINCE, self.word(slot::LAST).max(1));
        compiler_fence(Ordering::SeqCst);
    }

    /// Notes when it published last.
    pub fn set_last(self, time: u64) {
        self.set_word(slot::LAST, time);
    }

    /// Ends what [`Slot::announce`] began.
    pub fn conclude(self) {
        self.atomic(slot::SINCE).store(0, Ordering::Release);
    }

    /// The number of the call whose exit half is missing.
    pub fn open(self) -> Option<u64> {
        self.word(slot::OPEN).checked_sub(1)
    }

    /// Notes of which call the exit half is missing.
    pub fn set_open(self, number: Option<u64>) {
        self.set_word(slot::OPEN, number.map_or(0, |number| number.wrapping_add(1)));
    }

    /// The number that a register pointed to before the call.
    pub fn pointed_to(self, register: u8) -> u64 {
        self.word(slot::COUNTS + 8 * u64::from(register.min(6)))
    }

    /// Notes the number that a register points to.
    pub fn set_pointed_to(self, register: u8, number: u64) {
        self.set_word(slot::COUNTS + 8 * u64::from(register.min(6)), number);
    }
}
