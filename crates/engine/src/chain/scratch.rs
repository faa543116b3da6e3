//! Room in a guest's memory for the bytes of changed arguments.
//!
//! The guest maps it itself, at the first call that needs it: at the stop before that call the thread
//! is made to call `mmap(2)` in its place, and behind that to make its own call again. So nothing of
//! the guest's own memory is used, however small its stacks are. The mapping belongs to the address
//! space: a fork has a copy of it, and an exec ends it. Each thread has a slot of its own.
//!
//! A guest may unmap it, and map something else there. So each slot begins with a mark, which is looked
//! at before the slot is written to.

use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};
use std::rc::Rc;

use contract::{Arch, SCRATCH_LEN, Tid};
use kernel::memory;

use crate::memory::PageCache;

/// The length of a slot's mark, in bytes.
const MARK_LEN: usize = 16;
/// The length of a slot, in bytes, a multiple of the size of a page.
const SLOT_LEN: u64 = (SCRATCH_LEN + MARK_LEN).next_multiple_of(4096) as u64;
/// So many slots are mapped at a time.
const SLOTS: usize = 16;
/// How much is mapped at a time, in bytes.
pub(super) const EXTENT_LEN: u64 = SLOT_LEN * SLOTS as u64;
/// How bytes are aligned in a slot: as any struct may be.
const ALIGNMENT: usize = 8;

/// What marks our slots: nobody else can know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cookie([u8; MARK_LEN]);

/// The room in one address space.
#[derive(Clone, Debug, Default)]
pub struct Room(Rc<RefCell<Vec<Extent>>>);

/// Slots that were mapped together.
#[derive(Clone, Debug)]
struct Extent {
    start: u64,
    owners: [Option<Tid>; SLOTS],
    /// Which slots have a mark.
    marked: [bool; SLOTS],
}

impl Cookie {
    /// One that no other session has.
    pub fn new() -> Cookie {
        let half = |nth: u8| RandomState::new().hash_one(nth).to_le_bytes();
        let mut cookie = [0; MARK_LEN];
        cookie[..8].copy_from_slice(&half(0));
        cookie[8..].copy_from_slice(&half(1));
        Cookie(cookie)
    }
}

impl Room {
    /// The room of a copy of the address space: the same places, all free.
    pub fn copied(&self) -> Room {
        let mut extents = self.0.borrow().clone();
        extents.iter_mut().for_each(|extent| extent.owners = [None; SLOTS]);
        Room(Rc::new(RefCell::new(extents)))
    }

    /// More room, that begins here.
    pub(super) fn add(&self, start: u64) {
        let extent = Extent { start, owners: [None; SLOTS], marked: [false; SLOTS] };
        self.0.borrow_mut().push(extent);
    }

    /// A thread needs its slot no more.
    pub fn leave(&self, tid: Tid) {
        for extent in self.0.borrow_mut().iter_mut() {
            extent.owners.iter_mut().filter(|owner| **owner == Some(tid)).for_each(|it| *it = None);
        }
    }

    /// Writes these bytes to the thread's slot. Where they are; `None` if there is no slot for it.
    pub(super) fn place(
        &self,
        tid: Tid,
        arch: Arch,
        bytes: &[&[u8]],
        cookie: Cookie,
        pages: &mut PageCache,
    ) -> Option<Vec<u64>> {
        let mut extents = self.0.borrow_mut();
        let len: usize = bytes.iter().map(|bytes| bytes.len().next_multiple_of(ALIGNMENT)).sum();
        let is_long = len > SLOT_LEN as usize - MARK_LEN;
        let (extent, slot) = extents.iter_mut().find_map(|extent| {
            let slot = match is_long {
                true => extent.first_of_all(tid),
                false => extent.slot_of(tid),
            };
            let slot = slot.filter(|_| extent.is_reached_by(arch))?;
            Some((extent, slot))
        })?;
        let start = extent.start + slot as u64 * SLOT_LEN;
        let expected = if extent.marked[slot] { cookie.0 } else { [0; MARK_LEN] };
        pages.clear();
        let _ = pages.load(tid, [(contract::GuestAddr(start), MARK_LEN)].into_iter());
        let found = pages.rest_of_page(contract::GuestAddr(start));
        if found.is_none_or(|found| found[..MARK_LEN] != expected) {
            // It was unmapped: nothing of it is ours any more.
            extents.clear();
            return None;
        }
        let mut at = MARK_LEN;
        let mut pieces: Vec<(u64, &[u8])> = vec![(start, &cookie.0)];
        for bytes in bytes {
            pieces.push((start + at as u64, bytes));
            at = (at + bytes.len()).next_multiple_of(ALIGNMENT);
        }
        if memory::write(tid.0, &pieces).is_err() {
            extents.clear();
            return None;
        }
        extent.owners[slot] = Some(tid);
        extent.marked[slot] = true;
        if is_long {
            // The other slots' marks are gone. It is for an exec, which ends it.
            let start = extent.start;
            extents.retain(|extent| extent.start != start);
        }
        Some(pieces[1..].iter().map(|(at, _)| *at).collect())
    }
}

impl Extent {
    /// The slot of a thread, or one that is free.
    fn slot_of(&self, tid: Tid) -> Option<usize> {
        let of = |wanted| self.owners.iter().position(|owner| *owner == wanted);
        of(Some(tid)).or_else(|| of(None))
    }

    /// The first slot, if no other thread has any.
    fn first_of_all(&self, tid: Tid) -> Option<usize> {
        self.owners.iter().all(|owner| owner.is_none_or(|owner| owner == tid)).then_some(0)
    }

    /// Whether calls of this ABI can have pointers to it.
    fn is_reached_by(&self, arch: Arch) -> bool {
        arch != Arch::I386 || self.start + EXTENT_LEN <= 1 << 32
    }
}
