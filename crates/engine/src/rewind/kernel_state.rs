//! What the kernel holds behind a descriptor that is no file, and how it is put back.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;

use kernel::proc;

use super::named::Named;
use super::nameless::{Found, Nameless};
use super::pair::Pair;
use super::pipe::Pipe;
use super::{Error, Irreversible};

/// What is to be put back behind a descriptor.
#[derive(Debug)]
pub enum KernelState {
    /// Nothing.
    None,
    /// An end of a pipe.
    Pipe(Pipe),
    /// An end of a pair of sockets.
    Pair(Pair),
    /// The count of an `eventfd(2)`.
    Count(u64),
    /// What a file without a name holds.
    Content(Nameless),
    /// What an `epoll(7)` waits for.
    Watches(Vec<Watch>),
}

/// Something that an epoll waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watch {
    /// The descriptor.
    pub fd: i32,
    /// The number of its file, which other files may have too.
    inode: String,
    /// What is waited for, and what is told then: the fields of `struct epoll_event`.
    events: u32,
    data: u64,
}

impl Watch {
    /// The size of `struct epoll_event`, in bytes.
    pub const EVENT_LEN: usize = 12;

    /// Its `struct epoll_event`.
    pub fn event(&self) -> [u8; Watch::EVENT_LEN] {
        let mut event = [0; Watch::EVENT_LEN];
        event[..4].copy_from_slice(&self.events.to_ne_bytes());
        event[4..].copy_from_slice(&self.data.to_ne_bytes());
        event
    }

    /// `tfd: 6 events: 19 data: 6 pos:0 ino:2a sdev:f`
    fn parse(line: &str) -> Option<Watch> {
        let mut words = line.strip_prefix("tfd:")?.split_whitespace();
        let fd = words.next()?.parse().ok()?;
        let events = u32::from_str_radix(words.nth(1)?, 16).ok()?;
        let data = u64::from_str_radix(words.nth(1)?, 16).ok()?;
        let inode = words.find_map(|word| word.strip_prefix("ino:"))?.to_owned();
        Some(Watch { fd, inode, events, data })
    }
}

impl KernelState {
    /// That of a descriptor of which we have a copy, if it can be put back. `all` are those of all the
    /// program's processes.
    pub fn of(named: &Named, all: &[Named], copy: &File) -> Option<KernelState> {
        let name = &named.name;
        if name.starts_with("pipe:") {
            return Pipe::of(named, all, copy).map(KernelState::Pipe);
        }
        if name.starts_with("socket:") {
            return Pair::of(named, all, copy).map(KernelState::Pair);
        }
        let Some(kind) = name.strip_prefix("anon_inode:") else {
            return match Nameless::of(named, copy) {
                Found::Nameless(file) => Some(KernelState::Content(file)),
                Found::Uncopied | Found::Other => None,
            };
        };
        match kind.trim_matches(['[', ']']) {
            "eventfd" => count(copy).map(KernelState::Count),
            "eventpoll" => watches(copy).map(KernelState::Watches),
            _ => None,
        }
    }

    /// Whether nobody but the program may have it during a run: neither we, nor the program for later.
    pub fn is_programs_own(&self) -> bool {
        matches!(self, KernelState::Pipe(_) | KernelState::Pair(_))
    }

    /// Has an epoll wait for a descriptor's new file.
    pub fn watch_file(&mut self, fd: i32, inode: u32) {
        let KernelState::Watches(list) = self else { return };
        let of_it = list.iter_mut().filter(|watch| watch.fd == fd);
        of_it.for_each(|watch| watch.inode = format!("{inode:x}"));
    }

    /// What an epoll waits for no more, or otherwise: how the program comes back to that, as operations
    /// of `epoll_ctl(2)`.
    pub fn lost_watches(&self, copy: &File) -> Vec<(i32, &Watch)> {
        let KernelState::Watches(was) = self else { return Vec::new() };
        let is = watches(copy).unwrap_or_default();
        let operation = |watch: &Watch| {
            let same = |other: &&Watch| (other.fd, &other.inode) == (watch.fd, &watch.inode);
            match is.iter().find(same) {
                Some(other) if other == watch => None,
                Some(_) => Some(libc::EPOLL_CTL_MOD),
                None => Some(libc::EPOLL_CTL_ADD),
            }
        };
        was.iter().filter_map(|watch| Some((operation(watch)?, watch))).collect()
    }

    /// Puts it back, by our copy.
    pub fn put_back(&self, copy: Option<&mut File>) -> Result<(), Error> {
        let lost = || Error::Irreversible(Irreversible::Descriptor);
        let failed = Error::request("a descriptor cannot be put back");
        match (self, copy) {
            (KernelState::Pipe(pipe), _) => pipe.put_back().map_err(&failed)?,
            (KernelState::Content(file), _) => file.put_back().map_err(|_| lost())?,
            (KernelState::Count(was), Some(copy)) => {
                let mut is = count(copy).ok_or_else(lost)?;
                if is == *was {
                    return Ok(());
                }
                // A semaphore gives one at a time.
                while is > 0 {
                    copy.read_exact(&mut [0; 8]).map_err(&failed)?;
                    is = count(copy).ok_or_else(lost)?;
                }
                copy.write_all(&was.to_ne_bytes()).map_err(&failed)?;
            }
            // What an epoll waits for, the program puts back itself.
            _ => {}
        }
        Ok(())
    }
}

fn count(copy: &File) -> Option<u64> {
    let own = std::process::id() as i32;
    proc::descriptor_number(own, copy.as_raw_fd(), "eventfd-count", 16).ok()
}

/// What an epoll waits for.
fn watches(copy: &File) -> Option<Vec<Watch>> {
    let own = std::process::id() as i32;
    let text = proc::descriptor_text(own, copy.as_raw_fd()).ok()?;
    text.lines().filter(|line| line.starts_with("tfd:")).map(Watch::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_epoll_waits_for_is_read() {
        let line = "tfd:        6 events:       19 data:         ff00000006  pos:0 ino:2a sdev:f";
        let watch = Watch::parse(line).unwrap();
        assert_eq!((watch.fd, watch.inode.as_str()), (6, "2a"));
        assert_eq!(watch.event(), [0x19, 0, 0, 0, 6, 0, 0, 0, 0xff, 0, 0, 0]);
        assert_eq!(Watch::parse("pos: 0"), None);
    }
}
