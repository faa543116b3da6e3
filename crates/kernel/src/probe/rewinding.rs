//! The calls by which a program's descriptors are compared and copied, and its memory written: sandboxes
//! permit tracing, and refuse these.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use super::{LIMIT, Refusal, answer_of, errno_of};
use crate::fork::Child;
use crate::kcmp;
use crate::pidfd::{PidFd, copy_descriptor};

/// What is refused, and how.
pub type Refused<Answer> = (&'static str, Answer);

/// An attempt with this process.
type Attempt = fn() -> io::Result<()>;

/// Each, by what fails without it.
const NEEDED: [(&str, Attempt); 3] = [
    ("its descriptors cannot be compared (kcmp)", compare),
    ("its descriptors cannot be copied (pidfd_getfd)", copy),
    ("its memory cannot be written (process_vm_writev)", write),
];

/// Tries them.
///
/// # Errors
/// The first that is refused.
pub fn rewind_calls() -> Result<(), Refused<io::Error>> {
    NEEDED.iter().try_for_each(|(what, attempt)| attempt().map_err(|error| (*what, error)))
}

/// Has children try them, which sandboxes may kill for it.
pub(super) fn children_try() -> Result<(), Refused<Refusal>> {
    NEEDED.iter().try_for_each(|(what, attempt)| {
        // SAFETY: bare system calls, async-signal-safe, on memory of the child's own.
        let child = unsafe { Child::start(LIMIT, || errno_of(attempt())) };
        child.map_err(Refusal::from).and_then(answer_of).map_err(|refusal| (*what, refusal))
    })
}

fn own() -> i32 {
    std::process::id() as i32
}

fn compare() -> io::Result<()> {
    kcmp::share_memory(own(), own()).map(drop)
}

fn copy() -> io::Result<()> {
    let any = PidFd::open(own())?;
    copy_descriptor(own(), own(), any.as_fd().as_raw_fd()).map(drop)
}

fn write() -> io::Result<()> {
    let (from, mut to) = (1_u8, 0_u8);
    let from = libc::iovec { iov_base: (&raw const from).cast_mut().cast(), iov_len: 1 };
    let to = libc::iovec { iov_base: (&raw mut to).cast(), iov_len: 1 };
    // SAFETY: the kernel reads one byte and writes another, which live through the call.
    let written =
        unsafe { libc::process_vm_writev(own(), &raw const from, 1, &raw const to, 1, 0) };
    if written < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_ask_agree() {
        let directly = rewind_calls().map_err(|(what, _)| what);
        assert_eq!(children_try().map_err(|(what, _)| what), directly);
    }
}
