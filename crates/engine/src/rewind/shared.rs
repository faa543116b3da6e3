//! Shared memory without a name, mapped once more: from there it comes back when a program has
//! unmapped it.

use std::ops::Range;

use kernel::proc;
use kernel::proc::mappings::Mapping;
use kernel::remote::{Call, OnFailure, RemoteCalls};

use super::Error;
use super::snapshot::is_shared_within;
use crate::memory::annex::Annex;

/// Where a process has its shared memory, and where once more.
#[derive(Debug, Default)]
pub struct Shared(Vec<(Range<u64>, u64)>);

impl Shared {
    /// Has a process map all of its shared memory once more, which the kernel does for an old length
    /// of 0: `mremap(2)`.
    pub fn keep(pid: i32, annex: &Annex, calls: &mut RemoteCalls) -> Result<Shared, Error> {
        let what = "shared memory cannot be kept";
        let list = proc::mappings::mappings(pid);
        let list = list.map_err(Error::proc("its mappings are not told"))?;
        let ranges: Vec<Range<u64>> = list
            .iter()
            .filter(|mapping| is_shared_within(mapping))
            .map(|mapping| mapping.range.clone())
            .collect();
        if ranges.is_empty() {
            return Ok(Shared::default());
        }
        let again = |range: &Range<u64>| map_again(range.start, range, None);
        let again: Vec<Call> = ranges.iter().map(again).collect();
        let made = annex.make(calls, &again, OnFailure::GoOn).map_err(Error::remote(what))?;
        // What cannot be kept is gone once it is unmapped.
        let kept = ranges.into_iter().zip(made);
        Ok(Shared(kept.filter_map(|(range, copy)| Some((range, copy.ok()?))).collect()))
    }

    /// Whether this is memory that is mapped once more.
    pub fn is_copy(&self, mapping: &Mapping) -> bool {
        self.copies().any(|copy| copy.contains(&mapping.range.start))
    }

    /// The call that maps this again, if it can be.
    pub fn map(&self, range: &Range<u64>) -> Option<Call> {
        let holds =
            |(kept, _): &&(Range<u64>, u64)| kept.start <= range.start && range.end <= kept.end;
        let (kept, copy) = self.0.iter().find(holds)?;
        Some(map_again(copy + (range.start - kept.start), range, Some(range.start)))
    }

    /// The calls that unmap all copies.
    pub fn give_up(&self) -> Vec<Call> {
        self.copies().map(|copy| Call::munmap(copy.start, copy.end - copy.start)).collect()
    }

    fn copies(&self) -> impl Iterator<Item = Range<u64>> {
        self.0.iter().map(|(kept, copy)| *copy..copy + (kept.end - kept.start))
    }
}

/// Maps once more what is at `from`, with the length of `range`; at `to`, or anywhere.
fn map_again(from: u64, range: &Range<u64>, to: Option<u64>) -> Call {
    let fixed = if to.is_some() { libc::MREMAP_FIXED } else { 0 };
    let flags = (libc::MREMAP_MAYMOVE | fixed) as u64;
    let args = [from, 0, range.end - range.start, flags, to.unwrap_or(0), 0];
    Call { number: libc::SYS_mremap, args }
}
