//! Pipes between processes of the program.
//!
//! Who reads from a pipe is told of its end when nobody can write to it any more. So nobody but the
//! program may have an end of it during a run: neither we nor, for later, the program itself. What is
//! kept instead can neither read nor write (`O_PATH`), and brings back the same pipe: when it is
//! opened again.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use kernel::{proc, queued};

use super::named::Named;

/// An end of a pipe.
#[derive(Debug)]
pub struct Pipe {
    /// The pipe, of which this is no end.
    place: File,
    /// What it is, as `/proc/PID/fd` has it.
    name: String,
    /// `O_RDONLY` or `O_WRONLY`, and flags that can be given when it is opened again.
    flags: i32,
    /// What the pipe holds, and how much it has room for, told with its reading end.
    content: Option<(Vec<u8>, i32)>,
}

impl Pipe {
    /// An end of a pipe, of which we have a copy for now, if all of its ends are the program's own.
    pub fn of(named: &Named, all: &[Named], copy: &File) -> Option<Pipe> {
        const KEPT: i32 = libc::O_ACCMODE | libc::O_NONBLOCK | libc::O_DIRECT;
        let flags = flags_of(named)?;
        let mode = flags & libc::O_ACCMODE;
        let is_other_end = |other: &&Named| {
            other.name == named.name
                && flags_of(other).is_some_and(|flags| flags & libc::O_ACCMODE != mode)
        };
        // One that nobody has the other end of has no other end.
        if !all.iter().any(|other| is_other_end(&other))
            && !queued::is_hung_up(copy.as_fd()).ok()?
        {
            return None;
        }
        let content = if mode == libc::O_RDONLY {
            let content = queued::peek(copy.as_fd()).ok()?;
            let room = queued::room(copy.as_fd()).ok()?;
            if content.len() != queued::bytes(copy.as_fd()).ok()? {
                return None;
            }
            Some((content, room))
        } else {
            None
        };
        let mut options = File::options();
        let options = options.read(true).custom_flags(libc::O_PATH);
        let place = options.open(format!("/proc/self/fd/{}", copy.as_raw_fd())).ok()?;
        Some(Pipe { place, name: named.name.clone(), flags: flags & KEPT, content })
    }

    /// Whether this descriptor is the same end of the same pipe.
    pub fn is(&self, pid: i32, fd: i32) -> bool {
        /// The rights of the links in `/proc/PID/fd`.
        const READ: u32 = 0o400;
        const WRITE: u32 = 0o200;
        let wanted = if self.flags & libc::O_ACCMODE == libc::O_RDONLY { READ } else { WRITE };
        self.is_kept(pid, fd)
            && std::fs::symlink_metadata(format!("/proc/{pid}/fd/{fd}"))
                .is_ok_and(|link| link.mode() & (READ | WRITE) == wanted)
    }

    /// Whether this descriptor is of the same pipe.
    pub fn is_kept(&self, pid: i32, fd: i32) -> bool {
        proc::descriptor(pid, fd).is_ok_and(|name| name.as_os_str() == self.name.as_str())
    }

    /// The flags of `open(2)` that bring back this end.
    pub fn flags(&self) -> i32 {
        self.flags
    }

    /// Puts back what the pipe holds. The program has its ends again.
    pub fn put_back(&self) -> io::Result<()> {
        let Some((content, room)) = &self.content else { return Ok(()) };
        let mut options = File::options();
        let options = options.read(true).write(true).custom_flags(libc::O_NONBLOCK);
        let mut pipe = options.open(format!("/proc/self/fd/{}", self.place.as_raw_fd()))?;
        let left = queued::bytes(pipe.as_fd())?;
        pipe.read_exact(&mut vec![0; left])?;
        queued::set_room(pipe.as_fd(), *room)?;
        pipe.write_all(content)
    }
}

/// The flags of a descriptor.
fn flags_of(named: &Named) -> Option<i32> {
    proc::descriptor_number(named.pid, named.fd, "flags", 8).ok().map(|flags| flags as i32)
}
