//! Pages that a program has dropped (`MADV_DONTNEED`) where a file is mapped privately: they are as in
//! their file again, and the kernel does not tell of them as written.

use std::ops::Range;

use kernel::pagemap::Region;
use kernel::proc::mappings::Mapping;

use super::Error;
use super::content::{is_followed, read_whole};
use super::snapshot::Snapshot;
use crate::memory::ranges::common;

const PAGE: usize = kernel::memory::PAGE_SIZE;

/// Those pages of the snapshot that were dropped, or are swapped out, in order.
pub fn dropped(snapshot: &mut Snapshot) -> Result<Vec<Range<u64>>, Error> {
    let is_private_file = |mapping: &&Mapping| mapping.file.is_some() && !mapping.shared;
    let Snapshot { mappings, saved, tracker, .. } = snapshot;
    let mut dropped = Vec::new();
    let mut found = Vec::new();
    for mapping in mappings.iter().filter(is_private_file).filter(|mapping| is_followed(mapping)) {
        let known = saved.known(&mapping.range);
        let [first, ..] = known.as_slice() else { continue };
        let all = first.start..known.last().map_or(first.end, |last| last.end);
        found.clear();
        let told = tracker.protected_and_dropped(all, &mut found);
        told.map_err(Error::request("its pages are not told"))?;
        let found: Vec<Range<u64>> = found.iter().map(Region::range).collect();
        dropped.extend(common(&known, &found));
    }
    Ok(dropped)
}

/// Has a snapshot that is being renewed not know of dropped pages any more.
pub fn forget_dropped(pid: i32, snapshot: &mut Snapshot) -> Result<(), Error> {
    // What is only swapped out comes in when it is read, and is not told then.
    for page in dropped(snapshot)?.into_iter().flat_map(|range| range.step_by(PAGE)) {
        // Nothing can be read beyond the end of a file.
        let _ = read_whole(pid, page, &mut [0; PAGE]);
    }
    for range in dropped(snapshot)? {
        snapshot.saved.forget(range);
    }
    Ok(())
}
