//! Runs of answered calls under a filter.
//!
//! A filter lets most calls pass unseen: a thread under it cannot be bound to the supervisor's processor,
//! since it could find that out. But one of which call after call is answered can be emulated for that
//! while (`PTRACE_SYSEMU`). Then all its calls stop, and so it can be bound, which halves what a stop
//! costs. The first call that is to be made ends that.

use contract::Tid;
use kernel::proc;

use crate::mechanism::Mechanism;
use crate::session::Session;

/// So many answered calls begin a run, if no other was seen between them.
const ENOUGH: u32 = 8;
/// A run that was longer by so many was worth its beginning and its end.
const WORTH: u32 = 64;

/// A thread's run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    answered: u32,
    /// So many begin the next one: more of them after each that was not worth it.
    enough: u32,
}

impl Default for Run {
    fn default() -> Run {
        Run { answered: 0, enough: ENOUGH }
    }
}

impl Run {
    /// A call has been answered. Whether that is a run by now.
    fn grow(&mut self) -> bool {
        self.answered = self.answered.saturating_add(1);
        self.answered >= self.enough
    }

    /// A call is to be made.
    fn end(&mut self) {
        let is_worth = self.answered >= self.enough.saturating_add(WORTH);
        let enough = if is_worth { ENOUGH } else { self.enough.saturating_mul(2) };
        *self = Run { answered: 0, enough };
    }
}

impl Session {
    /// A thread's call has been answered at its one stop. Whether its next one is emulated.
    pub(crate) fn is_next_emulated(&mut self, tid: Tid) -> bool {
        let Some(tracee) = self.tracees.get_mut(tid) else { return false };
        match tracee.mechanism {
            _ if !self.options.emulation.is_on() => false,
            Mechanism::Sysemu => true,
            // The agent's own calls are not emulated.
            Mechanism::Agent if tracee.seat.is_some() => false,
            Mechanism::Seccomp | Mechanism::Agent if tracee.run.grow() => {
                let process = tracee.process;
                // Others of its process, of which not all calls stop, could see it.
                let is_single = || proc::status(tid.0).is_ok_and(|status| status.threads == 1);
                self.placement.consider(tid, process, is_single);
                self.placement.has_bound(tid)
            }
            _ => false,
        }
    }

    /// An emulated call of a thread is to be made after all: those behind it stop as ever.
    pub(crate) fn end_run(&mut self, tid: Tid) {
        let Some(tracee) = self.tracees.get_mut(tid) else { return };
        tracee.emulating = false;
        if matches!(tracee.mechanism, Mechanism::Seccomp | Mechanism::Agent) {
            tracee.run.end();
            self.placement.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_runs_are_begun_later_and_later() {
        let mut run = Run::default();
        let mut begins_after = |length: u32| {
            let before = (0..length).filter(|_| !run.grow()).count();
            run.end();
            before + 1
        };
        assert_eq!(begins_after(20), 8);
        assert_eq!(begins_after(20), 16);
        assert_eq!(begins_after(1_000), 32);
        assert_eq!(begins_after(20), 8);
    }
}
