//! Letting guests go.

use std::io;

use contract::{Event, Tid, What};
use kernel::ptrace::{Stopped, Tracee as Ptraced};
use kernel::signal::{self, send};
use kernel::wait::Stop;

use crate::audience::Audience;
use crate::mechanism::agent::Parting;
use crate::observer::Observer;
use crate::session::{Session, now};
use crate::tracee::Tracee;

/// Lets all guests go: each at its next stop, which it is asked for. If a signal asked for it, the
/// launched guest gets that signal. Guests that cannot do without a supervisor are served on, out of sight,
/// and are killed at the next signal.
pub fn all(session: &mut Session, asked_by: Option<i32>) {
    let again = session.end.interrupted.is_some();
    session.end.interrupted = session.end.interrupted.or(asked_by);
    let launched = session.launched().filter(|pid| session.tracees.contains(*pid));
    let kills = asked_by.is_some() && session.options.kill_on_interrupt;
    if session.can_let_go() && !kills {
        session.leaving = true;
        for (_, tracee) in session.tracees.iter_mut() {
            tracee.leaving = true;
            tracee.interrupt();
        }
    } else if kills || again || launched.is_none() {
        for (_, tracee) in session.tracees.iter_mut() {
            // A thread that has ended meanwhile will be reported like any other.
            let _ = send(tracee.process.0, signal::KILL);
        }
    }
    if let (Some(pid), Some(signal)) = (launched, asked_by) {
        let _ = send(pid.0, signal);
        // It may be stopped.
        let _ = send(pid.0, signal::CONT);
    }
}

/// Whether guests are still served although they should have been let go, and nothing is decided
/// about their calls, or until they have been killed: to whoever asked for it, they are gone.
pub fn is_out_of_sight(session: &Session) -> bool {
    session.end.interrupted.is_some()
        && !session.leaving
        && (session.chain.is_empty() || session.options.kill_on_interrupt)
}

impl Session {
    /// Tells of all guests as if they were let go now, unless they were killed, and of nothing more.
    pub(crate) fn take_leave(&mut self, audience: &mut Audience<'_>) {
        self.drain(audience);
        self.tell_rest(audience);
        let killed = self.options.kill_on_interrupt;
        let shown = |tracee: &Tracee| !killed && !tracee.starting && !tracee.unfollowed;
        let shown = self.tracees.iter_mut().filter(|(_, tracee)| shown(tracee));
        let mut shown: Vec<Tid> = shown.map(|(tid, _)| tid).collect();
        shown.sort_unstable();
        for tid in shown {
            audience.event(&Event { tid, time: now(), what: What::Detached });
        }
        audience.leave();
    }

    /// Whether guests can do without a supervisor.
    fn can_let_go(&self) -> bool {
        // What they were shown ends with it: where it was asked for, they end too.
        let is_shown = self.options.kill_on_exit && !self.chain.is_empty();
        self.options.mechanism.can_detach() && !is_shown
    }

    /// A thread that is to be let go has stopped: lets it go as soon as it can do without us.
    /// `signal`, if not 0, is delivered to it.
    pub(crate) fn let_go(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        stop: Stop,
        signal: i32,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        match self.part(tid, stopped, stop, signal, observer)? {
            Parting::Free(stopped, signal) => one(self, tid, stopped, signal, observer),
            Parting::Later => Ok(()),
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
    session.placement.release();
    session.log(format_args!("detach: {tid}"));
    stopped.detach(signal)?;
    session.chain.ended(tid);
    let mut tracee = session.tracees.remove(tid);
    session.release_maker(tracee.as_mut());
    if !tracee.is_some_and(|tracee| tracee.unfollowed) {
        session.report(tid, What::Detached, observer);
    }
    Ok(())
}
