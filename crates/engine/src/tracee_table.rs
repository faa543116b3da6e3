//! All guest threads, by id.

use contract::{Tid, TidMap};

use crate::tracee::Tracee;

/// The guest threads that are traced, and how many of them run.
#[derive(Debug, Default)]
pub struct TraceeTable {
    tracees: TidMap<Tracee>,
}

impl TraceeTable {
    /// The thread with this id.
    pub fn get_mut(&mut self, tid: Tid) -> Option<&mut Tracee> {
        self.tracees.get_mut(&tid)
    }

    /// The thread with this id.
    pub fn get(&self, tid: Tid) -> Option<&Tracee> {
        self.tracees.get(&tid)
    }

    /// Adds a thread; one that died unseen under the same id is forgotten.
    pub fn insert(&mut self, tid: Tid, tracee: Tracee) -> &mut Tracee {
        self.tracees.entry(tid).insert_entry(tracee).into_mut()
    }

    /// Forgets a thread.
    pub fn remove(&mut self, tid: Tid) -> Option<Tracee> {
        self.tracees.remove(&tid)
    }

    /// Whether this thread is known.
    pub fn contains(&self, tid: Tid) -> bool {
        self.tracees.contains_key(&tid)
    }

    /// Whether this thread is served before others: others wait for what it does. So is one of
    /// which nobody has told yet.
    pub fn is_urgent(&self, tid: Tid) -> bool {
        self.get(tid).is_none_or(|tracee| tracee.urgency > 0)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tracees.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tracees.is_empty()
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Tid, &Tracee)> {
        self.tracees.iter().map(|(tid, tracee)| (*tid, tracee))
    }

    /// The same, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Tid, &mut Tracee)> {
        self.tracees.iter_mut().map(|(tid, tracee)| (*tid, tracee))
    }
}
