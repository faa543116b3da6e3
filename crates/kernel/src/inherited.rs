//! What this process has inherited and a guest is to inherit, though it is changed in between:
//! Rust's runtime, or [`mod@crate::entry`] in its place, ignores `SIGPIPE` before all else, and opens
//! `/dev/null` in the place of closed standard streams; [`crate::wait::listen`] sets `SIGCHLD`.

use std::sync::atomic::{AtomicBool, Ordering};

use libc::{STDERR_FILENO, STDIN_FILENO};

use crate::bare;
use crate::disposition::{dispose, is_ignored};

/// `SIGPIPE` was ignored.
static PIPE_IGNORED: AtomicBool = AtomicBool::new(false);
/// `SIGCHLD` was ignored.
static CHILDREN_IGNORED: AtomicBool = AtomicBool::new(false);
/// The standard streams that were closed, by descriptor.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

/// Has [`note`] run before `main`, and so before the runtime.
// SAFETY: `.init_array` holds pointers to functions of C's calling convention, which libc calls
// once; the arguments that some libcs pass are of no harm to a function that takes none.
#[used]
#[unsafe(link_section = ".init_array")]
static NOTE: extern "C" fn() = note;

extern "C" fn note() {
    PIPE_IGNORED.store(is_ignored(libc::SIGPIPE), Ordering::Relaxed);
    CHILDREN_IGNORED.store(is_ignored(libc::SIGCHLD), Ordering::Relaxed);
    for fd in STDIN_FILENO..=STDERR_FILENO {
        // SAFETY: this `fcntl(2)` takes no memory.
        let closed = unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0;
        CLOSED[fd as usize].store(closed, Ordering::Relaxed);
    }
}

/// Ignores `SIGPIPE`: a reader that has gone is an error of the write. Opens `/dev/null` in the place
/// of closed standard streams, so that no file of ours becomes one of them; where there is none we end.
pub(crate) fn prepare() {
    // SAFETY: `signal(2)` takes no memory.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    for _ in CLOSED.iter().filter(|closed| closed.load(Ordering::Relaxed)) {
        // SAFETY: the path is NUL-terminated. The lowest free descriptor is one of the closed.
        if unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) } < 0 {
            std::process::abort();
        }
    }
}

/// Whether `SIGPIPE` was ignored before that.
pub(crate) fn pipe_was_ignored() -> bool {
    PIPE_IGNORED.load(Ordering::Relaxed)
}

/// Puts it back, in a process that is about to become another program. Async-signal-safe, and leaves
/// `errno` alone.
pub(crate) fn restore() {
    if !PIPE_IGNORED.load(Ordering::Relaxed) {
        dispose(libc::SIGPIPE, libc::SIG_DFL);
    }
    if CHILDREN_IGNORED.load(Ordering::Relaxed) {
        dispose(libc::SIGCHLD, libc::SIG_IGN);
    }
    for (fd, closed) in CLOSED.iter().enumerate() {
        if closed.load(Ordering::Relaxed) {
            // SAFETY: `close(2)` takes no memory. What the runtime opened there serves nobody here.
            let _ = unsafe { bare::call(libc::SYS_close, [fd]) };
        }
    }
}
