//! Finds room for trampolines in an address space.

use std::ops::Range;

use super::trampoline::TRAMPOLINE_MAX;

/// How far a jump or an operand relative to the instruction pointer reaches, in bytes, less the
/// longest trampoline.
const REACH: u64 = (1 << 31) - TRAMPOLINE_MAX;
const PAGE: u64 = 4096;
/// Below it nothing is mapped: a guest that follows a null pointer with an offset shall fault.
const LOWEST: u64 = 0x10_0000;
/// The end of user addresses: the last page is never used.
const HIGHEST: u64 = 0x7fff_ffff_f000;
/// What stays free where a heap can grow, in bytes.
const HEAP_ROOM: u64 = 1 << 30;
/// What stays free where a stack can grow, in bytes.
const STACK_ROOM: u64 = 256 << 20;
/// What stays free at other mappings, in bytes.
const ROOM: u64 = 16 * PAGE;

/// A mapping of a process, as proc_pid_maps(5) lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// Its addresses.
    pub range: Range<u64>,
    /// Whether it can become larger by itself.
    pub growth: Growth,
}

/// Whether a mapping can become larger by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// It stays as it is.
    No,
    /// brk(2) makes it larger: `[heap]`, and as long as there is none, the program's last mapping.
    Up,
    /// It is a stack.
    Down,
}

/// Finds a place of `len` bytes from which everything in `near` (the text and the data of the
/// files to be patched) can be reached. `mappings` are all of the process, in ascending order.
/// Of the possible places it takes the middle of the largest gap, which is the farthest from where
/// the kernel puts the next mapping, so that the guest sees the addresses that it would see
/// otherwise. None if there is no room.
pub fn find(mappings: &[Mapping], near: &Range<u64>, len: u64) -> Option<u64> {
    let len = len.next_multiple_of(PAGE);
    let lowest = near.end.saturating_sub(REACH).max(LOWEST);
    let highest = near.start.saturating_add(REACH).min(HIGHEST);
    let largest = gaps(mappings)
        .map(|gap| gap.start.max(lowest)..gap.end.min(highest))
        .filter(|gap| gap.start.saturating_add(len) <= gap.end)
        .max_by_key(|gap| gap.end - gap.start)?;
    let spare = largest.end - largest.start - len;
    let place = (largest.start + spare / 2).next_multiple_of(PAGE);
    (place + len <= largest.end).then_some(place)
}

/// Whether everything in `near` can be reached from everywhere in `area`.
pub fn reaches(area: &Range<u64>, near: &Range<u64>) -> bool {
    area.end.max(near.end) - area.start.min(near.start) <= REACH
}

/// What is free between mappings and stays free when they grow.
fn gaps(mappings: &[Mapping]) -> impl Iterator<Item = Range<u64>> {
    let below = mappings.iter().map(Some);
    let above = mappings.iter().map(Some).chain([None]);
    [None].into_iter().chain(below).zip(above).map(|(below, above)| {
        let start = below.map_or(LOWEST, |mapping| {
            let room = if mapping.growth == Growth::Up { HEAP_ROOM } else { ROOM };
            mapping.range.end.saturating_add(room)
        });
        let end = above.map_or(HIGHEST, |mapping| {
            let room = if mapping.growth == Growth::Down { STACK_ROOM } else { ROOM };
            mapping.range.start.saturating_sub(room)
        });
        start..end
    })
}
