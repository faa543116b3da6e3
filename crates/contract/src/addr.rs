//! Identities in the guest: addresses and threads.

use std::fmt;

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

/// A process's id: the [`Tid`] of its first thread.
pub type Pid = Tid;

impl fmt::Display for Tid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
