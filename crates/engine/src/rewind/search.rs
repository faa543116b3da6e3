//! Looking for the function that is the point: in the program, and in the libraries that it maps.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use kernel::proc;
use kernel::ptrace::{Stopped, Tracee};

use super::breakpoint::Breakpoint;
use super::functions::{Called, Function, called};

/// What was found so far, in the program that the first process runs. Other processes have what they had of it
/// when they began.
#[derive(Default, Debug)]
pub struct Search {
    pub breakpoint: Option<Breakpoint>,
    way: Way,
    /// Where there were others on the way, which children may have.
    former: Vec<Breakpoint>,
    /// The functions in files that have several of this name.
    pub several: BTreeSet<String>,
    /// What the threads that are in a call are about to map.
    maps: BTreeMap<i32, Mapped>,
}

/// Where the breakpoint is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Way {
    /// At the function.
    #[default]
    Function,
    /// At a function that chooses one: the loader calls it when it links the program.
    Chooser,
    /// Where that has returned what it has chosen.
    Chosen,
}

/// What it means that a thread has come to a breakpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// It has come to none.
    None,
    /// It goes on.
    OnTheWay,
    /// It is at the function.
    There,
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
        let Some(Function { offset, chooses }) = self.function_in(file, name) else {
            return Ok(());
        };
        let list = proc::mappings::mappings(tracee.tid()).map_err(io::Error::other)?;
        let mapping = list.iter().find(|mapping| {
            let len = mapping.range.end - mapping.range.start;
            mapping.executable
                && mapping.file.is_some_and(|(_, number)| number == inode)
                && (mapping.offset..mapping.offset + len).contains(&offset)
        });
        let address = mapping.map(|mapping| mapping.range.start + (offset - mapping.offset));
        address.map_or(Ok(()), |address| self.begin(tracee, address, chooses))
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
        let found = self.function_in(file, name);
        let mapped = offset..offset.saturating_add(len);
        match found.filter(|found| mapped.contains(&found.offset)) {
            Some(found) => {
                self.begin(tracee, result as u64 + (found.offset - offset), found.chooses)
            }
            None => Ok(()),
        }
    }

    fn begin(&mut self, tracee: &Tracee<Stopped>, address: u64, chooses: bool) -> io::Result<()> {
        self.way = if chooses { Way::Chooser } else { Way::Function };
        self.breakpoint = Some(Breakpoint::set(tracee, address)?);
        Ok(())
    }

    /// What it means that a thread, of the first process or another, has stopped for a `SIGTRAP`. If it has come to a
    /// breakpoint on the way, that is taken away, or is elsewhere then.
    pub fn arrives(&mut self, tracee: &Tracee<Stopped>, in_first: bool) -> io::Result<Arrival> {
        for former in &self.former {
            if former.is_reached(tracee)? {
                return former.take(tracee).map(|()| Arrival::OnTheWay);
            }
        }
        let Some(breakpoint) = self.breakpoint else { return Ok(Arrival::None) };
        if !breakpoint.is_reached(tracee)? {
            return Ok(Arrival::None);
        }
        if self.way == Way::Function {
            return Ok(Arrival::There);
        }
        breakpoint.take(tracee)?;
        // What a child has chosen the first process does not call.
        if in_first {
            self.former.push(breakpoint);
            let registers = tracee.registers()?;
            let (way, address) = match self.way {
                Way::Chooser => (Way::Chosen, tracee.peek(registers.rsp)?),
                Way::Chosen | Way::Function => (Way::Function, registers.rax),
            };
            (self.way, self.breakpoint) = (way, Some(Breakpoint::set(tracee, address)?));
        }
        Ok(Arrival::OnTheWay)
    }

    /// Takes the breakpoint from processes that have it from their parents.
    pub fn take_from(&self, processes: impl Iterator<Item = i32>) {
        for pid in processes {
            let all = self.former.iter().chain(&self.breakpoint);
            all.for_each(|breakpoint| breakpoint.take_from(pid));
        }
    }

    /// The function of a file. If it has several, others may have but one.
    fn function_in(&mut self, file: File, name: &str) -> Option<Function> {
        match called(file, name) {
            Called::Nothing => None,
            Called::One(function) => Some(function),
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
