//! Limits of processes: `prlimit(2)`.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;

use libc::pid_t;

use crate::toll;

/// How much a process may map (`RLIMIT_AS`), in bytes; `u64::MAX` where there is no limit.
///
/// # Errors
/// `ESRCH` if it is gone, `EPERM` if it is another user's.
pub fn address_space(pid: pid_t) -> io::Result<u64> {
    limit(pid, libc::RLIMIT_AS)
}

/// Below which number a process's descriptors are (`RLIMIT_NOFILE`).
///
/// # Errors
/// As [`address_space`].
pub fn descriptors(pid: pid_t) -> io::Result<u64> {
    limit(pid, libc::RLIMIT_NOFILE)
}

/// How large this process may make a file (`RLIMIT_FSIZE`), in bytes. Who tries more is killed
/// (`SIGXFSZ`).
pub(crate) fn file_size() -> io::Result<u64> {
    limit(0, libc::RLIMIT_FSIZE)
}

/// The soft limit; 0 stands for this process.
fn limit(pid: pid_t, resource: libc::__rlimit_resource_t) -> io::Result<u64> {
    toll::count(toll::Kind::Other);
    let mut limit = MaybeUninit::<libc::rlimit>::zeroed();
    // SAFETY: the kernel writes the limit to an object of ours, which lives through the call.
    let result = unsafe { libc::prlimit(pid, resource, ptr::null(), limit.as_mut_ptr()) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: all zeroes is a valid value of its integers, and so is what the kernel wrote.
    Ok(unsafe { limit.assume_init() }.rlim_cur)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::fork::Child;

    #[test]
    fn the_limit_is_that_of_the_process() {
        const LIMIT: u64 = 1 << 40;
        let (mut ready, say_ready) = io::pipe().unwrap();
        let limited = || {
            let limit = libc::rlimit { rlim_cur: LIMIT, rlim_max: LIMIT };
            // SAFETY: the calls read the limit and one byte of it, and wait.
            unsafe {
                libc::setrlimit(libc::RLIMIT_AS, &limit);
                let ready = std::os::fd::AsRawFd::as_raw_fd(&say_ready);
                libc::write(ready, (&raw const limit).cast(), 1);
                libc::pause() as u8
            }
        };
        // SAFETY: the body makes async-signal-safe calls only.
        let child = unsafe { Child::start(Duration::from_secs(60), limited) }.unwrap();
        io::Read::read_exact(&mut ready, &mut [0]).unwrap();
        assert_eq!(address_space(child.pid()).unwrap(), LIMIT);
        assert!(address_space(-1).is_err());
    }
}
