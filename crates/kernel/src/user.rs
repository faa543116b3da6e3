//! Who this process is: `credentials(7)`.

use libc::uid_t;

/// The effective user: `geteuid(2)`.
pub fn effective() -> uid_t {
    // SAFETY: the call takes no argument, touches no memory and never fails.
    unsafe { libc::geteuid() }
}
