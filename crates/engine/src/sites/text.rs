//! An executable file whose sites are looked at.

use std::cell::OnceCell;
use std::fs::File;
use std::io;
use std::ops::Range;

use crate::eh_frame::Unwind;
use crate::elf::{BadFile, Elf};

/// An executable file. What is read of it is kept; its code is not.
#[derive(Debug)]
pub struct Text {
    pub(super) elf: Elf,
    pub(super) unwind: OnceCell<Option<Unwind>>,
    pub(super) go_functions: OnceCell<Vec<u64>>,
    pub(super) symbols: OnceCell<Vec<Named>>,
}

/// A named address in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Named {
    pub vaddr: u64,
    /// Size of what it names, in bytes; 0 if that is not known.
    pub len: u64,
}

impl Named {
    pub(super) fn end(&self) -> u64 {
        self.vaddr.saturating_add(self.len)
    }
}

impl Text {
    /// Reads the headers of a file.
    pub fn open(file: File) -> Result<Text, BadFile> {
        Ok(Text {
            elf: Elf::open(file)?,
            unwind: OnceCell::new(),
            go_functions: OnceCell::new(),
            symbols: OnceCell::new(),
        })
    }

    /// The code in a range of addresses, all of it.
    pub(super) fn read_code(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        self.elf.read_code(range)
    }

    /// The address of a byte of the file, if it is executable.
    pub fn vaddr(&self, offset: u64) -> Option<u64> {
        self.elf.vaddr(offset)
    }
}
