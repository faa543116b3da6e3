//! All that a process has in its memory, to be compared.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use kernel::placement::Cpus;

const PAGE: usize = 4096;
/// So much is compared at a time, in bytes: what a processor's cache holds.
const PIECE: usize = 64 * PAGE;

/// Has a program run on one processor only. In its memory the kernel tells it on which it runs
/// (`rseq(2)`), whenever that changes.
pub fn stay_on_one_processor(pid: i32) {
    Cpus::only(Cpus::of(pid).unwrap().list()[0]).confine(pid).unwrap();
}

/// Neighbouring memory with the same rights.
#[derive(Debug)]
struct Area {
    range: Range<u64>,
    rights: String,
    is_stack: bool,
}

/// Memory, and what it held.
pub struct Mapped {
    area: Area,
    bytes: Vec<u8>,
}

/// Everything that is mapped but for what is the kernel's or ours. How it is split into mappings
/// makes no difference.
fn areas(pid: i32) -> Vec<Area> {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let foreign = |line: &&str| !line.contains("[v") && !line.contains("agent");
    let mut all: Vec<Area> = Vec::new();
    for line in maps.lines().filter(foreign) {
        let (addresses, rest) = line.split_once(' ').unwrap();
        let (start, end) = addresses.split_once('-').unwrap();
        let [start, end] = [start, end].map(|at| u64::from_str_radix(at, 16).unwrap());
        let rights = &rest[..4];
        match all.last_mut().filter(|last| last.range.end == start && last.rights == rights) {
            Some(last) => last.range.end = end,
            None => {
                let is_stack = line.ends_with("[stack]");
                all.push(Area { range: start..end, rights: rights.to_owned(), is_stack });
            }
        }
    }
    all
}

/// Reads memory. Beyond the end of a file there is nothing to be read: that is zero here.
fn read(memory: &File, mut at: u64, mut bytes: &mut [u8]) {
    while !bytes.is_empty() {
        let got = match memory.read_at(bytes, at) {
            Ok(got @ 1..) => got,
            _ => {
                let missing = bytes.len().min(PAGE);
                bytes[..missing].fill(0);
                missing
            }
        };
        at += got as u64;
        bytes = &mut bytes[got..];
    }
}

fn open(pid: i32) -> File {
    File::open(format!("/proc/{pid}/mem")).unwrap()
}

/// Everything that is mapped, and what it holds.
pub fn memory_of(pid: i32) -> Vec<Mapped> {
    let memory = open(pid);
    let content = |area: Area| {
        let mut bytes = vec![0; (area.range.end - area.range.start) as usize];
        read(&memory, area.range.start, &mut bytes);
        Mapped { area, bytes }
    };
    areas(pid).into_iter().map(content).collect()
}

/// Fails unless a process has the same in its memory as before.
pub fn assert_same_memory(before: &[Mapped], pid: i32, round: u64) {
    let memory = open(pid);
    let after = areas(pid);
    assert_eq!(before.len(), after.len(), "in round {round}");
    let mut now = vec![0; PIECE];
    for (Mapped { area: was, bytes }, is) in before.iter().zip(after) {
        assert_eq!(was.rights, is.rights, "{was:x?} in round {round}");
        assert_eq!(was.range.end, is.range.end, "{was:x?} in round {round}");
        // A stack may have grown.
        let has_grown = was.is_stack && is.range.start < was.range.start;
        assert!(has_grown || was.range == is.range, "{was:x?} in round {round}: {is:x?}");
        for (at, then) in (was.range.start..).step_by(PIECE).zip(bytes.chunks(PIECE)) {
            let now = &mut now[..then.len()];
            read(&memory, at, now);
            if then != now {
                let same = then.iter().zip(now).take_while(|(then, now)| then == now).count();
                panic!("{:#x} of {was:x?} differs in round {round}", at + same as u64);
            }
        }
    }
}
