//! What two threads share: `kcmp(2)`.

use std::io;

use libc::{c_int, pid_t};

use crate::toll;

/// What threads may share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shared {
    /// The address space: `KCMP_VM` of `linux/kcmp.h`.
    Memory = 1,
    /// The table of descriptors: `KCMP_FILES`.
    Descriptors = 2,
    /// Working directory, root and umask: `KCMP_FS`.
    Directory = 3,
}

/// Whether two threads have the same address space.
///
/// # Errors
/// As [`share`].
pub fn share_memory(one: pid_t, other: pid_t) -> io::Result<bool> {
    share(one, other, Shared::Memory)
}

/// Whether two threads share this.
///
/// # Errors
/// `ESRCH` if one is gone, `EPERM` if we may not trace both, `ENOSYS` where the kernel is built
/// without it.
pub fn share(one: pid_t, other: pid_t, what: Shared) -> io::Result<bool> {
    toll::count(toll::Kind::Other);
    // SAFETY: with these kinds the call takes no memory.
    let order = unsafe { libc::syscall(libc::SYS_kcmp, one, other, what as c_int, 0, 0) };
    if order < 0 { Err(io::Error::last_os_error()) } else { Ok(order == 0) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::fork::Child;

    #[test]
    fn threads_share_what_a_fork_copies() {
        // SAFETY: `getpid(2)` and `gettid(2)` take no memory.
        let ours = || unsafe { (libc::getpid(), libc::gettid()) };
        let (process, thread) = std::thread::spawn(ours).join().unwrap();
        assert_ne!(process, thread);
        let shared = std::thread::scope(|scope| {
            scope.spawn(|| share_memory(process, ours().1).unwrap()).join().unwrap()
        });
        assert!(shared);
        for what in [Shared::Descriptors, Shared::Directory] {
            assert!(share(process, process, what).unwrap());
        }
        // SAFETY: `pause(2)` is async-signal-safe.
        let child =
            unsafe { Child::start(Duration::from_secs(60), || libc::pause() as u8) }.unwrap();
        assert!(!share_memory(process, child.pid()).unwrap());
        assert!(!share(process, child.pid(), Shared::Directory).unwrap());
        assert!(share_memory(process, -1).is_err());
    }
}
