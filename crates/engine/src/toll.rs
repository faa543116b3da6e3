//! The toll: the crossings that a session spent, by kind.

use kernel::toll::Ledger;
use kernel::wait::Stop;

/// Stops of guests, by what they were for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stops {
    /// Before or after a call.
    pub syscall: u64,
    /// A filter picked a call.
    pub seccomp: u64,
    /// A signal.
    pub signal: u64,
    /// New threads, exec, job control, and the like.
    pub other: u64,
}

/// The crossings that a session spent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Toll {
    /// Calls whose entry was seen, asked for or not.
    pub calls_seen: u64,
    /// Calls that were told of.
    pub calls_told: u64,
    /// Calls about which modules were asked.
    pub calls_decided: u64,
    /// Calls that the agent recorded.
    pub calls_by_agent: u64,
    /// Threads of which records are missing, since the guest has written over them.
    pub spoilt_threads: u64,
    /// Programs that got no agent where one was wanted.
    pub without_agent: u64,
    /// Why the last of them got none.
    pub why_without: Option<&'static str>,
    /// Stops of guests.
    pub stops: Stops,
    /// Ends of guest threads.
    pub ends: u64,
    /// Rounds of the event loop.
    pub rounds: u64,
    /// How many times a guest thread was bound to the supervisor's processor.
    pub bindings: u64,
    /// Kernel calls of the supervisor.
    pub kernel: Ledger,
}

impl Toll {
    /// Counts a program that gets no agent, and notes why.
    pub(crate) fn without_agent(&mut self, why: &'static str) {
        self.without_agent += 1;
        self.why_without = Some(why);
    }
}

impl Stops {
    /// Counts a stop.
    pub(crate) fn count(&mut self, stop: Stop) {
        match stop {
            Stop::Syscall => self.syscall += 1,
            Stop::Seccomp => self.seccomp += 1,
            Stop::Signal(_) => self.signal += 1,
            Stop::NewTask | Stop::Exec | Stop::Group(_) | Stop::Trap => self.other += 1,
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.syscall + self.seccomp + self.signal + self.other
    }
}
