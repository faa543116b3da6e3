//! Where the supervisor runs.

use kernel::wait::Change;

use crate::tracee_table::TraceeTable;

/// Keeps the supervisor where waking it costs least.
#[derive(Debug)]
pub struct Placement {}

impl Placement {
    pub fn new() -> Placement {
        Placement {}
    }

    pub fn adapt(&mut self, _changes: &[Change], _tracees: &TraceeTable) {}
}
