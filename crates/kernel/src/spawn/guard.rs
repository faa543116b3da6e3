//! What a guest must not do: rights it gives up before it starts, and a filter with a listener.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use libc::c_ulong;

use crate::passing;
use crate::seccomp::{self, LISTENING, Listener};

/// Capabilities by which a guest could reach files past any decision about their names, or change
/// what names mean (`linux/capability.h`).
const GIVEN_UP: &[c_ulong] = &[
    2,  // CAP_DAC_READ_SEARCH: files by their handles
    16, // CAP_SYS_MODULE
    17, // CAP_SYS_RAWIO
    18, // CAP_SYS_CHROOT
    19, // CAP_SYS_PTRACE
    20, // CAP_SYS_PACCT
    21, // CAP_SYS_ADMIN
    22, // CAP_SYS_BOOT
    24, // CAP_SYS_RESOURCE: a limit of the size of core files
    27, // CAP_MKNOD
    32, // CAP_MAC_OVERRIDE
    33, // CAP_MAC_ADMIN
    38, // CAP_PERFMON
    39, // CAP_BPF
    40, // CAP_CHECKPOINT_RESTORE
];

/// Where a listener comes from, once the guest has installed its filter.
#[derive(Debug)]
pub struct Promised(UnixStream);

/// The two ends of the way that a listener takes: the supervisor's and the guest's.
pub(super) fn way() -> io::Result<(Promised, UnixStream)> {
    let (ours, guests) = UnixStream::pair()?;
    Ok((Promised(ours), guests))
}

/// Gives up the capabilities that a guest shall not have: from the next exec on. Who has none may not
/// give them up either, so failures say nothing. Async-signal-safe.
pub(super) fn give_up() {
    // SAFETY: these calls take numbers.
    unsafe {
        for &capability in GIVEN_UP {
            libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
        libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    }
}

/// Installs a filter whose listener goes this way. There are no core files from now on: the kernel
/// would write them to the working directory, whatever it is. Async-signal-safe.
pub(super) fn enter(filter: &seccomp::Program, way: BorrowedFd<'_>) -> io::Result<()> {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit lives through the call.
    if unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) } < 0 {
        return Err(io::Error::last_os_error());
    }
    seccomp::set_no_new_privileges()?;
    let listener = seccomp::install(filter, LISTENING)?.listener;
    listener.map_or(Ok(()), |listener| passing::send(way, listener.as_fd()))
}

impl Promised {
    /// Waits for the listener; `None` if the guest has ended without one.
    ///
    /// # Errors
    /// What the kernel answers.
    pub fn wait(self) -> io::Result<Option<Listener>> {
        Ok(passing::receive(self.0.as_fd())?.map(Listener::new))
    }
}
