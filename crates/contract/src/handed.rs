//! Descriptors that modules hand to guests.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::rc::Rc;

use crate::Argument;

/// What a path of `openat(2)` begins at that is relative to the working directory.
const AT_FDCWD: i32 = -100;
/// Flags of `open(2)` that are about names, which the file need not have: `O_CREAT`, `O_EXCL`,
/// `O_NOFOLLOW`.
const ABOUT_NAMES: u32 = 0o100 | 0o200 | 0o400000;
/// `O_CLOEXEC`, which all calls that make descriptors have with this value.
const CLOSE_ON_EXEC: u32 = 0o2000000;

/// A descriptor that a guest gets, of what the supervisor has open: it reads and writes there, and
/// nobody has to be asked.
#[derive(Clone, Debug)]
pub enum Handed {
    /// A file of the supervisor's, opened anew with these flags of `open(2)`.
    Opened(Rc<File>, u32),
    /// What the supervisor has open itself, whatever it is.
    Shared(Rc<OwnedFd>, Place),
}

/// Under which number a guest gets a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The lowest that is free.
    New {
        /// Whether the descriptor is closed by an exec.
        close_on_exec: bool,
    },
    /// That of this descriptor of the guest's, which is closed.
    Of(i32),
}

impl Handed {
    /// This file, opened with these flags of `open(2)`. Those about names are left out: the module has
    /// decided about them.
    pub fn opened(file: Rc<File>, flags: u32) -> Handed {
        Handed::Opened(file, flags & !ABOUT_NAMES)
    }

    /// This descriptor; of these flags of the guest's call `O_CLOEXEC` alone counts.
    pub fn shared(descriptor: Rc<OwnedFd>, flags: u32) -> Handed {
        Handed::Shared(descriptor, Place::New { close_on_exec: flags & CLOSE_ON_EXEC != 0 })
    }

    /// Whether the call returns its number.
    pub fn is_returned(&self) -> bool {
        !matches!(self, Handed::Shared(_, Place::Of(_)))
    }

    /// The arguments of the `openat(2)` by which the guest gets it, if it does so; `owner` is the process
    /// that has the file open.
    pub fn arguments(&self, owner: u32) -> Option<Vec<Argument>> {
        let Handed::Opened(file, flags) = self else { return None };
        let path = format!("/proc/{owner}/fd/{}", file.as_raw_fd());
        Some(vec![
            Argument::value(0, AT_FDCWD as u64),
            Argument::path(1, path),
            Argument::value(2, (*flags).into()),
            Argument::value(3, 0),
        ])
    }

    /// What is passed on as it is, and where the guest gets it.
    pub fn passed(&self) -> Option<(BorrowedFd<'_>, Place)> {
        match self {
            Handed::Opened(..) => None,
            Handed::Shared(descriptor, place) => Some((descriptor.as_fd(), *place)),
        }
    }
}

impl PartialEq for Handed {
    fn eq(&self, other: &Handed) -> bool {
        match (self, other) {
            (Handed::Opened(file, flags), Handed::Opened(other, others)) => {
                Rc::ptr_eq(file, other) && flags == others
            }
            (Handed::Shared(descriptor, place), Handed::Shared(other, others)) => {
                Rc::ptr_eq(descriptor, other) && place == others
            }
            _ => false,
        }
    }
}

impl Eq for Handed {}
