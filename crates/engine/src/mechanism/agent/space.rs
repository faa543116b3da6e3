//! What is known of a guest's address space: its files, its sites, its trampolines.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

use crate::sites::gaps;
use crate::sites::{Code, Patch, TRAMPOLINE_MAX};

/// Size of an area for trampolines, in bytes.
pub const AREA_LEN: u64 = 0x1_0000;
/// So many addresses are told apart at which signals came.
const INTERRUPTED_MAX: usize = 1024;

/// An address space with an agent. A fork begins with a copy.
#[derive(Clone, Debug, Default)]
pub struct Space {
    /// The sites that have been patched, or whose calls went through the net, by their addresses.
    pub sites: HashMap<u64, Site>,
    /// The file of the program; `None` where it had begun before.
    pub program: Option<Rc<Code>>,
    /// Mapped texts whose known sites have been patched.
    pub served: Vec<Range<u64>>,
    /// Room for trampolines.
    pub areas: Vec<Area>,
    /// The jumps to the trampolines are no more.
    pub undone: bool,
    /// The agent stays mapped when its threads are let go: somebody else may be in it, or the guest
    /// can make no calls for the supervisor.
    pub kept: bool,
    /// Somebody may be there whom nobody can stop, and whom a breakpoint would kill.
    pub untraced: bool,
    /// Where handlers of signals may return to.
    pub interrupted: Interrupted,
}

/// A site that has been seen.
#[derive(Clone, Debug)]
pub enum Site {
    /// Its calls go to the agent.
    Patched(Rc<Patch>),
    /// It stays as it is.
    Declined,
}

/// Memory for trampolines.
#[derive(Clone, Debug)]
pub struct Area {
    /// Its addresses.
    pub range: Range<u64>,
    /// Where its free part begins.
    pub free: u64,
}

/// Where threads were when signals came.
#[derive(Clone, Debug, Default)]
pub struct Interrupted {
    at: BTreeSet<u64>,
    /// There were too many to remember.
    anywhere: bool,
}

impl Area {
    /// An empty one.
    pub fn new(start: u64) -> Area {
        Area { range: start..start + AREA_LEN, free: start }
    }

    /// Whether another trampoline has room.
    pub fn has_room(&self) -> bool {
        self.range.end - self.free >= TRAMPOLINE_MAX
    }

    /// Whether it has room, and reaches all of `near`.
    pub fn serves(&self, near: &Range<u64>) -> bool {
        self.has_room() && gaps::reaches(&self.range, near)
    }
}

impl Interrupted {
    /// Nobody knows where.
    pub fn anywhere() -> Interrupted {
        Interrupted { anywhere: true, ..Interrupted::default() }
    }

    /// A signal has come when a thread was at this address.
    pub fn add(&mut self, address: u64) {
        if self.at.len() < INTERRUPTED_MAX {
            self.at.insert(address);
        } else {
            self.anywhere |= !self.at.contains(&address);
        }
    }

    /// Whether a thread may have been at any of these addresses.
    pub fn any_of(&self, addresses: &[u64]) -> bool {
        self.anywhere && !addresses.is_empty() || addresses.iter().any(|at| self.at.contains(at))
    }
}

impl Space {
    /// Whether it was decided what becomes of this site.
    pub fn knows(&self, site: u64) -> bool {
        self.sites.contains_key(&site)
    }

    /// The patch whose trampoline, or board, is at this address.
    pub fn trampoline(&self, address: u64) -> Option<&Rc<Patch>> {
        if !self.areas.iter().any(|area| area.range.contains(&address)) {
            return self.patches().find(|patch| patch.board() == Some(address));
        }
        self.patches().find(|patch| {
            let end = patch.trampoline + patch.bytes.len() as u64;
            (patch.trampoline..end).contains(&address)
        })
    }

    /// All patches.
    pub fn patches(&self) -> impl Iterator<Item = &Rc<Patch>> {
        self.sites.values().filter_map(|site| match site {
            Site::Patched(patch) => Some(patch),
            Site::Declined => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_places_are_all_places() {
        let mut interrupted = Interrupted::default();
        assert!(!interrupted.any_of(&[0x1000]));
        for address in 0..INTERRUPTED_MAX as u64 {
            interrupted.add(0x1000 + address);
            interrupted.add(0x1000);
        }
        assert!(interrupted.any_of(&[1, 0x1005]) && !interrupted.any_of(&[1, 2]));
        interrupted.add(3);
        assert!(interrupted.any_of(&[1, 2]) && !interrupted.any_of(&[]));
    }
}
