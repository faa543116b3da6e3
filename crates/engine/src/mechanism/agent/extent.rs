//! How much of the arena an address space has mapped.

use std::cell::Cell;
use std::rc::Rc;

use agent::abi;
use kernel::remote::{Call, Failure, RemoteCalls};

use super::arena::{FIRST_SLOTS, SLOTS};

/// How much of the arena an address space has mapped. What one program has forked shares the arena,
/// and each process maps for itself what it needs of it.
#[derive(Debug)]
pub struct Extent {
    /// In slots.
    slots: Cell<u64>,
    /// The guest's kernel has refused more: something else is mapped behind the arena, or the
    /// process may not have more memory.
    fixed: Cell<bool>,
}

impl Extent {
    /// What a program has at first.
    pub fn new() -> Rc<Extent> {
        Rc::new(Extent { slots: Cell::new(FIRST_SLOTS), fixed: Cell::new(false) })
    }

    /// That of a copy of the address space.
    pub fn copy(&self) -> Rc<Extent> {
        Rc::new(Extent { slots: self.slots.clone(), fixed: self.fixed.clone() })
    }

    /// How many slots are mapped.
    pub fn slots(&self) -> u64 {
        self.slots.get()
    }

    /// Whether more slots are still to be tried.
    pub fn may_grow(&self) -> bool {
        !self.fixed.get()
    }

    /// Maps so many slots at least, unless the guest's kernel refuses.
    pub fn grow(&self, calls: &mut RemoteCalls, wanted: u64) -> Result<(), Failure> {
        let slots = wanted.next_power_of_two().min(SLOTS);
        let [len, new_len] = [self.slots(), slots].map(|slots| slots * abi::SLOT_LEN);
        match calls.call(Call::resize(abi::ARENA, len, new_len)) {
            Ok(_) => self.slots.set(slots),
            Err(Failure::Refused(_)) => self.fixed.set(true),
            Err(failure) => return Err(failure),
        }
        Ok(())
    }
}
