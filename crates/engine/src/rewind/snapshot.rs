//! What a program is at one moment.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use kernel::pagemap::Region;
use kernel::proc::mappings::{List, Mapping};
use kernel::ptrace::{ExtendedState, Registers, Rseq};

use super::descriptors::Descriptors;
use super::ended::Ends;
use super::file::File;
use super::quiet::Quiet;
use super::shared::Shared;
use super::untouched::Untouched;
use crate::memory::annex::Annex;
use crate::memory::saved::SavedPages;
use crate::memory::tracker::Tracker;

/// What a program is at one moment.
#[derive(Debug)]
pub struct Tree {
    /// Its processes, by their ids.
    pub processes: BTreeMap<i32, Snapshot>,
    /// Those that have ended before, and have not been waited for.
    pub ends: Ends,
}

impl Tree {
    /// How many threads all have.
    pub fn threads(&self) -> usize {
        self.processes.values().map(|process| process.threads.len()).sum()
    }

    /// A thread, and its process.
    pub fn thread(&self, tid: i32) -> Option<(i32, &SavedThread)> {
        self.processes
            .iter()
            .find_map(|(pid, process)| process.threads.get(&tid).map(|thread| (*pid, thread)))
    }
}

/// What a process is at one moment.
#[derive(Debug)]
pub struct Snapshot {
    pub annex: Rc<Annex>,
    pub tracker: Tracker,
    pub saved: SavedPages,
    pub maps: List,
    /// The mappings, in the kernel's words and taken apart.
    pub maps_text: Vec<u8>,
    pub mappings: Vec<Mapping>,
    pub threads: BTreeMap<i32, SavedThread>,
    pub descriptors: Descriptors,
    pub process: SavedProcess,
    pub shared: Shared,
    /// The signals that wait for any of its threads.
    pub queued: Vec<Signal>,
    /// What is mapped, and is neither followed nor put back, in order.
    pub unfollowed: Vec<Range<u64>>,
    pub quiet: Quiet,
    pub untouched: Untouched,
    /// Room for what is found at each rewind.
    pub found: Vec<Region>,
}

impl Snapshot {
    /// Whether anything was mapped in this range.
    pub fn has_memory_in(&self, range: &Range<u64>) -> bool {
        let is_in =
            |mapping: &Mapping| mapping.range.start < range.end && range.start < mapping.range.end;
        self.mappings.iter().any(is_in)
    }
}

/// A signal, as the kernel's `siginfo_t`.
pub type Signal = [u8; 128];

/// What a thread tells of itself. The first one of a process has told it with the rest.
#[derive(Clone, Copy, Default, Debug)]
pub struct Told {
    /// Where the kernel writes 0 when it ends, and wakes who waits for that; 0 if nowhere.
    pub tid_address: u64,
    /// The stack of its signal handlers: `stack_t`.
    pub alternate_stack: [u8; STACK],
}

/// A thread, stopped outside of any call.
#[derive(Debug)]
pub struct SavedThread {
    pub registers: Registers,
    pub extended: ExtendedState,
    pub blocked: u64,
    pub told: Told,
    /// Its name.
    pub name: Vec<u8>,
    /// What it has registered of restartable sequences.
    pub rseq: Rseq,
    /// The signals that wait for it.
    pub queued: Vec<Signal>,
}

/// What calls of the program tell of its process.
#[derive(Debug)]
pub struct SavedProcess {
    /// The end of the heap.
    pub heap_end: u64,
    /// `struct sigaction` of the kernel, for each signal in [`SIGNALS`].
    pub handlers: Vec<[u8; ACTION]>,
    /// `stack_t`.
    pub alternate_stack: [u8; STACK],
    pub file_mask: u64,
    /// The path of its working directory, and what that is.
    pub directory: Vec<u8>,
    pub directory_file: Option<File>,
    pub ignores_trap: bool,
}

/// The signals that can have handlers.
pub const SIGNALS: std::ops::RangeInclusive<u64> = 1..=64;
/// The size of the kernel's `struct sigaction`, in bytes.
pub const ACTION: usize = 32;
/// The size of `stack_t`, in bytes.
pub const STACK: usize = 24;
/// The size of the kernel's signal sets, in bytes.
pub const SET: u64 = 8;
