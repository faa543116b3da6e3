//! Programs whose runs leave the descriptors of the snapshot alone: what need not be compared.
//!
//! Whether a descriptor is still of the same file costs a call for each, and a call for the flags of
//! that. Once no run has touched them for some rounds, the few calls by which one can are let stop: those
//! that close it, put another in its place or set flags. Others that the program opens are counted.

use super::Error;
use super::quiet::install;
use super::watched::{self, Change, Changes};
use crate::memory::batch::Space;

/// After so many rounds such calls are let stop: later than those that change what is mapped, since
/// the calls for that add to the faults.
const ROUNDS: u32 = 8;
/// More descriptors than so many are compared: a filter asks for each by itself.
const MOST: usize = 64;
/// A filter cannot be taken away: so many are put in force, if each snapshot has other descriptors.
const FILTERS: u32 = 8;

/// What is known of a program's descriptors.
#[derive(Debug, Default)]
pub struct Untouched {
    /// Calls that touch those of the snapshot stop.
    watched: bool,
    /// Those for which the last filter was made.
    numbers: Vec<u32>,
    filters: u32,
    /// So many rounds in a row none was touched.
    rounds: u32,
}

impl Untouched {
    /// The program has these from a newer snapshot on.
    pub fn begin_anew(&mut self, numbers: &[u32]) {
        self.watched &= self.numbers == numbers;
        self.rounds = 0;
    }

    /// Whether a run that has changed this has left the program's descriptors alone, but for such as it
    /// may have opened.
    pub fn by(&self, changed: Changes) -> bool {
        self.watched && !changed.has(Change::Descriptors) && !changed.has(Change::Tasks)
    }

    /// Notes a round, and whether a descriptor was found touched. Whether it is time to let such calls
    /// stop.
    pub fn round(&mut self, touched: bool) -> bool {
        self.rounds = if touched { 0 } else { self.rounds.saturating_add(1) };
        !self.watched && self.rounds == ROUNDS && self.filters < FILTERS
    }

    /// Has the calls stop from now on that touch one of these.
    pub fn watch(&mut self, numbers: Vec<u32>, space: &mut Space) -> Result<(), Error> {
        if numbers.len() > MOST {
            return Ok(());
        }
        let filter = watched::descriptor_filter(&numbers).map_err(crate::Error::from)?;
        self.watched = install(&filter, space)?;
        self.filters += 1;
        self.numbers = numbers;
        Ok(())
    }
}
