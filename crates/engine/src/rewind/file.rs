//! Files of the program that are ours, too: known by what they are, not by who has opened them.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::ops::Range;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct File {
    device: u64,
    inode: u64,
}

impl File {
    /// What a descriptor of ours is of.
    pub fn of_ours(fd: RawFd) -> io::Result<File> {
        File::at(format!("/proc/self/fd/{fd}"))
    }

    /// All without a name that we have open.
    pub fn nameless_of_ours() -> Vec<File> {
        let Ok(open) = fs::read_dir("/proc/self/fd") else { return Vec::new() };
        let data = open.flatten().filter_map(|entry| fs::metadata(entry.path()).ok());
        data.filter(is_nameless).map(|data| File::from(&data)).collect()
    }

    /// The folder in which this path is.
    pub fn of_parent(path: &Path) -> io::Result<File> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        File::at(parent.unwrap_or(Path::new(".")))
    }

    /// The working directory of a process.
    pub fn of_folder(pid: i32) -> Option<File> {
        File::at(format!("/proc/{pid}/cwd")).ok()
    }

    /// Whether a process would find this by its path.
    pub fn is_found(self, pid: i32, path: &[u8]) -> bool {
        let mut whole = format!("/proc/{pid}/root").into_bytes();
        whole.extend(path);
        File::at(OsStr::from_bytes(&whole)).is_ok_and(|file| file == self)
    }

    /// Whether this is where a thread looks up paths from this descriptor, or `AT_FDCWD`.
    pub fn is_folder_of(self, tid: i32, from: i32) -> bool {
        if from != libc::AT_FDCWD {
            return self.is_of(tid, from as u64);
        }
        File::at(format!("/proc/{tid}/cwd")).is_ok_and(|file| file == self)
    }

    /// Whether a thread has this file by this descriptor.
    pub fn is_of(self, tid: i32, fd: u64) -> bool {
        let fd = fd as i32;
        fd >= 0 && File::at(format!("/proc/{tid}/fd/{fd}")).is_ok_and(|file| file == self)
    }

    /// Whether a process has one of these files open, by any descriptor but those of these numbers.
    pub fn any_is_open(files: &[File], pid: i32, but: &Range<i32>) -> bool {
        let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
        let numbers = open.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut others = numbers.filter(|fd: &i32| !but.contains(fd));
        others.any(|fd| files.iter().any(|file| file.is_of(pid, fd as u64)))
    }

    fn at(path: impl AsRef<Path>) -> io::Result<File> {
        fs::metadata(path).map(|data| File::from(&data))
    }
}

impl From<&Metadata> for File {
    fn from(data: &Metadata) -> File {
        File { device: data.dev(), inode: data.ino() }
    }
}

/// Whether a file has no name, or no more.
pub(super) fn is_nameless(data: &Metadata) -> bool {
    data.is_file() && data.nlink() == 0
}
