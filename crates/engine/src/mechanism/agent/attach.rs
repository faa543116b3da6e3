//! Brings the agent into a program that runs already.
//!
//! At first its threads are intercepted by `PTRACE_SYSCALL`. The first one that stands behind a call
//! brings the agent in, whatever the others do meanwhile. Each of them takes its seat at its next
//! stop, and makes use of it behind its next call.

use std::io;

use agent::image::SYMBOLS;
use contract::Tid;
use kernel::proc;
use kernel::ptrace::{Stopped, Tracee as Ptraced};
use kernel::remote::{Failure, RemoteCalls};
use kernel::signal;
use kernel::wait::Stop;

use super::actions::{self, Handlers};
use super::arena::Slot;
use super::caller::Caller;
use super::inject::{Arrived, Came, Newcomer};
use super::obstacles::{NO_VDSO, RUNS_32_BIT, USES_GS};
use super::place::Map;
use super::space::Interrupted;
use crate::session::Session;
use crate::tracee::Due;

/// Flags of an action (`sigaction(2)`, `asm/signal.h`).
const SA_SIGINFO: u64 = 4;
const SA_RESTORER: u64 = 0x0400_0000;
const SA_ONSTACK: u64 = 0x0800_0000;

impl Session {
    /// A thread of a process without an agent stands behind a call: brings one in, unless something
    /// speaks against it.
    pub(super) fn attach_agent(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        stop: Stop,
    ) -> Result<(Ptraced<Stopped>, i32), Failure> {
        let Some(tracee) = self.tracees.get(tid) else { return Ok((stopped, 0)) };
        let (process, begins) = (tracee.process, tracee.agent_due == Due::Begins);
        self.set_due(tid, Due::No);
        if let Some(obstacle) = obstacle(tid.0, &stopped)? {
            self.toll.without_agent(obstacle);
            return Ok((stopped, 0));
        }
        let map = Map::read(process.0);
        let outlives_us = self.is_outlived();
        // Before its first instruction its own code can give way, unless it is to live on without us.
        let borrows = begins && !outlives_us;
        let spot = if borrows { None } else { map.spot() };
        if spot.is_none() && !borrows {
            self.toll.without_agent(NO_VDSO);
            return Ok((stopped, 0));
        }
        let mut handlers = None;
        let then = |calls: &mut RemoteCalls, slot: &Slot| {
            if !begins {
                handlers = Some(actions::handlers(calls, slot)?);
            }
            if outlives_us { take_over_sys(calls, slot) } else { Ok(()) }
        };
        let ignores_trap = proc::ignored_signals(tid.0).map_err(io::Error::other)?
            & actions::bit(signal::TRAP)
            != 0;
        let newcomer = Newcomer {
            caller: Caller { process: process.0, ignores_trap, is_outlived: outlives_us },
            map: begins.then_some(map),
            stopped,
            stop,
            spot,
            mmap_stops: false,
        };
        match self.bring_in(newcomer, then) {
            Ok(Came::In(arrived)) => self.came_to_running(tid, arrived, handlers),
            Ok(Came::Not(stopped, signal)) => Ok((stopped, signal)),
            Err(Failure::Unfit(stopped, _)) => {
                self.set_due(tid, Due::Runs(0));
                Ok((stopped, 0))
            }
            Err(failure) => Err(failure),
        }
    }

    /// The agent has come into the process of a thread, which has these handlers of signals, unless it has just
    /// begun: its threads take their seats.
    fn came_to_running(
        &mut self,
        tid: Tid,
        arrived: Arrived,
        handlers: Option<Handlers>,
    ) -> Result<(Ptraced<Stopped>, i32), Failure> {
        let Arrived { stopped, signal, slot, mut space, places } = arrived;
        let (Some(agent), Some(tracee)) = (&mut self.agent, self.tracees.get(tid)) else {
            return Ok((stopped, signal));
        };
        let process = tracee.process;
        match handlers {
            Some(handlers) => {
                agent.actions.attached(process, handlers);
                // Where signals have come so far is not known.
                space.interrupted = Interrupted::anywhere();
            }
            None => {
                agent.actions.executed(process);
                space.patch_all(&stopped, &places)?;
            }
        }
        let threads = self.tracees.iter_mut().filter(|(_, other)| other.process == process);
        let threads = threads.map(|(thread, _)| thread).collect();
        self.hand_down(threads, slot, space);
        self.log(format_args!("agent: comes into the program of {tid}"));
        self.sit_down(tid, &stopped, false)?;
        Ok((stopped, signal))
    }

    /// Whether the process of a thread waits for an agent.
    pub(super) fn set_due(&mut self, tid: Tid, due: Due) {
        let Some(process) = self.tracees.get(tid).map(|tracee| tracee.process) else { return };
        let threads = self.tracees.iter_mut().filter(|(_, other)| other.process == process);
        threads.for_each(|(_, thread)| thread.agent_due = due);
    }
}

/// What speaks against an agent in the process of this thread.
fn obstacle(tid: i32, stopped: &Ptraced<Stopped>) -> io::Result<Option<&'static str>> {
    let registers = match stopped.registers() {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            return Ok(Some(RUNS_32_BIT));
        }
        registers => registers?,
    };
    let signals = proc::signals(tid).map_err(io::Error::other)?;
    Ok(if (signals.caught | signals.ignored) & actions::bit(signal::SYS) != 0 {
        Some("it handles SIGSYS")
    } else if let Some(obstacle) = dispatch_obstacle(stopped)? {
        Some(obstacle)
    } else if proc::is_filtered(tid).map_err(io::Error::other)? {
        Some("it is under a seccomp filter")
    } else if registers.gs_base != 0 || registers.gs != 0 {
        Some(USES_GS)
    } else {
        None
    })
}

/// What speaks against dispatch as the net.
fn dispatch_obstacle(stopped: &Ptraced<Stopped>) -> io::Result<Option<&'static str>> {
    match stopped.has_dispatch() {
        Ok(false) => Ok(None),
        Ok(true) => Ok(Some("it has syscall user dispatch set up")),
        Err(error) if error.raw_os_error() == Some(libc::EIO) => {
            Ok(Some("this kernel lets no tracer set up syscall user dispatch"))
        }
        Err(error) => Err(error),
    }
}

/// Has `SIGSYS` go to the image, for the case that the supervisor dies.
fn take_over_sys(calls: &mut RemoteCalls, slot: &Slot) -> Result<(), Failure> {
    // No other handler may begin before this one has ended: the calls of that would kill the guest.
    let blocked = u64::MAX;
    let flags = SA_SIGINFO | SA_RESTORER | SA_ONSTACK;
    let action = [SYMBOLS.orphaned, flags, SYMBOLS.restore, blocked];
    actions::set_action(calls, slot, signal::SYS, action)
}
