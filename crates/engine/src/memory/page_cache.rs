//! A guest's pages, copied at most once a stop.

use std::io;

use contract::{GuestAddr, Tid};
use kernel::memory::{GuestMemory, Method, PAGE_SIZE, Page, ReadError};

/// More pages than this are given back after the stop that needed them.
const PAGES_KEPT: usize = 64;

/// The most pages copied during one stop, so that no guest can have us use up memory.
const PAGES_MAX: usize = 4096;

/// The pages of one guest thread that were copied during this stop.
#[derive(Debug, Default)]
pub struct PageCache {
    source: GuestMemory,
    entries: Vec<Entry>,
    pages: Vec<Page>,
}

/// A page that was asked for; `pages` has its bytes at the same index.
#[derive(Debug)]
struct Entry {
    addr: u64,
    readable: bool,
}

impl PageCache {
    /// An empty cache, to be filled by this method or the cheapest that works.
    pub fn new(method: Option<Method>) -> PageCache {
        PageCache {
            source: method.map_or_else(GuestMemory::new, GuestMemory::only),
            ..Default::default()
        }
    }

    /// Forgets all pages: the guest is about to run, or another guest is looked at.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.pages.truncate(PAGES_KEPT);
        self.pages.shrink_to(PAGES_KEPT);
    }

    /// Copies those pages of the ranges (start and length in bytes) that are not here yet, in one
    /// kernel call where all of them can be read. Pages beyond [`PAGES_MAX`] are not copied. Fails
    /// if the thread is gone.
    pub fn load(
        &mut self,
        tid: Tid,
        ranges: impl Iterator<Item = (GuestAddr, usize)>,
    ) -> io::Result<()> {
        let known = self.entries.len();
        for (addr, len) in ranges.filter(|(_, len)| *len > 0) {
            let last = addr.0.saturating_add(len as u64 - 1);
            for page in (page_of(addr.0)..=page_of(last)).step_by(PAGE_SIZE) {
                if self.entries.len() == PAGES_MAX {
                    break;
                }
                if !self.entries.iter().any(|entry| entry.addr == page) {
                    self.entries.push(Entry { addr: page, readable: false });
                }
            }
        }
        if known == self.entries.len() {
            return Ok(());
        }
        if self.pages.len() < self.entries.len() {
            self.pages.resize(self.entries.len(), [0; PAGE_SIZE]);
        }
        let wanted: Vec<u64> = self.entries[known..].iter().map(|entry| entry.addr).collect();
        let dest = &mut self.pages[known..self.entries.len()];
        let read = match self.source.read_pages(tid.0, &wanted, dest) {
            Ok(read) => read,
            Err(ReadError::Gone { .. }) => return Err(kernel::ptrace::gone()),
            // Whatever forbids it, to the decoder the memory is unreadable: the trace goes on.
            Err(_) => return Ok(()),
        };
        for (entry, read) in self.entries[known..].iter_mut().zip(read) {
            entry.readable = read;
        }
        Ok(())
    }

    /// The bytes from `addr` to the end of its page; `None` if the page is unreadable or was not
    /// loaded.
    pub fn rest_of_page(&self, addr: GuestAddr) -> Option<&[u8]> {
        let page = page_of(addr.0);
        let index = self.entries.iter().position(|entry| entry.addr == page)?;
        let offset = (addr.0 - page) as usize;
        self.entries[index].readable.then(|| &self.pages[index][offset..])
    }
}

fn page_of(addr: u64) -> u64 {
    addr & !(PAGE_SIZE as u64 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_one_stop_are_bounded() {
        let memory = vec![0u8; 2 * PAGES_MAX * PAGE_SIZE];
        let start = GuestAddr(memory.as_ptr() as u64);
        let mut pages = PageCache::new(None);
        let tid = Tid(std::process::id() as i32);
        pages.load(tid, [(start, memory.len())].into_iter()).unwrap();
        assert_eq!(pages.entries.len(), PAGES_MAX);
        assert!(pages.rest_of_page(start).is_some());
        let beyond = start.checked_add(memory.len() as u64 - 1).unwrap();
        assert!(pages.rest_of_page(beyond).is_none());
    }
}
