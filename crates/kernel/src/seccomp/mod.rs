//! Filters for system calls: `seccomp(2)`.
//!
//! A [`Program`] is classic BPF over the kernel's `struct seccomp_data`. [`CallPolicy`] makes one
//! from a set of call numbers; [`Assembler`] makes any other; [`install()`] puts one in force.
//!
//! The programs made here look at architecture and number alone where they can: the kernel tries
//! such a program once on every number when it is installed, and from then on lets the allowed
//! calls pass without running it (since Linux 5.11).

mod assembler;
mod call_policy;
mod install;
#[cfg(test)]
mod interpreter;
mod listener;

pub use assembler::{Assembler, Field, Label, Test};
pub use call_policy::{ByArgument, CallPolicy, UnlessNull};
pub use install::{Installed, install};
pub(crate) use install::{has_action, set_filter, set_no_new_privileges};
pub(crate) use listener::LISTENING;
pub use listener::{Listener, Pending};

/// The most instructions that the kernel takes (`BPF_MAXINSNS`).
pub const MAX_INSTRUCTIONS: usize = libc::BPF_MAXINSNS as usize;

/// What becomes of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// The call is made.
    Allow,
    /// The call is not made and fails with this errno. The kernel caps it at 4095.
    Errno(u16),
    /// The tracer is told by `PTRACE_EVENT_SECCOMP`, with this number as the event's message.
    /// Without a tracer that asked for the event the call fails with `ENOSYS`.
    Trace(u16),
    /// Whoever holds the filter's listener decides: `seccomp_unotify(2)`.
    Notify,
}

impl Action {
    /// The value that the program returns for it.
    pub fn value(self) -> u32 {
        match self {
            Action::Allow => libc::SECCOMP_RET_ALLOW,
            Action::Errno(errno) => libc::SECCOMP_RET_ERRNO | u32::from(errno),
            Action::Trace(message) => libc::SECCOMP_RET_TRACE | u32::from(message),
            Action::Notify => libc::SECCOMP_RET_USER_NOTIF,
        }
    }
}

/// A finished filter program: 1 to 4,096 instructions, every path of which ends in an action.
#[derive(Clone, Debug)]
pub struct Program(Vec<libc::sock_filter>);

impl Program {
    /// Its instructions, as the kernel takes them.
    pub fn instructions(&self) -> &[libc::sock_filter] {
        &self.0
    }

    /// Its instructions as they lie in memory: `struct sock_filter`, 8 bytes each.
    pub fn bytes(&self) -> Vec<u8> {
        let bytes = |code: &libc::sock_filter| {
            let [a, b] = code.code.to_ne_bytes();
            let [c, d, e, f] = code.k.to_ne_bytes();
            [a, b, code.jt, code.jf, c, d, e, f]
        };
        self.0.iter().flat_map(bytes).collect()
    }
}

/// The program has more instructions than the kernel takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a seccomp program of {length} instructions exceeds the kernel's {MAX_INSTRUCTIONS}")]
pub struct TooLong {
    /// How many it has.
    pub length: usize,
}

#[cfg(test)]
mod tests;
