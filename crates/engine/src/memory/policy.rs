//! How written pages are known: three ways, and which is the cheapest on this machine.
//!
//! What each costs depends on how many pages of those that one page table covers are written
//! between two looks. The ways cross where their costs are the same.

use kernel::probe::pages::{PAGES_PER_TABLE, PageCosts};

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

#[cfg(test)]
mod tests {
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
}
