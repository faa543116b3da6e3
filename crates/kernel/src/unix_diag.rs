//! Which Unix sockets are connected to each other: `sock_diag(7)`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};

use crate::toll;

/// `linux/sock_diag.h`.
const SOCK_DIAG_BY_FAMILY: u16 = 20;
/// `linux/unix_diag.h`: asks for, and tells, the inode of the socket at the other end.
const UDIAG_SHOW_PEER: u32 = 4;
const UNIX_DIAG_PEER: u16 = 2;
/// `struct nlmsghdr`, and `struct unix_diag_msg` behind it.
const HEADER: usize = 16;
const MESSAGE: usize = 16;

/// A line to the kernel's register of Unix sockets, of the network namespace that we are in.
#[derive(Debug)]
pub struct UnixDiag(File);

impl UnixDiag {
    /// Opens it.
    ///
    /// # Errors
    /// `EPROTONOSUPPORT` if the kernel was built without it.
    pub fn open() -> io::Result<UnixDiag> {
        // The kernel's answer is there when the question has been sent: nobody needs to wait.
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        toll::count(toll::Kind::Other);
        // SAFETY: `socket(2)` takes no memory.
        let fd = unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_SOCK_DIAG) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a successful call returns a new descriptor, which no one else knows of.
        Ok(UnixDiag(File::from(unsafe { OwnedFd::from_raw_fd(fd) })))
    }

    /// The inode of the socket that the one with this inode is connected to; `None` if there is
    /// none, or no such socket.
    ///
    /// # Errors
    /// The kernel could not be asked.
    pub fn peer(&mut self, inode: u32) -> io::Result<Option<u32>> {
        toll::count(toll::Kind::Other);
        self.0.write_all(&request(inode))?;
        let mut answer = [0; 256];
        toll::count(toll::Kind::Other);
        let len = self.0.read(&mut answer)?;
        Ok(peer_in(&answer[..len]))
    }
}

/// `struct nlmsghdr` and `struct unix_diag_req`.
fn request(inode: u32) -> Vec<u8> {
    const LEN: u32 = 40;
    const ANY_STATE: u32 = u32::MAX;
    const NO_COOKIE: [u32; 2] = [u32::MAX; 2];
    let kind = u32::from(SOCK_DIAG_BY_FAMILY) | (libc::NLM_F_REQUEST as u32) << 16;
    let [sequence, port] = [0, 0];
    let family = libc::AF_UNIX as u32;
    let [cookie, cookie_high] = NO_COOKIE;
    [LEN, kind, sequence, port, family, ANY_STATE, inode, UDIAG_SHOW_PEER, cookie, cookie_high]
        .iter()
        .flat_map(|word| word.to_ne_bytes())
        .collect()
}

/// The peer among the attributes of an answer; an answer of another type is an error number.
fn peer_in(answer: &[u8]) -> Option<u32> {
    let kind = u16::from_ne_bytes(*answer.get(4..)?.first_chunk()?);
    if kind != SOCK_DIAG_BY_FAMILY {
        return None;
    }
    let mut attributes = answer.get(HEADER + MESSAGE..)?;
    loop {
        let (len, rest) = attributes.split_first_chunk()?;
        let (kind, value) = rest.split_first_chunk()?;
        if u16::from_ne_bytes(*kind) == UNIX_DIAG_PEER {
            // A peer that is closed has no inode.
            return Some(u32::from_ne_bytes(*value.first_chunk()?)).filter(|inode| *inode != 0);
        }
        let step = usize::from(u16::from_ne_bytes(*len)).max(4).next_multiple_of(4);
        attributes = attributes.get(step..)?;
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn inode(socket: &impl AsRawFd) -> u32 {
        let path = format!("/proc/self/fd/{}", socket.as_raw_fd());
        std::fs::metadata(path).unwrap().ino() as u32
    }

    #[test]
    fn a_pair_knows_each_other() {
        let Ok(mut diag) = UnixDiag::open() else { return };
        let (one, other) = UnixStream::pair().unwrap();
        assert_eq!(diag.peer(inode(&one)).unwrap(), Some(inode(&other)));
        assert_eq!(diag.peer(inode(&other)).unwrap(), Some(inode(&one)));
        drop(other);
        assert_eq!(diag.peer(inode(&one)).unwrap(), None);
        assert_eq!(diag.peer(0xffff_fff0).unwrap(), None);
    }
}
