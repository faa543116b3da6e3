//! Programs that do the same in each run: what need not be looked at.
//!
//! The kernel counts the faults of a process. A page that was protected takes one when it is written,
//! and a page that is not there when it is used. So where the count has not changed, only pages were
//! written that are not protected: the hot ones. That is not so where the program drops pages, or maps
//! others in their place. Such calls are let stop ([`super::watched::memory_filter`]) once the program
//! has made none for some rounds, as far as can be told: each fault was one of a page that was found.

use kernel::remote::{Call, OnFailure};
use kernel::seccomp::Program;

use super::Error;
use super::watched::{self, Change, Changes};
use crate::memory::annex::Annex;
use crate::memory::batch::Space;

/// After so many rounds without such calls they are let stop.
const ROUNDS: u32 = 4;

/// What is known of a program's rounds.
#[derive(Debug, Default)]
pub struct Quiet {
    /// Calls that change what is mapped stop.
    watched: bool,
    /// So many rounds in a row there seem to have been none.
    rounds: u32,
    /// How many faults there were when the pages had been put back, if that is known.
    faults: Option<u64>,
}

impl Quiet {
    /// Nothing is known of the rounds from a newer snapshot on.
    pub fn begin_anew(&mut self) {
        (self.rounds, self.faults) = (0, None);
    }

    /// Whether no page was written but hot ones, by the faults that there are now.
    pub fn only_hot_pages(&self, faults: Option<u64>, changed: Changes) -> bool {
        self.same_mappings(changed) && faults.is_some() && faults == self.faults
    }

    /// Whether the same is mapped as in the snapshot, but for a stack that may have grown.
    pub fn same_mappings(&self, changed: Changes) -> bool {
        let others = [Change::Memory, Change::Shared, Change::Tasks];
        self.watched && !others.iter().any(|change| changed.has(*change))
    }

    /// Notes a round: the faults up to its end, if they are known; how many pages were found written; and
    /// whether other things were mapped. Whether it is time to let such calls stop.
    pub fn round(&mut self, faults: Option<u64>, written: u64, mapped: bool) -> bool {
        let before = std::mem::replace(&mut self.faults, faults);
        let found = before.zip(faults).is_some_and(|(before, now)| now - before <= written);
        self.rounds = if found && !mapped { self.rounds.saturating_add(1) } else { 0 };
        !self.watched && self.rounds == ROUNDS
    }

    /// Has the calls stop from now on that change what is mapped.
    pub fn watch_memory(&mut self, space: &mut Space) -> Result<(), Error> {
        let filter = watched::memory_filter().map_err(crate::Error::from)?;
        self.watched = install(&filter, space)?;
        Ok(())
    }

    /// The program has made calls for us behind its run, and has had so many faults at their end.
    pub fn calls_were_made(&mut self, faults: u64) {
        self.faults = self.faults.map(|_| faults);
    }
}

/// Has the program put a further filter in force. A program that has given up its rights cannot: then it
/// is looked at in each round.
pub fn install(filter: &Program, space: &mut Space) -> Result<bool, Error> {
    /// Where the filter lies in the annex, behind the `struct sock_fprog` that tells of it.
    const FILTER_AT: usize = 16;
    let header = [filter.instructions().len() as u64, Annex::address(FILTER_AT)];
    space.annex().put(0, header.map(u64::to_ne_bytes).as_flattened());
    space.annex().put(FILTER_AT, &filter.bytes());
    let (mode, all_threads) = (libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_TSYNC);
    let args = [mode.into(), all_threads, Annex::address(0), 0, 0, 0];
    let install = Call { number: libc::SYS_seccomp, args };
    let made = space.calls(&[install], OnFailure::GoOn);
    let made = made.map_err(Error::remote("the program cannot make calls for us"))?;
    Ok(matches!(made[..], [Ok(0)]))
}
