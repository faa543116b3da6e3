//! What two threads share: `kcmp(2)`.

use std::io;

use libc::{c_int, pid_t};

use crate::toll;

/// `KCMP_VM` of `linux/kcmp.h`.
const KCMP_VM: c_int = 1;

/// Whether two threads have the same address space.
///
/// # Errors
/// `ESRCH` if one is gone, `EPERM` if we may not trace both, `ENOSYS` where the kernel is built
/// without it.
pub fn share_memory(one: pid_t, other: pid_t) -> io::Result<bool> {
    toll::count(toll::Kind::Other);
    // SAFETY: with `KCMP_VM` the call takes no memory.
    let order = unsafe { libc::syscall(libc::SYS_kcmp, one, other, KCMP_VM, 0, 0) };
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
        // SAFETY: `pause(2)` is async-signal-safe.
        let child =
            unsafe { Child::start(Duration::from_secs(60), || libc::pause() as u8) }.unwrap();
        assert!(!share_memory(process, child.pid()).unwrap());
        assert!(share_memory(process, -1).is_err());
    }
}
