//! Looking for the function that is the point: in the program, and in the libraries that it maps.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use kernel::proc;
use kernel::ptrace::{Stopped, Tracee};

use super::breakpoint::Breakpoint;
use super::functions::{Called, called};

/// What was found so far, in the program that the first process runs. Other processes have what they had of it
/// when they began.
#[derive(Default, Debug)]
pub struct Search {
    pub breakpoint: Option<Breakpoint>,
    /// The functions in files that have several of this name.
    pub several: BTreeSet<String>,
    /// What the threads that are in a call are about to map.
    maps: BTreeMap<i32, Mapped>,
}

/// A part of a file that is mapped as code.
#[derive(Debug)]
struct Mapped {
    fd: i32,
    offset: u64,
    len: u64,
}

impl Search {
    /// Looks in the file of a program that has not begun yet.
    pub fn in_program(&mut self, tracee: &Tracee<Stopped>, name: &str) -> io::Result<()> {
        let file = File::open(format!("/proc/{}/exe", tracee.tid()))?;
        let inode = file.metadata()?.ino();
        let Some(offset) = self.offset_in(file, name) else { return Ok(()) };
        let list = proc::mappings::mappings(tracee.tid()).map_err(io::Error::other)?;
        let mapping = list.iter().find(|mapping| {
            let len = mapping.range.end - mapping.range.start;
            mapping.executable
                && mapping.file.is_some_and(|(_, number)| number == inode)
                && (mapping.offset..mapping.offset + len).contains(&offset)
        });
        let address = mapping.map(|mapping| mapping.range.start + (offset - mapping.offset));
        self.breakpoint = address.map(|at| Breakpoint::set(tracee, at)).transpose()?;
        Ok(())
    }

    /// Notes a 64-bit call that a thread is about to make: it may map code of a file.
    pub fn note(&mut self, tid: i32, number: u64, args: [u64; 6]) {
        let [_, len, rights, flags, fd, offset] = args;
        let is_code = number == libc::SYS_mmap as u64
            && rights & libc::PROT_EXEC as u64 != 0
            && flags & libc::MAP_ANONYMOUS as u64 == 0;
        if is_code && self.breakpoint.is_none() {
            self.maps.insert(tid, Mapped { fd: fd as i32, offset, len });
        }
    }

    /// Looks in the file that a thread has mapped by the call that it comes from, if it has.
    pub fn in_mapped(
        &mut self,
        tracee: &Tracee<Stopped>,
        name: &str,
        result: i64,
    ) -> io::Result<()> {
        let Some(Mapped { fd, offset, len }) = self.maps.remove(&tracee.tid()) else {
            return Ok(());
        };
        if result < 0 || self.breakpoint.is_some() {
            return Ok(());
        }
        // One that cannot be opened once more has no function that we could find.
        let Ok(file) = open_regular(&format!("/proc/{}/fd/{fd}", tracee.tid())) else {
            return Ok(());
        };
        let found = self.offset_in(file, name);
        let found = found.filter(|found| (offset..offset.saturating_add(len)).contains(found));
        let address = found.map(|found| result as u64 + (found - offset));
        self.breakpoint = address.map(|at| Breakpoint::set(tracee, at)).transpose()?;
        Ok(())
    }

    /// Takes the breakpoint from processes that have it from their parents.
    pub fn take_from(&self, processes: impl Iterator<Item = i32>) {
        if let Some(breakpoint) = self.breakpoint {
            processes.for_each(|pid| breakpoint.take_from(pid));
        }
    }

    /// Where in a file the function is. If it has several, others may have but one.
    fn offset_in(&mut self, file: File, name: &str) -> Option<u64> {
        match called(file, name) {
            Called::Nothing => None,
            Called::One(offset) => Some(offset),
            Called::Several(each) => {
                self.several.extend(each);
                None
            }
        }
    }
}

/// Opens a file that a guest has chosen: to open others may wait, or do something.
fn open_regular(path: &str) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)
}
