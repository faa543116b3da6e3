//! All that a process has in its memory, to be compared.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use kernel::placement::Cpus;

/// Has a program run on one processor only. In its memory the kernel tells it on which it runs
/// (`rseq(2)`), whenever that changes.
pub fn stay_on_one_processor(pid: i32) {
    Cpus::only(Cpus::of(pid).unwrap().list()[0]).confine(pid).unwrap();
}

/// Memory with the same rights.
pub struct Mapped {
    range: Range<u64>,
    rights: String,
    is_stack: bool,
    bytes: Vec<u8>,
}

/// Everything that is mapped, and what it holds, but for what is the kernel's or ours. How it is
/// split into mappings makes no difference.
pub fn memory_of(pid: i32) -> Vec<Mapped> {
    let file = File::open(format!("/proc/{pid}/mem")).unwrap();
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let foreign = |line: &&str| !line.contains("[v") && !line.contains("agent");
    let mut all: Vec<Mapped> = Vec::new();
    for line in maps.lines().filter(foreign) {
        let (addresses, rest) = line.split_once(' ').unwrap();
        let (start, end) = addresses.split_once('-').unwrap();
        let [start, end] = [start, end].map(|at| u64::from_str_radix(at, 16).unwrap());
        let rights = rest[..4].to_owned();
        let mut bytes = vec![0; (end - start) as usize];
        // Beyond the end of a file there is nothing to be read.
        let _ = file.read_exact_at(&mut bytes, start);
        match all.last_mut().filter(|last| last.range.end == start && last.rights == rights) {
            Some(last) => {
                last.range.end = end;
                last.bytes.append(&mut bytes);
            }
            None => {
                let is_stack = line.ends_with("[stack]");
                all.push(Mapped { range: start..end, rights, is_stack, bytes });
            }
        }
    }
    all
}

pub fn assert_same_memory(before: &[Mapped], after: &[Mapped], round: u64) {
    assert_eq!(before.len(), after.len(), "in round {round}");
    for (was, is) in before.iter().zip(after) {
        assert_eq!(was.rights, is.rights, "at {:x?} in round {round}", was.range);
        // A stack may have grown.
        let more = is.bytes.len() - was.bytes.len();
        assert!(was.range == is.range || was.is_stack, "at {:x?} in round {round}", was.range);
        let pages = was.bytes.chunks(4096).zip(is.bytes[more..].chunks(4096));
        let differs = pages.into_iter().position(|(one, other)| one != other);
        assert_eq!(differs, None, "at {:x?} in round {round}", was.range);
    }
}
