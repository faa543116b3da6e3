//! A machine and a slot for tests.

use core::cell::{Cell, RefCell};
use core::mem::offset_of;
use core::sync::atomic::{Ordering, fence};
use std::collections::BTreeMap;
use std::vec;
use std::vec::Vec;

use super::Machine;
use super::names::READLINK;
use super::slot::Slot;
use super::usage::CLOCK_GETTIME;
use crate::abi::{self, Frame, RING_LEN, Site, slot};

/// Size of a page, in bytes.
pub const PAGE: u64 = 4096;

/// A machine with little memory.
#[derive(Debug, Default)]
pub struct Model {
    /// Pages by address; what is not there is unreadable.
    pub pages: BTreeMap<u64, Vec<u8>>,
    /// The time stamp counter: it counts how often it was read.
    clock: Cell<u64>,
    /// What calls of the agent's own return.
    pub result: u64,
    /// The CPU time that the thread has used: seconds, and nanoseconds.
    pub cpu_time: [u64; 2],
    /// Where links lead that it reads.
    pub links: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The descriptors and paths with which it made any.
    pub asked: RefCell<Vec<(u64, Vec<u8>)>>,
}

impl Model {
    /// `len` bytes at `addr`, as far as they are readable, and whether not all are.
    pub fn bytes(&self, addr: u64, len: u64) -> (Vec<u8>, bool) {
        let mut bytes = Vec::new();
        let mut here = Some(addr);
        while let Some(addr) = here
            && let Some(page) = self.pages.get(&(addr & !(PAGE - 1)))
            && (bytes.len() as u64) < len
        {
            let rest = &page[(addr % PAGE) as usize..];
            let left = len - bytes.len() as u64;
            bytes.extend(rest.iter().take(left as usize));
            here = addr.checked_add(rest.len() as u64);
        }
        let fault = (bytes.len() as u64) < len;
        (bytes, fault)
    }
}

impl Machine for Model {
    fn now(&self) -> u64 {
        self.clock.update(|time| time + 1);
        self.clock.get()
    }

    fn word(&self, addr: u64) -> Option<u64> {
        assert_eq!(addr % 8, 0);
        let (bytes, _) = self.bytes(addr, 8);
        bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
    }

    unsafe fn copy(&self, to: *mut u8, from: u64, len: u64) -> u64 {
        let (bytes, _) = self.bytes(from, len);
        // SAFETY: by contract.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        bytes.len() as u64
    }

    unsafe fn make_guests(&self, number: u64, args: u64) -> u64 {
        let args = core::ptr::with_exposed_provenance::<[u64; 4]>(args as usize);
        // SAFETY: they lie there, by contract.
        self.make(number, unsafe { args.read() })
    }

    fn make(&self, number: u64, args: [u64; 4]) -> u64 {
        if number == CLOCK_GETTIME {
            let time = core::ptr::with_exposed_provenance_mut::<[u64; 2]>(args[1] as usize);
            // SAFETY: there is room for a `timespec`.
            unsafe { time.write(self.cpu_time) };
            return self.result;
        }
        let mut path = core::ptr::with_exposed_provenance::<u8>(args[1] as usize);
        let mut asked = Vec::new();
        // SAFETY: a string that ends with NUL lies there.
        unsafe {
            while path.read() != 0 {
                asked.push(path.read());
                path = path.add(1);
            }
        }
        let target = self.links.get(&asked).filter(|_| number == READLINK);
        self.asked.borrow_mut().push((args[0], asked));
        let Some(target) = target else { return self.result };
        let len = target.len().min(args[2] as usize);
        let buffer = core::ptr::with_exposed_provenance_mut::<u8>(args[1] as usize);
        // SAFETY: there is so much room.
        unsafe { buffer.copy_from_nonoverlapping(target.as_ptr(), len) };
        len as u64
    }
}

/// Memory for a slot, between words that are not to be written.
#[derive(Debug)]
pub struct OwnedSlot(Vec<u64>);

/// How many words lie before and behind the slot, and what they hold.
const MARGIN: usize = 512;
const UNWRITTEN: u64 = 0x5a5a_5a5a_5a5a_5a5a;

/// How many words the slot has.
const WORDS: usize = abi::slot_len(RING_LEN) as usize / 8;

/// Where all calls come from.
pub static SITE: Site = Site { call: 0x40_0000, after: 0x40_0002 };

impl Default for OwnedSlot {
    fn default() -> OwnedSlot {
        OwnedSlot::new()
    }
}

impl OwnedSlot {
    /// A slot of zeros.
    pub fn new() -> OwnedSlot {
        let margin = [UNWRITTEN; MARGIN];
        OwnedSlot([&margin[..], &vec![0; WORDS], &margin].concat())
    }

    /// The slot.
    pub fn slot(&mut self) -> Slot {
        // SAFETY: the vector's words, which are reached only through the slot while that is used.
        unsafe { Slot::at(self.0[MARGIN..].as_mut_ptr().cast(), RING_LEN as u32) }
    }

    /// The slot of a thread that is about to make a call: by number, arguments, stack pointer.
    pub fn calling(&mut self, number: u64, registers: [u64; 7]) -> Slot {
        let slot = self.slot();
        let [args @ .., sp] = registers;
        slot.set_word(slot::FRAME + offset_of!(Frame, rax) as u64, number);
        for (index, arg) in (0..).zip(args) {
            slot.set_word(slot::FRAME + offset_of!(Frame, rdi) as u64 + 8 * index, arg);
        }
        slot.set_word(slot::FRAME + offset_of!(Frame, rsp) as u64, sp);
        let site = (&raw const SITE).expose_provenance() as u64;
        slot.set_word(slot::FRAME + offset_of!(Frame, site) as u64, site);
        slot
    }

    /// Whether nothing was written but the slot.
    pub fn is_whole(&self) -> bool {
        let (before, rest) = self.0.split_at(MARGIN);
        let behind = &rest[WORDS..];
        [before, behind].concat().iter().all(|word| *word == UNWRITTEN)
    }
}

/// Takes out of the ring what was published, as the supervisor does.
pub fn drain(slot: Slot) -> Vec<u8> {
    let (tail, head) = (slot.word(slot::TAIL), slot.word(slot::HEAD));
    fence(Ordering::Acquire);
    assert!(tail <= head && head - tail <= slot.ring_len(), "{tail} to {head}");
    let at = |position: u64| slot.word(slot.in_ring(position));
    let mut bytes = Vec::with_capacity((head - tail) as usize);
    (tail..head).step_by(8).for_each(|word| bytes.extend_from_slice(&at(word).to_le_bytes()));
    fence(Ordering::Release);
    slot.set_word(slot::TAIL, head);
    bytes
}
