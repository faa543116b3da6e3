//! The guest thread that makes a call, and copies of what it passes.

use std::io;
use std::os::fd::OwnedFd;

use kernel::proc::Identity;
use kernel::seccomp::{Listener, Pending};
use kernel::{behalf, memory, pidfd};

use super::walk::{Found, Walker, errno};

/// The longest path that the kernel takes, with its NUL; longer texts have no use either.
pub const TEXT_MAX: usize = 4096;
const PAGE: u64 = memory::PAGE_SIZE as u64;

/// A call, and who makes it.
#[derive(Debug)]
pub struct Caller<'a> {
    /// The call.
    pub call: &'a Pending,
    /// Whose rights count.
    pub identity: &'a Identity,
    /// Walks its paths.
    pub walker: Walker<'a>,
}

impl Caller<'_> {
    /// A copy of a string, without its NUL.
    ///
    /// # Errors
    /// `EFAULT` where it cannot be read, `ENAMETOOLONG` if it is longer than any path.
    pub fn string(&self, mut at: u64) -> io::Result<Vec<u8>> {
        let mut string = Vec::new();
        while string.len() < TEXT_MAX {
            let len = (PAGE - at % PAGE).min((TEXT_MAX - string.len()) as u64);
            let piece = self.bytes(at, len as usize)?;
            if let Some(end) = piece.iter().position(|&byte| byte == 0) {
                string.extend_from_slice(&piece[..end]);
                return Ok(string);
            }
            string.extend(piece);
            at = at.checked_add(len).ok_or_else(|| errno(libc::EFAULT))?;
        }
        Err(errno(libc::ENAMETOOLONG))
    }

    /// A copy of so many bytes.
    ///
    /// # Errors
    /// `EFAULT` where not all of them can be read.
    pub fn bytes(&self, at: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        if len == 0 {
            return Ok(bytes);
        }
        match memory::read_ranges(self.call.tid, &mut [(at, &mut bytes)])? {
            1 => Ok(bytes),
            _ => Err(errno(libc::EFAULT)),
        }
    }

    /// Writes bytes where the guest wants them.
    ///
    /// # Errors
    /// `EFAULT` where not all of them can be written.
    pub fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        memory::write(self.call.tid, &[(at, bytes)])
    }

    /// A copy of a descriptor.
    ///
    /// # Errors
    /// `EBADF` if it is not open.
    pub fn descriptor(&self, fd: u64) -> io::Result<OwnedFd> {
        pidfd::copy_descriptor(self.identity.tgid, self.call.tid, fd as i32)
    }

    /// The file at which a path begins: the root, the directory of a descriptor, or the working
    /// directory.
    ///
    /// # Errors
    /// `EBADF` if there is no such descriptor, `ENOENT` for an empty path.
    pub fn start(&self, directory: Option<u64>, path: &[u8]) -> io::Result<OwnedFd> {
        match path.first() {
            None => Err(errno(libc::ENOENT)),
            Some(b'/') => self.walker.root.try_clone(),
            Some(_) => self.place(directory),
        }
    }

    /// The file of a descriptor, or the working directory.
    ///
    /// # Errors
    /// `EBADF` if there is no such descriptor.
    pub fn place(&self, directory: Option<u64>) -> io::Result<OwnedFd> {
        let tid = self.call.tid;
        let link = match directory.map(|fd| fd as i32) {
            None | Some(libc::AT_FDCWD) => format!("/proc/{tid}/cwd\0"),
            Some(fd) => format!("/proc/{tid}/fd/{fd}\0"),
        };
        behalf::open(link.as_bytes(), libc::O_PATH, 0).map_err(|error| match error.raw_os_error() {
            Some(libc::ENOENT) if directory.is_some() => errno(libc::EBADF),
            _ => error,
        })
    }

    /// Walks a path from where it begins.
    ///
    /// # Errors
    /// See [`Walker::walk`].
    pub fn walk(
        &self,
        start: &OwnedFd,
        path: &[u8],
        follow: bool,
        entry: bool,
    ) -> io::Result<Found> {
        self.walker.walk(start, path, follow, entry)
    }

    /// Fails if the thread is gone: what was copied may be of another one then.
    ///
    /// # Errors
    /// `ESRCH`.
    pub fn pending(&self, listener: &Listener) -> io::Result<()> {
        if listener.is_pending(self.call) { Ok(()) } else { Err(errno(libc::ESRCH)) }
    }
}
