//! Which pages of an address space have been written since they were last looked at.
//!
//! All pages that are there are write-protected; the kernel takes the protection of a page away when
//! it is written to, and a scan finds it. Who puts pages back, while nothing runs, looks first
//! ([`Tracker::written`]), copies, and protects then ([`Tracker::rearm`]): copies are writes too.
//!
//! A protected page costs a fault at its first write. Pages that are written in each round are *hot*:
//! they stay writable, and are taken as written without being looked at.
//!
//! Of a page that is not there, but could be, a scan cannot tell whether it was dropped: it is told as
//! written, until it is *sealed*. Where a file is mapped it is the other way round: a dropped page stays
//! protected ([`Tracker::protected_and_dropped`]).

use std::io;
use std::ops::Range;
use std::time::Instant;

use kernel::memory::PAGE_SIZE;
use kernel::pagemap::{Pagemap, Query, Region, state};
use kernel::userfault::Userfault;

use super::policy::{ALL, Protecting};
use super::ranges::{common, without};

/// So many rounds in a row a page has to be written to be hot.
const ROUNDS_TO_BE_HOT: u32 = 3;
/// After so many rounds all pages are protected again, and those found that are hot no more.
const ROUNDS_HOT: u32 = 256;
/// The first calls take longer than those behind them.
const CALLS_MEASURED: u32 = 4;
/// As long as nothing was measured.
const PROTECTING: Protecting = Protecting { call: 1.0, table: 1.0, tables: 16 };

const THERE: u64 = state::PRESENT | state::SWAPPED;

/// The tracker of one address space.
#[derive(Debug)]
pub struct Tracker {
    pagemap: Pagemap,
    userfault: Userfault,
    protecting: Protecting,
    /// Pages that are not protected, in order.
    hot: Vec<Range<u64>>,
    /// Pages that were written in each of the last rounds, while the hot ones are being found.
    candidates: Vec<Range<u64>>,
    round: u32,
}

impl Tracker {
    /// A tracker of the address space that both are of. It follows no mapping yet.
    pub fn new(pagemap: Pagemap, userfault: Userfault) -> Tracker {
        let (hot, candidates) = (Vec::new(), Vec::new());
        Tracker { pagemap, userfault, protecting: PROTECTING, hot, candidates, round: 0 }
    }

    /// Follows the mappings of a range from now on; they are not protected yet.
    ///
    /// # Errors
    /// See [`Userfault::register`].
    pub fn follow(&mut self, range: &Range<u64>) -> io::Result<()> {
        self.userfault.register(range.start, range.end - range.start)
    }

    /// Finds the pages of followed mappings that have content, with their [`state`].
    pub fn content(&mut self, found: &mut Vec<Region>) -> io::Result<()> {
        let tell = THERE | state::FILE | state::ZERO;
        let query = Query { all: state::PROTECTABLE, none: 0, any: THERE, tell };
        self.pagemap.scan(ALL, query, found)
    }

    /// The same of the pages of these ranges that are not protected.
    pub fn unprotected_content(
        &mut self,
        ranges: &[Range<u64>],
        found: &mut Vec<Region>,
    ) -> io::Result<()> {
        let query = Query { tell: THERE | state::FILE | state::ZERO, ..Query::UNPROTECTED };
        ranges.iter().try_for_each(|range| self.pagemap.scan(range.clone(), query, found))
    }

    /// Of a range of a file's private mapping: the protected pages that are the file's, or are not there
    /// (which cannot be told from swapped out). The kernel keeps the protection of such a page when it is
    /// dropped, so it is not told as written.
    pub fn protected_and_dropped(
        &mut self,
        range: Range<u64>,
        found: &mut Vec<Region>,
    ) -> io::Result<()> {
        let any = state::FILE | state::SWAPPED;
        let query = Query { all: state::PROTECTABLE, none: state::WRITTEN, any, tell: any };
        self.pagemap.scan(range, query, found)
    }

    /// Protects all pages that are there; none is hot.
    pub fn arm(&mut self) -> io::Result<()> {
        (self.hot, self.candidates, self.round) = (Vec::new(), Vec::new(), 0);
        self.pagemap.protect(ALL, Query::UNPROTECTED)
    }

    /// Measures what it costs to protect: when all pages that are there are protected. One of them is
    /// at `page`, and there are so many page tables.
    pub fn measure(&mut self, page: u64, tables: u64) -> io::Result<()> {
        let mut time = |range: Range<u64>| {
            let begun = Instant::now();
            self.pagemap.protect(range, Query::UNPROTECTED)?;
            Ok::<f64, io::Error>(begun.elapsed().as_nanos().max(1) as f64)
        };
        let walk = time(ALL)?;
        let mut call = f64::INFINITY;
        for _ in 0..CALLS_MEASURED {
            call = call.min(time(page..page + PAGE_SIZE as u64)?);
        }
        let tables = tables.max(1);
        self.protecting = Protecting { call, table: walk / tables as f64, tables };
        Ok(())
    }

    /// Finds the pages that are not protected: those that were written, and those that are not there
    /// and may have been dropped; also of mappings that are not followed. Protects none.
    pub fn written(&mut self, found: &mut Vec<Region>) -> io::Result<()> {
        let written = state::WRITTEN;
        self.pagemap.scan(ALL, Query { all: written, none: 0, any: 0, tell: written }, found)
    }

    /// Finds all that is mapped and not followed.
    pub fn unfollowed(&mut self, found: &mut Vec<Region>) -> io::Result<()> {
        let query = Query { all: 0, none: state::PROTECTABLE, any: 0, tell: 0 };
        self.pagemap.scan(ALL, query, found)
    }

    /// The pages that are taken as written without a look, in order.
    pub fn hot(&self) -> &[Range<u64>] {
        &self.hot
    }

    /// Protects these pages again, which are all that were written, in order; but for the hot ones.
    /// How many were not hot.
    pub fn rearm(&mut self, written: &[Range<u64>]) -> io::Result<u64> {
        self.round += 1;
        if self.round <= ROUNDS_TO_BE_HOT {
            self.candidates = match self.round {
                1 => written.to_vec(),
                _ => common(&self.candidates, written),
            };
            if self.round == ROUNDS_TO_BE_HOT {
                self.hot = std::mem::take(&mut self.candidates);
            }
        }
        let cold = without(written, &self.hot);
        let pages = pages(&cold);
        if self.round > ROUNDS_HOT {
            self.arm()?;
            return Ok(pages);
        }
        let ranges = self.protecting.ranges(&cold, &self.hot);
        self.protect(&ranges)?;
        Ok(pages)
    }

    /// Protects the pages of these ranges that are there.
    pub fn protect(&mut self, ranges: &[Range<u64>]) -> io::Result<()> {
        ranges.iter().try_for_each(|range| self.pagemap.protect(range.clone(), Query::UNPROTECTED))
    }

    /// Protects all pages of a range, also those that are not there: this takes page tables.
    pub fn seal(&mut self, range: &Range<u64>) -> io::Result<()> {
        self.userfault.protect(range.start, range.end - range.start)
    }
}

/// How many pages these are.
fn pages(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| (range.end - range.start) / PAGE_SIZE as u64).sum()
}
