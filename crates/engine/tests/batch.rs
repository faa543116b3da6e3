//! Work on a program's memory is carried out together, up to the first operation that fails.
#![forbid(unsafe_code)]

#[path = "../../../tests/harness/rewinding.rs"]
mod rewinding;

use std::ops::Range;

use engine::memory::Batch;
use engine::rewind::{End, Guest, Point};
use kernel::remote::Call;
use kernel::spawn::Program;

use rewinding::can_rewind;

const PAGE: u64 = 4096;
/// Nothing is mapped there.
const AREA: u64 = 0x7300_0000;
const RIGHTS: i32 = 3;

fn guest() -> Guest {
    let program = Program::new("/bin/true".into(), vec![b"true".to_vec()], Vec::new());
    let mut guest = Guest::start(program.unwrap()).unwrap();
    guest.run_to(&Point::Start).unwrap();
    guest.snapshot(&[]).unwrap();
    guest
}

fn pages(range: Range<u64>) -> Range<u64> {
    AREA + range.start * PAGE..AREA + range.end * PAGE
}

#[test]
fn operations_are_carried_out_in_their_order() {
    if !can_rewind() {
        return;
    }
    let mut guest = guest();
    let (mut before, mut after, mut left) = ([9; 3], [9; 3], [9; 3]);
    let mut batch = Batch::default();
    batch.map(pages(0..8), RIGHTS);
    batch.read(AREA, &mut before);
    batch.write(AREA, b"one");
    batch.write(AREA + 7 * PAGE, b"two");
    batch.read(AREA, &mut after);
    batch.drop_pages(pages(0..1));
    batch.protect(pages(0..2), 1);
    batch.protect(pages(2..3), 1);
    batch.unmap(pages(3..5));
    batch.write_protect(pages(0..8));
    batch.read(AREA + 7 * PAGE, &mut left);
    batch.call(Call { number: 39, args: [0; 6] });
    let pid = guest.pid();
    let values = guest.carry_out(batch).unwrap().complete().unwrap();
    assert_eq!(values, [AREA, 3, 3, 3, 3, 0, 0, 0, 0, 0, 3, pid as u64]);
    assert_eq!([before, after, left], [[0; 3], *b"one", *b"two"]);
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    for area in ["73000000-73003000 r--p", "73005000-73008000 rw-p"] {
        assert!(maps.lines().any(|line| line.starts_with(area)), "{maps}");
    }
    // It is a part of the run, and undone.
    assert_eq!(guest.run(None).unwrap(), End::Exited(0));
    guest.rewind().unwrap();
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let is_in_area = |line: &str| line.starts_with("7300");
    assert!(!maps.lines().any(is_in_area), "{maps}");
    assert_eq!(guest.run(None).unwrap(), End::Exited(0));
}

#[test]
fn the_first_failure_is_the_last_that_is_tried() {
    if !can_rewind() {
        return;
    }
    let mut guest = guest();
    // What was merged, one after the other.
    let mut batch = Batch::default();
    batch.map(pages(0..2), RIGHTS);
    batch.protect(pages(0..1), 1);
    batch.protect(pages(1..2), 1);
    batch.protect(pages(2..3), 1);
    batch.unmap(pages(0..1));
    let outcome = guest.carry_out(batch).unwrap();
    assert_eq!(outcome.values, [AREA, 0, 0]);
    assert_eq!(outcome.failure.unwrap().raw_os_error(), Some(12));
    // A write to what is not mapped, behind two that are made.
    let mut batch = Batch::default();
    batch.protect(pages(0..2), RIGHTS);
    batch.write(AREA, b"a");
    batch.write(AREA + PAGE, b"b");
    batch.write(AREA + 2 * PAGE, b"c");
    batch.write(AREA, b"d");
    batch.unmap(pages(0..2));
    let outcome = guest.carry_out(batch).unwrap();
    assert_eq!(outcome.values, [0, 1, 1]);
    assert_eq!(outcome.failure.unwrap().raw_os_error(), Some(14));
    let mut byte = [0];
    let mut batch = Batch::default();
    batch.read(AREA, &mut byte);
    assert_eq!(guest.carry_out(batch).unwrap().complete().unwrap(), [1]);
    assert_eq!(&byte, b"a");
}
