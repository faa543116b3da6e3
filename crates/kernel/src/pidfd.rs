//! Descriptors that stand for a process: `pidfd_open(2)`.
//!
//! A process id may be given to another process once its own has ended; a descriptor never is.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

use libc::{c_int, pid_t};

use crate::toll;

/// A process, held by a descriptor.
#[derive(Debug)]
pub struct PidFd(OwnedFd);

impl PidFd {
    /// Opens the process `pid`, which is not the id of a thread other than the first.
    ///
    /// # Errors
    /// `ESRCH` when there is no such process, `EINVAL` (or `ENOENT`) when it is a thread, `ENOSYS`
    /// before Linux 5.3.
    pub fn open(pid: pid_t) -> io::Result<PidFd> {
        PidFd::open_with(pid, 0)
    }

    /// Opens any thread.
    ///
    /// # Errors
    /// `ESRCH` when there is no such thread, `EINVAL` before Linux 6.9.
    fn open_thread(tid: pid_t) -> io::Result<PidFd> {
        PidFd::open_with(tid, libc::PIDFD_THREAD)
    }

    fn open_with(pid: pid_t, flags: libc::c_uint) -> io::Result<PidFd> {
        toll::count(toll::Kind::Other);
        // SAFETY: `pidfd_open(2)` takes no memory.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, flags) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a successful call returns a new descriptor, which no one else knows of.
        Ok(PidFd(unsafe { OwnedFd::from_raw_fd(fd as c_int) }))
    }

    /// Sends the process a signal: `pidfd_send_signal(2)`. Signal 0 only checks that this could
    /// be done.
    ///
    /// # Errors
    /// `ESRCH` when the process is gone, `EPERM` when it is not ours to signal.
    pub fn send_signal(&self, signal: c_int) -> io::Result<()> {
        toll::count(toll::Kind::Signal);
        let fd = self.0.as_raw_fd();
        // SAFETY: with a null siginfo the call takes no memory.
        let result = unsafe { libc::syscall(libc::SYS_pidfd_send_signal, fd, signal, 0, 0) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Waits until the process has ended, with all its threads, for `timeout` at most; whether it
    /// has. Does not reap it.
    pub fn wait_exit(&self, timeout: Duration) -> io::Result<bool> {
        let deadline = Instant::now() + timeout;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.poll(left) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    /// A copy of a descriptor of the process: `pidfd_getfd(2)`.
    fn copy(&self, fd: c_int) -> io::Result<OwnedFd> {
        toll::count(toll::Kind::Other);
        // SAFETY: `pidfd_getfd(2)` takes no memory.
        let copy = unsafe { libc::syscall(libc::SYS_pidfd_getfd, self.0.as_raw_fd(), fd, 0) };
        if copy < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a successful call returns a new descriptor, which no one else knows of.
        Ok(unsafe { OwnedFd::from_raw_fd(copy as c_int) })
    }

    fn poll(&self, timeout: Duration) -> io::Result<bool> {
        toll::count(toll::Kind::Wait);
        let mut poll = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // Rounded up, so that a wait does not become a spin in its last millisecond.
        let millis = timeout.as_micros().div_ceil(1000).try_into().unwrap_or(c_int::MAX);
        // SAFETY: the kernel reads and writes this one pollfd, which lives through the call.
        let ready = unsafe { libc::poll(&mut poll, 1, millis) };
        if ready < 0 { Err(io::Error::last_os_error()) } else { Ok(ready > 0) }
    }
}

/// A copy of a guest thread's descriptor; `process` is the thread's process.
///
/// # Errors
/// `EBADF` if there is no such descriptor, `EPERM` if we may not trace the thread, `ENOSYS` before
/// Linux 5.6.
pub fn copy_descriptor(process: pid_t, tid: pid_t, fd: c_int) -> io::Result<OwnedFd> {
    // Only since Linux 6.9 a thread has a descriptor. Its process's serves as well, unless the
    // thread has files of its own.
    PidFd::open_thread(tid).or_else(|_| PidFd::open(process))?.copy(fd)
}

impl AsFd for PidFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;
    use crate::fork::Child;

    const LIMIT: Duration = Duration::from_secs(60);

    fn pausing_child() -> Child {
        // SAFETY: `pause(2)` is async-signal-safe.
        unsafe { Child::start(LIMIT, || libc::pause() as u8) }.unwrap()
    }

    #[test]
    fn a_signal_arrives_and_the_end_is_seen() {
        let mut child = pausing_child();
        let process = PidFd::open(child.pid()).unwrap();
        process.send_signal(0).unwrap();
        assert!(!process.wait_exit(Duration::ZERO).unwrap());
        process.send_signal(libc::SIGKILL).unwrap();
        assert!(process.wait_exit(LIMIT).unwrap());
        assert_eq!(child.wait_exit().unwrap().signal(), Some(libc::SIGKILL));
    }

    #[test]
    fn a_reaped_process_takes_no_signal() {
        let mut child = pausing_child();
        let process = PidFd::open(child.pid()).unwrap();
        process.send_signal(libc::SIGKILL).unwrap();
        child.wait_exit().unwrap();
        let errno = |result: io::Result<_>| result.unwrap_err().raw_os_error();
        assert_eq!(errno(process.send_signal(0)), Some(libc::ESRCH));
        assert_eq!(errno(PidFd::open(child.pid()).map(drop)), Some(libc::ESRCH));
        assert!(process.wait_exit(Duration::ZERO).unwrap());
    }
}
