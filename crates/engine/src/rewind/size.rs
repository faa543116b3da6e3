//! Calls that ask for the size of the program's input, or read it.
//!
//! What a program has been told of its input before its point is true of the input that it was started
//! with, and stays so in all runs.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::RawFd;

use kernel::memory;
use libc::c_long;

use super::Guest;
use super::file::File;

/// A call on the input that the program has made before its point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EarlyCall {
    /// Its number.
    pub call: u64,
    /// How many such calls the program has made before it.
    pub nth: u64,
}

/// The program's input, and what the program has done with it.
#[derive(Debug)]
pub(super) struct Input {
    file: File,
    /// What has asked for its size.
    asked: First,
    /// What has read it.
    read: First,
}

/// The first call of some kind.
#[derive(Default, Debug)]
struct First {
    call: Option<EarlyCall>,
    /// How many calls of each number were made before it.
    made: BTreeMap<u64, u64>,
}

impl First {
    /// Notes a call that may be it.
    fn note(&mut self, number: u64, is_it: impl FnOnce() -> bool) {
        if self.call.is_some() {
            return;
        }
        let made = self.made.entry(number).or_default();
        if is_it() {
            self.call = Some(EarlyCall { call: number, nth: *made });
        }
        *made += 1;
    }
}

/// The calls whose first argument is a descriptor that they read.
const READING: [c_long; 6] = [
    libc::SYS_read,
    libc::SYS_pread64,
    libc::SYS_readv,
    libc::SYS_preadv,
    libc::SYS_preadv2,
    libc::SYS_splice,
];
/// The others that read a descriptor, and where they have it among their arguments.
const READING_ELSEWHERE: [(c_long, usize); 3] =
    [(libc::SYS_mmap, 4), (libc::SYS_sendfile, 1), (libc::SYS_copy_file_range, 0)];

/// The calls that may tell the size of a file.
const ASKING: [c_long; 6] = [
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_stat,
    libc::SYS_lseek,
    libc::SYS_ioctl,
];

impl File {
    /// Whether this call reads it, or maps it.
    pub fn is_read_by(self, tid: i32, number: u64, args: [u64; 6]) -> bool {
        place_of_what_is_read(number).is_some_and(|place| self.is_of(tid, args[place]))
    }

    /// Whether this call asks for its size.
    pub fn is_measured_by(self, tid: i32, number: u64, args: [u64; 6]) -> bool {
        match number as c_long {
            libc::SYS_fstat => self.is_of(tid, args[0]),
            // From its end, or to where it has holes.
            libc::SYS_lseek => args[2] as i32 >= libc::SEEK_END && self.is_of(tid, args[0]),
            libc::SYS_ioctl => args[1] == libc::FIONREAD && self.is_of(tid, args[0]),
            libc::SYS_stat => self.is_named(tid, args[0]),
            // From Linux 6.11 on no path is an empty one.
            libc::SYS_newfstatat | libc::SYS_statx if args[1] == 0 => self.is_of(tid, args[0]),
            libc::SYS_newfstatat | libc::SYS_statx => match text(tid, args[1]) {
                Some(path) if path.is_empty() => self.is_of(tid, args[0]),
                _ => self.is_named(tid, args[1]),
            },
            _ => false,
        }
    }

    /// Whether a path that a thread names leads to it by way of a descriptor.
    fn is_named(self, tid: i32, address: u64) -> bool {
        let Some(path) = text(tid, address) else { return false };
        let fd = match path.as_str() {
            "/dev/stdin" => Some("0"),
            path => ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"]
                .iter()
                .find_map(|folder| path.strip_prefix(folder)),
        };
        fd.and_then(|fd| fd.parse().ok()).is_some_and(|fd| self.is_of(tid, fd))
    }
}

/// Where a call has the descriptor that it reads, or maps, among its arguments.
fn place_of_what_is_read(number: u64) -> Option<usize> {
    let elsewhere = || READING_ELSEWHERE.iter().find(|(reading, _)| *reading as u64 == number);
    match READING.contains(&(number as c_long)) {
        true => Some(0),
        false => elsewhere().map(|(_, place)| *place),
    }
}

/// The text at an address, if it is short: a path to a descriptor.
fn text(tid: i32, address: u64) -> Option<String> {
    /// Longer than any of those.
    const MOST: usize = 64;
    let mut bytes = [0; MOST];
    // It may end just before a page that is not there.
    let first = MOST.min(memory::PAGE_SIZE - address as usize % memory::PAGE_SIZE);
    let (before, behind) = bytes.split_at_mut(first);
    let mut ranges = [(address, before), (address + first as u64, behind)];
    let parts = if first < MOST { &mut ranges[..] } else { &mut ranges[..1] };
    if memory::read_ranges(tid, parts).ok()? == 0 {
        return None;
    }
    let end = bytes.iter().position(|byte| *byte == 0)?;
    String::from_utf8(bytes[..end].to_vec()).ok()
}

impl Guest {
    /// The program's input is the file behind this descriptor of ours: from now on the first calls are noted that
    /// ask for its size and that read it, up to the end of [`Guest::run_to`].
    ///
    /// # Errors
    /// There is no such descriptor.
    pub fn note_input(&mut self, fd: RawFd) -> io::Result<()> {
        let file = File::of_ours(fd)?;
        self.input = Some(Input { file, asked: First::default(), read: First::default() });
        Ok(())
    }

    /// The first call before its point that has asked for the size of its input.
    pub fn asked_size(&self) -> Option<EarlyCall> {
        self.input.as_ref()?.asked.call
    }

    /// The first call before its point that has read its input: what it has read by then is the same in all
    /// runs.
    pub fn read_input(&self) -> Option<EarlyCall> {
        self.input.as_ref()?.read.call
    }

    /// Notes a call that is about to be made.
    pub(super) fn note_use(&mut self, tid: i32, number: u64, args: [u64; 6]) {
        let Some(Input { file, asked, read }) = self.input.as_mut() else { return };
        if ASKING.contains(&(number as c_long)) {
            asked.note(number, || file.is_measured_by(tid, number, args));
        }
        if place_of_what_is_read(number).is_some() {
            read.note(number, || file.is_read_by(tid, number, args));
        }
    }
}
