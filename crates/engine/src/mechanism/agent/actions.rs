//! What a process does with `SIGSEGV`, `SIGBUS` and `SIGTRAP`.
//!
//! Where the agent itself reads memory that is not there, the kernel forces one of these signals
//! upon its thread. If that has blocked or ignored it, the kernel first sets the action to the
//! default, and unblocks it. The supervisor, which swallows the signal, puts that back. For that it
//! remembers the handlers, which it sees in `rt_sigaction(2)`: the agent leaves it to the net where
//! it is about one of these signals. What the supervisor cannot know is whether a signal without a
//! handler was blocked: then it stays unblocked.
//!
//! A call that a guest makes for the supervisor ends with `SIGTRAP`, unless the guest ignores it.

use std::collections::{HashMap, HashSet};

use agent::abi::slot;
use contract::{Arch, Pid, Tid};
use kernel::disposition::is_ignored;
use kernel::proc;
use kernel::ptrace::{Dispatch, Stopped, Tracee as Ptraced};
use kernel::remote::{Call, Failure, RemoteCalls};
use kernel::signal;
use kernel::wait::Stop;
use table::arch::x86_64;

use super::arena::Slot;
use crate::session::Session;

/// The default action and being ignored, in the place of a handler's address.
const SIG_DFL: u64 = 0;
pub(super) const SIG_IGN: u64 = 1;
/// The flag of an action that sets itself to the default when it is taken.
const SA_RESETHAND: u64 = 0x8000_0000;
/// Size of a set of signals, in bytes.
const SET_LEN: u64 = 8;
/// Where in a slot a remote call can have its memory: the agent's stack does not get so far.
const SCRATCH: u64 = slot::STACK_END;

/// What each process that has an agent does with signals.
#[derive(Debug, Default)]
pub struct Actions {
    handlers: HashMap<Pid, Handlers>,
    /// Those that have set an action of `SIGSYS` themselves.
    own_sys: HashSet<Pid>,
}

/// The signals whose handlers are known.
const KNOWN: [i32; 3] = [signal::SEGV, signal::BUS, signal::TRAP];
/// The handlers of the [`KNOWN`] signals.
pub(super) type Handlers = [Handler; KNOWN.len()];

/// What a process does with a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Handler {
    address: u64,
    /// It is taken once, and then is the default.
    once: bool,
}

impl Handler {
    const DEFAULT: Handler = Handler::at(SIG_DFL);
    const IGNORED: Handler = Handler::at(SIG_IGN);

    const fn at(address: u64) -> Handler {
        Handler { address, once: false }
    }

    /// The same in a new program.
    fn executed(self) -> Handler {
        if self.address == SIG_IGN { Handler::IGNORED } else { Handler::DEFAULT }
    }
}

impl Actions {
    /// A process has a new program, which has no handlers, but may have been told to ignore.
    pub fn executed(&mut self, process: Pid) {
        self.own_sys.remove(&process);
        if let Some(handlers) = self.handlers.get_mut(&process) {
            *handlers = handlers.map(Handler::executed);
            return;
        }
        let ignored = proc::ignored_signals(process.0).unwrap_or(0);
        self.ignores(process, |signal| ignored & bit(signal) != 0);
    }

    /// A process has just been made by us: it ignores what we ignore.
    pub fn launched(&mut self, process: Pid) {
        self.ignores(process, is_ignored);
    }

    fn ignores(&mut self, process: Pid, ignored: impl Fn(i32) -> bool) {
        let handler = |signal| if ignored(signal) { Handler::IGNORED } else { Handler::DEFAULT };
        self.handlers.insert(process, KNOWN.map(handler));
    }

    /// Whether a process ignores `SIGTRAP`, as far as that is known.
    pub fn ignores_trap(&mut self, process: Pid) -> bool {
        self.handler(process, signal::TRAP).is_none_or(|handler| handler.address == SIG_IGN)
    }

    /// A process that ran already has these handlers.
    pub(super) fn attached(&mut self, process: Pid, handlers: Handlers) {
        self.handlers.insert(process, handlers);
    }

    /// A process sets an action of `SIGSYS` itself.
    pub(super) fn take_sys(&mut self, process: Pid) {
        self.own_sys.insert(process);
    }

    /// Whether a process has done so.
    pub(super) fn owns_sys(&self, process: Pid) -> bool {
        self.own_sys.contains(&process)
    }

    /// A process has made another.
    pub fn forked(&mut self, maker: Pid, child: Pid) {
        if let Some(handlers) = self.handlers.get(&maker).filter(|_| maker != child) {
            self.handlers.insert(child, *handlers);
            if self.own_sys.contains(&maker) {
                self.own_sys.insert(child);
            }
        }
    }

    /// A process has ended.
    pub fn ended(&mut self, process: Pid) {
        self.handlers.remove(&process);
        self.own_sys.remove(&process);
    }

    /// A process is about to get a signal.
    fn delivered(&mut self, process: Pid, signal: i32) {
        if let Some(handler) = self.handler(process, signal).filter(|handler| handler.once) {
            *handler = Handler::DEFAULT;
        }
    }

    fn handler(&mut self, process: Pid, signal: i32) -> Option<&mut Handler> {
        let index = KNOWN.iter().position(|of| *of == signal)?;
        Some(&mut self.handlers.get_mut(&process)?[index])
    }
}

