//! Pages that change without being written to, and memory that may not be written where it is put back.

use std::time::Duration;

use engine::rewind::End;

use crate::memory::{assert_same_memory, memory_of};
use crate::rewinding::can_rewind;
use crate::streams::Streams;
use crate::{AREA, LIMIT, python};

/// Python: pages of its own where a file is mapped, memory of several page tables, and shared memory, of
/// which some cannot be written, and some not even read.
const MORE: &str = "
LARGE, SHARED, TABLE = 0x7600_0000, 0x7800_0000, 512 * PAGE
assert libc.mmap(AREA, 16 * PAGE, 3, 0x12, text.fileno(), 0) == AREA
for page in range(0, 16, 2): libc.memset(AREA + page * PAGE, page + 1, PAGE, 0)
assert libc.mmap(LARGE, 4 * TABLE, 3, 0x32, -1, 0) == LARGE
for page in range(0, 2048, 16): libc.memset(LARGE + page * PAGE, 5, PAGE, 0)
assert libc.mmap(SHARED, 8 * PAGE, 3, 0x31, -1, 0) == SHARED
for page in range(8): libc.memset(SHARED + page * PAGE, page + 1, PAGE, 0)
libc.mprotect(SHARED, 4 * PAGE, 1, 0)
libc.mprotect(SHARED, 2 * PAGE, 0, 0)
";

/// Python: shared memory that can be written by a descriptor, too.
const WITH_DESCRIPTOR: &str = "
WORD, word = 0x7900_0000, os.memfd_create('word')
os.ftruncate(word, 8 * PAGE)
assert libc.mmap(WORD, 8 * PAGE, 3, 0x11, word, 0) == WORD
libc.memset(WORD, 9, 8 * PAGE, 0)
";

/// What a run does.
const RUNS: [&str; 13] = [
    "libc.madvise(AREA, 8 * PAGE, 4, 0)",
    "libc.madvise(AREA, 8 * PAGE, 4, 0); ctypes.string_at(AREA, 8 * PAGE)",
    "libc.madvise(AREA, 8 * PAGE, 4, 0); libc.memset(AREA, 7, 4 * PAGE, 0)",
    "libc.munmap(LARGE, 4 * TABLE, 0, 0); libc.mmap(LARGE, 4 * TABLE, 3, 0x32, -1, 0)",
    "libc.munmap(LARGE, 2 * TABLE, 0, 0)",
    "libc.mmap(LARGE, 4 * TABLE, 3, 0x32, -1, 0); libc.memset(LARGE, 7, 4 * PAGE, 0)",
    "libc.madvise(LARGE, 4 * TABLE, 4, 0)",
    "libc.mremap(LARGE, 4 * TABLE, 4 * TABLE, 3, LARGE + 16 * TABLE)",
    "libc.mprotect(SHARED, 8 * PAGE, 3, 0); libc.memset(SHARED, 7, 8 * PAGE, 0)",
    "libc.madvise(SHARED + 4 * PAGE, 2 * PAGE, 9, 0)",
    "libc.madvise(SHARED + 4 * PAGE, 2 * PAGE, 9, 0); ctypes.string_at(SHARED + 4 * PAGE, PAGE)",
    "libc.madvise(LARGE, 4 * TABLE, 8, 0); libc.madvise(LARGE, 4 * TABLE, 21, 0)",
    "libc.madvise(AREA, 16 * PAGE, 21, 0); libc.madvise(SHARED, 8 * PAGE, 21, 0)",
];

/// The same of shared memory with a descriptor.
const BY_DESCRIPTOR: [&str; 4] = [
    "libc.fallocate(word, 3, 0, ctypes.c_long(4 * PAGE)); ctypes.string_at(WORD, PAGE)",
    "os.ftruncate(word, PAGE); os.ftruncate(word, 8 * PAGE)",
    "os.pwrite(word, b'other', 5)",
    "libc.memset(WORD, 1, 8 * PAGE, 0)",
];

#[test]
fn pages_that_go_come_back() {
    if !can_rewind() {
        return;
    }
    for (more, runs) in [(MORE, RUNS.as_slice()), (WITH_DESCRIPTOR, &BY_DESCRIPTOR)] {
        let mut streams = Streams::new();
        let mut guest = python(&streams, &(AREA.to_owned() + more));
        let before = memory_of(guest.pid());
        // Where memory has a descriptor, until nothing but hot pages would be put back.
        let rounds = if more == MORE { 3 } else { 8 };
        for run in runs {
            println!("{run}");
            for round in 0..rounds {
                streams.give(&format!("{run}\nos._exit(6)"));
                let end = guest.run(Some(LIMIT)).unwrap();
                assert_eq!(end, End::Exited(6), "{}", streams.written());
                guest.rewind().unwrap();
                assert_same_memory(&before, guest.pid(), round);
            }
        }
    }
}

#[test]
fn a_newer_snapshot_knows_that_they_went() {
    if !can_rewind() {
        return;
    }
    const WRITES: &str = "
print('done', flush=True)
while not os.pread(0, 9, 0).startswith(b'#go'): pass
libc.memset(AREA, 1, 9 * PAGE, 0)
os._exit(6)";
    for run in RUNS {
        println!("{run}");
        let mut streams = Streams::new();
        let mut guest = python(&streams, &(AREA.to_owned() + MORE));
        streams.give(&format!("{run}{WRITES}"));
        while streams.written() != "done\n" {
            let end = guest.run(Some(Duration::from_millis(5))).unwrap();
            assert_eq!(end, End::TimedOut, "{}", streams.written());
        }
        guest.snapshot(&[]).unwrap();
        let before = memory_of(guest.pid());
        for round in 0..3 {
            streams.give("#go");
            assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(6), "{}", streams.written());
            guest.rewind().unwrap();
            assert_same_memory(&before, guest.pid(), round);
        }
    }
}
