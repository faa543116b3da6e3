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
use kernel::remote::Failure;
use kernel::wait::Stop;

use super::Heir;
use super::arena::Slot;
use super::extent::Extent;
use super::inject::{Arrived, Came, Newcomer};
use super::obstacles::{NO_VDSO, RUNS_32_BIT, USES_GS};
use super::place::Map;
use super::seat::Seat;
use super::space::{Interrupted, Space};
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
        let is_foreseen = self.options.agent_after > 0;
        agent.actions.executed(process);
        if self.options.share_processor && tracee.together.is_none() {
            tracee.together = Together::begin(tid);
        }
        let newcomer = Newcomer {
            caller: agent.caller(process, false),
            map: Some(Map::read(process.0)),
            stopped,
            stop,
            spot: None,
            mmap_stops: agent.mmap_stops,
        };
        let layout = agent.layout;
        let Arrived { stopped, signal, slot, mut space, places } =
            match self.bring_in(newcomer, |_, _| Ok(())) {
                Ok(Came::In(arrived)) => arrived,
                Ok(Came::Not(stopped, signal)) => return Ok((stopped, signal)),
                Err(failure) => {
                    if let Failure::Unfit(..) = failure {
                        self.toll.without_agent(RUNS_32_BIT);
                    }
                    return Err(failure);
                }
            };
        space.patch_all(&stopped, &places)?;
        let space = Rc::new(RefCell::new(space));
        if let Some(tracee) = self.tracees.get_mut(tid) {
            let mut seat = Seat::new(slot, space, Extent::new(layout));
            seat.is_foreseen = is_foreseen;
            tracee.seat = Some(seat);
        }
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
        let map = Map::read(process.0);
        let spot = map.spot();
        let obstacle = if tracee.mechanism != Mechanism::Agent {
            Some("it has a seccomp filter of its own")
        } else if spot.is_none() {
            Some(NO_VDSO)
        } else {
            obstacle(&stopped)?
        };
        if let Some(obstacle) = obstacle {
            self.toll.without_agent(obstacle);
            return Ok((stopped, 0));
        }
        let newcomer = Newcomer {
            caller: agent.caller(process, false),
            map: Some(map),
            stopped,
            stop,
            spot,
            mmap_stops: agent.mmap_stops,
        };
        match self.bring_in(newcomer, |_, _| Ok(())) {
            Ok(Came::In(arrived)) => self.came_late(tid, arrived),
            Ok(Came::Not(stopped, signal)) => Ok((stopped, signal)),
            Err(Failure::Unfit(stopped, _)) => {
                self.set_due(tid, Due::Runs(1));
                Ok((stopped, 0))
            }
            Err(failure) => Err(failure),
        }
    }

    /// The agent has come into the program of a thread, whose threads take their seats.
    fn came_late(
        &mut self,
        tid: Tid,
        arrived: Arrived,
    ) -> Result<(Ptraced<Stopped>, i32), Failure> {
        let Arrived { stopped, signal, slot, mut space, places } = arrived;
        // Where signals have come so far is not known.
        space.interrupted = Interrupted::anywhere();
        if let Some(program) = &space.program {
            program.expect_many(true);
        }
        let others = self.others_in_memory(tid);
        if others.is_empty() {
            space.patch_all(&stopped, &places)?;
        }
        self.hand_down(others.into_iter().chain([tid]).collect(), slot, space);
        self.log(format_args!("agent: comes into the program of {tid}"));
        self.seat_at_stop(tid, &stopped)?;
        Ok((stopped, signal))
    }

    /// Has threads take their seats at their next stops, in an address space into which the agent has come.
    /// The slot by which it came is free again.
    pub(super) fn hand_down(&mut self, threads: Vec<Tid>, slot: Slot, space: Space) {
        let Some(agent) = &self.agent else { return };
        let space = Rc::new(RefCell::new(space));
        let heir = Heir::of(&Seat::new(slot, space, Extent::new(agent.layout)));
        for tid in threads {
            if let Some(tracee) = self.tracees.get_mut(tid) {
                tracee.heir = Some(heir.clone());
            }
        }
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
