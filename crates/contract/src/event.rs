//! What happened to a guest thread.

use crate::{Arch, Capture, GuestAddr, Pid, Stack, Stamp, Tid};

/// The kernel's `siginfo_t`, undecoded.
pub type SigInfo = [u8; 128];

/// Something that happened to one guest thread.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The thread.
    pub tid: Tid,
    /// When it was seen.
    pub time: Stamp,
    /// What happened.
    pub what: What<'a>,
}

/// What happened, with calls and signals as they were captured.
pub type What<'a> = EventKind<&'a Capture, Origin<'a>>;

/// What is known of a signal that is about to be delivered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin<'a> {
    /// Where it comes from; absent where the kernel did not tell.
    pub info: Option<&'a SigInfo>,
    /// Where the thread is, where asked for.
    pub ip: Option<GuestAddr>,
    /// The stack of the thread, where asked for.
    pub stack: Option<&'a Stack>,
}

/// The kinds of event. What tells of a call, and of a signal's origin, differs before and after
/// decoding.
///
/// For one thread, `Enter` and `Exit` alternate, or a `Call` stands in place of both; instead of
/// the last `Exit` there may be an `Unfinished` or, where the thread is let go within a call,
/// nothing.
#[derive(Clone, Copy, Debug)]
pub enum EventKind<Call, Origin> {
    /// The thread is traced from now on.
    Attached {
        /// The thread that created it, if that was seen.
        parent: Option<Tid>,
        /// Its process.
        process: Pid,
    },
    /// A call begins; only the entry half is known.
    Enter(Call),
    /// A call has returned; both halves are known.
    Exit(Call),
    /// A call has returned whose beginning was not told, since nothing happened meanwhile; both
    /// halves are known.
    Call(Call),
    /// The thread ends within the call that it had entered; only the entry half is known.
    Unfinished(Call),
    /// The process runs another program from now on: `execve(2)`.
    Executed,
    /// The thread's calls enter the kernel through this ABI from now on.
    RunsIn {
        /// The ABI.
        arch: Arch,
        /// Where the thread makes the first such call.
        ip: GuestAddr,
    },
    /// A signal is about to be delivered.
    Signal {
        /// The signal's number.
        signal: i32,
        /// What is known of it.
        origin: Origin,
    },
    /// The process was stopped by a signal (job control).
    Stopped {
        /// The signal's number.
        signal: i32,
        /// Where the thread stands, if that is wanted.
        ip: Option<GuestAddr>,
    },
    /// The thread exited.
    Exited {
        /// Its exit status, 0 to 255.
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

impl<Call, Origin> EventKind<Call, Origin> {
    /// The same event, with something else that tells of a call or of a signal's origin.
    pub fn map<C, O>(
        self,
        call: impl FnOnce(Call) -> C,
        origin: impl FnOnce(Origin) -> O,
    ) -> EventKind<C, O> {
        match self {
            EventKind::Attached { parent, process } => EventKind::Attached { parent, process },
            EventKind::Enter(it) => EventKind::Enter(call(it)),
            EventKind::Exit(it) => EventKind::Exit(call(it)),
            EventKind::Call(it) => EventKind::Call(call(it)),
            EventKind::Unfinished(it) => EventKind::Unfinished(call(it)),
            EventKind::Executed => EventKind::Executed,
            EventKind::RunsIn { arch, ip } => EventKind::RunsIn { arch, ip },
            EventKind::Signal { signal, origin: it } => {
                EventKind::Signal { signal, origin: origin(it) }
            }
            EventKind::Stopped { signal, ip } => EventKind::Stopped { signal, ip },
            EventKind::Exited { status } => EventKind::Exited { status },
            EventKind::Killed { signal, core_dumped } => EventKind::Killed { signal, core_dumped },
            EventKind::Superseded { by } => EventKind::Superseded { by },
            EventKind::Detached => EventKind::Detached,
        }
    }
}
