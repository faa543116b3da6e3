//! Where trampolines are put.

use std::ops::Range;

use crate::sites::gaps::{Growth, Mapping, find};

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;
const AREA: u64 = 0x1_0000;

fn fixed(range: Range<u64>) -> Mapping {
    Mapping { range, growth: Growth::No }
}

/// The area for the mapping at an index.
fn area(mappings: &[Mapping], index: usize) -> Option<Range<u64>> {
    let near = &mappings[index].range;
    let place = find(mappings, near, AREA)?;
    assert_eq!(place % 4096, 0);
    let area = place..place + AREA;
    let clear = |other: &Mapping| area.end <= other.range.start || other.range.end <= area.start;
    assert!(mappings.iter().all(clear), "{area:x?}");
    assert!(near.end.saturating_sub(area.start) < 2 * GIB, "{area:x?}");
    assert!(area.end.saturating_sub(near.start) < 2 * GIB, "{area:x?}");
    Some(area)
}

#[test]
fn a_library_gets_room_below_the_others() {
    let lib = 0x7f00_0000_0000;
    let stack = Mapping { range: 0x7ffd_0000_0000..0x7ffd_0002_0000, growth: Growth::Down };
    let maps = [fixed(lib..lib + 2 * MIB), fixed(lib + 3 * MIB..lib + 4 * MIB), stack];
    let area = area(&maps, 0).unwrap();
    // Far from where the kernel puts the next mapping: from below or above the libraries on.
    assert!(area.end < lib - GIB / 2 || area.start > lib + GIB / 2, "{area:x?}");
}

#[test]
fn a_program_gets_room_below_itself_and_not_where_its_heap_grows() {
    let exe = 0x5555_5555_4000;
    let heap = Mapping { range: exe + 2 * MIB..exe + 3 * MIB, growth: Growth::Up };
    let area = area(&[fixed(exe..exe + MIB), heap], 0).unwrap();
    assert!(area.end <= exe, "{area:x?}");
}

#[test]
fn a_program_at_a_fixed_address_gets_room_far_above_its_heap_or_below_itself() {
    let heap = Mapping { range: 0x50_0000..0x52_1000, growth: Growth::Up };
    let maps = [fixed(0x40_0000..0x50_0000), heap.clone(), fixed(0x7000_0000..0x7010_0000)];
    let above = area(&maps, 0).unwrap();
    assert!(above.start >= heap.range.end + GIB && above.end <= 0x7000_0000, "{above:x?}");

    let taken = fixed(heap.range.end + 4096..heap.range.end + 3 * GIB);
    let below = area(&[maps[0].clone(), heap, taken], 0).unwrap();
    assert!(below.start >= MIB && below.end <= 0x40_0000, "{below:x?}");
}

#[test]
fn nothing_is_put_right_below_a_stack() {
    let lib = 0x7fff_0000_0000;
    let below = fixed(lib - 3 * GIB..lib - 4096);
    let stack = |at| Mapping { range: at..at + MIB, growth: Growth::Down };
    let end = lib + 2 * MIB;
    let near = [
        below.clone(),
        fixed(lib..end),
        stack(end + 200 * MIB),
        fixed(end + 201 * MIB..end + 5 * GIB),
    ];
    assert_eq!(area(&near, 1), None);
    let above = fixed(end + 401 * MIB..end + 5 * GIB);
    let far = [below, fixed(lib..end), stack(end + 400 * MIB), above];
    let area = area(&far, 1).unwrap();
    assert!(area.end <= end + 144 * MIB, "{area:x?}");
}

#[test]
fn where_everything_is_taken_there_is_no_room() {
    let text = 0x7f00_0000_0000;
    let maps =
        [fixed(text - 4 * GIB..text), fixed(text..text + MIB), fixed(text + MIB..text + 4 * GIB)];
    assert_eq!(area(&maps, 1), None);
    assert_eq!(find(&maps, &(text..text + 3 * GIB), AREA), None);
}
