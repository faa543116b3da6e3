//! The options of a socket that are not those of its protocol: `socket(7)`, `unix(7)`.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use libc::{c_int, socklen_t};

use crate::toll;

/// `SO_PASSPIDFD` of `asm-generic/socket.h`.
const SO_PASSPIDFD: c_int = 76;
/// What a program sets of a Unix socket.
const OPTIONS: [c_int; 11] = [
    libc::SO_SNDBUF,
    libc::SO_RCVBUF,
    libc::SO_PASSCRED,
    libc::SO_PASSSEC,
    SO_PASSPIDFD,
    libc::SO_RCVTIMEO,
    libc::SO_SNDTIMEO,
    libc::SO_RCVLOWAT,
    libc::SO_PEEK_OFF,
    libc::SO_PRIORITY,
    libc::SO_TIMESTAMP,
];
/// The longest value: a `struct timeval`.
const LONGEST: usize = 16;

/// The options of a socket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SocketOptions(Vec<Option<Value>>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Value {
    bytes: [u8; LONGEST],
    len: socklen_t,
}

impl SocketOptions {
    /// Those of this one. What the kernel does not know is left out.
    pub fn of(socket: BorrowedFd<'_>) -> SocketOptions {
        SocketOptions(OPTIONS.iter().map(|option| get(socket, *option)).collect())
    }

    /// Sets those that a socket has otherwise.
    ///
    /// # Errors
    /// As `setsockopt(2)`.
    pub fn put_back(&self, socket: BorrowedFd<'_>) -> io::Result<()> {
        for (option, was) in OPTIONS.into_iter().zip(&self.0) {
            match *was {
                Some(was) if get(socket, option) != Some(was) => set(socket, option, was)?,
                _ => {}
            }
        }
        Ok(())
    }
}

fn get(socket: BorrowedFd<'_>, option: c_int) -> Option<Value> {
    let mut value = Value { bytes: [0; LONGEST], len: LONGEST as socklen_t };
    toll::count(toll::Kind::Other);
    // SAFETY: the kernel writes at most `len` bytes to `bytes`, which has as many.
    let got = unsafe {
        let (bytes, len) = (value.bytes.as_mut_ptr().cast(), &mut value.len);
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, bytes, len)
    };
    (got == 0).then_some(value)
}

fn set(socket: BorrowedFd<'_>, option: c_int, mut value: Value) -> io::Result<()> {
    if [libc::SO_SNDBUF, libc::SO_RCVBUF].contains(&option) {
        // The kernel doubles it.
        let (number, _) = value.bytes.split_first_chunk_mut().expect("it is an int");
        *number = (c_int::from_ne_bytes(*number) / 2).to_ne_bytes();
    }
    toll::count(toll::Kind::Other);
    // SAFETY: the kernel reads `len` bytes, no more than there are.
    let done = unsafe {
        let bytes = value.bytes.as_ptr().cast();
        libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, bytes, value.len)
    };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_was_set_is_as_before() {
        let (one, _other) = UnixStream::pair().unwrap();
        let before = SocketOptions::of(one.as_fd());
        let size = Value { bytes: [9, 39, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], len: 4 };
        set(one.as_fd(), libc::SO_RCVBUF, size).unwrap();
        one.set_read_timeout(Some(Duration::from_secs(7))).unwrap();
        assert_ne!(SocketOptions::of(one.as_fd()), before);
        before.put_back(one.as_fd()).unwrap();
        assert_eq!(SocketOptions::of(one.as_fd()), before);
    }
}
