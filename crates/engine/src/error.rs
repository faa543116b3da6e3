//! What can go wrong with a session.

use std::io;

use contract::Tid;
use kernel::spawn::Step;

/// Why a session could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No process could be made.
    #[error("cannot start a process")]
    Spawn(#[source] io::Error),
    /// The guest's process was made, but its program did not start.
    #[error("{}", match .step {
        Step::Credentials => "cannot become the requested user",
        Step::Guard => "--enforce needs seccomp filters with a listener (Linux 5.19 or newer)",
        Step::Filter => "cannot install a seccomp filter; try --mechanism=ptrace",
        Step::Exec => "exec",
    })]
    Start {
        /// At which step.
        step: Step,
        /// What the kernel answered.
        #[source]
        source: io::Error,
    },
    /// A process cannot be traced.
    #[error("attach: ptrace(PTRACE_SEIZE, {tid})")]
    Attach {
        /// The thread.
        tid: Tid,
        /// What the kernel answered.
        #[source]
        source: io::Error,
    },
    /// The kernel refused a request that it permits by its documentation.
    #[error("a request on thread {tid} failed")]
    Request {
        /// The thread.
        tid: Tid,
        /// What the kernel answered.
        #[source]
        source: io::Error,
    },
    /// Waiting for guests failed.
    #[error("cannot wait for the guests")]
    Wait(#[source] io::Error),
    /// The set of calls makes too large a filter.
    #[error(transparent)]
    Filter(#[from] kernel::seccomp::TooLong),
}
