//! Opens files in guests' places, and hands them the descriptors.

use kernel::behalf;
use libc::{
    O_ACCMODE, O_CREAT, O_DIRECTORY, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_PATH, O_RDONLY,
    O_TMPFILE, O_TRUNC,
};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use super::calls::Use;
use super::devices;
use super::places::name_of;
use super::walk::{Found, Walker, errno, is_of_proc, may_block};

/// How a file is to be opened.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    /// The flags of `open(2)`.
    pub flags: i32,
    /// The permissions of a new file, before the umask.
    pub mode: u32,
}

/// A file that can be opened.
#[derive(Debug)]
pub enum Ready {
    /// It is open.
    Open(OwnedFd),
    /// To open it may take until somebody else does something.
    Waits(OwnedFd, i32),
}

/// File systems whose files change the machine, not data (`linux/magic.h`): sysfs, debugfs, tracefs,
/// securityfs, efivarfs, configfs, binfmt_misc, bpf, cgroup, cgroup2.
const OF_MACHINE: [u64; 10] = [
    0x6265_6572,
    0x6462_6720,
    0x7472_6163,
    0x7363_6673,
    0xde5e_81e4,
    0x6265_6570,
    0x4249_4e4d,
    0xcafe_4a11,
    0x0027_e0eb,
    0x6367_7270,
];

impl Opening {
    /// Whether a last symbolic link is followed.
    pub fn follows(self) -> bool {
        let makes = self.creates() && self.flags & O_EXCL != 0;
        self.flags & O_NOFOLLOW == 0 && !makes
    }

    /// Whether a file may be made.
    pub fn creates(self) -> bool {
        self.flags & O_CREAT != 0 && self.flags & O_PATH == 0
    }

    /// Whether the descriptor only stands for the file (`O_PATH`).
    pub fn only_names(self) -> bool {
        self.flags & O_PATH != 0
    }

    /// Whether a file without a name is made.
    fn makes_nameless(self) -> bool {
        self.flags & O_TMPFILE == O_TMPFILE
    }

    /// What is done with a file that is there.
    pub fn does(self) -> Use {
        let writes = self.flags & O_ACCMODE != O_RDONLY
            || self.flags & O_TRUNC != 0
            || self.makes_nameless();
        if writes && self.flags & O_PATH == 0 { Use::Changed } else { Use::Looked }
    }

    /// Opens what was found, and decided upon.
    ///
    /// # Errors
    /// Those of `open(2)`; `EPERM` and `EACCES` for what would get round decisions.
    pub fn open(self, found: Found, walker: &Walker<'_>) -> io::Result<Ready> {
        if self.creates() && found.as_directory {
            return Err(errno(libc::EISDIR));
        }
        let Some(file) = found.file.as_ref() else { return self.make(&found).map(Ready::Open) };
        if self.creates() && self.flags & O_EXCL != 0 {
            return Err(errno(libc::EEXIST));
        }
        let data = self.data_of(file, found.as_directory)?;
        let kind = data.file_type();
        if kind.is_symlink() {
            return Err(errno(libc::ELOOP));
        }
        if self.only_names() {
            return self.open_in_place_of_name(&found, walker).map(Ready::Open);
        }
        if self.creates() && kind.is_dir() {
            return Err(errno(libc::EISDIR));
        }
        if devices::is_raw(&data) {
            return Err(errno(libc::EPERM));
        }
        self.look_at_system(file, walker)?;
        // What is there is not made, but a file without a name is, in a directory.
        let about_names =
            if self.makes_nameless() { O_NOFOLLOW } else { O_CREAT | O_EXCL | O_NOFOLLOW };
        let flags = self.flags & !about_names | O_NOCTTY;
        if flags & O_NONBLOCK == 0 && may_block(&data) {
            return Ok(Ready::Waits(file.try_clone()?, flags));
        }
        behalf::open(&found.path()?, flags, self.mode).map(Ready::Open)
    }

    /// The descriptor that only names what was found, and decided upon.
    ///
    /// # Errors
    /// Those of `open(2)`.
    pub fn name(self, found: Found) -> io::Result<OwnedFd> {
        self.data_of(found.there()?, found.as_directory)?;
        found.file.ok_or_else(|| errno(libc::ENOENT))
    }

    /// What the file is that is to be opened.
    fn data_of(self, file: &OwnedFd, as_directory: bool) -> io::Result<Metadata> {
        let data = File::from(file.try_clone()?).metadata()?;
        if (as_directory || self.flags & O_DIRECTORY != 0) && !data.is_dir() {
            return Err(errno(libc::ENOTDIR));
        }
        Ok(data)
    }

    /// Opens a file for reading that is to be named only, where the guest cannot be passed a descriptor that
    /// does no more. So it does only for what can be opened without any effect.
    fn open_in_place_of_name(self, found: &Found, walker: &Walker<'_>) -> io::Result<OwnedFd> {
        let file = found.there()?;
        let kind = File::from(file.try_clone()?).metadata()?.file_type();
        if !kind.is_dir() && !kind.is_file() {
            return Err(errno(libc::EPERM));
        }
        self.look_at_system(file, walker)?;
        behalf::open(&found.path()?, O_RDONLY, 0)
    }

    /// Makes a file that is not there.
    fn make(self, found: &Found) -> io::Result<OwnedFd> {
        if !self.creates() {
            return Err(errno(libc::ENOENT));
        }
        behalf::open(&found.name()?, self.flags | O_NOFOLLOW | O_NOCTTY, self.mode)
    }

    /// Refuses files by which other processes or the machine are changed.
    fn look_at_system(self, file: &OwnedFd, walker: &Walker<'_>) -> io::Result<()> {
        let writes = self.does() == Use::Changed;
        if is_of_proc(file) {
            let name = name_of(file)?;
            let tells_memory = name.ends_with(b"/mem") || name == b"/proc/kcore";
            // What a program takes upon itself there would not hold for calls that we make for it.
            let binds_itself = writes && name.windows(6).any(|part| part == b"/attr/");
            let refused = !walker.is_own(&name) && (writes || tells_memory)
                || binds_itself
                || !name.starts_with(b"/proc/") && name != b"/proc";
            return if refused { Err(errno(libc::EACCES)) } else { Ok(()) };
        }
        let system = behalf::file_system(file.as_fd())?;
        if writes && OF_MACHINE.contains(&system) {
            return Err(errno(libc::EACCES));
        }
        Ok(())
    }
}
