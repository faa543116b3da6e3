//! The errors that calls with paths return.

use std::io;

/// An error that a call returns, from 1 to 4095.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errno(pub u16);

impl Errno {
    /// Operation not permitted.
    pub const EPERM: Errno = Errno(1);
    /// No such file or directory.
    pub const ENOENT: Errno = Errno(2);
    /// Device or resource busy: a place itself cannot be removed or renamed.
    pub const EBUSY: Errno = Errno(16);
    /// File exists.
    pub const EEXIST: Errno = Errno(17);
    /// Invalid cross-device link.
    pub const EXDEV: Errno = Errno(18);
    /// Not a directory.
    pub const ENOTDIR: Errno = Errno(20);
    /// Read-only file system.
    pub const EROFS: Errno = Errno(30);
    /// Result too large: the buffer is too small.
    pub const ERANGE: Errno = Errno(34);
    /// File name too long.
    pub const ENAMETOOLONG: Errno = Errno(36);
    /// Too many levels of symbolic links.
    pub const ELOOP: Errno = Errno(40);

    /// The kernel's, or `EIO` where it is none of its errors.
    pub fn of(error: io::Error) -> Errno {
        error.raw_os_error().and_then(|number| u16::try_from(number).ok()).map_or(Errno(5), Errno)
    }
}
