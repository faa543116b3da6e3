//! Short-lived children of our own, in which the probes (and tests) try things out.

use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use libc::pid_t;

/// A forked child. It is killed and reaped when dropped, so none is left behind.
pub(crate) struct Child {
    pid: pid_t,
    reaped: bool,
}

impl Child {
    /// Forks a child that runs `body` and exits with its result.
    ///
    /// The child cannot hang: `limit` (at least a second) after its start `SIGALRM` ends it, and
    /// so does the end of the thread that forked it.
    ///
    /// # Safety
    /// `body` does only what is async-signal-safe (`signal-safety(7)`): no allocation, no lock, no
    /// panic. Other threads of this process may have held any lock at the moment of the fork.
    pub(crate) unsafe fn start(limit: Duration, body: impl FnOnce() -> u8) -> io::Result<Child> {
        // SAFETY: `fork(2)` takes no memory; the child keeps to async-signal-safe calls: prctl,
        // signal, alarm, the body (by our caller's promise) and _exit.
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            return Err(io::Error::last_os_error());
        }
        if pid == 0 {
            // SAFETY: as above; none of these calls touches memory of ours.
            unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                arm_alarm(limit);
                libc::_exit(body().into())
            }
        }
        Ok(Child { pid, reaped: false })
    }

    /// The child's process id.
    pub(crate) fn pid(&self) -> pid_t {
        self.pid
    }

    /// Waits for the child's next change of state, and returns `waitpid(2)`'s status.
    pub(crate) fn wait(&mut self) -> io::Result<i32> {
        let mut status = 0;
        loop {
            // SAFETY: the kernel writes one int to `status`, which lives through the call.
            let got = unsafe { libc::waitpid(self.pid, &mut status, libc::__WALL) };
            if got == self.pid {
                self.reaped = libc::WIFEXITED(status) || libc::WIFSIGNALED(status);
                return Ok(status);
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }

    /// Waits for the child's end.
    pub(crate) fn wait_exit(&mut self) -> io::Result<ExitStatus> {
        loop {
            let status = self.wait()?;
            if self.reaped {
                return Ok(ExitStatus::from_raw(status));
            }
        }
    }
}

/// Has `SIGALRM` end this process after `limit`, whatever was done to that signal before.
fn arm_alarm(limit: Duration) {
    let mut alarm = MaybeUninit::uninit();
    // SAFETY: `sigemptyset` initialises the set which the others use. All these calls are
    // async-signal-safe and touch no other memory.
    unsafe {
        libc::sigemptyset(alarm.as_mut_ptr());
        libc::sigaddset(alarm.as_mut_ptr(), libc::SIGALRM);
        libc::sigprocmask(libc::SIG_UNBLOCK, alarm.as_ptr(), std::ptr::null_mut());
        libc::signal(libc::SIGALRM, libc::SIG_DFL);
        libc::alarm(limit.as_secs() as u32);
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        // SAFETY: `kill(2)` takes no memory. The child is not reaped yet, so its id is still its.
        unsafe { libc::kill(self.pid, libc::SIGKILL) };
        while !self.reaped && self.wait().is_ok() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_the_exit_status() {
        // SAFETY: the body does nothing but return.
        let mut child = unsafe { Child::start(Duration::from_secs(10), || 7) }.unwrap();
        assert_eq!(child.wait_exit().unwrap().code(), Some(7));
    }

    #[test]
    fn a_child_that_hangs_is_ended() {
        // SAFETY: `pause(2)` is async-signal-safe.
        let child = unsafe { Child::start(Duration::from_secs(1), || libc::pause() as u8) };
        assert_eq!(child.unwrap().wait_exit().unwrap().signal(), Some(libc::SIGALRM));
    }

    #[test]
    fn a_dropped_child_is_gone() {
        // SAFETY: `pause(2)` is async-signal-safe.
        let child = unsafe { Child::start(Duration::from_secs(10), || libc::pause() as u8) };
        let child = child.unwrap();
        let pid = child.pid();
        drop(child);
        // SAFETY: signal 0 sends nothing.
        assert_eq!(unsafe { libc::kill(pid, 0) }, -1);
    }
}
