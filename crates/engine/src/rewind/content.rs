//! Which memory is a program's own, and copies of it.

use std::ops::Range;

use kernel::memory::{self, read_ranges};
use kernel::pagemap::{Region, state};
use kernel::proc::mappings::Mapping;

use super::shared::{Shared, is_shared_within};
use super::{Error, Obstacle};
use crate::memory::annex::Annex;
use crate::memory::saved::SavedPages;
use crate::memory::tracker::Tracker;

/// Follows all private mappings. Those that are not followed.
pub fn follow_mappings(
    tracker: &mut Tracker,
    list: &[Mapping],
    shared: &Shared,
    obstacles: &mut Vec<Obstacle>,
) -> Vec<Range<u64>> {
    let name = |mapping: &Mapping| match mapping.name.as_slice() {
        [] => format!("the mapping at {:#x}", mapping.range.start),
        name => String::from_utf8_lossy(name).into_owned(),
    };
    let mut unfollowed = Vec::new();
    for mapping in list {
        let ours = Annex::RANGE.contains(&mapping.range.start);
        if shared.is_copy(mapping) {
            // It is followed where it is used.
        } else if mapping.shared && !is_shared_within(mapping) {
            if mapping.writable && !ours {
                obstacles.push(Obstacle::SharedMemory(name(mapping)));
            }
        } else if is_followed(mapping) {
            if tracker.follow(&mapping.range).is_ok() {
                continue;
            }
            if mapping.writable {
                obstacles.push(Obstacle::Untracked(name(mapping)));
            }
        }
        unfollowed.push(mapping.range.clone());
    }
    unfollowed
}

/// Whether the writes to a mapping are followed: it is the program's own, and private. The kernel's own
/// pages cannot be followed, and are not written by programs.
pub fn is_followed(mapping: &Mapping) -> bool {
    let kernels = mapping.name.starts_with(b"[v") || Annex::RANGE.contains(&mapping.range.start);
    (!mapping.shared || is_shared_within(mapping)) && !kernels
}

/// Copies all pages that are the program's own: not those that still are as in their file. Of shared
/// memory all, since other processes may have written what this one has not looked at.
pub fn save_pages(
    pid: i32,
    tracker: &mut Tracker,
    list: &[Mapping],
    shared: &Shared,
) -> Result<SavedPages, Error> {
    let mut found = Vec::new();
    tracker.content(&mut found).map_err(|source| Error::Kernel {
        what: "the kernel does not tell the state of pages",
        source,
    })?;
    found.retain(has_own_content);
    let mut saved = SavedPages::default();
    saved.reserve(found.iter().map(|region| (region.end - region.start) as usize).sum());
    for region in &found {
        let content = saved.add(region.range());
        read_whole(pid, region.start, content)?;
    }
    save_shared(pid, list, shared, &mut saved)?;
    Ok(saved)
}

/// Whether pages are the program's own: not as in their file, and not of zeroes.
pub fn has_own_content(region: &Region) -> bool {
    region.state & (state::FILE | state::ZERO) == 0
}

/// Copies all shared memory.
pub fn save_shared(
    pid: i32,
    list: &[Mapping],
    shared: &Shared,
    saved: &mut SavedPages,
) -> Result<(), Error> {
    let is_used = |mapping: &&Mapping| is_shared_within(mapping) && !shared.is_copy(mapping);
    list.iter().filter(is_used).try_for_each(|mapping| {
        saved.forget(mapping.range.clone());
        let range = without_what_no_file_has(pid, mapping.range.clone());
        if range.is_empty() {
            return Ok(());
        }
        let start = range.start;
        read_whole(pid, start, saved.add(range))
    })
}

/// A mapping up to the end of its file.
fn without_what_no_file_has(pid: i32, range: Range<u64>) -> Range<u64> {
    let can_be_read = |at: u64| read_whole(pid, at, &mut [0]).is_ok();
    let page = memory::PAGE_SIZE as u64;
    let mut end = range.end;
    while end > range.start && !can_be_read(end - page) {
        end -= page;
    }
    range.start..end
}

/// Reads memory, also where the program itself may not.
pub fn read_whole(pid: i32, start: u64, content: &mut [u8]) -> Result<(), Error> {
    /// One kernel call takes no more, in bytes.
    const MOST: usize = 1 << 30;
    for (index, part) in content.chunks_mut(MOST).enumerate() {
        let at = start + (index * MOST) as u64;
        let mut ranges = [(at, &mut *part)];
        let read = read_ranges(pid, &mut ranges);
        if read.map_err(Error::request("its memory cannot be read"))? == 0 {
            memory::read_by_force(pid, at, part)
                .map_err(Error::request("its memory cannot be read"))?;
        }
    }
    Ok(())
}
