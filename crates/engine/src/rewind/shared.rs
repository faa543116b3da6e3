//! Shared memory without a name. It is mapped once more: from there it comes back when a program has
//! unmapped it.

use std::io;
use std::ops::Range;

use kernel::proc;
use kernel::proc::mappings::Mapping;
use kernel::remote::{Call, OnFailure, RemoteCalls};

use super::Error;
use super::named::Named;
use crate::memory::annex::Annex;
use crate::memory::batch::Space;
use crate::memory::layout::rights;

/// The most shared memory that is copied, in bytes.
const SHARED: u64 = 1 << 28;

/// The shared memory of a process.
#[derive(Debug, Default)]
pub struct Shared {
    /// Where it is, and where once more.
    places: Vec<(Range<u64>, u64)>,
    has_descriptors: bool,
}

impl Shared {
    /// Has a process map all of its shared memory once more, which the kernel does for an old length
    /// of 0: `mremap(2)`. `all` are the descriptors of all processes.
    pub fn keep(
        pid: i32,
        annex: &Annex,
        calls: &mut RemoteCalls,
        all: &[Named],
    ) -> Result<Shared, Error> {
        let what = "shared memory cannot be kept";
        let list = proc::mappings::mappings(pid);
        let list = list.map_err(Error::proc("its mappings are not told"))?;
        let shared: Vec<&Mapping> =
            list.iter().filter(|mapping| is_shared_within(mapping)).collect();
        if shared.is_empty() {
            return Ok(Shared::default());
        }
        let is_open = |mapping: &&Mapping| all.iter().any(|fd| fd.name.as_bytes() == mapping.name);
        let has_descriptors = shared.iter().any(is_open);
        let ranges: Vec<Range<u64>> =
            shared.into_iter().map(|mapping| mapping.range.clone()).collect();
        let again = |range: &Range<u64>| map_again(range.start, range, None);
        let again: Vec<Call> = ranges.iter().map(again).collect();
        let made = annex.make(calls, &again, OnFailure::GoOn).map_err(Error::remote(what))?;
        // What cannot be kept is gone once it is unmapped.
        let kept = ranges.into_iter().zip(made);
        let places = kept.filter_map(|(range, copy)| Some((range, copy.ok()?))).collect();
        Ok(Shared { places, has_descriptors })
    }

    /// Whether the program can write to some of it by a descriptor, which no page tells of.
    pub fn has_descriptors(&self) -> bool {
        self.has_descriptors
    }

    /// Whether this is memory that is mapped once more.
    pub fn is_copy(&self, mapping: &Mapping) -> bool {
        self.copies().any(|copy| copy.contains(&mapping.range.start))
    }

    /// The call that maps this again, if it can be.
    pub fn map(&self, range: &Range<u64>) -> Option<Call> {
        let holds =
            |(kept, _): &&(Range<u64>, u64)| kept.start <= range.start && range.end <= kept.end;
        let (kept, copy) = self.places.iter().find(holds)?;
        Some(map_again(copy + (range.start - kept.start), range, Some(range.start)))
    }

    /// The calls that unmap all copies.
    pub fn give_up(&self) -> Vec<Call> {
        self.copies().map(|copy| Call::munmap(copy.start, copy.end - copy.start)).collect()
    }

    /// The shared memory among these mappings, and in these ranges, that the program may not write to now.
    /// Nor may we in its place: others would see it.
    pub fn closed(&self, mappings: &[Mapping], ranges: &[Range<u64>]) -> Vec<Mapping> {
        let is_closed = |mapping: &&Mapping| {
            !mapping.writable && is_shared_within(mapping) && !self.is_copy(mapping)
        };
        let is_meant = |mapping: &&Mapping| {
            let behind = ranges.partition_point(|range| range.end <= mapping.range.start);
            ranges.get(behind).is_some_and(|range| range.start < mapping.range.end)
        };
        mappings.iter().filter(is_closed).filter(is_meant).cloned().collect()
    }

    fn copies(&self) -> impl Iterator<Item = Range<u64>> {
        self.places.iter().map(|(kept, copy)| *copy..copy + (kept.end - kept.start))
    }
}

/// Whether a mapping is memory that the program shares with none but its own processes: nobody
/// else knows a name of it.
pub fn is_shared_within(mapping: &Mapping) -> bool {
    /// So the kernel calls memory without a file, and that of `shmget(2)` without a key.
    const UNNAMED: [&[u8]; 2] = [b"/dev/zero (deleted)", b"/SYSV00000000 (deleted)"];
    let name = mapping.name.as_slice();
    let is_unlinked = |folder: &[u8]| name.starts_with(folder) && name.ends_with(b" (deleted)");
    let is_file = is_unlinked(b"/memfd:") || is_unlinked(b"/dev/shm/");
    let is_nameless = UNNAMED.contains(&name) || is_file && mapping.writable;
    let is_ours = Annex::RANGE.contains(&mapping.range.start);
    let is_small = mapping.range.end - mapping.range.start <= SHARED;
    mapping.shared && is_nameless && !is_ours && is_small
}

/// Has the program let this be written, until [`close`]. Those that nobody can write by this mapping.
pub fn open(space: &mut Space, closed: &[Mapping]) -> Result<Vec<Range<u64>>, Error> {
    let made = protect(space, closed, |_| libc::PROT_READ | libc::PROT_WRITE)?;
    let refused = closed.iter().zip(made).filter(|(_, made)| made.is_err());
    Ok(refused.map(|(mapping, _)| mapping.range.clone()).collect())
}

/// Has the program give this the rights again that it had.
pub fn close(space: &mut Space, closed: &[Mapping]) -> Result<(), Error> {
    protect(space, closed, rights).map(drop)
}

fn protect(
    space: &mut Space,
    list: &[Mapping],
    rights: impl Fn(&Mapping) -> i32,
) -> Result<Vec<io::Result<u64>>, Error> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let protect = |mapping: &Mapping| {
        let (start, len) = (mapping.range.start, mapping.range.end - mapping.range.start);
        Call { number: libc::SYS_mprotect, args: [start, len, rights(mapping) as u64, 0, 0, 0] }
    };
    let calls: Vec<Call> = list.iter().map(protect).collect();
    let made = space.calls(&calls, OnFailure::GoOn);
    made.map_err(Error::remote("shared memory cannot be put back"))
}

/// Maps once more what is at `from`, with the length of `range`; at `to`, or anywhere.
fn map_again(from: u64, range: &Range<u64>, to: Option<u64>) -> Call {
    let fixed = if to.is_some() { libc::MREMAP_FIXED } else { 0 };
    let flags = (libc::MREMAP_MAYMOVE | fixed) as u64;
    let args = [from, 0, range.end - range.start, flags, to.unwrap_or(0), 0];
    Call { number: libc::SYS_mremap, args }
}
