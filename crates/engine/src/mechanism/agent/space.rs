//! What is known of a guest's address space: its files, its sites, its trampolines.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::sites::Patch;

/// An address space with an agent. A fork begins with a copy.
#[derive(Clone, Debug, Default)]
pub struct Space {
    /// The sites whose calls went through the net, by their addresses.
    pub sites: HashMap<u64, Site>,
    /// Mapped texts whose sites that are worth it have been patched.
    pub served: Vec<Range<u64>>,
    /// Room for trampolines.
    pub areas: Vec<Area>,
    /// The jumps to the trampolines are no more.
    pub undone: bool,
    /// The agent stays mapped when its threads are let go: somebody else may be in it, or the guest
    /// can make no calls for the supervisor.
    pub kept: bool,
}

/// A site that has been seen.
#[derive(Clone, Debug)]
pub enum Site {
    /// So many of its calls went through the net.
    Seen(u32),
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

impl Space {
    /// The patch whose trampoline is at this address.
    pub fn trampoline(&self, address: u64) -> Option<&Rc<Patch>> {
        if !self.areas.iter().any(|area| area.range.contains(&address)) {
            return None;
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
            Site::Seen(_) | Site::Declined => None,
        })
    }
}
