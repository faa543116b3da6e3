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
    original: [u8; CodeSpot::LEN],
    /// `/proc/TID/mem`; where that is not permitted, each word is a request.
    file: Option<File>,
}

impl CodeSpot {
    /// Its size in bytes, and what its address is a multiple of: so it lies in one page.
    pub const LEN: usize = 32;

    /// Its address.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Writes code from its beginning on, no more than there is room for.
    pub fn write(&self, tracee: &Tracee<Stopped>, code: &[u8]) -> io::Result<()> {
        assert!(code.len() <= CodeSpot::LEN, "{} bytes of code are too many", code.len());
        toll::count(toll::Kind::Other);
        match &self.file {
            Some(file) if file.write_all_at(code, self.at).is_ok() => Ok(()),
            _ => tracee.poke_bytes(self.at, code),
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
        let at = address & !(CodeSpot::LEN as u64 - 1);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).custom_flags(libc::O_CLOEXEC);
        toll::count(toll::Kind::Other);
        let file = options.open(format!("/proc/{}/mem", self.tid)).ok();
        let mut original = [0; CodeSpot::LEN];
        toll::count(toll::Kind::MemoryRead);
        if file.as_ref().is_none_or(|file| file.read_exact_at(&mut original, at).is_err()) {
            for (place, word) in (at..).step_by(8).zip(original.as_chunks_mut::<8>().0) {
                *word = self.peek(place)?.to_le_bytes();
            }
        }
        Ok(CodeSpot { at, original, file })
    }
}
