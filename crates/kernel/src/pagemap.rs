//! The state of a guest's pages: the `PAGEMAP_SCAN` of `proc_pid_pagemap(5)`, Linux 6.7.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr;

use libc::{c_ulong, pid_t};

use crate::toll;

/// `PAGEMAP_SCAN` of `linux/fs.h`.
const PAGEMAP_SCAN: c_ulong = 0xc060_6610;
/// `PM_SCAN_WP_MATCHING`.
const PROTECT_MATCHING: u64 = 1;
/// How many regions one kernel call tells of.
const ROOM: usize = 512;

/// What a page can be: bits, `PAGE_IS_*` of `linux/fs.h`.
pub mod state {
    /// Its mapping is registered with a [`crate::userfault::Userfault`].
    pub const PROTECTABLE: u64 = 1 << 0;
    /// It is not write-protected. So are pages of mappings that are not registered, and pages that
    /// are not there and were not protected.
    pub const WRITTEN: u64 = 1 << 1;
    /// It is a file's, or of shared memory.
    pub const FILE: u64 = 1 << 2;
    /// It is in memory.
    pub const PRESENT: u64 = 1 << 3;
    /// It is swapped out.
    pub const SWAPPED: u64 = 1 << 4;
    /// It has never been written to since it was mapped or dropped: the page of zeroes that all share.
    pub const ZERO: u64 = 1 << 5;
}

/// Neighbouring pages of the same state: `struct page_region`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Region {
    /// The address of the first one.
    pub start: u64,
    /// The address behind the last one.
    pub end: u64,
    /// Those bits of [`state`] that were asked for.
    pub state: u64,
}

impl Region {
    /// Its addresses.
    pub fn range(&self) -> Range<u64> {
        self.start..self.end
    }
}

/// Which pages a scan is to find, and what to tell of them: bits of [`state`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Query {
    /// Pages that have all of these.
    pub all: u64,
    /// Pages that have none of these.
    pub none: u64,
    /// Of those the ones that have any of these; all, if there is none.
    pub any: u64,
    /// What to tell.
    pub tell: u64,
}

impl Query {
    /// Pages that are there, could be protected, and are not.
    pub const UNPROTECTED: Query = Query {
        all: state::PROTECTABLE | state::WRITTEN,
        none: 0,
        any: state::PRESENT | state::SWAPPED,
        tell: state::WRITTEN,
    };
}

/// `struct pm_scan_arg`.
#[repr(C)]
#[derive(Default)]
struct Arguments {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    vec: u64,
    vec_len: u64,
    max_pages: u64,
    inverted: u64,
    all: u64,
    any: u64,
    tell: u64,
}

const _: () = assert!(size_of::<Arguments>() == 96 && size_of::<Region>() == 24);

/// The pages of one address space.
#[derive(Debug)]
pub struct Pagemap {
    file: File,
    room: Vec<Region>,
}

impl Pagemap {
    /// Opens those of a process; they stay those of the program that it runs now.
    ///
    /// # Errors
    /// `ENOENT` if there is no such process, `EACCES` if we may not trace it.
    pub fn open(pid: pid_t) -> io::Result<Pagemap> {
        toll::count(toll::Kind::Other);
        let file = File::open(format!("/proc/{pid}/pagemap"))?;
        Ok(Pagemap { file, room: vec![Region::default(); ROOM] })
    }

    /// Finds pages of the range and adds them to `found`, in ascending order. The range may have
    /// parts in which nothing is mapped.
    ///
    /// To be asked for pages that are [`state::WRITTEN`], and told nothing but that, costs the kernel a
    /// fraction of what other queries do.
    ///
    /// # Errors
    /// `ENOTTY` before Linux 6.7.
    pub fn scan(
        &mut self,
        range: Range<u64>,
        query: Query,
        found: &mut Vec<Region>,
    ) -> io::Result<()> {
        self.walk(range, query, 0, Some(found))
    }

    /// The same, and write-protects what it finds: a page that is written in between is either found
    /// or not protected. Mappings that are not registered are passed over.
    pub fn scan_and_protect(
        &mut self,
        range: Range<u64>,
        query: Query,
        found: &mut Vec<Region>,
    ) -> io::Result<()> {
        self.walk(range, query, PROTECT_MATCHING, Some(found))
    }

    /// Write-protects pages, and tells of none.
    pub fn protect(&mut self, range: Range<u64>, query: Query) -> io::Result<()> {
        self.walk(range, query, PROTECT_MATCHING, None)
    }

