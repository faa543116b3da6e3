//! Sending signals: `kill(2)`.

use std::io;

use libc::pid_t;

use crate::toll;

/// Ends a process; can't be caught.
pub const KILL: i32 = libc::SIGKILL;
/// Continues a stopped process.
pub const CONT: i32 = libc::SIGCONT;

/// Sends a process a signal.
pub fn send(pid: pid_t, signal: i32) -> io::Result<()> {
    toll::count(toll::Kind::Signal);
    // SAFETY: `kill(2)` takes no memory.
    let result = unsafe { libc::kill(pid, signal) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
