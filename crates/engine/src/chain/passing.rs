//! Passes descriptors of the supervisor's on to guests.
//!
//! A file the guest opens anew by itself. A socket it can only get by a message. So it makes a pair of
//! sockets, one of which we use as well to send the descriptor; it receives that, puts it where it
//! belongs, and closes what it has no need of any more. Each of these calls the thread makes in the place
//! of its own, and then its own again, as where it makes room. It gets no signal meanwhile: a handler would
//! run between them.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use contract::{Arch, Pid, Place, Tid};
use kernel::memory::{self, read_ranges};
use kernel::{passing, pidfd, proc};
use table::Id;
use table::arch::x86_64;

/// `AF_UNIX`, and `SOCK_SEQPACKET | SOCK_CLOEXEC`: what the way is made of. Datagrams may be refused to the guest.
const UNIX: u64 = 1;
const PACKETS: u64 = 5 | 0o2000000;
/// `MSG_CMSG_CLOEXEC | MSG_DONTWAIT`: what waits is taken, and it is closed on exec until it is in its place.
const TAKEN: u64 = 0x4000_0040;
/// `O_CLOEXEC`, `O_NONBLOCK`.
const CLOSE_ON_EXEC: u64 = 0o2000000;
const NON_BLOCKING: u64 = 0o4000;
/// What a guest gets for a descriptor that it has not.
const EBADF: i32 = 9;
/// What it gets where descriptors cannot be passed.
const ENXIO: i32 = 6;

/// A descriptor on its way to a guest.
#[derive(Debug)]
pub struct Passing {
    /// The guest's descriptor that it is to replace.
    replaced: Option<i32>,
    /// `O_CLOEXEC`, or nothing.
    flags: u64,
    /// Where the calls find room.
    layout: Layout,
    /// The call that comes next.
    step: Step,
    /// The guest's end of the way.
    end: i32,
    /// What has arrived.
    arrived: i32,
    /// What the guest has to close before it goes on.
    open: Vec<i32>,
    /// The signals that the thread blocks otherwise.
    pub(super) blocked: u64,
    /// What the guest's call returns.
    pub(super) result: i64,
}

/// The calls by which a descriptor is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Pair,
    Receive,
    Put,
    Close,
}

/// The room in the guest's memory for what is read and written on the way.
#[derive(Clone, Copy, Debug)]
struct Layout {
    at: u64,
    is_wide: bool,
}

impl Layout {
    /// Its length, in bytes.
    const LEN: usize = 128;
    /// Where the pair's descriptors are, the byte that comes with the message, what leads to that, the
    /// message's header, and what comes beside the byte.
    const PAIR: u64 = 0;
    const BYTE: u64 = 8;
    const VECTOR: u64 = 16;
    const HEADER: u64 = 32;
    const BESIDE: u64 = 96;

    /// A header for `recvmsg(2)`, and what it leads to: from [`Layout::VECTOR`] on.
    fn message(self) -> Vec<u8> {
        let beside = if self.is_wide { 24 } else { 16 };
        let words = [self.at + Self::BYTE, 1];
        let header = [0, 0, self.at + Self::VECTOR, 1, self.at + Self::BESIDE, beside, 0];
        let word = |value: &u64| value.to_le_bytes()[..if self.is_wide { 8 } else { 4 }].to_vec();
        let mut bytes: Vec<u8> = words.iter().flat_map(word).collect();
        bytes.resize((Self::HEADER - Self::VECTOR) as usize, 0);
        bytes.extend(header.iter().flat_map(word));
        bytes
    }

    /// Where the descriptor is that has come beside the byte: behind a `cmsghdr`.
    fn descriptor(self) -> u64 {
        Self::BESIDE + if self.is_wide { 16 } else { 12 }
    }
}

impl Passing {
    /// How much room it takes in the guest's memory, in bytes.
    pub(super) const ROOM_LEN: usize = Layout::LEN;

