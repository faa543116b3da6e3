//! Putting back the pages that were written.
//!
//! How much is looked at depends on what is known. Where the kernel counts no fault since the last
//! look, and no call has changed the memory's mappings, only hot pages were written: nothing is looked
//! at. Else one scan finds what was written; only what it finds beyond the snapshot's pages is asked
//! for its state.

use std::ops::Range;

use kernel::pagemap::Region;
use kernel::proc::mappings::Mapping;

use super::content::{has_own_content, is_followed, read_whole};
use super::dropped::dropped;
use super::mappings::{accept_mappings, carry_out};
use super::shared;
use super::shared::is_shared_within;
use super::snapshot::Snapshot;
use super::watched::{Change, Changes};
use super::{Error, Irreversible};
use crate::memory::Batch;
use crate::memory::batch::Space;
use crate::memory::ranges::without;

/// Pages that a run has used for the first time are kept from then on, as pages of zeroes, if they
/// are no more than so many; else they are dropped, each time.
const PAGES_KEPT: u64 = 1024;
const PAGE: u64 = kernel::memory::PAGE_SIZE as u64;
/// Parts in which no page is are sealed if they are no longer, in bytes: what one page table covers.
const SEALED: u64 = 512 * PAGE;

/// Puts back the pages that were written: the hot ones, if it is known that there are no others.
/// How many others there were.
pub(super) fn restore_pages(
    pid: i32,
    space: &mut Space,
    snapshot: &mut Snapshot,
    changed: Changes,
    only_hot: bool,
) -> Result<u64, Error> {
    if only_hot {
        let hot = snapshot.tracker.hot().to_vec();
        return copy_back(space, snapshot, &hot);
    }
    let mut found = std::mem::take(&mut snapshot.found);
    found.clear();
    let scanned = snapshot.tracker.written(&mut found);
    scanned.map_err(Error::request("its pages are not told"))?;
    let mut written: Vec<Range<u64>> = found.iter().map(Region::range).collect();
    snapshot.found = found;
    if !snapshot.quiet.same_mappings(changed) {
        written.extend(dropped(snapshot)?);
        written.sort_unstable_by_key(|range| range.start);
    }
    let by_others = changed.has(Change::Tasks) || changed.has(Change::Shared);
    let by_others = by_others || snapshot.shared.has_descriptors();
    let written = if by_others { with_shared(snapshot, written) } else { written };
    keep_or_drop_fresh(pid, space, snapshot, &written)?;
    copy_back(space, snapshot, &written)
}

/// What was written where the snapshot knows of no page: few pages become part of it, many are
/// dropped.
fn keep_or_drop_fresh(
    pid: i32,
    space: &mut Space,
    snapshot: &mut Snapshot,
    written: &[Range<u64>],
) -> Result<(), Error> {
    let parts = |range: &Range<u64>| snapshot.saved.unknown(range.clone());
    let unknown: Vec<Range<u64>> = written.iter().flat_map(parts).collect();
    let unknown = without(&unknown, &snapshot.unfollowed);
    if !is_mapped(&snapshot.mappings, &unknown) {
        accept_mappings(snapshot)?;
    }
    let mut found = Vec::new();
    let told = snapshot.tracker.unprotected_content(&unknown, &mut found);
    told.map_err(Error::request("its pages are not told"))?;
    let (fresh, others): (Vec<_>, Vec<_>) =
        found.iter().partition(|region| has_own_content(region));
    let fresh: Vec<Range<u64>> = fresh.into_iter().map(Region::range).collect();
    let there: Vec<Range<u64>> = found.iter().map(Region::range).collect();
    let others: Vec<Range<u64>> = others.into_iter().map(Region::range).collect();
    let protected = snapshot.tracker.protect(&others);
    protected.map_err(Error::request("its pages cannot be protected"))?;
    for (mapping, gap) in parts_by_mapping(&snapshot.mappings, &without(&unknown, &there)) {
        if mapping.file.is_none() && gap.end - gap.start <= SEALED {
            let sealed = snapshot.tracker.seal(&gap);
            sealed.map_err(Error::request("its pages cannot be protected"))?;
        }
    }
    let count: u64 = fresh.iter().map(|range| (range.end - range.start) / PAGE).sum();
    match count {
        0 => Ok(()),
        1..=PAGES_KEPT => keep_fresh(pid, space, snapshot, fresh),
        _ => drop_fresh(space, fresh),
    }
}

