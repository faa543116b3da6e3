//! Letting guests go.

use std::io;

use contract::{Event, Tid, What};
use kernel::ptrace::{Stopped, Tracee as Ptraced};

use crate::GuestEnd;
use crate::observer::Observer;
use crate::session::{Session, now};

/// Lets all guests go: each at its next stop, which it is asked for. If a signal asked for it, the
/// launched guest gets that signal. Guests that cannot do without a supervisor are killed.
pub fn all(session: &mut Session, signal: Option<i32>) {
    session.end.interrupted = session.end.interrupted.or(signal);
    let launched = session.launched();
    for (tid, tracee) in session.tracees.iter_mut() {
        if !tracee.mechanism.can_detach() {
            // A thread that has ended meanwhile will be reported like any other.
            let _ = kernel::signal::send(tracee.process.0, kernel::signal::KILL);
            continue;
        }
        tracee.leaving = true;
        if let Some(running) = &tracee.running {
            let _ = running.interrupt();
        }
        if let Some(signal) = signal.filter(|_| Some(tid) == launched) {
            let _ = kernel::signal::send(tid.0, kernel::signal::CONT);
            let _ = kernel::signal::send(tid.0, signal);
        }
    }
}

/// Lets a stopped thread go; `signal`, if not 0, is delivered to it.
pub fn one(
    session: &mut Session,
    tid: Tid,
    stopped: Ptraced<Stopped>,
    signal: i32,
    observer: &mut dyn Observer,
) -> io::Result<()> {
    stopped.detach(signal)?;
    session.tracees.remove(tid);
    observer.event(&Event { tid, time: now(), what: What::Detached });
    Ok(())
}

/// Notes the end of the launched guest.
pub fn note_end(session: &mut Session, tid: Tid, end: GuestEnd) {
    if session.launched() == Some(tid) {
        session.end.guest = Some(end);
    }
}
