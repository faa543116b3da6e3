//! What waits to be read, and how much can: `FIONREAD` of `ioctl(2)`, `tee(2)`, `recv(2)` and `poll(2)`.

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

/// How much a pipe has room for, in bytes (`F_GETPIPE_SZ` of `fcntl(2)`).
///
/// # Errors
/// `EBADF` where the descriptor is of something else.
pub fn room(pipe: BorrowedFd<'_>) -> io::Result<c_int> {
    toll::count(toll::Kind::Other);
    // SAFETY: the command takes no memory.
    let room = unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_GETPIPE_SZ) };
    if room < 0 { Err(io::Error::last_os_error()) } else { Ok(room) }
}

/// Has a pipe have room for so many bytes, if it has not.
///
/// # Errors
/// `EPERM` where it is more than the user may have, `EBUSY` where more waits in it.
pub fn set_room(pipe: BorrowedFd<'_>, bytes: c_int) -> io::Result<()> {
    if room(pipe)? == bytes {
        return Ok(());
    }
    toll::count(toll::Kind::Other);
    // SAFETY: the command takes no memory.
    let set = unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETPIPE_SZ, bytes) };
    if set < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Throws away what waits at a socket that is not hung up, whether or not it has been told not to block.
///
/// # Errors
/// `ENOTSOCK` where the descriptor is of something else.
pub fn discard(socket: BorrowedFd<'_>) -> io::Result<()> {
    // A message may be empty.
    while receive(socket, 0)?.is_some() {}
    Ok(())
}

/// Whether nothing waits at a socket that is not hung up.
///
/// # Errors
/// `ENOTSOCK` where the descriptor is of something else.
pub fn is_empty(socket: BorrowedFd<'_>) -> io::Result<bool> {
    receive(socket, libc::MSG_PEEK).map(|received| received.is_none())
}

/// Receives something, and how much; `None` if nothing waits.
fn receive(socket: BorrowedFd<'_>, flags: c_int) -> io::Result<Option<usize>> {
    let mut buffer = [0; 4096];
    toll::count(toll::Kind::Other);
    // SAFETY: the kernel writes at most the size that it is given, to a buffer that lives
    // through the call.
    let got = unsafe {
        let place = buffer.as_mut_ptr().cast();
        libc::recv(socket.as_raw_fd(), place, buffer.len(), flags | libc::MSG_DONTWAIT)
    };
    if got >= 0 {
        return Ok(Some(got as usize));
    }
    let error = io::Error::last_os_error();
    if error.kind() == io::ErrorKind::WouldBlock { Ok(None) } else { Err(error) }
}

/// Whether nobody has the other end of a pipe or of a connection, asked at either, or nobody will write
/// to it any more.
///
/// # Errors
/// As `poll(2)`.
pub fn is_hung_up(fd: BorrowedFd<'_>) -> io::Result<bool> {
    let mut poll = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLRDHUP, revents: 0 };
    toll::count(toll::Kind::Other);
    // SAFETY: the kernel reads and writes this one pollfd, which lives through the call.
    let ready = unsafe { libc::poll(&raw mut poll, 1, 0) };
    if ready < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(poll.revents & (libc::POLLHUP | libc::POLLRDHUP | libc::POLLERR) != 0)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

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

    #[test]
    fn a_connection_is_emptied_and_knows_its_other_end() {
        let (mut one, other) = UnixStream::pair().unwrap();
        one.write_all(&[7; 5000]).unwrap();
        assert_eq!(bytes(other.as_fd()).unwrap(), 5000);
        assert!(!is_empty(other.as_fd()).unwrap());
        discard(other.as_fd()).unwrap();
        assert!(is_empty(other.as_fd()).unwrap());
        assert_eq!(bytes(other.as_fd()).unwrap(), 0);
        assert!(!is_hung_up(one.as_fd()).unwrap() && !is_hung_up(other.as_fd()).unwrap());
        one.shutdown(std::net::Shutdown::Write).unwrap();
        assert!(is_hung_up(other.as_fd()).unwrap());
        let (reader, _writer) = io::pipe().unwrap();
        assert!(discard(reader.as_fd()).is_err());
    }

    #[test]
    fn a_pipe_knows_its_room_and_its_other_end() {
        let (reader, writer) = io::pipe().unwrap();
        set_room(writer.as_fd(), 4096).unwrap();
        assert_eq!(room(reader.as_fd()).unwrap(), 4096);
        assert!(!is_hung_up(reader.as_fd()).unwrap() && !is_hung_up(writer.as_fd()).unwrap());
        let other = writer.try_clone().unwrap();
        drop(reader);
        assert!(is_hung_up(writer.as_fd()).unwrap() && is_hung_up(other.as_fd()).unwrap());
    }
}
