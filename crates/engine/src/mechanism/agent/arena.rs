//! The memory that the supervisor shares with the guests of one program: a slot for each thread.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::ops::Range;
use std::rc::Rc;

use agent::abi::{self, Frame, slot};
use kernel::shared::SharedMemory;

use super::space::AREA_LEN;

/// How many slots there are at most: so many threads of one program, and of what it forks, can have
/// the agent at the same time. The file is sparse: what nobody uses takes no memory.
const SLOTS_MAX: u64 = 8192;
/// How many a program has at first. More are mapped when they are needed.
pub const FIRST_SLOTS: u64 = 16;
/// Where the tables begin in the file, behind the image.
pub const FILE_TABLES: u64 = abi::TABLES - abi::IMAGE;
/// Where in the file there are zeros for an area for trampolines, behind the tables.
pub const FILE_AREA: u64 = abi::TABLES_END - abi::IMAGE;
/// Where the arena begins in the file.
pub const FILE_ARENA: u64 = FILE_AREA + AREA_LEN;

/// How large what is shared is: it depends on the size of a ring, in bytes, a power of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    pub ring_len: u64,
}

impl Layout {
    /// Size of a slot, in bytes.
    pub fn slot_len(self) -> u64 {
        abi::slot_len(self.ring_len)
    }

    /// How many slots there are.
    pub fn slots(self) -> u64 {
        ((abi::ARENA_END - abi::ARENA) / self.slot_len()).min(SLOTS_MAX)
    }

    /// Size of the file, in bytes.
    pub fn file_len(self) -> u64 {
        FILE_ARENA + self.slots() * self.slot_len()
    }
}

/// The shared memory, and which of its slots are free.
#[derive(Debug)]
pub struct Arena {
    memory: SharedMemory,
    layout: Layout,
    /// Slots that were used and are free again, the lowest first.
    free: RefCell<BinaryHeap<Reverse<u32>>>,
    /// How many were ever used.
    used: Cell<u32>,
    /// Its agents leave all calls with paths to the net.
    asks_paths: Cell<bool>,
}

/// A thread's slot. It is free again when this is dropped.
#[derive(Debug)]
pub struct Slot {
    arena: Rc<Arena>,
    index: u32,
}

impl Arena {
    /// An arena in this memory, all of whose slots are free.
    pub fn new(memory: SharedMemory, layout: Layout) -> Rc<Arena> {
        Rc::new(Arena {
            memory,
            layout,
            free: RefCell::default(),
            used: Cell::new(0),
            asks_paths: Cell::new(false),
        })
    }

    /// The lowest free slot, made empty, if that is one of the first `mapped`.
    pub fn slot(self: &Rc<Arena>, mapped: u64) -> Option<Slot> {
        let index = self.lowest_free().filter(|index| u64::from(*index) < mapped)?;
        if self.free.borrow_mut().pop().is_none() {
            self.used.set(index + 1);
        }
        let slot = Slot { arena: Rc::clone(self), index };
        let fields = [
            slot::HEAD,
            slot::SINCE,
            slot::TAIL,
            slot::ATTENTION,
            slot::MADE,
            slot::OPEN,
            slot::CAME,
            slot::OPENED,
            slot::GATE,
            slot::SELECTOR,
            slot::LEASE,
            slot::NETLINK,
            slot::SHOWN,
        ];
        fields.into_iter().for_each(|field| slot.store(field, 0));
        slot.store(slot::ASKS_PATHS, self.asks_paths.get().into());
        // Its first record will not be older.
        slot.store(slot::LAST, kernel::clock::tsc());
        Some(slot)
    }

    /// Whether agents that get a slot from now on leave all calls with paths to the net.
    pub fn ask_about_paths(&self, asks: bool) {
        self.asks_paths.set(asks);
    }

    /// How many slots must be mapped for another thread; `None` if there is none left.
    pub fn wanted(&self) -> Option<u64> {
        self.lowest_free().map(|index| u64::from(index) + 1)
    }

    fn lowest_free(&self) -> Option<u32> {
        let used_before = self.free.borrow().peek().map(|Reverse(index)| *index);
        let slots = self.layout.slots();
        used_before.or(Some(self.used.get())).filter(|index| u64::from(*index) < slots)
    }
}

impl Slot {
    /// Where it is in the guest: what `%gs` is to be.
    pub fn address(&self) -> u64 {
        abi::ARENA + u64::from(self.index) * self.layout().slot_len()
    }

    /// Whether an address of the guest lies in it.
    pub fn contains(&self, address: u64) -> bool {
        (self.address()..=self.address() + self.layout().slot_len()).contains(&address)
    }

    /// The arena that it is of.
    pub fn arena(&self) -> &Rc<Arena> {
        &self.arena
    }

    /// Whether its agent, and those that get a slot of the arena from now on, leave all calls with paths
    /// to the net.
    pub fn ask_about_paths(&self, asks: bool) {
        self.arena.ask_about_paths(asks);
        self.store(slot::ASKS_PATHS, asks.into());
    }

    fn layout(&self) -> Layout {
        self.arena.layout
    }

    /// Size of the ring, in bytes.
    pub fn ring_len(&self) -> u64 {
        self.layout().ring_len
    }

    /// Reads a field (load-acquire).
    pub fn load(&self, field: u64) -> u64 {
        self.arena.memory.load_u64(self.offset(field) as usize)
    }

    /// Writes a field (store-release).
    pub fn store(&self, field: u64, value: u64) {
        self.arena.memory.store_u64(self.offset(field) as usize, value);
    }

    /// Appends the ring's bytes from one position up to another, which lie no further apart than
    /// the ring is long.
    pub fn copy_ring(&self, from: u64, to: u64, bytes: &mut Vec<u8>) {
        self.copy_round(slot::RING, self.ring_len(), from..to, bytes);
    }

    /// The same of the paths that the guest has opened.
    pub fn copy_opened(&self, from: u64, to: u64, bytes: &mut Vec<u8>) {
        self.copy_round(slot::OPENED_PATHS, slot::OPENED_ROOM, from..to, bytes);
    }

    /// Appends bytes that lie round and round in the room at a field.
    fn copy_round(&self, field: u64, room: u64, positions: Range<u64>, bytes: &mut Vec<u8>) {
        let mut at = positions.start;
        while at < positions.end {
            let place = at % room;
            let len = (positions.end - at).min(room - place);
            let start = bytes.len();
            bytes.resize(start + len as usize, 0);
            self.arena.memory.copy_out(self.offset(field + place) as usize, &mut bytes[start..]);
            at += len;
        }
    }

    /// The registers that the agent has saved.
    pub fn frame(&self) -> Frame {
        let word = |index: u64| self.load(slot::FRAME + 8 * index);
        Frame {
            rax: word(0),
            rdi: word(1),
            rsi: word(2),
            rdx: word(3),
            r10: word(4),
            r8: word(5),
            r9: word(6),
            rbx: word(7),
            rbp: word(8),
            r12: word(9),
            r13: word(10),
            r14: word(11),
            r15: word(12),
            rsp: word(13),
            flags: word(14),
            site: word(15),
        }
    }

    fn offset(&self, field: u64) -> u64 {
        FILE_ARENA + u64::from(self.index) * self.layout().slot_len() + field
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if Rc::strong_count(&self.arena) > 1 {
            let (offset, len) = (self.offset(0), self.layout().slot_len());
            // Memory that stays is used again.
            let _: io::Result<()> = self.arena.memory.punch_hole(offset as usize, len as usize);
        }
        self.arena.free.borrow_mut().push(Reverse(self.index));
    }
}
