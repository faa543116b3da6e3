//! Identities in the guest: addresses and threads.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

/// An address in a guest's address space. It means nothing in ours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct GuestAddr(pub u64);

impl GuestAddr {
    /// The null pointer.
    pub const NULL: GuestAddr = GuestAddr(0);

    /// Whether this is the null pointer.
    pub fn is_null(self) -> bool {
        self == Self::NULL
    }

    /// The address so many bytes further, `None` past the end of the address space.
    pub fn checked_add(self, bytes: u64) -> Option<GuestAddr> {
        self.0.checked_add(bytes).map(GuestAddr)
    }
}

/// A thread's id, as `gettid(2)` gives it in the supervisor's pid namespace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tid(pub i32);

/// A map by thread. Looked into several times a stop, so it spares the hashing of ids that are
/// spread already: the kernel gives them out in turn.
pub type TidMap<V> = HashMap<Tid, V, BuildHasherDefault<TidHasher>>;

/// The hash of a [`Tid`].
#[derive(Clone, Copy, Debug, Default)]
pub struct TidHasher(u64);

impl Hasher for TidHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_i32((*byte).into()));
    }

    fn write_i32(&mut self, id: i32) {
        // Fibonacci hashing: the upper bits, by which the map picks first, depend on all of them.
        self.0 = (self.0 ^ u64::from(id as u32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// A process's id: the [`Tid`] of its first thread.
pub type Pid = Tid;

impl fmt::Display for Tid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
