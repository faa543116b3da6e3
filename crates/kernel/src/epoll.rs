//! What an `epoll(7)` has to tell: `epoll_wait(2)`.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use crate::toll;

/// Takes what is ready now, without waiting: what was to be told with each, `most` at most. What is told but once
/// is not told to anybody else then.
///
/// # Errors
/// `EINVAL` where the descriptor is of something else, or `most` is 0.
pub fn take(epoll: BorrowedFd<'_>, most: usize) -> io::Result<Vec<u64>> {
    let mut events = vec![libc::epoll_event { events: 0, u64: 0 }; most];
    let room = libc::c_int::try_from(most).map_err(io::Error::other)?;
    toll::count(toll::Kind::Other);
    // SAFETY: the kernel writes at most as many events as there is room for, which lives through the call.
    let count = unsafe { libc::epoll_wait(epoll.as_raw_fd(), events.as_mut_ptr(), room, 0) };
    if count < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(events[..count as usize].iter().map(|event| event.u64).collect())
}
