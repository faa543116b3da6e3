//! Code of a stopped thread that is borrowed for other code.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use super::{Stopped, Tracee};
use crate::toll;

/// A place in a thread's code, and what was there.
#[derive(Debug)]
pub(crate) struct CodeSpot {
    at: u64,
    original: Vec<u8>,
    /// `/proc/TID/mem`; where that is not permitted, each word is a request.
    file: Option<File>,
}

impl CodeSpot {
    /// The size in bytes of one around an address, and what its address is a multiple of: so it lies in
    /// one page.
    pub const LEN: usize = 32;

    /// Its address.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Writes code from its beginning on, no more than there is room for.
    pub fn write(&self, tracee: &Tracee<Stopped>, code: &[u8]) -> io::Result<()> {
        self.write_behind(tracee, 0, code)
    }

    /// The same from so far behind its beginning on.
    pub fn write_behind(
        &self,
        tracee: &Tracee<Stopped>,
        offset: usize,
        code: &[u8],
    ) -> io::Result<()> {
        let end = offset + code.len();
        assert!(end <= self.original.len(), "code up to byte {end} is too much");
        toll::count(toll::Kind::Other);
        let at = self.at + offset as u64;
        match &self.file {
            Some(file) if file.write_all_at(code, at).is_ok() => Ok(()),
            _ => tracee.poke_bytes(at, code),
        }
    }

    /// Writes what was there at first.
    pub fn put_back(&self, tracee: &Tracee<Stopped>) -> io::Result<()> {
        self.write(tracee, &self.original)
    }
}

impl Drop for CodeSpot {
    fn drop(&mut self) {
        // The closing.
        toll::count(toll::Kind::Other);
    }
}

impl Tracee<Stopped> {
    /// The spot in which this address of code lies.
    ///
    /// # Errors
    /// `EIO` when nothing is mapped there.
    pub(crate) fn code_spot(&self, address: u64) -> io::Result<CodeSpot> {
        self.code_at(address & !(CodeSpot::LEN as u64 - 1), CodeSpot::LEN)
    }

    /// The spot of so many bytes, a multiple of 8, at this address.
    ///
    /// # Errors
    /// `EIO` when not all of it is mapped.
    pub(crate) fn code_at(&self, at: u64, len: usize) -> io::Result<CodeSpot> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).custom_flags(libc::O_CLOEXEC);
        toll::count(toll::Kind::Other);
        let file = options.open(format!("/proc/{}/mem", self.tid)).ok();
        let mut original = vec![0; len];
        toll::count(toll::Kind::MemoryRead);
        if file.as_ref().is_none_or(|file| file.read_exact_at(&mut original, at).is_err()) {
            for (place, word) in (at..).step_by(8).zip(original.as_chunks_mut::<8>().0) {
                *word = self.peek(place)?.to_le_bytes();
            }
        }
        Ok(CodeSpot { at, original, file })
    }
}
