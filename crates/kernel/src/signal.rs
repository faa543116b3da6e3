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

/// The origins of signals (`si_code`, `asm-generic/siginfo.h`): the kernel itself, and `tgkill(2)`.
const SI_KERNEL: i32 = 0x80;
const SI_TKILL: i32 = -6;

/// The kernel's `siginfo_t` of a signal that the kernel itself sends.
pub fn info_of_kernel(signal: i32) -> [u8; 128] {
    let mut info = [0; 128];
    info[..4].copy_from_slice(&signal.to_ne_bytes());
    info[8..12].copy_from_slice(&SI_KERNEL.to_ne_bytes());
    info
}

/// Whether a `siginfo_t` is that of a signal sent by [`send_to_thread`].
pub fn is_to_thread(info: &[u8; 128]) -> bool {
    info[8..12] == SI_TKILL.to_ne_bytes()
}

/// Sends a process a signal.
pub fn send(pid: pid_t, signal: i32) -> io::Result<()> {
    toll::count(toll::Kind::Signal);
    // SAFETY: `kill(2)` takes no memory.
    let result = unsafe { libc::kill(pid, signal) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Whether a thread belongs to this process: cheaper than to read it in `/proc`.
pub fn is_thread_of(process: pid_t, tid: pid_t) -> bool {
    // No signal: whether it could be sent.
    send_to_thread(process, tid, 0).is_ok()
}

/// Sends a signal to the one thread that a tracee is: `tgkill(2)`.
pub fn send_to_thread(process: pid_t, tid: pid_t, signal: i32) -> io::Result<()> {
    toll::count(toll::Kind::Signal);
    // SAFETY: `tgkill(2)` takes no memory.
    let result = unsafe { libc::syscall(libc::SYS_tgkill, process, tid, signal) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::current_tid;

    #[test]
    fn a_thread_is_one_of_its_own_process() {
        // SAFETY: `getpid(2)` takes no memory, and cannot fail.
        let process = unsafe { libc::getpid() };
        assert!(is_thread_of(process, process));
        let other = std::thread::spawn(move || is_thread_of(process, current_tid()));
        assert!(other.join().unwrap());
        // SAFETY: `getppid(2)` takes no memory, and cannot fail.
        assert!(!is_thread_of(process, unsafe { libc::getppid() }));
    }
}
