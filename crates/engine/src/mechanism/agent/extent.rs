//! How much of the arena an address space has mapped.

use std::cell::Cell;
use std::rc::Rc;

use agent::abi;
use kernel::limits;
use kernel::remote::{Call, Failure, RemoteCalls};

use super::arena::{FILE_ARENA, FIRST_SLOTS, Layout};

/// The agent takes no more than one part in so many of what a process may map.
const SHARE: u64 = 64;

/// How much of the arena an address space has mapped. What one program has forked shares the arena,
/// and each process maps for itself what it needs of it.
#[derive(Debug)]
pub struct Extent {
    layout: Layout,
    /// In slots.
    slots: Cell<u64>,
    /// The guest's kernel has refused more: something else is mapped behind the arena, or the
    /// process may not have more memory.
    fixed: Cell<bool>,
}

impl Extent {
    /// What a program has at first.
    pub fn new(layout: Layout) -> Rc<Extent> {
        let slots = Cell::new(FIRST_SLOTS);
        Rc::new(Extent { layout, slots, fixed: Cell::new(false) })
    }

    /// That of a copy of the address space.
    pub fn copy(&self) -> Rc<Extent> {
        let Extent { layout, slots, fixed } = self;
        Rc::new(Extent { layout: *layout, slots: slots.clone(), fixed: fixed.clone() })
    }

    /// How many slots are mapped.
    pub fn slots(&self) -> u64 {
        self.slots.get()
    }

    /// How much that is, in bytes.
    pub fn len(&self) -> u64 {
        self.slots() * self.layout.slot_len()
    }

    /// How many slots to map so that there are `wanted` at least; `None` if they cannot be had.
    pub fn next(&self, process: i32, wanted: u64) -> Option<u64> {
        let slots = wanted.next_power_of_two().min(self.layout.slots());
        (!self.fixed.get() && affords(process, self.layout, slots)).then_some(slots)
    }

    /// Maps so many slots, unless the guest's kernel refuses.
    pub fn grow(&self, calls: &mut RemoteCalls, slots: u64) -> Result<(), Failure> {
        let new_len = slots * self.layout.slot_len();
        match calls.call(Call::resize(abi::ARENA, self.len(), new_len)) {
            Ok(_) => self.slots.set(slots),
            Err(Failure::Refused(_)) => self.fixed.set(true),
            Err(failure) => return Err(failure),
        }
        Ok(())
    }
}

/// Whether a process may map so much (`ulimit -v`) that it will not miss what the agent takes with
/// so many slots.
pub fn affords(process: i32, layout: Layout, slots: u64) -> bool {
    let limit = limits::address_space(process).unwrap_or(u64::MAX);
    (FILE_ARENA + slots * layout.slot_len()) * SHARE <= limit
}
