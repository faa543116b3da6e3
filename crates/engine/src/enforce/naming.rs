//! Opens by which a file is only named (`O_PATH`).
//!
//! The kernel lets a listener give away no descriptor that does no more. So the filter leaves these calls to
//! the tracer, where a module, the last of the chain, asks the broker: that decides, and finds the file. The
//! guest gets its descriptor by a message, in the place of its call (`chain::passing`). The call itself is
//! never made: the kernel is not to look at the guest's memory.

use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use contract::{
    Arch, CallSet, Capture, Enforcement, Failure, Guest, GuestAddr, Module, Tid, Verdict,
};
use kernel::ptrace::AUDIT_ARCH_X86_64;
use kernel::seccomp::Pending;
use libc::{O_PATH, c_long};

use super::caller::TEXT_MAX;
use super::calls::{OPENING, flags_of};

/// Calls that a guest makes for itself to get a descriptor.
const BY_WHICH: [c_long; 4] =
    [libc::SYS_mmap, libc::SYS_socketpair, libc::SYS_recvmsg, libc::SYS_dup3];

/// Whether guests get descriptors that only name files: where it is decided about their opens at all, and they
/// may make the calls that it takes.
pub fn is_possible(enforcement: &Enforcement) -> bool {
    let forbidden =
        |call: &c_long| enforcement.calls.iter().any(|calls| calls.calls.contains(*call as u64));
    enforcement.hides() && !BY_WHICH.iter().any(forbidden)
}

/// A thread that stands before a call, and the path that it has passed.
#[derive(Debug)]
pub struct Wish {
    pub call: Pending,
    pub path: Vec<u8>,
    answer: SyncSender<io::Result<OwnedFd>>,
}

impl Wish {
    /// The thread gets this.
    pub fn fulfil(self, found: io::Result<OwnedFd>) {
        // Who is gone needs no answer.
        let _ = self.answer.send(found);
    }
}

/// The module.
#[derive(Debug)]
pub struct Naming(Sender<Wish>);

impl Naming {
    /// One, and where its wishes arrive.
    pub fn new() -> (Naming, Receiver<Wish>) {
        let (wishes, arriving) = channel();
        (Naming(wishes), arriving)
    }

    fn ask(&self, tid: Tid, call: &Capture, path: Vec<u8>) -> io::Result<OwnedFd> {
        // Without a broker nothing is permitted.
        let none = || io::Error::from_raw_os_error(libc::ENOSYS);
        let (answer, answered) = sync_channel(1);
        let (arch, number, args) = (AUDIT_ARCH_X86_64, call.number, call.args);
        let call = Pending { id: 0, tid: tid.0, arch, number, args };
        self.0.send(Wish { call, path, answer }).map_err(|_| none())?;
        answered.recv().map_err(|_| none())?
    }
}

impl Module for Naming {
    fn name(&self) -> &'static str {
        "enforce"
    }

    fn claims(&self) -> CallSet {
        let mut calls = CallSet::NONE;
        OPENING.iter().for_each(|(call, _)| calls.insert(*call as u64));
        calls
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        let flags = flags_of(call.number, &call.args).filter(|flags| flags & O_PATH != 0);
        let Some(flags) = flags.filter(|_| call.arch == Arch::X86_64 && !guest.is_starting())
        else {
            // The listener is asked about these.
            return Ok(Verdict::pass());
        };
        let is_at = call.number == libc::SYS_openat as u64;
        let at = GuestAddr(call.args[usize::from(is_at)]);
        let path = match call.string(at) {
            Some(path) => Ok(path.to_vec()),
            None => guest.read_string(at, TEXT_MAX),
        };
        let found = path.and_then(|path| self.ask(guest.tid(), call, path));
        Ok(match found {
            Ok(file) => Verdict::share(Rc::new(file), flags as u32),
            Err(error) => Verdict::error(error.raw_os_error().unwrap_or(libc::EIO) as u16),
        })
    }
}
