//! What code a process has mapped.

use std::ops::Range;
use std::rc::Rc;

use kernel::proc::mappings::{Mapping, mappings};
use table::arch::x86_64;

use super::memory::Memory;
use super::object::{Object, Objects};

/// Flags of mmap(2): `PROT_EXEC`, and `MAP_FIXED`, which replaces what was mapped.
const PROT_EXEC: u64 = libc::PROT_EXEC as u64;
const MAP_FIXED: u64 = (libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE) as u64;

/// The executable mappings of a process, as far as they are known.
#[derive(Debug, Default)]
pub struct Space {
    known: bool,
    /// They have been looked at since this stack is.
    fresh: bool,
    /// In ascending order.
    code: Vec<Mapped>,
}

/// An executable mapping.
#[derive(Debug)]
pub struct Mapped {
    /// What it is.
    pub mapping: Mapping,
    /// Its file; `None` where it is of none.
    pub object: Option<Rc<Object>>,
}

impl Mapped {
    /// Where an address is in the file, in bytes.
    pub fn offset(&self, ip: u64) -> u64 {
        (ip - self.mapping.range.start).wrapping_add(self.mapping.offset)
    }
}

impl Space {
    /// The mapping at an address, if code is there.
    pub fn at(&mut self, ip: u64, objects: &mut Objects, memory: &mut Memory) -> Option<&Mapped> {
        if !self.known || !self.fresh && self.find(ip).is_none() {
            self.load(objects, memory);
        }
        self.find(ip).map(|index| &self.code[index])
    }

    /// Another stack is looked at: what is not found may have been mapped since the last one was.
    pub fn begin(&mut self) {
        self.fresh = false;
    }

    fn find(&self, ip: u64) -> Option<usize> {
        let index = self.code.partition_point(|mapped| mapped.mapping.range.end <= ip);
        let mapped = self.code.get(index)?;
        mapped.mapping.range.contains(&ip).then_some(index)
    }

    /// Looks at the mappings anew. What was known of those that are still there is kept.
    fn load(&mut self, objects: &mut Objects, memory: &mut Memory) {
        let mut before = std::mem::take(&mut self.code).into_iter().peekable();
        let now = mappings(memory.tid.0).unwrap_or_default();
        for mapping in now.into_iter().filter(|mapping| mapping.executable) {
            while before.next_if(|known| known.mapping.range.start < mapping.range.start).is_some()
            {
            }
            let object = match before.next_if(|known| known.mapping == mapping) {
                Some(known) => known.object,
                None => objects.of(&mapping, memory),
            };
            self.code.push(Mapped { mapping, object });
        }
        self.known = true;
        self.fresh = true;
    }

    /// A call with these arguments is made, or has been made, that changes mappings.
    pub fn changes(&mut self, number: u64, args: &[u64; 6]) {
        let is = |id: table::Id| number == u64::from(id.number);
        let here = |at: u64, len: u64| self.touches(&(at..at.saturating_add(len)));
        let changes = if is(x86_64::MMAP) {
            args[2] & PROT_EXEC != 0 || args[3] & MAP_FIXED != 0 && here(args[0], args[1])
        } else if is(x86_64::MPROTECT) || is(x86_64::PKEY_MPROTECT) {
            args[2] & PROT_EXEC != 0 || here(args[0], args[1])
        } else if is(x86_64::MUNMAP) {
            here(args[0], args[1])
        } else {
            true
        };
        self.known &= !changes;
    }

    fn touches(&self, range: &Range<u64>) -> bool {
        let first = self.code.partition_point(|mapped| mapped.mapping.range.end <= range.start);
        self.code.get(first).is_some_and(|mapped| mapped.mapping.range.start < range.end)
    }
}
