//! The ways to make guests stop at their system calls.
//!
//! A mechanism says how a guest thread goes on, outside a call and inside one, and what has to be
//! in force before the guest starts. To add one: a file beside this one, and a line in
//! [`Mechanism`].

pub(crate) mod agent;
mod dispatch;
mod ptrace;
pub(crate) mod seccomp;
mod sysemu;

pub use sysemu::Emulation;

use ::agent::abi::TRUSTED;
use contract::{CallSet, Reply};
use kernel::ptrace::Resume;
use kernel::seccomp::{Program, TooLong};

use crate::chain::Narrowed;

/// A way to intercept calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mechanism {
    /// `PTRACE_SYSCALL`: two stops for every call, wanted or not.
    Ptrace,
    /// `PTRACE_SYSEMU`: as `Ptrace`, but a call that a module answers stops once, if the one before it
    /// was answered too.
    Sysemu,
    /// A seccomp filter picks the calls that stop: once, and once more where the exit is wanted.
    Seccomp,
    /// Guests record their calls themselves; a filter makes those stop that they cannot.
    Agent,
    /// As `Agent`, for programs that run already and are let go again: what they cannot record,
    /// syscall user dispatch stops. A thread is intercepted by `Ptrace` before it has the agent,
    /// and while it is in a call that dispatch has stopped.
    Dispatch,
}

impl Mechanism {
    /// Every mechanism.
    pub const ALL: [Mechanism; 5] = [
        Mechanism::Ptrace,
        Mechanism::Sysemu,
        Mechanism::Seccomp,
        Mechanism::Agent,
        Mechanism::Dispatch,
    ];

    /// What users call it.
    pub fn name(self) -> &'static str {
        match self {
            Mechanism::Ptrace => "ptrace",
            Mechanism::Sysemu => "sysemu",
            Mechanism::Seccomp => "seccomp",
            Mechanism::Agent | Mechanism::Dispatch => "agent",
        }
    }

    /// The filter under which a guest must start: these calls stop, but for those of them that the
    /// kernel can answer by itself; and others with certain arguments.
    pub fn filter(
        self,
        calls: &CallSet,
        narrowed: &Narrowed,
        constants: &[(u64, Reply)],
    ) -> Result<Option<Program>, TooLong> {
        match self {
            Mechanism::Ptrace | Mechanism::Sysemu | Mechanism::Dispatch => Ok(None),
            Mechanism::Seccomp => seccomp::filter(calls, narrowed, constants, None).map(Some),
            Mechanism::Agent => {
                seccomp::filter(calls, narrowed, constants, Some(TRUSTED)).map(Some)
            }
        }
    }

    /// How many filters guests start under by it.
    pub(crate) fn filters(self) -> u32 {
        match self {
            Mechanism::Ptrace | Mechanism::Sysemu | Mechanism::Dispatch => 0,
            Mechanism::Seccomp | Mechanism::Agent => 1,
        }
    }

    /// How a thread goes on that is in no call.
    pub(crate) fn outside_call(self) -> Resume {
        match self {
            Mechanism::Ptrace | Mechanism::Sysemu => ptrace::OUTSIDE_CALL,
            Mechanism::Seccomp | Mechanism::Agent => seccomp::OUTSIDE_CALL,
            Mechanism::Dispatch => dispatch::OUTSIDE_CALL,
        }
    }

    /// How a thread goes on that has entered a call.
    pub(crate) fn inside_call(self, exit_wanted: bool) -> Resume {
        match self {
            Mechanism::Ptrace | Mechanism::Sysemu | Mechanism::Dispatch => ptrace::INSIDE_CALL,
            Mechanism::Seccomp | Mechanism::Agent => seccomp::inside_call(exit_wanted),
        }
    }

    /// How a thread is intercepted at first.
    pub(crate) fn at_first(self) -> Mechanism {
        match self {
            Mechanism::Dispatch => Mechanism::Ptrace,
            other => other,
        }
    }

    /// Whether every call of every guest stops.
    pub(crate) fn stops_all(self) -> bool {
        matches!(self, Mechanism::Ptrace | Mechanism::Sysemu)
    }

    /// Whether guests are to record calls themselves.
    pub(crate) fn has_agent(self) -> bool {
        matches!(self, Mechanism::Agent | Mechanism::Dispatch)
    }

    /// Whether a guest can do without the supervisor once it has started.
    pub fn can_detach(self) -> bool {
        match self {
            Mechanism::Ptrace | Mechanism::Sysemu | Mechanism::Dispatch => true,
            // The filter stays, and without a tracer every call that it picks fails with ENOSYS.
            Mechanism::Seccomp | Mechanism::Agent => false,
        }
    }
}
