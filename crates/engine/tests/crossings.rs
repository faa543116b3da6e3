//! Memory that is written at once costs a crossing, and by words one for each: `PTRACE_POKEDATA`. In a
//! process of its own, since the toll counts what all its threads do.
#![forbid(unsafe_code)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kernel::memory;
use kernel::proc::mappings;
use kernel::ptrace::{Options, Stopped, Tracee};
use kernel::toll::{self, Kind};
use kernel::wait::{self, What};

/// What is written, in bytes.
const LEN: usize = 64 << 10;
/// Pieces of it, each to an address of its own.
const PIECES: usize = 1024;

/// Crossings so far.
fn crossings() -> u64 {
    let ledger = toll::snapshot();
    [Kind::Ptrace, Kind::MemoryRead, Kind::MemoryWrite, Kind::Other]
        .iter()
        .map(|kind| ledger.of(*kind))
        .sum()
}

/// What this costs: crossings, and time.
fn cost(work: impl FnOnce()) -> (u64, Duration) {
    let (before, begun) = (crossings(), Instant::now());
    work();
    (crossings() - before, begun.elapsed())
}

/// A program that waits, and where it can be written to: below its stack's end there is room.
fn guest() -> (std::process::Child, Tracee<Stopped>, u64) {
    let child = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().expect("a program");
    let pid = child.id() as i32;
    let room = loop {
        let all = mappings::mappings(pid).expect("its mappings");
        let stack = all.iter().find(|mapping| mapping.name == b"[stack]");
        match stack.filter(|_| kernel::proc::comm(pid).is_ok_and(|name| name == "sleep")) {
            Some(stack) => break stack.range.clone(),
            None => std::thread::yield_now(),
        }
    };
    assert!(room.end - room.start >= LEN as u64);
    wait::listen().expect("signals");
    let running = Tracee::seize(pid, Options::default()).expect("it is ours");
    running.interrupt().expect("it runs");
    let What::Stopped(stopped, _) = wait::next_of(pid).expect("it stops").what else {
        panic!("it has ended")
    };
    (child, stopped, room.start)
}

#[test]
fn pieces_cost_one_crossing() {
    let (mut child, stopped, at) = guest();
    let pid = child.id() as i32;
    let bytes: Vec<u8> = (0..LEN).map(|place| place as u8).collect();
    let by_words = cost(|| {
        for (place, word) in bytes.chunks(8).enumerate() {
            let word = u64::from_le_bytes(word.try_into().expect("a word"));
            stopped.poke(at + 8 * place as u64, word).expect("it is written");
        }
    });
    let at_once = cost(|| memory::write(pid, &[(at, &bytes)]).expect("it is written"));
    let len = LEN / PIECES;
    let pieces: Vec<(u64, &[u8])> = bytes
        .chunks(len)
        .enumerate()
        .map(|(nth, piece)| (at + (len * nth) as u64, piece))
        .collect();
    let in_pieces = cost(|| memory::write(pid, &pieces).expect("it is written"));
    let mut read = vec![0; LEN];
    let mut ranges: Vec<(u64, &mut [u8])> = read
        .chunks_mut(len)
        .enumerate()
        .map(|(nth, piece)| (at + (len * nth) as u64, piece))
        .collect();
    let back =
        cost(|| assert_eq!(memory::read_ranges(pid, &mut ranges).expect("it is read"), PIECES));
    assert_eq!(read, bytes);
    for (what, (crossings, time)) in [
        ("written by words", by_words),
        ("written at once", at_once),
        ("written in 1024 pieces", in_pieces),
        ("read in 1024 pieces", back),
    ] {
        println!("64 KiB {what}: {crossings} crossings, {time:?}");
    }
    child.kill().expect("it is there");
    child.wait().expect("it has ended");
    assert_eq!(by_words.0, LEN as u64 / 8);
    for (crossings, _) in [at_once, in_pieces, back] {
        assert!(1000 * crossings <= by_words.0, "{crossings}");
    }
}
