//! Which pages of an address space have been written since they were last looked at.
//!
//! All pages that are there are write-protected; the kernel takes the protection of a page away when
//! it is written to, and a scan finds it. Who puts pages back, while nothing runs, looks first
//! ([`Tracker::written`]), copies, and protects then ([`Tracker::rearm`]): copies are writes too.
//!
//! A protected page costs a fault at its first write. Pages that are written in each round are *hot*:
//! they stay writable, and are told as written without being looked at.

use std::io;
use std::ops::Range;

use kernel::pagemap::{Pagemap, Query, Region, state};
use kernel::userfault::Userfault;

/// Everything that a program can map.
const ALL: Range<u64> = 0..0x7fff_ffff_f000;
/// So many rounds in a row a page has to be written to be hot.
const ROUNDS_TO_BE_HOT: u32 = 3;
/// After so many rounds all pages are protected again, and those found that are hot no more.
const ROUNDS_HOT: u32 = 256;
/// So many ranges are protected one by one. With more, one walk through the whole address space is
/// cheaper.
const FEW: usize = 48;

const THERE: u64 = state::PRESENT | state::SWAPPED;

/// The tracker of one address space.
#[derive(Debug)]
pub struct Tracker {
    pagemap: Pagemap,
    userfault: Userfault,
    /// Pages that are not protected, in order.
    hot: Vec<Range<u64>>,
    /// Pages that were written in each of the last rounds, while the hot ones are being found.
    candidates: Vec<Range<u64>>,
    round: u32,
}

impl Tracker {
    /// A tracker of the address space that both are of. It follows no mapping yet.
    pub fn new(pagemap: Pagemap, userfault: Userfault) -> Tracker {
        Tracker { pagemap, userfault, hot: Vec::new(), candidates: Vec::new(), round: 0 }
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
        self.pagemap.scan(ALL, Query { all: state::PROTECTABLE, any: THERE, tell }, found)
    }

    /// Protects all pages that are there; none is hot.
    pub fn arm(&mut self) -> io::Result<()> {
        (self.hot, self.candidates, self.round) = (Vec::new(), Vec::new(), 0);
        self.protect_all()
    }

    fn protect_all(&mut self) -> io::Result<()> {
        let all = state::PROTECTABLE | state::WRITTEN;
        self.pagemap.protect(ALL, Query { all, any: THERE, tell: 0 })
    }

    /// Finds the pages that are not protected, with their [`state`]: those that were written, and
    /// those that are not there and may have been dropped; also of mappings that are not followed.
    /// Protects none.
    pub fn written(&mut self, found: &mut Vec<Region>) -> io::Result<()> {
        let tell = THERE | state::FILE | state::ZERO | state::PROTECTABLE;
        self.pagemap.scan(ALL, Query { all: state::WRITTEN, any: 0, tell }, found)
    }

    /// Protects these pages again, which are all that were written, in order; but for the hot ones.
    pub fn rearm(&mut self, written: &[Range<u64>]) -> io::Result<()> {
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
        if self.round > ROUNDS_HOT {
            return self.arm();
        }
        let cold = without(written, &self.hot);
        if cold.len() > FEW {
            return if self.hot.is_empty() { self.protect_all() } else { self.arm() };
        }
        let query = Query { all: state::PROTECTABLE | state::WRITTEN, any: THERE, tell: 0 };
        cold.into_iter().try_for_each(|range| self.pagemap.protect(range, query))
    }
}

/// What two ordered lists of ranges have in common.
fn common(one: &[Range<u64>], other: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut common = Vec::new();
    let (mut at, mut other_at) = (0, 0);
    while let (Some(a), Some(b)) = (one.get(at), other.get(other_at)) {
        let both = a.start.max(b.start)..a.end.min(b.end);
        if !both.is_empty() {
            common.push(both);
        }
        if a.end <= b.end { at += 1 } else { other_at += 1 }
    }
    common
}

/// What of an ordered list of ranges is not in the other.
fn without(one: &[Range<u64>], other: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut rest = Vec::new();
    let mut other = other.iter().peekable();
    for range in one {
        let mut at = range.start;
        while let Some(taken) = other.peek().filter(|taken| taken.start < range.end) {
            if taken.start > at {
                rest.push(at..taken.start);
            }
            at = at.max(taken.end);
            if taken.end > range.end {
                break;
            }
            other.next();
        }
        if at < range.end {
            rest.push(at..range.end);
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Ordered ranges of a small space, and the numbers in them.
    fn ranges() -> impl Strategy<Value = (Vec<Range<u64>>, Vec<u64>)> {
        proptest::collection::vec(any::<bool>(), 40).prop_map(|bits| {
            let numbers: Vec<u64> = (0..40).filter(|at| bits[*at as usize]).collect();
            let mut ranges: Vec<Range<u64>> = Vec::new();
            for &number in &numbers {
                match ranges.last_mut() {
                    Some(last) if last.end == number => last.end += 1,
                    _ => ranges.push(number..number + 1),
                }
            }
            (ranges, numbers)
        })
    }

    fn numbers(ranges: Vec<Range<u64>>) -> Vec<u64> {
        ranges.into_iter().flatten().collect()
    }

    proptest! {
        #[test]
        fn ranges_are_sets(one in ranges(), other in ranges()) {
            let in_other = |number: &u64| other.1.contains(number);
            let (both, rest): (Vec<u64>, Vec<u64>) = one.1.iter().partition(|number| in_other(number));
            prop_assert_eq!(numbers(common(&one.0, &other.0)), both);
            prop_assert_eq!(numbers(without(&one.0, &other.0)), rest);
        }
    }
}
