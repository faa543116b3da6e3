//! What two threads share: `kcmp(2)`.

use std::io;

use libc::{c_int, pid_t};

use crate::toll;

/// `KCMP_FILE` of `linux/kcmp.h`.
const KCMP_FILE: c_int = 0;

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

/// Whether two descriptors, each of a process, are of one open file.
///
/// # Errors
/// As [`share`]; `EBADF` if there is no such descriptor.
pub fn share_file(one: (pid_t, c_int), other: (pid_t, c_int)) -> io::Result<bool> {
    toll::count(toll::Kind::Other);
    // SAFETY: with `KCMP_FILE` the call takes no memory.
    let order = unsafe { libc::syscall(libc::SYS_kcmp, one.0, other.0, KCMP_FILE, one.1, other.1) };
    if order < 0 { Err(io::Error::last_os_error()) } else { Ok(order == 0) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::fork::Child;

    #[test]
    fn a_copy_of_a_descriptor_is_of_the_same_file() {
        use std::os::fd::AsRawFd;
        let own = std::process::id() as pid_t;
        let (one, other) = (io::pipe().unwrap().0, io::pipe().unwrap().0);
        let copy = one.try_clone().unwrap();
        let same = |fd: c_int| share_file((own, one.as_raw_fd()), (own, fd));
        assert!(same(copy.as_raw_fd()).unwrap());
        assert!(!same(other.as_raw_fd()).unwrap());
        assert_eq!(same(-1).unwrap_err().raw_os_error(), Some(libc::EBADF));
    }

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
