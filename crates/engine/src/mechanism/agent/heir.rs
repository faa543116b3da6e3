//! What a new thread has from its maker.

use std::cell::RefCell;
use std::rc::Rc;

use super::arena::{Arena, Slot};
use super::extent::Extent;
use super::seat::Seat;
use super::space::Space;

/// What a new thread has from its maker.
#[derive(Clone, Debug)]
pub struct Heir {
    pub(super) arena: Rc<Arena>,
    /// Its address space.
    pub space: Rc<RefCell<Space>>,
    pub(super) extent: Rc<Extent>,
    /// It gets no seat, for what it is itself.
    pub declined: bool,
}

impl Heir {
    /// What a thread in this seat leaves.
    pub fn of(seat: &Seat) -> Heir {
        Heir {
            arena: Rc::clone(seat.slot.arena()),
            space: Rc::clone(&seat.space),
            extent: Rc::clone(&seat.extent),
            declined: false,
        }
    }

    /// How much of the arena is mapped, in bytes.
    pub(super) fn arena_len(&self) -> u64 {
        self.extent.len()
    }

    /// Whether it will leave all calls with paths to the net.
    pub(super) fn ask_about_paths(&self, asks: bool) {
        self.arena.ask_about_paths(asks);
    }

    /// A slot, if one is free and mapped.
    pub(super) fn slot(&self) -> Option<Slot> {
        self.arena.slot(self.extent.slots())
    }

    /// A seat, if a slot is free and mapped.
    pub(super) fn seat(&self) -> Option<Seat> {
        Some(Seat::new(self.slot()?, Rc::clone(&self.space), Rc::clone(&self.extent)))
    }
}
