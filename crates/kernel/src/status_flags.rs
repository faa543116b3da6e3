//! The flags of an open file that can be changed: `F_GETFL` and `F_SETFL` of `fcntl(2)`.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use libc::c_int;

use crate::toll;

/// Those of this one.
///
/// # Errors
/// As `fcntl(2)`.
pub fn of(fd: BorrowedFd<'_>) -> io::Result<c_int> {
    toll::count(toll::Kind::Other);
    // SAFETY: the command takes no memory.
    let flags = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) };
    if flags < 0 { Err(io::Error::last_os_error()) } else { Ok(flags) }
}

/// Sets them, for all who have the same open file.
///
/// # Errors
/// `EPERM` where the file may only be appended to.
pub fn set(fd: BorrowedFd<'_>, flags: c_int) -> io::Result<()> {
    toll::count(toll::Kind::Other);
    // SAFETY: the command takes no memory.
    let set = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags) };
    if set < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn they_are_those_of_the_open_file() {
        let (reader, _writer) = io::pipe().unwrap();
        let other = reader.try_clone().unwrap();
        let before = of(reader.as_fd()).unwrap();
        set(other.as_fd(), before | libc::O_NONBLOCK).unwrap();
        assert_eq!(of(reader.as_fd()).unwrap(), before | libc::O_NONBLOCK);
        set(reader.as_fd(), before).unwrap();
        assert_eq!(of(other.as_fd()).unwrap(), before);
    }
}