impl Session {
    /// A thread is about to make a call: notes a handler that it sets.
    pub(crate) fn note_action(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        (arch, number, args): (Arch, u64, [u64; 6]),
    ) {
        let (Some(agent), Some(tracee)) = (&mut self.agent, self.tracees.get(tid)) else { return };
        if arch == Arch::I386 {
            // It has calls of its own by which it may have changed them.
            agent.actions.ended(tracee.process);
        }
        let sets = arch == Arch::X86_64 && number == x86_64::RT_SIGACTION.number.into();
        if !sets || args[1] == 0 {
            return;
        }
        let Some(known) = agent.actions.handler(tracee.process, args[0] as i32) else { return };
        if let (Ok(handler), Ok(flags)) = (stopped.peek(args[1]), stopped.peek(args[1] + 8)) {
            *known = Handler { address: handler, once: flags & SA_RESETHAND != 0 };
        }
    }

    /// A thread is about to get a signal: notes where that is the end of a handler.
    pub(crate) fn note_delivery(&mut self, tid: Tid, signal: i32) {
        if let (Some(agent), Some(tracee)) = (&mut self.agent, self.tracees.get(tid)) {
            agent.actions.delivered(tracee.process, signal);
        }
    }

    /// The agent's own reading has raised this signal: puts back what the kernel has undone.
    pub(super) fn put_back(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        signal: i32,
    ) -> Result<(Ptraced<Stopped>, i32), Failure> {
        let is_outlived = self.is_outlived();
        let (Some(agent), Some(tracee)) = (&mut self.agent, self.tracees.get(tid)) else {
            return Ok((stopped, 0));
        };
        let process = tracee.process;
        let handler =
            agent.actions.handler(process, signal).map_or(SIG_DFL, |handler| handler.address);
        let Some(seat) = tracee.seat.as_ref().filter(|_| handler != SIG_DFL) else {
            return Ok((stopped, 0));
        };
        let caller = agent.caller(process, is_outlived);
        // It does not get the signal.
        let stop = if is_outlived { Stop::Trap } else { Stop::Signal(signal) };
        let selector = seat.slot.load(slot::SELECTOR);
        seat.slot.store(slot::SELECTOR, Dispatch::ALLOW.into());
        let made = caller.begin(stopped, stop).and_then(|mut calls| {
            let undone = match set_handler(&mut calls, &seat.slot, signal, handler) {
                Ok(undone) => undone,
                // Its own filter forbids it.
                Err(Failure::Refused(_)) => false,
                Err(failure) => return Err(failure),
            };
            Ok((calls.finish()?.0, undone))
        });
        // Also a thread that can make no calls here goes on.
        seat.slot.store(slot::SELECTOR, selector);
        let (stopped, undone) = made?;
        if undone && handler != SIG_IGN {
            // A signal with a handler is taken away from it only where it is blocked.
            stopped.block_signals(stopped.blocked_signals()? | bit(signal))?;
        }
        Ok((stopped, 0))
    }
}

/// Sets the handler where it is the default, and leaves the rest of the action. Whether it was.
fn set_handler(
    calls: &mut RemoteCalls,
    slot: &Slot,
    signal: i32,
    handler: u64,
) -> Result<bool, Failure> {
    let [known, flags, restorer, mask] = action(calls, slot, signal)?;
    if known == SIG_DFL {
        set_action(calls, slot, signal, [handler, flags, restorer, mask])?;
    }
    Ok(known == SIG_DFL)
}

/// The handlers that the process of a thread with calls to make has.
pub(super) fn handlers(calls: &mut RemoteCalls, slot: &Slot) -> Result<Handlers, Failure> {
    let mut handler = |signal| -> Result<Handler, Failure> {
        let [address, flags, ..] = action(calls, slot, signal)?;
        Ok(Handler { address, once: flags & SA_RESETHAND != 0 })
    };
    let [segv, bus, trap] = KNOWN;
    Ok([handler(segv)?, handler(bus)?, handler(trap)?])
}

/// What the process of a thread does with a signal: the words of the kernel's `struct sigaction`,
/// which are the handler, the flags, what the handler returns to, and what it blocks. The slot lends
/// its memory.
fn action(calls: &mut RemoteCalls, slot: &Slot, signal: i32) -> Result<[u64; 4], Failure> {
    let memory = slot.address() + SCRATCH;
    calls.call(sigaction([signal as u64, 0, memory, SET_LEN, 0, 0]))?;
    Ok([0, 8, 16, 24].map(|word| slot.load(SCRATCH + word)))
}

/// Sets that.
pub(super) fn set_action(
    calls: &mut RemoteCalls,
    slot: &Slot,
    signal: i32,
    action: [u64; 4],
) -> Result<(), Failure> {
    (SCRATCH..).step_by(8).zip(action).for_each(|(at, word)| slot.store(at, word));
    let memory = slot.address() + SCRATCH;
    calls.call(sigaction([signal as u64, memory, 0, SET_LEN, 0, 0])).map(drop)
}

fn sigaction(args: [u64; 6]) -> Call {
    Call { number: x86_64::RT_SIGACTION.number.into(), args }
}

/// A signal's place in a set.
pub(super) fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}
