//! What the kernel finds, by the path as the guest gives it, just as the guest is to find it. One question
//! tells, where it is a file that nobody has to know the name of.
//!
//! That holds for what lies outside of places where the host has nothing at all at their paths
//! ([`Map::links_stay`](crate::paths::Map::links_stay)): whatever links are on the way, what is found is
//! outside of places too.

use contract::Guest;

use super::MapModule;
use super::program::Program;
use crate::paths::{HostTree, Last, Plain, Tree};

/// So many scripts in a row may be interpreters of each other.
pub(super) const MOST_SCRIPTS: usize = 5;

impl MapModule {
    /// Whether the kernel finds the file of this path, or that nothing is there, as the guest is to.
    pub(super) fn is_found_as_given(&self, guest: &dyn Guest, text: &[u8], last: Last) -> bool {
        let Some(path) = self.outside(guest, text) else { return false };
        let tree = HostTree::of(guest.process(), guest.tid());
        let follow = last.follows(text);
        if tree.is_there(&path, follow) {
            return true;
        }
        let mut above = path.clone();
        above.pop();
        // No link, and not in a directory from which a place is seen.
        let is_place = path.names().last().is_none_or(|name| self.map.may_lead_into_place(name));
        !is_place && !tree.is_there(&path, false) && tree.is_there(&above, true)
    }

    /// Whether the kernel runs by this path what the guest is to run, with the same interpreter or loader.
    pub(super) fn runs_as_given(&self, guest: &dyn Guest, text: &[u8]) -> bool {
        let mut text = text.to_vec();
        for _ in 0..=MOST_SCRIPTS {
            let program = self.outside(guest, &text).map(|path| self.programs.read(&path));
            match program {
                Some(Ok(Program::Alone)) => return true,
                Some(Ok(Program::Loaded { by })) => {
                    return self.is_found_as_given(guest, &by, Last::Follow);
                }
                Some(Ok(Program::Script { by, .. })) => text = by,
                Some(Err(_)) | None => return false,
            }
        }
        false
    }

    /// A path that begins outside of places, if what it leads to is outside too, wherever there is
    /// something. Not one below `/proc`, which has other files for others.
    fn outside(&self, guest: &dyn Guest, text: &[u8]) -> Option<Plain> {
        let names_count = self.map.has_read_only() || self.processes.has_opened();
        if !self.links_stay || names_count || self.processes.root(guest.tid()) != Plain::ROOT {
            return None;
        }
        let path = Plain::of(text)?;
        let is_same = self.map.is_same(&path) && path.names().next() != Some(b"proc");
        is_same.then_some(path)
    }
}
