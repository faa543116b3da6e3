//! Brings the agent into a program under a filter: as it begins, or behind some of its calls.
//!
//! Where few calls are wanted, many programs make so few of them that they cost less than the agent's
//! coming. So it waits for a number of them, and comes in behind the last. By then the program may
//! have threads: each takes its seat at its next stop.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use contract::Tid;
use kernel::kcmp;
use kernel::ptrace::{Stopped, Tracee as Ptraced};
use kernel::remote::{Failure, RemoteCalls};
use kernel::wait::Stop;

use super::Heir;
use super::arena::{FIRST_SLOTS, Slot};
use super::extent::{self, Extent};
use super::inject::{Injected, Newcomer, inject};
use super::obstacles::{NO_VDSO, NOT_AFFORDED, REFUSED, RUNS_32_BIT, USES_GS};
use super::patcher::Arrival;
use super::paths::asks;
use super::seat::Seat;
use super::space::{Interrupted, Space};
use super::vdso;
use crate::mechanism::Mechanism;
use crate::placement::Together;
use crate::session::Session;
use crate::tracee::Due;

impl Session {
    /// A thread stands behind an exec: brings in the agent.
    pub(super) fn come_at_exec(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        stop: Stop,
    ) -> Result<(Ptraced<Stopped>, i32), Failure> {
        let (Some(agent), Some(tracee)) = (&mut self.agent, self.tracees.get_mut(tid)) else {
            return Ok((stopped, 0));
        };
        tracee.agent_due = Due::No;
        let process = tracee.process;
        agent.actions.executed(process);
        let layout = agent.layout;
        if !extent::affords(process.0, layout, FIRST_SLOTS) {
            self.toll.without_agent(NOT_AFFORDED);
            return Ok((stopped, 0));
        }
        if self.options.share_processor && tracee.together.is_none() {
            tracee.together = Together::begin(tid);
        }
        let newcomer = Newcomer {
            process: process.0,
            stopped,
            stop,
            spot: None,
            ignores_trap: agent.actions.ignores_trap(process),
            mmap_stops: agent.mmap_stops,
        };
        let Arrival { program, places, areas } = agent.patcher.arrival(process.0);
        let then = |_: &mut RemoteCalls, _: &Slot| Ok(());
        let injected = inject(newcomer, &agent.mapped_tables, layout, &areas, then);
        if let Err(Failure::Unfit(..)) = injected {
            self.toll.without_agent(RUNS_32_BIT);
        }
        let Injected { stopped, signal, slot } = injected?;
        let Ok(slot) = slot else {
            self.toll.without_agent(REFUSED);
            return Ok((stopped, signal));
        };
        slot.ask_about_paths(asks(agent.redirects));
        let mut space = Space { program, areas, ..Space::default() };
        space.patch_all(&stopped, &places)?;
        let space = Rc::new(RefCell::new(space));
        tracee.seat = Some(Seat::new(slot, space, Extent::new(layout)));
        self.log(format_args!("agent: comes with the program of {tid}"));
        Ok((stopped, signal))
    }

    /// A thread stands behind the last call for which the agent has waited.
    pub(super) fn come_late(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        stop: Stop,
    ) -> Result<(Ptraced<Stopped>, i32), Failure> {
        self.set_due(tid, Due::No);
        let (Some(agent), Some(tracee)) = (&mut self.agent, self.tracees.get(tid)) else {
            return Ok((stopped, 0));
        };
        let process = tracee.process;
        let spot = vdso::spot(process.0);
        let obstacle = if tracee.mechanism != Mechanism::Agent {
            Some("it has a seccomp filter of its own")
        } else if spot.is_none() {
            Some(NO_VDSO)
        } else if !extent::affords(process.0, agent.layout, FIRST_SLOTS) {
            Some(NOT_AFFORDED)
        } else {
            obstacle(&stopped)?
        };
        if let Some(obstacle) = obstacle {
            self.toll.without_agent(obstacle);
            return Ok((stopped, 0));
        }
        let newcomer = Newcomer {
            process: process.0,
            stopped,
            stop,
            spot,
            ignores_trap: agent.actions.ignores_trap(process),
            mmap_stops: agent.mmap_stops,
        };
        let layout = agent.layout;
        let Arrival { program, places, areas } = agent.patcher.arrival(process.0);
        let then = |_: &mut RemoteCalls, _: &Slot| Ok(());
        let Injected { stopped, signal, slot } =
            match inject(newcomer, &agent.mapped_tables, layout, &areas, then) {
                Err(Failure::Unfit(stopped, _)) => {
                    self.set_due(tid, Due::Runs(1));
                    return Ok((stopped, 0));
                }
                injected => injected?,
            };
        let Ok(slot) = slot else {
            self.toll.without_agent(REFUSED);
            return Ok((stopped, signal));
        };
        slot.ask_about_paths(asks(agent.redirects));
        // Where signals have come so far is not known.
        let interrupted = Interrupted::anywhere();
        let mut space = Space { program, areas, interrupted, ..Space::default() };
        let others = self.others_in_memory(tid);
        if others.is_empty() {
            space.patch_all(&stopped, &places)?;
        }
        let heir = Heir::of(&Seat::new(slot, Rc::new(RefCell::new(space)), Extent::new(layout)));
        for thread in others.into_iter().chain([tid]) {
            if let Some(tracee) = self.tracees.get_mut(thread) {
                tracee.heir = Some(heir.clone());
            }
        }
        drop(heir);
        self.log(format_args!("agent: comes into the program of {tid}"));
        self.seat_at_stop(tid, &stopped)?;
        Ok((stopped, signal))
    }

    /// The other threads in the address space of this one.
    fn others_in_memory(&mut self, tid: Tid) -> Vec<Tid> {
        let others = self.tracees.iter_mut().map(|(other, _)| other).filter(|other| *other != tid);
        others.filter(|other| kcmp::share_memory(tid.0, other.0).unwrap_or(false)).collect()
    }
}

/// What speaks against an agent in the program of this thread.
fn obstacle(stopped: &Ptraced<Stopped>) -> io::Result<Option<&'static str>> {
    match stopped.registers() {
        Ok(registers) if registers.gs_base == 0 && registers.gs == 0 => Ok(None),
        Ok(_) => Ok(Some(USES_GS)),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(Some(RUNS_32_BIT)),
        Err(error) => Err(error),
    }
}
