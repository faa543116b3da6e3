//! The memory of a stack.

use contract::{GuestAddr, Tid};
use kernel::memory::{Method, PAGE_SIZE};

use crate::memory::PageCache;

/// So many pages are read at once, from the stack's top on: most stacks are shorter, and each page beyond
/// the stack's end would cost a read of its own.
const PAGES_AT_ONCE: usize = 2;

/// A thread's memory, read while it is stopped.
#[derive(Debug)]
pub struct Memory {
    pages: PageCache,
    /// The thread.
    pub tid: Tid,
}

impl Memory {
    /// Nothing is read yet.
    pub fn new(method: Option<Method>) -> Memory {
        Memory { pages: PageCache::new(method), tid: Tid(0) }
    }

    /// Forgets all, and reads the top of a thread's stack.
    pub fn begin(&mut self, tid: Tid, sp: u64) {
        self.pages.clear();
        self.tid = tid;
        self.load(GuestAddr(sp));
    }

    fn load(&mut self, from: GuestAddr) {
        // Of a thread that is gone nothing can be read.
        let _ = self.pages.load(self.tid, [(from, PAGES_AT_ONCE * PAGE_SIZE)].into_iter());
    }

    /// The word at an address, aligned or not.
    pub fn word(&mut self, addr: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        let read = self.read(addr, &mut bytes);
        (read == bytes.len()).then(|| u64::from_le_bytes(bytes))
    }

    /// Fills `dest` with the bytes at an address, as far as they can be read. Returns how far.
    pub fn read(&mut self, addr: u64, dest: &mut [u8]) -> usize {
        let mut done = 0;
        while done < dest.len() {
            let Some(here) = GuestAddr(addr).checked_add(done as u64) else { break };
            if self.pages.rest_of_page(here).is_none() {
                self.load(here);
            }
            let Some(bytes) = self.pages.rest_of_page(here) else { break };
            let len = bytes.len().min(dest.len() - done);
            dest[done..][..len].copy_from_slice(&bytes[..len]);
            done += len;
        }
        done
    }
}
