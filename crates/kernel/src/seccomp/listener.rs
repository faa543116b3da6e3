//! The listener of a filter: whoever holds it decides about calls, `seccomp_unotify(2)`.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use libc::{c_int, c_ulong, pid_t};

use crate::toll;

/// `SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV` of `linux/seccomp.h` (Linux 5.19): a call that the
/// listener has received is interrupted by nothing but the end of its thread.
const WAIT_KILLABLE: c_ulong = 1 << 5;
/// How a filter whose calls are decided by a listener is installed.
pub(crate) const LISTENING: c_ulong = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | WAIT_KILLABLE;

/// Requests of `linux/seccomp.h`: with the sizes of the structs below in them.
const RECV: c_ulong = 0xc050_2100;
const SEND: c_ulong = 0xc018_2101;
const ID_VALID: c_ulong = 0x4008_2102;
const ADDFD: c_ulong = 0x4018_2103;
/// `SECCOMP_ADDFD_FLAG_SEND` (Linux 5.14).
const ADDFD_SEND: u32 = 1 << 1;

/// `struct seccomp_notif`.
#[repr(C)]
#[derive(Default)]
struct Notification {
    id: u64,
    pid: u32,
    flags: u32,
    number: i32,
    arch: u32,
    ip: u64,
    args: [u64; 6],
}

/// `struct seccomp_notif_resp`.
#[repr(C)]
struct Response {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

/// `struct seccomp_notif_addfd`.
#[repr(C)]
struct AddFd {
    id: u64,
    flags: u32,
    source: u32,
    target: u32,
    target_flags: u32,
}

/// A listener.
#[derive(Debug)]
pub struct Listener(OwnedFd);

/// A call that waits to be decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// Names this wait; never given twice.
    pub id: u64,
    /// The thread.
    pub tid: pid_t,
    /// The ABI by which it was made: an `AUDIT_ARCH_` constant.
    pub arch: u32,
    /// The call's number there.
    pub number: u64,
    /// Its arguments, as the registers have them: nobody can change these any more.
    pub args: [u64; 6],
}

impl Listener {
    /// The listener that this descriptor is.
    pub fn new(descriptor: OwnedFd) -> Listener {
        Listener(descriptor)
    }

    /// Waits for a call; `None` when no thread is left that could make one.
    ///
    /// # Errors
    /// What the kernel answers: this listener is of no more use.
    pub fn next(&self) -> io::Result<Option<Pending>> {
        loop {
            let mut poll =
                libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            toll::count(toll::Kind::Wait);
            // SAFETY: the kernel reads and writes this one pollfd, which lives through the call.
            let ready = unsafe { libc::poll(&mut poll, 1, -1) };
            if ready >= 0 && poll.revents & libc::POLLIN == 0 {
                return Ok(None);
            }
            let mut heard = Notification::default();
            match self.request(RECV, (&raw mut heard).cast()) {
                Ok(()) => {
                    return Ok(Some(Pending {
                        id: heard.id,
                        tid: heard.pid as pid_t,
                        arch: heard.arch,
                        number: heard.number as u64,
                        args: heard.args,
                    }));
                }
                // We were interrupted, or the thread was before we heard it.
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether the thread still waits: what was looked up by its id meanwhile is of no other thread.
    pub fn is_pending(&self, call: &Pending) -> bool {
        let mut id = call.id;
        self.request(ID_VALID, (&raw mut id).cast()).is_ok()
    }

    /// The call is not made, and returns this: an error is negative.
    ///
    /// # Errors
    /// `ENOENT` if the thread is gone.
    pub fn answer(&self, call: &Pending, value: i64) -> io::Result<()> {
        let (value, error) =
            if (-4095..0).contains(&value) { (0, value as i32) } else { (value, 0) };
        let mut response = Response { id: call.id, value, error, flags: 0 };
        self.request(SEND, (&raw mut response).cast())
    }

    /// The call is not made; the thread's process gets a copy of a descriptor, whose number the call
    /// returns.
    ///
    /// # Errors
    /// `EMFILE` if the process has room for no more (it still waits for its answer), `ENOENT` if the
    /// thread is gone.
    pub fn give(
        &self,
        call: &Pending,
        descriptor: BorrowedFd<'_>,
        close_on_exec: bool,
    ) -> io::Result<()> {
        let mut added = AddFd {
            id: call.id,
            flags: ADDFD_SEND,
            source: descriptor.as_raw_fd() as u32,
            target: 0,
            target_flags: if close_on_exec { libc::O_CLOEXEC as u32 } else { 0 },
        };
        self.request(ADDFD, (&raw mut added).cast())
    }

    fn request(&self, request: c_ulong, about: *mut libc::c_void) -> io::Result<()> {
        toll::count(toll::Kind::Other);
        // SAFETY: all callers pass a struct of ours, which lives through the call, of the size that
        // the request's number tells the kernel.
        let result: c_int = unsafe { libc::ioctl(self.0.as_raw_fd(), request, about) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINTR | libc::ENOENT))
}
