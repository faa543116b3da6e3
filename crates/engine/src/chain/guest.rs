//! What a module sees of the guest about whose call it is asked.

use std::io;
use std::path::PathBuf;

use contract::{Capture, Guest, GuestAddr, Pid, Tid};
use kernel::memory::{self, PAGE_SIZE};
use kernel::proc::{self, ProcError};

use crate::memory::PageCache;

/// A stopped guest thread, as the module sees it that stands at one place of the chain.
pub(super) struct Seen<'a> {
    pub tid: Tid,
    pub process: Pid,
    pub starting: bool,
    pub pages: &'a mut PageCache,
    /// The call as that module sees it: what was changed of it is in no guest's memory.
    pub call: &'a Capture,
}

/// The errors of `errno(3)` that reads and writes have.
const EFAULT: i32 = 14;
const ENAMETOOLONG: i32 = 36;

impl Guest for Seen<'_> {
    fn tid(&self) -> Tid {
        self.tid
    }

    fn process(&self) -> Pid {
        self.process
    }

    fn is_starting(&self) -> bool {
        self.starting
    }

    fn read(&mut self, at: GuestAddr, to: &mut [u8]) -> io::Result<()> {
        if let Some(bytes) = self.call.changed(at) {
            let bytes = bytes.get(..to.len()).ok_or_else(|| errno(EFAULT))?;
            to.copy_from_slice(bytes);
            return Ok(());
        }
        self.pages.load(self.tid, [(at, to.len())].into_iter())?;
        let mut done = 0;
        while done < to.len() {
            let here = at.checked_add(done as u64).ok_or_else(|| errno(EFAULT))?;
            let bytes = self.pages.rest_of_page(here).ok_or_else(|| errno(EFAULT))?;
            let len = bytes.len().min(to.len() - done);
            to[done..done + len].copy_from_slice(&bytes[..len]);
            done += len;
        }
        Ok(())
    }

    fn prepare(&mut self, pieces: &[(GuestAddr, usize)]) -> io::Result<()> {
        self.pages.load(self.tid, pieces.iter().copied())
    }

    fn read_string(&mut self, at: GuestAddr, most: usize) -> io::Result<Vec<u8>> {
        let mut string = Vec::new();
        while string.len() < most {
            let here = at.checked_add(string.len() as u64).ok_or_else(|| errno(EFAULT))?;
            let rest = PAGE_SIZE - here.0 as usize % PAGE_SIZE;
            let bytes = match self.call.changed(here) {
                Some(bytes) => bytes,
                None => {
                    self.pages.load(self.tid, [(here, rest.min(most))].into_iter())?;
                    self.pages.rest_of_page(here).ok_or_else(|| errno(EFAULT))?
                }
            };
            let bytes = &bytes[..bytes.len().min(most - string.len())];
            match bytes.iter().position(|byte| *byte == 0) {
                Some(end) => {
                    string.extend_from_slice(&bytes[..end]);
                    return Ok(string);
                }
                None if bytes.is_empty() => return Err(errno(EFAULT)),
                None => string.extend_from_slice(bytes),
            }
        }
        Err(errno(ENAMETOOLONG))
    }

    fn write(&mut self, at: GuestAddr, bytes: &[u8]) -> io::Result<()> {
        self.pages.clear();
        memory::write(self.tid.0, &[(at.0, bytes)])
    }

    fn working_directory(&self) -> io::Result<PathBuf> {
        proc::working_directory(self.tid.0).map_err(of_proc)
    }

    fn descriptor(&self, fd: i32) -> io::Result<PathBuf> {
        proc::descriptor(self.tid.0, fd).map_err(of_proc)
    }
}

fn of_proc(error: ProcError) -> io::Error {
    match error {
        ProcError::Gone { .. } => io::ErrorKind::NotFound.into(),
        ProcError::Denied { .. } => io::ErrorKind::PermissionDenied.into(),
        ProcError::Failed { source, .. } => source,
        ProcError::Malformed { .. } => io::Error::other(error),
    }
}

fn errno(errno: i32) -> io::Error {
    io::Error::from_raw_os_error(errno)
}
