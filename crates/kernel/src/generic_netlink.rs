//! The families of generic netlink, whose numbers the kernel gives out: `NETLINK_GENERIC`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};

use crate::toll;

/// `linux/genetlink.h`: the family that knows all others, and what it is asked.
const GENL_ID_CTRL: u16 = 16;
const CTRL_CMD_GETFAMILY: u8 = 3;
const CTRL_ATTR_FAMILY_ID: u16 = 1;
const CTRL_ATTR_FAMILY_NAME: u16 = 2;
/// `struct nlmsghdr`, and `struct genlmsghdr` behind it.
const HEADER: usize = 16;
const GENERIC_HEADER: usize = 4;

/// Every family: its number and its name.
///
/// # Errors
/// The kernel could not be asked.
pub fn families() -> io::Result<Vec<(u16, Vec<u8>)>> {
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    toll::count(toll::Kind::Other);
    // SAFETY: `socket(2)` takes no memory.
    let fd = unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_GENERIC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a successful call returns a new descriptor, which no one else knows of.
    let mut socket = File::from(unsafe { OwnedFd::from_raw_fd(fd) });
    toll::count(toll::Kind::Other);
    socket.write_all(&request())?;
    let mut families = Vec::new();
    let mut answer = vec![0; 1 << 16];
    loop {
        toll::count(toll::Kind::Other);
        // The kernel's answers are there when the question has been sent: nobody needs to wait.
        let len = socket.read(&mut answer)?;
        if !take_in(&answer[..len], &mut families) {
            return Ok(families);
        }
    }
}

/// `struct nlmsghdr` and `struct genlmsghdr`.
fn request() -> Vec<u8> {
    let len = (HEADER + GENERIC_HEADER) as u32;
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_DUMP) as u32;
    let words = [len, u32::from(GENL_ID_CTRL) | flags << 16, 0, 0, CTRL_CMD_GETFAMILY.into()];
    words.into_iter().flat_map(u32::to_ne_bytes).collect()
}

/// Adds the families that these messages tell of. Returns whether more are to come.
fn take_in(mut messages: &[u8], families: &mut Vec<(u16, Vec<u8>)>) -> bool {
    while let Some((message, kind, rest)) = split(messages, HEADER, 4) {
        if kind != GENL_ID_CTRL {
            return false;
        }
        let (mut number, mut name) = (None, None);
        let mut attributes = message.get(HEADER + GENERIC_HEADER..).unwrap_or_default();
        while let Some((attribute, kind, rest)) = split(attributes, 4, 2) {
            let value = &attribute[4..];
            match kind {
                CTRL_ATTR_FAMILY_ID => number = value.first_chunk().copied(),
                CTRL_ATTR_FAMILY_NAME => name = value.split(|byte| *byte == 0).next(),
                _ => {}
            }
            attributes = rest;
        }
        if let (Some(number), Some(name)) = (number, name) {
            families.push((u16::from_ne_bytes(number), name.to_vec()));
        }
        messages = rest;
    }
    true
}

/// What is at the beginning of the bytes and says in its first two how long it is, its type, which
/// lies at `kind`, and what follows it. `None` if it is shorter than its header.
fn split(bytes: &[u8], header: usize, kind: usize) -> Option<(&[u8], u16, &[u8])> {
    let number = |at: usize| bytes.get(at..at + 2).map(|two| u16::from_ne_bytes([two[0], two[1]]));
    let len = usize::from(number(0)?);
    let kind = number(kind)?;
    let one = bytes.get(..len).filter(|one| one.len() >= header)?;
    Some((one, kind, bytes.get(len.next_multiple_of(4)..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_that_knows_all_others_knows_itself() {
        assert!(families().unwrap().contains(&(GENL_ID_CTRL, b"nlctrl".to_vec())));
    }

    #[test]
    fn messages_that_are_cut_short_tell_nothing() {
        let mut families = Vec::new();
        for len in 0..HEADER {
            assert!(take_in(&[255; HEADER][..len], &mut families), "{len}");
        }
        assert!(families.is_empty());
    }
}