/// Pages used for the first time: of memory without a file they were zeroes, of a file's they
/// are dropped and copied now.
fn keep_fresh(
    pid: i32,
    space: &mut Space,
    snapshot: &mut Snapshot,
    fresh: Vec<Range<u64>>,
) -> Result<(), Error> {
    let mut files = Vec::new();
    for (mapping, range) in parts_by_mapping(&snapshot.mappings, &fresh) {
        if mapping.file.is_some() {
            files.push(range);
        } else {
            snapshot.saved.add_zeroes(range);
        }
    }
    if files.is_empty() {
        return Ok(());
    }
    drop_fresh(space, files.clone())?;
    for range in files {
        let start = range.start;
        read_whole(pid, start, snapshot.saved.add(range))?;
    }
    Ok(())
}

/// What was written, and all that other processes could have written, or calls.
fn with_shared(snapshot: &Snapshot, written: Vec<Range<u64>>) -> Vec<Range<u64>> {
    let is_used =
        |mapping: &&Mapping| is_shared_within(mapping) && !snapshot.shared.is_copy(mapping);
    let shared = snapshot.mappings.iter().filter(is_used);
    let shared: Vec<Range<u64>> = shared.map(|mapping| mapping.range.clone()).collect();
    let mut all = without(&written, &shared);
    all.extend(shared);
    all.sort_unstable_by_key(|range| range.start);
    all
}

/// Copies what the snapshot knows of these ranges, and protects that again.
fn copy_back(
    space: &mut Space,
    snapshot: &mut Snapshot,
    ranges: &[Range<u64>],
) -> Result<u64, Error> {
    let closed = snapshot.shared.closed(&snapshot.mappings, ranges);
    let refused = shared::open(space, &closed)?;
    let mut batch = Batch::default();
    let mut written: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in without(ranges, &refused) {
        snapshot.saved.parts(range, |at, bytes| {
            let end = at + bytes.len() as u64;
            match written.last_mut() {
                Some(last) if last.end == at => last.end = end,
                _ => written.push(at..end),
            }
            batch.write(at, bytes);
        });
    }
    let what = "its memory cannot be written";
    if batch.carry_out(space).map_err(Error::remote(what))?.failure.is_some() {
        return Err(Error::Irreversible(Irreversible::Mappings));
    }
    shared::close(space, &closed)?;
    let armed = snapshot.tracker.rearm(&written);
    armed.map_err(Error::request("its pages cannot be protected"))
}

/// Has the program drop pages.
fn drop_fresh(space: &mut Space, fresh: Vec<Range<u64>>) -> Result<(), Error> {
    let mut batch = Batch::default();
    fresh.into_iter().for_each(|range| batch.drop_pages(range));
    carry_out(batch, space).map(drop)
}

/// A mapping in whose place the program has put one of the same kind looks as before, but is not
/// followed any more.
pub(super) fn follow_again(snapshot: &mut Snapshot) -> Result<(), Error> {
    let mut found = Vec::new();
    let told = snapshot.tracker.unfollowed(&mut found);
    told.map_err(Error::request("its pages are not told"))?;
    let found: Vec<Range<u64>> = found.iter().map(Region::range).collect();
    let lost = without(&found, &snapshot.unfollowed);
    let (list, tracker) = (&snapshot.mappings, &mut snapshot.tracker);
    for (_, part) in parts_by_mapping(list, &lost).filter(|(mapping, _)| is_followed(mapping)) {
        let followed = tracker.follow(&part);
        followed.map_err(Error::request("its pages cannot be followed"))?;
    }
    Ok(())
}

/// Whether all of these ranges are mapped.
fn is_mapped(list: &[Mapping], ranges: &[Range<u64>]) -> bool {
    let len = |range: &Range<u64>| range.end - range.start;
    let known: u64 = parts_by_mapping(list, ranges).map(|(_, part)| len(&part)).sum();
    known == ranges.iter().map(len).sum()
}

/// Ranges cut where one mapping ends and another begins.
fn parts_by_mapping<'m>(
    list: &'m [Mapping],
    ranges: &'m [Range<u64>],
) -> impl Iterator<Item = (&'m Mapping, Range<u64>)> {
    ranges.iter().flat_map(|range| {
        let first = list.partition_point(|mapping| mapping.range.end <= range.start);
        let parts = list[first..].iter().take_while(|mapping| mapping.range.start < range.end);
        parts.map(|mapping| {
            let start = mapping.range.start.max(range.start);
            (mapping, start..mapping.range.end.min(range.end))
        })
    })
}
