//! Work on the memory of a program that is held at its snapshot.

use super::watched::Change;
use super::{Error, Guest};
use crate::memory::{Batch, Outcome};

impl Guest {
    /// Carries out work on the program's address space. What that changes is a part of the run that
    /// comes: the next rewind undoes it.
    ///
    /// # Errors
    /// The program is lost. What fails of the work itself is told by the outcome.
    ///
    /// # Panics
    /// When the program is not where its snapshot was taken.
    pub fn carry_out(&mut self, batch: Batch<'_>) -> Result<Outcome, Error> {
        let snapshot = self.snapshot.take().filter(|_| self.at_snapshot);
        let snapshot = snapshot.expect("work is carried out at a snapshot");
        let changed = self.changed.entry(self.pid).or_default();
        [Change::Memory, Change::Descriptors].into_iter().for_each(|change| changed.note(change));
        let space = self.space(self.pid, &snapshot.processes[&self.pid]);
        self.snapshot = Some(snapshot);
        let mut space = space?;
        let outcome = batch.carry_out(&mut space);
        self.hold(self.pid, space)?;
        outcome.map_err(Error::remote("the program is lost"))
    }
}
