//! What outputs are told.

use crate::{Nodes, Record, Stamp, Tid};

/// Something that happened to one guest thread, decoded.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The thread.
    pub tid: Tid,
    /// When it was seen.
    pub time: Stamp,
    /// What happened.
    pub what: What<'a>,
}

/// The kinds of event; see [`contract::What`] for their order.
#[derive(Clone, Copy, Debug)]
pub enum What<'a> {
    /// The thread is traced from now on.
    Attached {
        /// The thread that created it, if that was seen.
        parent: Option<Tid>,
        /// Its process.
        process: Tid,
    },
    /// A call begins: the record has no result yet. Not every call is announced; an output must
    /// take an `Exit` without it.
    Enter(&'a Record<'a>),
    /// A call has returned.
    Exit(&'a Record<'a>),
    /// The thread died within the call that it had entered.
    Unfinished(&'a Record<'a>),
    /// The process runs another program from now on: `execve(2)`.
    Executed,
    /// A signal is about to be delivered.
    Signal {
        /// The signal's number.
        signal: i32,
        /// `siginfo_t`: one node, a struct. Empty where the kernel did not tell.
        info: &'a Nodes<'a>,
    },
    /// The process was stopped by a signal.
    Stopped {
        /// The signal's number.
        signal: i32,
    },
    /// The thread exited.
    Exited {
        /// Its exit status.
        status: i32,
    },
    /// The thread was killed.
    Killed {
        /// By this signal.
        signal: i32,
        /// Whether a core dump was written.
        core_dumped: bool,
    },
    /// Another thread of the process called `execve(2)` and took this thread's id.
    Superseded {
        /// That thread's id until then.
        by: Tid,
    },
    /// The thread goes on untraced.
    Detached,
}
