//! What an `epoll(7)` waits for.
//!
//! Of what it tells but once (`EPOLLET`) nobody says whether it has been told: who asks takes it. So it is
//! asked for at the snapshot, and what there was is armed again there and at each rewind.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};

use kernel::{epoll, proc};

/// What an epoll waits for.
#[derive(Debug)]
pub struct Watches {
    list: Vec<Watch>,
    /// Some are told but once.
    once: bool,
    /// What was waited for besides, when it was last looked.
    others: Vec<i32>,
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
    /// It is told but once, and had not been.
    untold: bool,
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
        Some(Watch { fd, inode, events, data, untold: false })
    }

    fn is_told_once(&self) -> bool {
        self.events & (libc::EPOLLET | libc::EPOLLONESHOT) as u32 != 0
    }

    fn is_of_the_same(&self, other: &Watch) -> bool {
        (self.fd, &self.inode) == (other.fd, &other.inode)
    }
}

impl Watches {
    /// Those of an epoll of which we have a copy.
    pub fn of(copy: &File) -> Option<Watches> {
        let mut list = watches(copy)?;
        let once = list.iter().any(Watch::is_told_once);
        if once {
            let untold = epoll::take(copy.as_fd(), list.len()).ok()?;
            for watch in list.iter_mut().filter(|watch| watch.is_told_once()) {
                watch.untold = untold.contains(&watch.data);
            }
        }
        Some(Watches { list, once, others: Vec::new() })
    }

    /// It waits for a descriptor's new file.
    pub fn watch_file(&mut self, fd: i32, inode: u32) {
        let of_it = self.list.iter_mut().filter(|watch| watch.fd == fd);
        of_it.for_each(|watch| watch.inode = format!("{inode:x}"));
    }

    /// Those that had not been told at the snapshot: they are to be armed again.
    pub fn untold(&self) -> impl Iterator<Item = &Watch> {
        self.list.iter().filter(|watch| watch.untold)
    }

    /// What it waits for no more, or otherwise, or what has been told since: how the program comes back to that, as
    /// operations of `epoll_ctl(2)`.
    pub fn lost(&self, copy: &File) -> Vec<(i32, &Watch)> {
        let is = watches(copy).unwrap_or_default();
        if self.once {
            // What is left there is not told in the next run.
            let _ = epoll::take(copy.as_fd(), is.len());
        }
        let operation = |watch: &Watch| match is.iter().find(|other| other.is_of_the_same(watch)) {
            Some(other) if (other.events, other.data) == (watch.events, watch.data) => {
                watch.untold.then_some(libc::EPOLL_CTL_MOD)
            }
            Some(_) => Some(libc::EPOLL_CTL_MOD),
            None => Some(libc::EPOLL_CTL_ADD),
        };
        self.list.iter().filter_map(|watch| Some((operation(watch)?, watch))).collect()
    }

    /// Looks for what it waits for besides: the descriptors.
    pub fn find_others(&mut self, copy: &File) -> &[i32] {
        let is = watches(copy).unwrap_or_default();
        let others =
            is.into_iter().filter(|watch| !self.list.iter().any(|was| was.is_of_the_same(watch)));
        self.others = others.map(|watch| watch.fd).collect();
        &self.others
    }

    /// Whether it waits for something besides now, if it did when it was looked.
    pub fn still_has_others(&mut self, copy: &File) -> bool {
        !self.others.is_empty() && !self.find_others(copy).is_empty()
    }
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
