//! The toll: how many kernel calls the supervisor has made on its guests' behalf, by kind.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a kernel call was for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Waiting for a guest: `wait4(2)`, `waitid(2)`.
    Wait,
    /// A `ptrace(2)` request.
    Ptrace,
    /// Reading a guest's memory.
    MemoryRead,
    /// Writing a guest's memory.
    MemoryWrite,
    /// Reading `/proc`.
    ProcRead,
    /// Sending a guest a signal.
    Signal,
    /// Anything else.
    Other,
}

const KINDS: usize = Kind::Other as usize + 1;

static CALLS: [AtomicU64; KINDS] = [const { AtomicU64::new(0) }; KINDS];

/// Counts one kernel call.
pub fn count(kind: Kind) {
    CALLS[kind as usize].fetch_add(1, Ordering::Relaxed);
}

/// The kernel calls counted so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ledger([u64; KINDS]);

impl Ledger {
    /// How many calls of this kind were made.
    pub fn of(&self, kind: Kind) -> u64 {
        self.0[kind as usize]
    }
}

/// What has been counted so far, by the whole process.
pub fn snapshot() -> Ledger {
    Ledger(std::array::from_fn(|kind| CALLS[kind].load(Ordering::Relaxed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counted_call_is_in_the_ledger() {
        let before = snapshot().of(Kind::Signal);
        count(Kind::Signal);
        assert!(snapshot().of(Kind::Signal) > before);
    }
}
