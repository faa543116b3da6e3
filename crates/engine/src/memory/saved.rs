//! Pages as they were at one moment.

use std::collections::BTreeMap;
use std::ops::Range;

use kernel::memory::prefer_huge_pages;

use super::policy::TABLE;

/// What pages without content hold, and the longest piece in which it is told.
static ZEROES: [u8; 1 << 16] = [0; 1 << 16];

/// The content of ranges of an address space that do not overlap: whole pages.
#[derive(Debug, Default)]
pub struct SavedPages {
    /// By where they begin.
    extents: BTreeMap<u64, Extent>,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Extent {
    end: u64,
    /// Where its bytes lie; `None`: all of it is zero.
    bytes: Option<usize>,
}

impl SavedPages {
    /// Room for the content of a range that nothing is known of yet.
    pub fn add(&mut self, range: Range<u64>) -> &mut [u8] {
        let at = self.bytes.len();
        self.bytes.resize(at + (range.end - range.start) as usize, 0);
        self.extents.insert(range.start, Extent { end: range.end, bytes: Some(at) });
        &mut self.bytes[at..]
    }

    /// Room for so many bytes that are to be added: so they are moved only once. Pages that are far from each
    /// other are copied back faster from huge pages.
    pub fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve_exact(bytes);
        prefer_huge_pages(self.bytes.spare_capacity_mut());
    }

    /// A range that nothing is known of yet is all zero.
    pub fn add_zeroes(&mut self, range: Range<u64>) {
        self.extents.insert(range.start, Extent { end: range.end, bytes: None });
    }

    /// Nothing is known of a range any more.
    pub fn forget(&mut self, range: Range<u64>) {
        let overlapping: Vec<(u64, Extent)> = self.overlapping(&range).collect();
        for (start, Extent { end, bytes }) in overlapping {
            self.extents.remove(&start);
            if start < range.start {
                self.extents.insert(start, Extent { end: range.start, bytes });
            }
            if end > range.end {
                let bytes = bytes.map(|at| at + (range.end - start) as usize);
                self.extents.insert(range.end, Extent { end, bytes });
            }
        }
    }

    /// Gives back the room of what has been forgotten, once it is as much as the rest.
    pub fn compact(&mut self) {
        let len = |(start, extent): (&u64, &Extent)| (extent.end - start) as usize;
        let known = self.extents.iter().filter(|(_, extent)| extent.bytes.is_some());
        let used: usize = known.map(len).sum();
        if self.bytes.len() <= 2 * used {
            return;
        }
        let mut bytes = Vec::with_capacity(used);
        for (start, extent) in &mut self.extents {
            if let Some(at) = &mut extent.bytes {
                let from = std::mem::replace(at, bytes.len());
                bytes.extend_from_slice(&self.bytes[from..from + (extent.end - start) as usize]);
            }
        }
        self.bytes = bytes;
    }

    /// The first address of which something is known.
    pub fn first(&self) -> Option<u64> {
        self.extents.keys().next().copied()
    }

    /// How many page tables that takes.
    pub fn tables(&self) -> u64 {
        let (mut count, mut behind) = (0, 0);
        for (start, extent) in &self.extents {
            let end = extent.end.div_ceil(TABLE);
            count += end.saturating_sub(behind.max(start / TABLE));
            behind = end;
        }
        count
    }

    /// Tells what is known of a range, in ascending order: an address, and the bytes from there on.
    pub fn parts<'s>(&'s self, range: Range<u64>, mut tell: impl FnMut(u64, &'s [u8])) {
        for (start, extent) in self.overlapping(&range) {
            let part = start.max(range.start)..extent.end.min(range.end);
            match extent.bytes {
                Some(at) => {
                    let at = at + (part.start - start) as usize;
                    tell(part.start, &self.bytes[at..at + (part.end - part.start) as usize]);
                }
                None => {
                    for piece in part.clone().step_by(ZEROES.len()) {
                        let len = (part.end - piece).min(ZEROES.len() as u64);
                        tell(piece, &ZEROES[..len as usize]);
                    }
                }
            }
        }
    }

    /// The parts of a range that something is known of, in ascending order.
    pub fn known(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let part =
            |(start, extent): (u64, Extent)| start.max(range.start)..extent.end.min(range.end);
        self.overlapping(range).map(part).collect()
    }

    /// The parts of a range that nothing is known of, in ascending order.
    pub fn unknown(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let mut unknown = Vec::new();
        let mut at = range.start;
        for (start, extent) in self.overlapping(&range) {
            if start > at {
                unknown.push(at..start);
            }
            at = extent.end;
        }
        if at < range.end {
            unknown.push(at..range.end);
        }
        unknown
    }

    fn overlapping(&self, range: &Range<u64>) -> impl Iterator<Item = (u64, Extent)> {
        let before = self.extents.range(..=range.start).next_back();
        let before = before.filter(|(_, extent)| extent.end > range.start);
        let first = before.map_or(range.start, |(start, _)| *start);
        self.extents.range(first..range.end).map(|(start, extent)| (*start, *extent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_is_unknown_and_the_rest_is_as_before() {
        let mut saved = SavedPages::default();
        let content = saved.add(0x1000..0x5000);
        content.chunks_mut(0x1000).zip(1..).for_each(|(page, number)| page.fill(number));
        saved.add_zeroes(0x5000..0x7000);
        saved.forget(0x2000..0x3000);
        saved.forget(0x4000..0x6000);
        saved.compact();
        saved.add(0x2000..0x3000).fill(9);
        saved.compact();
        let mut parts = Vec::new();
        saved.parts(0..0x8000, |at, bytes| parts.push((at, bytes.len(), bytes[0])));
        let page = 0x1000;
        let expected = [(0x1000, page, 1), (0x2000, page, 9), (0x3000, page, 3), (0x6000, page, 0)];
        assert_eq!(parts, expected);
        saved.forget(0x1000..0x3000);
        assert_eq!(saved.bytes.len(), 5 * page);
        saved.compact();
        assert_eq!(saved.bytes, vec![3; page]);
    }

    #[test]
    fn parts_and_what_lies_between_them() {
        let mut saved = SavedPages::default();
        saved.add(0x1000..0x3000).fill(1);
        saved.add(0x3000..0x4000).fill(2);
        saved.add_zeroes(0x6000..0x6000 + 3 * ZEROES.len() as u64);
        let parts = |range: Range<u64>| {
            let mut parts = Vec::new();
            saved.parts(range, |at, bytes| parts.push((at, bytes.len(), bytes[0])));
            parts
        };
        assert_eq!(parts(0..0x1000), []);
        assert_eq!(parts(0..0x5000), [(0x1000, 0x2000, 1), (0x3000, 0x1000, 2)]);
        assert_eq!(parts(0x2000..0x3000), [(0x2000, 0x1000, 1)]);
        assert_eq!(parts(0x15000..0x17000), [(0x15000, 0x2000, 0)]);
        assert_eq!(parts(0x15000..0x27000), [(0x15000, 0x10000, 0), (0x25000, 0x2000, 0)]);
        assert_eq!(saved.unknown(0..0x7000), [0..0x1000, 0x4000..0x6000]);
        assert_eq!(saved.unknown(0x2000..0x4000), []);
        assert_eq!(saved.tables(), 1);
        saved.add_zeroes(TABLE - 0x1000..2 * TABLE + 0x1000);
        assert_eq!(saved.tables(), 3);
    }
}
