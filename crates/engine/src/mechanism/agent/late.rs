//! Brings the agent into a program under a filter that has made some calls through the net.
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
use super::patcher::Arrival;
use super::seat::Seat;
use super::space::{Interrupted, Space};
use super::vdso;
use crate::mechanism::Mechanism;
use crate::session::Session;
use crate::tracee::Due;

impl Session {
    /// A thread stands behind the last call for which the agent has waited.
    pub(super) fn come_late(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        stop: Stop,
    ) -> Result<(Ptraced<Stopped>, i32), Failure> {
        self.set_due(tid, Due::No);
        let Some(tracee) = self.tracees.get(tid) else { return Ok((stopped, 0)) };
        // One that has a filter of its own is under `ptrace` by now.
        let (process, wanted) = (tracee.process, tracee.mechanism == Mechanism::Agent);
        let (Some(agent), true) = (&mut self.agent, wanted && is_free(&stopped)?) else {
            return Ok((stopped, 0));
        };
        let spot = vdso::spot(process.0);
        if spot.is_none() || !extent::affords(process.0, agent.layout, FIRST_SLOTS) {
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
        let Ok(slot) = slot else { return Ok((stopped, signal)) };
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
        self.seat_at_stop(tid, &stopped)?;
        Ok((stopped, signal))
    }

    /// The other threads in the address space of this one.
    fn others_in_memory(&mut self, tid: Tid) -> Vec<Tid> {
        let others = self.tracees.iter_mut().map(|(other, _)| other).filter(|other| *other != tid);
        others.filter(|other| kcmp::share_memory(tid.0, other.0).unwrap_or(false)).collect()
    }
}

/// Whether a thread runs 64-bit code, and makes no use of `%gs`.
fn is_free(stopped: &Ptraced<Stopped>) -> io::Result<bool> {
    match stopped.registers() {
        Ok(registers) => Ok(registers.gs_base == 0 && registers.gs == 0),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(false),
        Err(error) => Err(error),
    }
}
