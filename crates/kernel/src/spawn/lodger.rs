//! A guest that uses the supervisor's memory until it has a program of its own: `clone(2)` with
//! `CLONE_VM`.
//!
//! To copy the supervisor's page tables for it, to write to each page once more behind that, and to drop
//! the copy at the exec are a sixth of a millisecond of each start. Unlike after `vfork(2)`, the
//! supervisor goes on meanwhile: it has to seize the guest. So the guest gets a stack and all that it
//! reads for itself alone, what it does leaves `errno` alone, and no handler of the supervisor's runs in it:
//! it begins with all signals blocked, and has no handlers when that ends. What is left: before Linux 5.16 a
//! signal that has it dump core ends all who share its memory, as after `vfork(2)`.

use std::ffi::c_void;
use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

use libc::{c_int, pid_t};

use super::cvt;
use super::guest::{Guest, Vectors};

/// The size of its stack, in units of 16 bytes: room for a few frames, and that of a signal with all
/// vector registers.
const STACK: usize = 64 * 1024 / size_of::<u128>();

/// A guest and what it uses.
#[derive(Debug)]
pub(super) struct Lodger {
    pid: pid_t,
    lodging: *mut Lodging,
}

/// What it uses. The guest reads it while the supervisor goes on, which therefore has a pointer to it
/// and no reference, but to `taken`.
struct Lodging {
    guest: Guest,
    vectors: Vectors,
    stack: Vec<u128>,
    /// The guest's thread id, until the kernel sets it to 0 for its exec or its end.
    taken: AtomicI32,
}

// SAFETY: the lodging is reached by the guest alone, and by whoever drops this after it has left.
unsafe impl Send for Lodger {}

impl Lodger {
    /// Starts it.
    pub fn start(guest: Guest) -> io::Result<Lodger> {
        let vectors = guest.vectors();
        let stack = Vec::with_capacity(STACK);
        let lodging = Box::new(Lodging { guest, vectors, stack, taken: AtomicI32::new(0) });
        let lodging = Box::into_raw(lodging);
        let flags =
            libc::CLONE_VM | libc::CLONE_PARENT_SETTID | libc::CLONE_CHILD_CLEARTID | libc::SIGCHLD;
        // SAFETY: the lodging outlives the child's use of it: see `drop`. The stack is the child's
        // alone, and grows down from the end of its buffer, which is aligned to 16 bytes. The child only
        // runs `enter`, which keeps to async-signal-safe calls, and to such as leave `errno` alone.
        let pid = cvt(unsafe {
            let top = (*lodging).stack.as_mut_ptr().add(STACK);
            let taken = (*lodging).taken.as_ptr();
            libc::clone(enter, top.cast(), flags, lodging.cast(), taken, 0usize, taken)
        });
        if pid.is_err() {
            // SAFETY: it comes from the box, and no child has come to be.
            drop(unsafe { Box::from_raw(lodging) });
        }
        Ok(Lodger { pid: pid?, lodging })
    }

    /// Its process id.
    pub fn pid(&self) -> pid_t {
        self.pid
    }
}

extern "C" fn enter(lodging: *mut c_void) -> c_int {
    // SAFETY: it is what `start` gave, and lives as long as we do not end or exec.
    let Lodging { guest, vectors, .. } = unsafe { &*lodging.cast::<Lodging>() };
    guest.run(vectors)
}

impl Drop for Lodger {
    /// Whoever has not left by now keeps its lodging for good.
    fn drop(&mut self) {
        // SAFETY: it comes from a box, which nobody else drops. The kernel sets `taken` to 0 when the
        // child uses this memory no more, and only then it goes.
        unsafe {
            if (*self.lodging).taken.load(Ordering::Acquire) == 0 {
                drop(Box::from_raw(self.lodging));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Failure, Launch, Program, Role, Step};
    use super::*;

    /// Starts a program, and waits until it has one of its own or has failed.
    fn start(path: &str) -> (Launch, Option<Failure>) {
        let program = Program::new(path.into(), vec![path.into()], Vec::new()).unwrap();
        let mut launch = program.launch(Role::Child).unwrap();
        launch.release().unwrap();
        let mut status = 0;
        // SAFETY: the kernel writes one int to `status`, which lives through the call.
        assert_eq!(unsafe { libc::waitpid(launch.pid(), &mut status, 0) }, launch.pid());
        let failure = launch.failure_at_end();
        (launch, failure)
    }

    fn has_left(launch: &Launch) -> bool {
        let lodging = launch._lodger.as_ref().unwrap().lodging;
        // SAFETY: nobody drops it meanwhile.
        unsafe { (*lodging).taken.load(Ordering::Acquire) == 0 }
    }

    #[test]
    fn a_program_that_begins_has_left() {
        let (launch, failure) = start("/bin/true");
        assert!(failure.is_none());
        assert!(has_left(&launch));
    }

    #[test]
    fn one_that_is_not_there_says_so_and_leaves_errno_alone() {
        // SAFETY: `errno` is this thread's, which nobody else writes to.
        let errno = || unsafe { *libc::__errno_location() };
        // SAFETY: `close(2)` takes no memory.
        unsafe { libc::close(-1) };
        let (launch, failure) = start("/nonexistent/program");
        assert_eq!(errno(), libc::EBADF);
        let failure = failure.unwrap();
        assert_eq!((failure.step, failure.error.raw_os_error()), (Step::Exec, Some(libc::ENOENT)));
        assert!(has_left(&launch));
    }

    #[test]
    fn one_that_is_never_released_keeps_its_lodging_and_hears_no_signals() {
        let program = Program::new("/bin/true".into(), Vec::new(), Vec::new()).unwrap();
        let launch = program.launch(Role::Child).unwrap();
        assert!(!has_left(&launch));
        let pid = launch.pid();
        // SAFETY: `kill(2)` takes no memory.
        assert_eq!(unsafe { libc::kill(pid, libc::SIGTERM) }, 0);
        drop(launch);
        let mut status = 0;
        // SAFETY: the kernel writes one int to `status`, which lives through the call.
        assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
        assert_eq!(libc::WEXITSTATUS(status), 1);
    }
}
