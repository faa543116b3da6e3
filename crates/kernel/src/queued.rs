//! What waits to be read: `FIONREAD` of `ioctl(2)`, and `tee(2)`.

use std::io::{self, Read};
use std::os::fd::{AsRawFd, BorrowedFd};

use libc::c_int;

use crate::toll;

/// How many bytes wait in a pipe, asked at either end, or at a socket.
///
/// # Errors
/// `ENOTTY` where the descriptor is of something else.
pub fn bytes(fd: BorrowedFd<'_>) -> io::Result<usize> {
    let mut count: c_int = 0;
    toll::count(toll::Kind::Other);
    // SAFETY: the request writes an int, which lives through the call.
    let result = unsafe { libc::ioctl(fd.as_raw_fd(), libc::FIONREAD, &raw mut count) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(count.max(0) as usize) }
}

/// What waits at the reading end of a pipe, which stays there: all of it, unless it is more than an
/// ordinary pipe holds.
///
/// # Errors
/// `EINVAL` where the descriptor is of something else.
pub fn peek(pipe: BorrowedFd<'_>) -> io::Result<Vec<u8>> {
    let wanted = bytes(pipe)?;
    if wanted == 0 {
        return Ok(Vec::new());
    }
    let (mut reader, writer) = io::pipe()?;
    toll::count(toll::Kind::Other);
    // SAFETY: `tee(2)` takes no memory.
    let copied = unsafe {
        let (from, to) = (pipe.as_raw_fd(), writer.as_raw_fd());
        libc::tee(from, to, wanted, libc::SPLICE_F_NONBLOCK)
    };
    if copied < 0 {
        return Err(io::Error::last_os_error());
    }
    drop(writer);
    let mut content = Vec::with_capacity(wanted);
    reader.read_to_end(&mut content)?;
    Ok(content)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn both_ends_of_a_pipe_know() {
        let (reader, mut writer) = io::pipe().unwrap();
        assert_eq!(bytes(reader.as_fd()).unwrap(), 0);
        writer.write_all(b"abc").unwrap();
        assert_eq!(bytes(reader.as_fd()).unwrap(), 3);
        assert_eq!(bytes(writer.as_fd()).unwrap(), 3);
        assert_eq!(peek(reader.as_fd()).unwrap(), b"abc");
        assert_eq!(bytes(reader.as_fd()).unwrap(), 3);
    }
}
