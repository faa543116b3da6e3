//! Sending signals: `kill(2)`.

use std::io;

use libc::pid_t;

use crate::toll;

/// Ends a process; can't be caught.
pub const KILL: i32 = libc::SIGKILL;
/// A breakpoint.
pub const TRAP: i32 = libc::SIGTRAP;
/// Memory that is not there, or not to be used so.
pub const SEGV: i32 = libc::SIGSEGV;
/// Memory that its file does not have.
pub const BUS: i32 = libc::SIGBUS;
/// A call that is not made: of a filter, or of syscall user dispatch.
pub const SYS: i32 = libc::SIGSYS;
/// Continues a stopped process.
pub const CONT: i32 = libc::SIGCONT;

/// Sends a process a signal.
pub fn send(pid: pid_t, signal: i32) -> io::Result<()> {
    toll::count(toll::Kind::Signal);
    // SAFETY: `kill(2)` takes no memory.
    let result = unsafe { libc::kill(pid, signal) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Sends a signal to the one thread that a tracee is: `tgkill(2)`.
pub(crate) fn send_to_thread(process: pid_t, tid: pid_t, signal: i32) -> io::Result<()> {
    toll::count(toll::Kind::Signal);
    // SAFETY: `tgkill(2)` takes no memory.
    let result = unsafe { libc::syscall(libc::SYS_tgkill, process, tid, signal) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
