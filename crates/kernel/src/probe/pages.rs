//! What it costs to know which pages are written.

use std::io;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Instant;

use crate::memory::{PAGE_SIZE, write_ranges};
use crate::pagemap::{Pagemap, Query};
use crate::userfault::{Userfault, Writes};

const PAGE: u64 = PAGE_SIZE as u64;
/// So many pages have their entries in one page table.
pub const PAGES_PER_TABLE: u64 = 512;

/// Memory to try things on: pages without a file, each of which has been written to.
#[derive(Debug)]
pub struct Area {
    start: *mut u8,
    pages: u64,
}

impl Area {
    /// New memory of so many pages; no huge ones.
    pub fn new(pages: u64) -> io::Result<Area> {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let len = (pages * PAGE) as usize;
        // SAFETY: a new mapping, at a place of the kernel's choice, touches no memory of ours.
        let start = unsafe { libc::mmap(ptr::null_mut(), len, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: advice about the new mapping; whether it is taken makes no difference to what it holds.
        unsafe { libc::madvise(start, len, libc::MADV_NOHUGEPAGE) };
        let area = Area { start: start.cast(), pages };
        (0..pages).for_each(|page| area.write(page));
        Ok(area)
    }

    /// Writes to a page, as any thread may.
    ///
    /// # Panics
    /// When it is not of the area.
    pub fn write(&self, page: u64) {
        self.byte(page).fetch_add(1, Ordering::Relaxed);
    }

    /// The first byte of a page, which other threads may write too.
    fn byte(&self, page: u64) -> &AtomicU8 {
        assert!(page < self.pages, "the area has no page {page}");
        // SAFETY: the byte is of the mapping, which lives as long as the area; all accesses are atomic.
        unsafe { AtomicU8::from_ptr(self.start.add((page * PAGE) as usize)) }
    }

    /// Its addresses.
    pub fn range(&self) -> Range<u64> {
        let start = self.start.expose_provenance() as u64;
        start..start + self.pages * PAGE
    }

    /// The addresses of a page.
    pub fn page(&self, page: u64) -> Range<u64> {
        let start = self.range().start + page * PAGE;
        start..start + PAGE
    }
}

// SAFETY: all that is done with the pointer is to write atomically to what it points to.
unsafe impl Sync for Area {}

impl Drop for Area {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing refers to it any more.
        unsafe { libc::munmap(self.start.cast(), (self.pages * PAGE) as usize) };
    }
}

/// What it costs, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PageCosts {
    /// To look through a page table in which nothing is found.
    pub table: f64,
    /// To protect a range by a call of its own.
    pub range: f64,
    /// A write to a protected page.
    pub fault: f64,
    /// A write to a protected page, where another thread has to let it happen.
    pub delivered: f64,
    /// To copy a page.
    pub copy: f64,
}