    /// A descriptor that goes to this place of the descriptors of a thread, whose call has this ABI. The
    /// room is at `at`.
    pub(super) fn new(
        (tid, arch): (Tid, Arch),
        descriptor: BorrowedFd<'_>,
        place: Place,
        at: u64,
    ) -> io::Result<Passing> {
        if arch == Arch::X32 {
            // Its messages are of another kind still.
            return Err(io::Error::from_raw_os_error(ENXIO));
        }
        let layout = Layout { at, is_wide: arch == Arch::X86_64 };
        let (replaced, flags) = match place {
            Place::New { close_on_exec } => (None, if close_on_exec { CLOSE_ON_EXEC } else { 0 }),
            Place::Of(fd) => (Some(fd), taken_over(tid, fd, descriptor)?),
        };
        let (step, open) = (Step::Pair, Vec::new());
        Ok(Passing {
            replaced,
            flags,
            layout,
            step,
            end: -1,
            arrived: -1,
            open,
            blocked: 0,
            result: 0,
        })
    }

    /// Whether the guest has what it is to have, or cannot get it.
    pub(super) fn is_over(&self) -> bool {
        self.step == Step::Close && self.open.is_empty()
    }

    /// The call that comes next, with its arguments.
    pub(super) fn call(&self) -> (Id, [u64; 6]) {
        let at = self.layout.at;
        let fd = |fd: i32| u64::from(fd as u32);
        let to = self.replaced.unwrap_or(self.end);
        let last = self.open.last().copied().unwrap_or(-1);
        match self.step {
            Step::Pair => (x86_64::SOCKETPAIR, [UNIX, PACKETS, 0, at + Layout::PAIR, 0, 0]),
            Step::Receive => (x86_64::RECVMSG, [fd(self.end), at + Layout::HEADER, TAKEN, 0, 0, 0]),
            Step::Put => (x86_64::DUP3, [fd(self.arrived), fd(to), self.flags, 0, 0, 0]),
            Step::Close => (x86_64::CLOSE, [fd(last), 0, 0, 0, 0, 0]),
        }
    }

    /// The call has returned this: what comes next.
    pub(super) fn advance(
        &mut self,
        (process, tid): (Pid, Tid),
        descriptor: BorrowedFd<'_>,
        value: i64,
    ) -> io::Result<()> {
        let step = match self.step {
            Step::Close => {
                self.open.pop();
                return Ok(());
            }
            // The rest is closed, whatever happened.
            _ if value < 0 => return Err(io::Error::from_raw_os_error(-value as i32)),
            Step::Pair => {
                self.open =
                    vec![self.number(tid, Layout::PAIR)?, self.number(tid, Layout::PAIR + 4)?];
                self.end = self.open[0];
                let way = pidfd::copy_descriptor(process.0, tid.0, self.open[1])?;
                passing::send(way.as_fd(), descriptor)?;
                let message = self.layout.message();
                memory::write(tid.0, &[(self.layout.at + Layout::VECTOR, &message)])?;
                Step::Receive
            }
            Step::Receive => {
                self.arrived = self.number(tid, self.layout.descriptor())?;
                self.open.push(self.arrived);
                Step::Put
            }
            Step::Put => {
                if self.replaced.is_none() {
                    self.open.retain(|fd| *fd != self.end);
                    self.result = i64::from(self.end);
                }
                Step::Close
            }
        };
        self.step = step;
        Ok(())
    }

    /// It cannot be passed.
    pub(super) fn fail(&mut self, error: &io::Error) {
        self.result = -errno(error);
        self.step = Step::Close;
    }

    /// A number that a call has written into the room.
    fn number(&self, tid: Tid, offset: u64) -> io::Result<i32> {
        let mut bytes = [0; 4];
        match read_ranges(tid.0, &mut [(self.layout.at + offset, &mut bytes)])? {
            1 => Ok(i32::from_le_bytes(bytes)),
            _ => Err(io::Error::from_raw_os_error(ENXIO)),
        }
    }
}

/// The flags with which a descriptor of the guest's is replaced by another, which does not block if
/// the replaced one does not.
fn taken_over(tid: Tid, fd: i32, descriptor: BorrowedFd<'_>) -> io::Result<u64> {
    let flags = proc::descriptor_number(tid.0, fd, "flags", 8);
    let flags = flags.map_err(|_| io::Error::from_raw_os_error(EBADF))?;
    // Any file takes this request, not only a socket.
    let file = UnixStream::from(descriptor.try_clone_to_owned()?);
    file.set_nonblocking(flags & NON_BLOCKING != 0)?;
    Ok(flags & CLOSE_ON_EXEC)
}

/// What a call returns for an error, but for its sign.
pub(super) fn errno(error: &io::Error) -> i64 {
    error.raw_os_error().unwrap_or(ENXIO).into()
}
