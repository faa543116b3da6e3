//! Sockets that the program has both ends of: `socketpair(2)`. Event loops wake themselves by such, and
//! processes talk to each other.
//!
//! Who reads from one is told of its end when the other is closed. So, as of a pipe ([`super::pipe`]),
//! nobody but the program may have an end of it during a run. What is kept can neither read nor write
//! (`O_PATH`), and holds the place of a descriptor until there is a new pair: a socket cannot be opened
//! again. At the snapshot nothing may wait in it. Between processes there can be no new pair, since none
//! could give the other its end: whoever closes one there has to be started anew.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use kernel::guest_socket::{Address, GuestSocket};
use kernel::remote::{Call, OnFailure};
use kernel::socket_options::SocketOptions;
use kernel::unix_diag::UnixDiag;
use kernel::{pidfd, proc, queued};

use super::Error;
use super::named::Named;
use crate::memory::annex::Annex;
use crate::memory::batch::Space;

/// Where in the annex the kernel tells the ends of a new pair.
const ENDS_AT: usize = 0;
/// What is said where there can be no new pair.
const UNMADE: &str = "a pair of sockets cannot be made again";

/// An end of a pair.
#[derive(Debug)]
pub struct Pair {
    /// The other one's descriptor, if the process has both, each by one descriptor of all.
    pub other: Option<i32>,
    /// What it is, as `/proc/PID/fd` has it.
    name: String,
    /// What is kept of it: what it was at first.
    kept: String,
    /// `SOCK_STREAM`, `SOCK_DGRAM` or `SOCK_SEQPACKET`.
    pub kind: i32,
    options: SocketOptions,
}

impl Pair {
    /// A socket of which we have a copy for now, if it is an end of a pair, and nothing waits in it.
    /// `all` are the descriptors of all processes.
    pub fn of(named: &Named, all: &[Named], copy: &File) -> Option<Pair> {
        let peer = UnixDiag::open().ok()?.peer(inode(&named.name)?).ok()??;
        let socket = GuestSocket::borrow(named.pid, named.pid, named.fd).ok()?;
        let is_unnamed = |address| address == Some(Address::Unix(Vec::new()));
        if !is_unnamed(socket.local().ok()?) || !is_unnamed(socket.peer().ok()?) {
            return None;
        }
        let own = inode(&named.name)?;
        let of =
            |inode: u32| all.iter().filter(move |other| self::inode(&other.name) == Some(inode));
        of(peer).next()?;
        let only = |inode: u32| {
            let mut of_it = of(inode);
            of_it.next().filter(|one| one.pid == named.pid && of_it.next().is_none())
        };
        let other = only(own).and(only(peer)).map(|other| other.fd);
        let is_empty =
            !queued::is_hung_up(copy.as_fd()).ok()? && queued::is_empty(copy.as_fd()).ok()?;
        let name = || named.name.clone();
        let (kind, options) = (socket.kind().ok()?, SocketOptions::of(copy.as_fd()));
        is_empty.then(|| Pair { other, name: name(), kept: name(), kind, options })
    }

    /// Whether this descriptor is that end still, and both can be used. What waits in it is thrown
    /// away, and its options are put back.
    pub fn is(&self, pid: i32, fd: i32) -> bool {
        let is_whole = |copy: OwnedFd| {
            queued::is_hung_up(copy.as_fd()).is_ok_and(|hung_up| !hung_up)
                && queued::discard(copy.as_fd()).is_ok()
                && self.options.put_back(copy.as_fd()).is_ok()
        };
        is_named(pid, fd, &self.name) && pidfd::copy_descriptor(pid, pid, fd).is_ok_and(is_whole)
    }

    /// Whether this descriptor is what is kept of it.
    pub fn is_kept(&self, pid: i32, fd: i32) -> bool {
        is_named(pid, fd, &self.kept)
    }

    /// It is this now, by this descriptor. The number of its file.
    pub fn becomes(&mut self, pid: i32, fd: i32) -> io::Result<u32> {
        let lost = || io::Error::from(io::ErrorKind::NotFound);
        let copy = pidfd::copy_descriptor(pid, pid, fd)?;
        self.options.put_back(copy.as_fd())?;
        let name = proc::descriptor(pid, fd).map_err(io::Error::other)?;
        self.name = name.display().to_string();
        inode(&self.name).ok_or_else(lost)
    }
}

/// Has the guest put a new pair of this kind in the place of two descriptors: their numbers, whether an exec closes
/// them, their flags, and what holds their places until then.
pub fn make(space: &mut Space, kind: i32, ends: [(i32, bool, i32, i32); 2]) -> Result<(), Error> {
    let taken = ends.map(|(fd, _, _, keeper)| Call::dup3(keeper, fd, true));
    space.calls(&taken, OnFailure::Stop).map_err(Error::remote(UNMADE))?;
    let args = [libc::AF_UNIX as u64, kind as u64, 0, Annex::address(ENDS_AT), 0, 0];
    carry_out(&[Call { number: libc::SYS_socketpair, args }], space)?;
    let mut calls = Vec::new();
    for (index, (fd, close_on_exec, flags, _)) in ends.into_iter().enumerate() {
        let mut new = [0; size_of::<i32>()];
        space.annex().get(ENDS_AT + index * new.len(), &mut new);
        let new = i32::from_ne_bytes(new);
        let args = [fd as u64, libc::F_SETFL as u64, flags as u64, 0, 0, 0];
        let set_flags = Call { number: libc::SYS_fcntl, args };
        calls.extend([Call::dup3(new, fd, close_on_exec), Call::close(new), set_flags]);
    }
    carry_out(&calls, space)
}

/// Has the guest make calls, none of which may fail.
fn carry_out(calls: &[Call], space: &mut Space) -> Result<(), Error> {
    let made = space.calls(calls, OnFailure::Stop).map_err(Error::remote(UNMADE))?;
    made.into_iter().collect::<Result<Vec<u64>, _>>().map(drop).map_err(Error::request(UNMADE))
}

fn is_named(pid: i32, fd: i32, name: &str) -> bool {
    proc::descriptor(pid, fd).is_ok_and(|found| found.as_os_str() == name)
}

/// `socket:[NUMBER]`
fn inode(name: &str) -> Option<u32> {
    name.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}