/// Measures it, on a few megabytes of our own memory.
///
/// # Errors
/// As [`Userfault::own`]; `ENOTTY` before Linux 6.7.
pub fn page_costs() -> io::Result<PageCosts> {
    const TABLES: u64 = 16;
    const PAGES: u64 = TABLES * PAGES_PER_TABLE;
    /// Every so many pages one is tried.
    const STRIDE: usize = 64;
    let own = std::process::id() as libc::pid_t;
    let area = Area::new(PAGES)?;
    let all = area.range();
    let some = || (0..PAGES).step_by(STRIDE);
    let count = some().count() as f64;
    let nanoseconds = |begun: Instant| begun.elapsed().as_nanos() as f64;

    let userfault = Userfault::own(Writes::Resolved)?;
    userfault.register(all.start, all.end - all.start)?;
    let mut pagemap = Pagemap::open(own)?;
    pagemap.protect(all.clone(), Query::UNPROTECTED)?;
    let begun = Instant::now();
    pagemap.protect(all.clone(), Query::UNPROTECTED)?;
    let table = nanoseconds(begun) / TABLES as f64;
    let begun = Instant::now();
    some().for_each(|page| area.write(page));
    let fault = nanoseconds(begun) / count;
    let begun = Instant::now();
    some().try_for_each(|page| pagemap.protect(area.page(page), Query::UNPROTECTED))?;
    let range = nanoseconds(begun) / count;
    some().for_each(|page| area.write(page));
    let bytes = [1; PAGE_SIZE];
    let copies: Vec<(u64, &[u8])> =
        some().map(|page| (area.page(page).start, bytes.as_slice())).collect();
    let begun = Instant::now();
    write_ranges(own, &copies)?;
    let copy = nanoseconds(begun) / count;
    drop(userfault);

    let userfault = Userfault::own(Writes::Delivered)?;
    userfault.register(all.start, all.end - all.start)?;
    userfault.protect(all.start, all.end - all.start)?;
    let delivered = thread::scope(|scope| {
        let letting = scope.spawn(|| {
            some().try_for_each(|_| {
                let page = userfault.next_fault()? & !(PAGE - 1);
                userfault.unprotect(page, PAGE)
            })
        });
        let begun = Instant::now();
        some().for_each(|page| area.write(page));
        let delivered = nanoseconds(begun) / count;
        letting.join().expect("it does not panic").map(|()| delivered)
    })?;
    Ok(PageCosts { table, range, fault, delivered, copy })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64};

    use super::*;
    use crate::pagemap::Region;

    #[test]
    fn everything_has_a_cost() {
        if let Err(refusal) = super::super::written_pages() {
            eprintln!("skipped: nobody tells here which pages are written: {refusal}");
            return;
        }
        let costs = page_costs().unwrap();
        let PageCosts { table, range, fault, delivered, copy } = costs;
        assert!([table, range, fault, delivered, copy].iter().all(|cost| *cost > 0.0), "{costs:?}");
    }

    /// How pages are looked for and protected again.
    #[derive(Clone, Copy, PartialEq)]
    enum Collect {
        /// In one kernel call.
        AtOnce,
        /// Found, then copied, and only then protected: what is written in between is lost.
        ThenProtect,
    }

    /// Collects while threads write to pages of their own, and each notes before its write how often it
    /// has written. How many writes no round told of.
    fn lost_writes(collect: Collect, rounds: u64) -> u64 {
        const THREADS: u64 = 4;
        const PAGES: u64 = 32;
        let area = Area::new(THREADS * PAGES).unwrap();
        let all = area.range();
        let userfault = Userfault::own(Writes::Resolved).unwrap();
        userfault.register(all.start, all.end - all.start).unwrap();
        let mut pagemap = Pagemap::open(std::process::id() as libc::pid_t).unwrap();
        pagemap.protect(all.clone(), Query::UNPROTECTED).unwrap();
        let stop = AtomicBool::new(false);
        // What the byte of a page is, by whom it is written.
        let counts: Vec<AtomicU64> = (0..THREADS * PAGES).map(|_| AtomicU64::new(1)).collect();
        let read = |page: u64| area.byte(page).load(Ordering::SeqCst);
        // What was copied last.
        let mut copied: Vec<u8> = (0..THREADS * PAGES).map(read).collect();
        let copy = |found: &[Region], copied: &mut [u8]| {
            let pages =
                found.iter().flat_map(|region| (region.start..region.end).step_by(PAGE_SIZE));
            for page in pages.map(|at| (at - all.start) / PAGE) {
                copied[page as usize] = read(page);
            }
        };
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (area, stop, counts) = (&area, &stop, &counts);
                scope.spawn(move || {
                    for turn in 0.. {
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                        let page = thread * PAGES + turn % PAGES;
                        area.write(page);
                        counts[page as usize].fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let mut found = Vec::new();
            for _ in 0..rounds {
                found.clear();
                if collect == Collect::AtOnce {
                    pagemap.scan_and_protect(all.clone(), Query::UNPROTECTED, &mut found).unwrap();
                } else {
                    pagemap.scan(all.clone(), Query::UNPROTECTED, &mut found).unwrap();
                }
                copy(&found, &mut copied);
                if collect == Collect::ThenProtect {
                    // Somebody writes in between.
                    let writes = || counts.iter().map(|count| count.load(Ordering::Relaxed)).sum();
                    let before: u64 = writes();
                    while writes() == before {
                        thread::yield_now();
                    }
                    pagemap.protect(all.clone(), Query::UNPROTECTED).unwrap();
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        // What was written since the last round, they are told of now.
        let mut found = Vec::new();
        pagemap.scan(all.clone(), Query::UNPROTECTED, &mut found).unwrap();
        copy(&found, &mut copied);
        let counted = |page: u64| counts[page as usize].load(Ordering::Relaxed) as u8;
        assert!((0..THREADS * PAGES).all(|page| read(page) == counted(page)));
        (0..THREADS * PAGES).filter(|page| copied[*page as usize] != read(*page)).count() as u64
    }

    #[test]
    fn no_write_is_lost_while_pages_are_collected() {
        if super::super::written_pages().is_err() {
            return;
        }
        let rounds = if std::env::var_os("SHUNPIKE_SOAK").is_some() { 10_000 } else { 500 };
        assert_eq!(lost_writes(Collect::AtOnce, rounds), 0);
        // The control: the test can see a loss.
        let lost = (1..=200).map(|tries| (tries, lost_writes(Collect::ThenProtect, 50)));
        let (tries, pages) = lost
            .into_iter()
            .find(|(_, pages)| *pages > 0)
            .expect("it was never seen that writes are lost between a look and the protection");
        println!("{rounds} rounds: no page lost; look, then protect: {pages} in {tries} times 50");
    }
}
