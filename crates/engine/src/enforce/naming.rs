//! Opens by which a file is only named (`O_PATH`).
//!
//! The kernel lets a listener give away no descriptor that does no more. So the filter leaves these calls to
//! the tracer, where a module, the last of the chain, asks the broker: that decides, and finds the file. The
//! guest gets its descriptor by a message, in the place of its call (`chain::passing`). The call itself is
//! never made: the kernel is not to look at the guest's memory.
//!
//! A thread that has filters of its own may have forbidden itself the calls that this takes, and be killed for
//! them. It reads in the place of naming: so changed, its call goes to the listener.

use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use contract::{
    Arch, Argument, CallSet, Capture, Enforcement, Failure, Guest, GuestAddr, Module, Tid, Verdict,
};
use kernel::ptrace::AUDIT_ARCH_X86_64;
use kernel::seccomp::Pending;
use libc::{O_PATH, c_long};

use super::caller::TEXT_MAX;
use super::calls::{OPENING, flags_of, reading_instead};

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
    answer: SyncSender<io::Result<Granted>>,
}

/// What a thread gets.
#[derive(Debug)]
pub enum Granted {
    /// This descriptor, which only names the file.
    Named(OwnedFd),
    /// It has filters of its own: the listener is to be asked for one that reads.
    ReadsInstead,
}

impl Wish {
    /// The thread gets this.
    pub fn fulfil(self, granted: io::Result<Granted>) {
        // Who is gone needs no answer.
        let _ = self.answer.send(granted);
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

    fn ask(&self, tid: Tid, call: &Capture, path: Vec<u8>) -> io::Result<Granted> {
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
        let granted = path.and_then(|path| self.ask(guest.tid(), call, path));
        let verdict = match granted {
            Ok(Granted::Named(file)) => Verdict::share(Rc::new(file), flags as u32),
            Ok(Granted::ReadsInstead) => {
                let changed = reading_instead(call.number, &call.args);
                Verdict::with(
                    changed.map(|(at, flags)| Argument::value(at, flags)).into_iter().collect(),
                )
            }
            Err(error) => Verdict::error(error.raw_os_error().unwrap_or(libc::EIO) as u16),
        };
        // Nothing tells of the listener's answers either.
        Ok(verdict.as_if_made())
    }
}
