//! The tracker tells exactly which pages were written, and protecting costs no page tables.
use std::collections::BTreeSet;
use std::ops::Range;
use std::os::fd::AsRawFd;

use engine::memory::tracker::Tracker;
use engine::rewind::{End, Guest, Point};
use kernel::pagemap::Pagemap;
use kernel::probe::pages::Area;
use kernel::userfault::{Userfault, Writes};

use crate::rewinding::can_rewind;
use crate::streams::Streams;

const PAGE: u64 = 4096;

/// The pages of the area that are in these ranges.
fn pages(area: &Area, ranges: impl Iterator<Item = Range<u64>>) -> BTreeSet<u64> {
    let all = area.range();
    let within = ranges.map(|range| range.start.max(all.start)..range.end.min(all.end));
    within
        .flat_map(|range| range.step_by(PAGE as usize))
        .map(|at| (at - all.start) / PAGE)
        .collect()
}

#[test]
fn no_page_is_lost_and_none_is_told_that_was_not_written() {
    if !can_rewind() {
        return;
    }
    const PAGES: u64 = 4096;
    let rounds = if std::env::var_os("SHUNPIKE_SOAK").is_some() { 10_000 } else { 600 };
    let area = Area::new(PAGES).unwrap();
    let pagemap = Pagemap::open(std::process::id() as i32).unwrap();
    let mut tracker = Tracker::new(pagemap, Userfault::own(Writes::Resolved).unwrap());
    tracker.follow(&area.range()).unwrap();
    tracker.arm().unwrap();
    tracker.measure(area.range().start, PAGES / 512).unwrap();
    let mut random = 1u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % below
    };
    for round in 0..rounds {
        // Some in each round, which become hot, and others: few or many, here and there or close together.
        let (count, spread) = (next(64) + 1, 1 << next(13));
        let first = next(PAGES);
        let others = (0..count).map(|_| (first + next(spread)) % PAGES);
        let written: BTreeSet<u64> = others.chain([7, 8, 2000]).collect();
        written.iter().for_each(|page| area.write(*page));
        let mut found = Vec::new();
        tracker.written(&mut found).unwrap();
        let found = pages(&area, found.iter().map(|region| region.start..region.end));
        let hot = pages(&area, tracker.hot().iter().cloned());
        let expected: BTreeSet<u64> = written.union(&hot).copied().collect();
        assert_eq!(found, expected, "in round {round}");
        let ranges: Vec<Range<u64>> = found.iter().map(|page| area.page(*page)).collect();
        tracker.rearm(&ranges).unwrap();
    }
}

/// How much memory the page tables of a process take, in KiB.
fn page_tables(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmPTE:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn a_large_reservation_takes_no_page_tables() {
    if !can_rewind() {
        return;
    }
    // Where there is no such room, less.
    const PREPARE: &str = "
import mmap, sys
flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000
try: area = mmap.mmap(-1, 1 << 40, flags)
except OSError: area = mmap.mmap(-1, 1 << 30, flags)
area[len(area) // 2] = 1
exec(sys.stdin.read())
";
    const RUN: &str = "
assert area[len(area) // 2] == 1 and area[9 << 20] == 0
area[len(area) // 2] = 2
area[9 << 20] = 3
";
    let mut streams = Streams::new();
    let program = streams.program("/usr/bin/python3", &["-S", "-c", PREPARE]);
    let mut guest = Guest::start(program).unwrap();
    guest.run_to(&Point::Reads(streams.input.as_raw_fd())).unwrap();
    let before = page_tables(guest.pid());
    guest.snapshot(&[]).unwrap();
    for _ in 0..10 {
        streams.give(RUN);
        assert_eq!(guest.run(None).unwrap(), End::Exited(0), "{}", streams.written());
        guest.rewind().unwrap();
    }
    let after = page_tables(guest.pid());
    assert!(after < before + 256, "{after} KiB of page tables, {before} KiB before");
}
