//! Signals that ask the supervisor to stop.
//!
//! `wait4(2)` cannot wait for a signal and a guest at once without a window in which a signal
//! arrives just before it blocks. So each caught signal arms a timer whose signal interrupts
//! `wait4` again, every second until [`taken`] has been called.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use libc::c_int;

use crate::disposition::{dispose, disposition, is_ignored};
use crate::{bare, inherited};

static CAUGHT: AtomicI32 = AtomicI32::new(0);

extern "C" fn note(signal: c_int) {
    if signal != libc::SIGALRM {
        CAUGHT.store(signal, Ordering::Relaxed);
    }
    if CAUGHT.load(Ordering::Relaxed) != 0 {
        // SAFETY: `alarm(2)` is async-signal-safe and takes no memory.
        unsafe { libc::alarm(1) };
    }
}

/// Scripts ignore these for all that they start in the background; whoever sends one means it.
const IGNORED_IN_BACKGROUND: [c_int; 2] = [libc::SIGINT, libc::SIGQUIT];

/// Catches these signals from now on, unless they were ignored: `nohup` stays what it is. A
/// blocking [`crate::wait::next`] then fails with `EINTR`.
pub fn catch(signals: &[c_int]) -> io::Result<()> {
    handle(libc::SIGALRM, note as *const () as libc::sighandler_t)?;
    for &signal in signals.iter().filter(|&&signal| is_meant(signal)) {
        handle(signal, note as *const () as libc::sighandler_t)?;
    }
    Ok(())
}

/// From now on it is as if this signal had been caught.
pub fn note_one(signal: c_int) {
    CAUGHT.store(signal, Ordering::Relaxed);
}

/// These signals end this process from now on, unless they were ignored.
pub fn die_at_once(signals: &[c_int]) -> io::Result<()> {
    let mut meant = signals.iter().filter(|&&signal| is_meant(signal));
    meant.try_for_each(|&signal| handle(signal, libc::SIG_DFL))
}

/// Whether this signal is for us: it was not ignored when this process began, or as a shell does only.
fn is_meant(signal: c_int) -> bool {
    let was_ignored = match signal {
        libc::SIGPIPE => inherited::pipe_was_ignored(),
        _ => is_ignored(signal),
    };
    !was_ignored || IGNORED_IN_BACKGROUND.contains(&signal)
}

/// Ignores these signals from now on.
pub fn ignore(signals: &[c_int]) -> io::Result<()> {
    signals.iter().try_for_each(|&signal| handle(signal, libc::SIG_IGN))
}

/// Signals that come while this lives wait for its end: whoever is made meanwhile begins so, and gets no
/// signal that a handler of ours would take for its own.
#[derive(Debug)]
pub(crate) struct Held {
    before: u64,
}

/// The signals that have handlers in a supervisor, or in a program that uses its library: all but those of
/// real time, which nobody catches here for another's sake.
const STANDARD: std::ops::RangeInclusive<c_int> = 1..=31;

impl Held {
    /// Begins it.
    pub fn all() -> Held {
        Held { before: set_mask(u64::MAX) }
    }

    /// What was blocked before.
    pub fn before(&self) -> u64 {
        self.before
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        set_mask(self.before);
    }
}

/// In a child that is about to become another program, and was made while signals were [held](Held): they
/// have their default actions, where they had handlers, and then these only are blocked. Async-signal-safe,
/// and leaves `errno` alone.
pub(crate) fn resume_without_handlers(blocked: u64) {
    for signal in STANDARD {
        if ![libc::SIG_DFL, libc::SIG_IGN].contains(&disposition(signal)) {
            dispose(signal, libc::SIG_DFL);
        }
    }
    set_mask(blocked);
}

/// Blocks these signals of the calling thread only, a bit for each from the lowest on. Those that were
/// blocked before.
fn set_mask(blocked: u64) -> u64 {
    let mut before = 0_u64;
    let how = libc::SIG_SETMASK as usize;
    let (new, old) = (bare::at(&raw const blocked), bare::at(&raw mut before));
    // SAFETY: the kernel reads the one mask and writes the other, 8 bytes each, which live through the call.
    let _ = unsafe { bare::call(libc::SYS_rt_sigprocmask, [how, new, old, 8]) };
    before
}

/// Leaves all signals sent to this process to its other threads.
pub fn leave_to_others() {
    let mut all = MaybeUninit::uninit();
    // SAFETY: the set is initialised by `sigfillset`, and lives through the call that reads it.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), ptr::null_mut());
    }
}

/// The signal caught last, if one was caught since the last call. Cheap where there is none.
pub fn taken() -> Option<c_int> {
    if CAUGHT.load(Ordering::Relaxed) == 0 {
        return None;
    }
    let signal = CAUGHT.swap(0, Ordering::Relaxed);
    (signal != 0).then_some(signal)
}

/// Ends this process by this signal, as if it had never been caught. Leaves no core dump of ours.
pub fn die_of(signal: c_int) -> ! {
    let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    let _ = handle(signal, libc::SIG_DFL);
    // SAFETY: the structs are initialised by the calls that take pointers to them, and live
    // through those that read them; the other calls take numbers only.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &no_core);
        let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, set.as_ptr(), ptr::null_mut());
        libc::raise(signal);
        // A signal whose default action does not end a process.
        libc::_exit(128 + signal)
    }
}

fn handle(signal: c_int, handler: libc::sighandler_t) -> io::Result<()> {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: all zeroes is a valid `sigaction`: an empty mask, no flags (so that system calls are
    // not restarted). The handler is one of the constants or `note`, which is async-signal-safe.
    let result = unsafe {
        (*action.as_mut_ptr()).sa_sigaction = handler;
        libc::sigaction(signal, action.as_ptr(), ptr::null_mut())
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
