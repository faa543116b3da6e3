//! How written pages are known: three ways, and which is the cheapest on this machine.
//!
//! What each costs depends on how many pages of those that one page table covers are written
//! between two looks. The ways cross where their costs are the same.
//!
//! Who puts pages back looks first and protects later, and knows where the pages are: so between
//! writable and batched it is chosen anew for each part of the memory ([`Protecting`]). Sparse pages are
//! protected one by one, dense ones with all that lies between them. To be told of each write is
//! not for rewinds: without rights, the program's own calls would fail where they write
//! (`EFAULT`).

use std::ops::Range;

use kernel::memory::PAGE_SIZE;
use kernel::probe::pages::{PAGES_PER_TABLE, PageCosts};

use super::ranges::without;

/// A way to know which pages have been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Each write to a protected page is told, and waits until it is let happen: nothing is looked for.
    Emulate,
    /// The kernel lets them happen. They are looked for later, and protected again one by one.
    Writable,
    /// The same; one walk looks for them and protects them.
    Batched,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Strategy; 3] = [Strategy::Emulate, Strategy::Writable, Strategy::Batched];
}

/// Where the ways cross: in written pages for each page table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BreakEvens {
    /// Below this it is cheapest to be told of each write.
    pub emulate: f64,
    /// Below this pages are protected one by one; above it in one walk.
    pub writable: f64,
    /// Above this it would be cheapest to copy all pages, without knowing which were written.
    pub copy_all: f64,
}

impl BreakEvens {
    /// Those of a machine with these costs.
    pub fn of(costs: &PageCosts) -> BreakEvens {
        let PageCosts { table, range, fault, delivered, copy } = *costs;
        let whole_tables = PAGES_PER_TABLE as f64;
        BreakEvens {
            // One walk is saved, and each write costs more.
            emulate: table / (delivered - fault).max(1.0),
            // A second walk against a call for each page.
            writable: table / range.max(1.0),
            copy_all: (whole_tables * copy - 2.0 * table).max(0.0) / (fault + copy).max(1.0),
        }
    }

    /// The cheapest way for so many written pages for each page table.
    pub fn strategy(&self, pages_per_table: f64) -> Strategy {
        if pages_per_table < self.emulate {
            Strategy::Emulate
        } else if pages_per_table < self.writable {
            Strategy::Writable
        } else {
            Strategy::Batched
        }
    }
}

/// Everything that a program can map.
pub const ALL: Range<u64> = 0..0x7fff_ffff_f000;
/// What one page table covers, in bytes.
pub const TABLE: u64 = PAGES_PER_TABLE * PAGE_SIZE as u64;

/// What it costs to protect pages of one address space again, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Protecting {
    /// A call for one page.
    pub call: f64,
    /// To walk through one page table.
    pub table: f64,
    /// How many page tables there are.
    pub tables: u64,
}

impl Protecting {
    /// The cheapest ranges that have all pages of `written` and none of `hot`. All three are in order
    /// and do not overlap.
    pub fn ranges(&self, written: &[Range<u64>], hot: &[Range<u64>]) -> Vec<Range<u64>> {
        let joined = self.joined(written, hot);
        let walked = |range: &Range<u64>| (range.end - range.start) as f64 / TABLE as f64;
        let calls = joined.len() as f64 * self.call;
        let cost = calls + joined.iter().map(walked).sum::<f64>() * self.table;
        let of_all = (1 + hot.len()) as f64 * self.call + self.tables as f64 * self.table;
        if cost <= of_all { joined } else { without(&[ALL], hot) }
    }

    /// Neighbours between which to walk is cheaper than a call more.
    fn joined(&self, written: &[Range<u64>], hot: &[Range<u64>]) -> Vec<Range<u64>> {
        let reach = (self.call / self.table * TABLE as f64) as u64;
        let is_free = |gap: Range<u64>| {
            let behind = hot.partition_point(|hot| hot.end <= gap.start);
            hot.get(behind).is_none_or(|hot| hot.start >= gap.end)
        };
        let mut joined: Vec<Range<u64>> = Vec::with_capacity(written.len());
        for range in written {
            match joined.last_mut() {
                Some(last) if range.start - last.end <= reach && is_free(last.end..range.start) => {
                    last.end = range.end;
                }
                _ => joined.push(range.clone()),
            }
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::super::ranges::common;
    use super::*;

    #[test]
    fn the_more_pages_the_less_is_done_for_each() {
        let costs = PageCosts {
            table: 1000.0,
            range: 500.0,
            fault: 1000.0,
            delivered: 21000.0,
            copy: 600.0,
        };
        let evens = BreakEvens::of(&costs);
        assert_eq!((evens.emulate, evens.writable), (0.05, 2.0));
        assert!((190.0..192.0).contains(&evens.copy_all), "{evens:?}");
        let chosen = [0.01, 1.0, 4.0].map(|pages| evens.strategy(pages));
        assert_eq!(chosen, Strategy::ALL);
    }

    /// So many pages in each of 250 page tables.
    fn spread(pages: u64) -> Vec<Range<u64>> {
        let page = PAGE_SIZE as u64;
        let starts = (0..250 * pages).map(|at| at * (TABLE / pages));
        starts.map(|start| start..start + page).collect()
    }

    const PROTECTING: Protecting = Protecting { call: 500.0, table: 1000.0, tables: 250 };

    #[test]
    fn sparse_pages_are_protected_one_by_one_and_dense_ones_together() {
        let [sparse, dense] = [1, 4].map(spread);
        assert_eq!(PROTECTING.ranges(&sparse, &[]), sparse);
        let all = Range { start: 0, end: dense[999].end };
        assert_eq!(PROTECTING.ranges(&dense, &[]), [all]);
        // What is hot stays between them.
        let hot = dense[500].end..dense[501].start;
        let parts = [0..hot.start, hot.end..dense[999].end];
        assert_eq!(PROTECTING.ranges(&dense, std::slice::from_ref(&hot)), parts);
        // Many, each far from the others: all memory is walked through.
        let far: Vec<Range<u64>> = (0..2000).map(|at| at * TABLE..at * TABLE + 4096).collect();
        assert_eq!(PROTECTING.ranges(&far, &[]), [ALL]);
        assert_eq!(PROTECTING.ranges(&[], &[]), []);
    }

    proptest! {
        #[test]
        fn all_that_was_written_is_protected_and_nothing_hot(
            pages in proptest::collection::vec(0..3u8, 60),
            call in 1.0..9e3f64,
            table in 1.0..9e5f64,
        ) {
            const PAGE: u64 = PAGE_SIZE as u64;
            let of = |kind: u8| -> Vec<Range<u64>> {
                let is = |at: &u64| pages[*at as usize] == kind;
                (0..60).filter(is).map(|at| at * PAGE..(at + 1) * PAGE).collect()
            };
            let (written, hot) = (of(1), of(2));
            let ranges = Protecting { call, table, tables: 1 }.ranges(&written, &hot);
            prop_assert_eq!(without(&written, &ranges), []);
            prop_assert_eq!(common(&hot, &ranges), []);
            prop_assert!(ranges.is_sorted_by(|one, next| one.end <= next.start));
        }
    }
}