    fn walk(
        &mut self,
        range: Range<u64>,
        query: Query,
        flags: u64,
        mut found: Option<&mut Vec<Region>>,
    ) -> io::Result<()> {
        let mut start = range.start;
        while start < range.end {
            let wanted = found.is_some();
            let mut arguments = Arguments {
                size: size_of::<Arguments>() as u64,
                flags,
                start,
                end: range.end,
                vec: if wanted { self.room.as_mut_ptr() as u64 } else { 0 },
                vec_len: if wanted { ROOM as u64 } else { 0 },
                inverted: query.none,
                all: query.all | query.none,
                any: query.any,
                tell: if wanted { query.tell } else { 0 },
                ..Arguments::default()
            };
            toll::count(toll::Kind::Other);
            let pointer = ptr::from_mut(&mut arguments);
            // SAFETY: the kernel reads and writes the arguments, and writes at most `ROOM` regions to
            // `room`, which is as long and borrowed for us alone.
            let count = unsafe { libc::ioctl(self.file.as_raw_fd(), PAGEMAP_SCAN as _, pointer) };
            if count < 0 {
                return Err(io::Error::last_os_error());
            }
            if let Some(found) = &mut found {
                found.extend_from_slice(&self.room[..(count as usize).min(ROOM)]);
            }
            start = arguments.walk_end.max(start + 1);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::remote::testing::{Guest, IMAGE, PAGE};
    use crate::remote::{Call, Failure};
    use crate::userfault::Userfault;
    use crate::wait::Stop;

    const PAGES: u64 = 16;
    const AREA: u64 = 0x7200_0000;

    /// Writes to this page of the area.
    fn write(page: u64) {
        // SAFETY: the test has mapped the area, and nobody else uses it.
        unsafe { ((AREA + page * PAGE) as *mut u8).write_volatile(9) };
    }

    fn map_and_touch() {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: the area is free: the flag does not let it take the place of another mapping.
        unsafe {
            libc::mmap(AREA as *mut _, (PAGES * PAGE) as usize, protection, flags, -1, 0);
        }
        (0..8).for_each(write);
    }

    const DIRTY: Query = Query { all: state::WRITTEN, none: 0, any: state::PRESENT, tell: 0 };

    fn pages(found: &[Region]) -> Vec<u64> {
        let numbers = |region: &Region| (region.start - AREA) / PAGE..(region.end - AREA) / PAGE;
        found.iter().flat_map(numbers).collect()
    }

    #[test]
    fn written_pages_are_found_and_protected_at_once() {
        // The guest writes to pages 3 and 5, to page 12 that was not there, and the kernel to page 6.
        let (question, answer) = io::pipe().unwrap();
        (&answer).write_all(b"k").unwrap();
        let (guest, tracee) = Guest::start_then(map_and_touch, |byte| {
            [3, 5, 12].into_iter().for_each(write);
            // SAFETY: the call writes one byte to the area.
            unsafe { libc::read(question.as_raw_fd(), (AREA + 6 * PAGE) as *mut _, 1) };
            byte
        });
        let mut calls = guest.begin(tracee, Stop::Trap);
        calls.bring_in(&IMAGE).unwrap();
        let fd = match calls.call(Userfault::create()) {
            Ok(fd) => fd as i32,
            Err(Failure::Refused(error)) => {
                eprintln!("skipped: no userfaultfd here: {error}");
                return;
            }
            Err(failure) => panic!("{failure}"),
        };
        let userfault = match Userfault::of_guest(guest.pid(), guest.pid(), fd) {
            Ok(userfault) => userfault,
            Err(error) => {
                eprintln!("skipped: no asynchronous write protection here: {error}");
                return;
            }
        };
        calls.call(Call::close(fd)).unwrap();
        userfault.register(AREA, PAGES * PAGE).unwrap();
        let mut pagemap = Pagemap::open(guest.pid()).unwrap();
        let area = AREA..AREA + PAGES * PAGE;
        let mut found = Vec::new();
        pagemap.scan_and_protect(area.clone(), DIRTY, &mut found).unwrap();
        assert_eq!(pages(&found), Vec::from_iter(0..8));
        found.clear();
        pagemap.scan(area.clone(), DIRTY, &mut found).unwrap();
        assert_eq!(found, []);

        let (tracee, _) = calls.finish().unwrap();
        (&guest.answer).write_all(&[42]).unwrap();
        let tracee = guest.enter(libc::SYS_exit_group, tracee);
        assert_eq!(tracee.registers().unwrap().rdi, 42);
        let told = Query { tell: state::WRITTEN | state::PRESENT, ..DIRTY };
        pagemap.scan(area.clone(), told, &mut found).unwrap();
        assert_eq!(pages(&found), [3, 5, 6, 12]);
        assert!(found.iter().all(|region| region.state == told.tell));
        // By hand one page, all others by what was found.
        userfault.protect(AREA + 5 * PAGE, PAGE).unwrap();
        pagemap.protect(AREA..AREA + 4 * PAGE, DIRTY).unwrap();
        found.clear();
        pagemap.scan_and_protect(area.clone(), DIRTY, &mut found).unwrap();
        assert_eq!(pages(&found), [6, 12]);
        userfault.unregister(AREA, PAGES * PAGE).unwrap();
        found.clear();
        pagemap.scan(area, DIRTY, &mut found).unwrap();
        assert_eq!(pages(&found), [0, 1, 2, 3, 4, 5, 6, 7, 12]);
    }

    #[test]
    fn who_is_gone_has_no_pages() {
        assert!(Pagemap::open(-1).is_err());
    }
}
