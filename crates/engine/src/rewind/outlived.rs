//! Runs whose first process ends before others that write.
//!
//! Who reads a program's output from a pipe has all of it when nobody can write any more. So does a run:
//! its first process is held when it ends, and has ended for the others, until they have ended or closed
//! their outputs.

use std::io;
use std::ops::Range;
use std::os::fd::RawFd;

use super::file::File;
use super::run::TICKS;
use super::{End, Error, Guest};

impl Guest {
    /// The program's outputs are the files behind these descriptors of ours: from now on a run lasts until
    /// its first process has ended, and no other has one of them open. That is looked at when one ends, and
    /// now and then.
    ///
    /// # Errors
    /// There is no such descriptor.
    pub fn wait_for_outputs(&mut self, outputs: &[RawFd]) -> io::Result<()> {
        self.outputs = outputs.iter().map(|fd| File::of_ours(*fd)).collect::<io::Result<_>>()?;
        Ok(())
    }

    /// Whether others go on with its outputs now that its first process ends so. If they do, it is held, and
    /// for them it has ended. After what cannot be undone nobody is waited for: who is held is not as at
    /// the snapshot.
    pub(super) fn is_outlived(&mut self, end: End) -> Result<bool, Error> {
        let can_be_held = self.irreversible.is_none() && self.threads.contains_key(&self.pid);
        if !can_be_held || !self.has_outputs_open(|pid, guest| pid != guest.pid) {
            return Ok(false);
        }
        let ended = self.end_process(self.pid, end);
        ended.or_else(|error| self.note_lost(error))?;
        self.ended = Some(end);
        self.ticker.set_first(TICKS, TICKS);
        Ok(self.irreversible.is_none())
    }

    /// Whether the first process has ended in a run that goes on, or was out of time, since others have its
    /// outputs open.
    pub fn first_has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// How its first process has ended, if it has and nobody has its outputs open any more.
    pub(super) fn end_of_outputs(&self) -> Option<End> {
        self.ended.filter(|_| !self.has_outputs_open(|_, _| true))
    }

    /// Whether a process that is meant, and has not ended, has one of the outputs open.
    fn has_outputs_open(&self, is_meant: impl Fn(i32, &Guest) -> bool) -> bool {
        if self.outputs.is_empty() {
            return false;
        }
        let ours = self.keepers();
        let goes_on = |pid: &i32| is_meant(*pid, self) && !self.ends.has(*pid);
        let mut others = self.processes().into_iter().filter(goes_on);
        others.any(|pid| File::any_is_open(&self.outputs, pid, &ours))
    }

    /// The numbers of the descriptors by which we keep what the program may close: whom it makes has them, too.
    fn keepers(&self) -> Range<i32> {
        let processes = self.snapshot.iter().flat_map(|tree| tree.processes.values());
        let all = processes.map(|process| process.descriptors.keepers());
        all.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end)).unwrap_or(0..0)
    }
}
