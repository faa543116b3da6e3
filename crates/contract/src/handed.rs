//! Files that modules hand to guests.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::rc::Rc;

use crate::Argument;

/// What a path of `openat(2)` begins at that is relative to the working directory.
const AT_FDCWD: i32 = -100;
/// Flags of `open(2)` that are about names, which the file need not have: `O_CREAT`, `O_EXCL`,
/// `O_NOFOLLOW`.
const ABOUT_NAMES: u32 = 0o100 | 0o200 | 0o400000;

/// A file of the supervisor's of which a guest gets a descriptor of its own: it reads and writes there,
/// and nobody has to be asked.
///
/// It is opened anew (`/proc/PID/fd/N`): the guest's descriptor has an offset of its own. What cannot be
/// opened so fails with the kernel's error: `ENXIO` for a socket, `EACCES` for what the file's mode or the
/// supervisor's descriptor forbids.
#[derive(Clone, Debug)]
pub struct Handed {
    file: Rc<File>,
    flags: u32,
}

impl Handed {
    /// This file, opened with these flags of `open(2)`. Those about names are left out: the module has
    /// decided about them.
    pub fn new(file: Rc<File>, flags: u32) -> Handed {
        Handed { file, flags: flags & !ABOUT_NAMES }
    }

    /// The arguments of the `openat(2)` by which the guest gets it; `owner` is the process that has the
    /// file open.
    pub fn arguments(&self, owner: u32) -> Vec<Argument> {
        let path = format!("/proc/{owner}/fd/{}", self.file.as_raw_fd());
        vec![
            Argument::value(0, AT_FDCWD as u64),
            Argument::path(1, path),
            Argument::value(2, self.flags.into()),
            Argument::value(3, 0),
        ]
    }
}

impl PartialEq for Handed {
    fn eq(&self, other: &Handed) -> bool {
        Rc::ptr_eq(&self.file, &other.file) && self.flags == other.flags
    }
}

impl Eq for Handed {}
