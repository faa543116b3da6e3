//! Takes the agent out of a program that is let go.
//!
//! Each thread leaves at its next stop: it is put where it would be without the agent, loses its
//! seat, and goes on. The first one has the patches undone, so that none of those who have left can
//! come to the agent again. The last one, behind whom nobody is in the agent, unmaps it. Nobody waits
//! for anybody: a thread may be in `vfork(2)`, and stop only when another one goes on.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use agent::abi;
use contract::Tid;
use kernel::kcmp;
use kernel::proc;
use kernel::ptrace::{Resume, Stopped, Tracee as Ptraced, is_gone};
use kernel::remote::{Call, Failure, RemoteCalls};
use kernel::signal;
use kernel::wait::Stop;

use super::actions::{self, bit};
use super::place::Map;
use super::space::Space;
use super::{Fate, Heir, patch};
use crate::observer::Observer;
use crate::session::Session;
use crate::tracee::Position;

/// What has come of an attempt to let a thread go.
pub enum Parting {
    /// It can go on without us, with this signal, unless that is 0.
    Free(Ptraced<Stopped>, i32),
    /// It goes on to another stop first.
    Later,
}

/// What the last thread has to do: the last of its process, which has its actions for itself, or of
/// the address space.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Work {
    reset_action: bool,
    unmap: bool,
}

/// What the default action of a signal is, as the kernel's `struct sigaction`.
const DEFAULT: [u64; 4] = [0; 4];

impl Session {
    /// Takes a stopped thread out of the agent for good, and the agent out of its program if it was
    /// the last. `signal`, if not 0, is what it is to go on with.
    pub(crate) fn part(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        stop: Stop,
        signal: i32,
        observer: &mut dyn Observer,
    ) -> io::Result<Parting> {
        let Some(tracee) = self.tracees.get(tid).filter(|_| self.dispatches()) else {
            return Ok(Parting::Free(stopped, signal));
        };
        let Some(space) = tracee.space().map(Rc::clone) else {
            return Ok(Parting::Free(stopped, signal));
        };
        let at_entry = stop == Stop::Syscall && tracee.position == Position::Outside;
        let (stopped, signal) = match self.come_out(tid, stopped, stop, signal, observer)? {
            Parting::Free(stopped, signal) => (stopped, signal),
            Parting::Later => return Ok(Parting::Later),
        };
        self.take_out(tid, &stopped, observer)?;
        self.disconnect(tid, &stopped)?;
        undo_all(&stopped, &mut space.borrow_mut())?;
        let work = self.work_of_last(tid, &space);
        if work == Work::default() {
            self.leave_space(tid);
            return Ok(Parting::Free(stopped, signal));
        }
        if at_entry || matches!(stop, Stop::NewTask | Stop::Exec | Stop::Seccomp) {
            return self.stop_again(tid, stopped, signal);
        }
        // A signal that was swallowed is not the one at which the thread stands.
        let stop = if signal == 0 && matches!(stop, Stop::Signal(_)) { Stop::Trap } else { stop };
        match self.clear(tid, stopped, stop, work) {
            Ok(stopped) => {
                self.leave_space(tid);
                Ok(Parting::Free(stopped, signal))
            }
            Err(Failure::Unfit(stopped, _)) => self.stop_again(tid, stopped, signal),
            Err(failure) => self.parting_failed(failure),
        }
    }

    /// Puts a thread that stops in the agent, or by what we do to it, where it would be without. `signal`, if
    /// not 0, is what it is to go on with.
    fn come_out(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        stop: Stop,
        mut signal: i32,
        observer: &mut dyn Observer,
    ) -> io::Result<Parting> {
        if self.is_dispatch(tid, &stopped, signal)? {
            self.send_back(tid, &stopped)?;
            signal = 0;
        } else if !matches!(stop, Stop::Signal(_) | Stop::Group(_)) && has_own_signal(tid) {
            // It has come of what we do to the thread, which would take it with it. It is the next to
            // be delivered; another interrupt would come before it.
            return self.resume_to_stop(tid, stopped, signal);
        }
        if let Stop::Signal(came) = stop {
            match self.leave_agent(tid, &stopped, came, observer)? {
                Fate::Delivered => {}
                Fate::Swallowed => signal = 0,
                Fate::Fault => {
                    return match self.put_back(tid, stopped, came) {
                        Ok((stopped, _)) | Err(Failure::Unfit(stopped, _)) => {
                            self.stop_again(tid, stopped, 0)
                        }
                        Err(failure) => self.parting_failed(failure),
                    };
                }
            }
        }
        Ok(Parting::Free(stopped, signal))
    }

    /// Takes back what a thread has got with its seat.
    fn disconnect(&mut self, tid: Tid, stopped: &Ptraced<Stopped>) -> io::Result<()> {
        self.disarm(tid, stopped)?;
        if let Some(seat) = self.tracees.get(tid).and_then(|tracee| tracee.seat.as_ref()) {
            if seat.has_dispatch {
                stopped.set_dispatch(None)?;
            }
            stopped.set_gs_base(0)?;
        }
        Ok(())
    }

    fn parting_failed(&mut self, failure: Failure) -> io::Result<Parting> {
        match failure {
            Failure::Ended(change) => {
                let urgent = self.tracees.is_urgent(Tid(change.tid));
                self.queue.push(change, urgent);
                Err(kernel::ptrace::gone())
            }
            Failure::Unfit(_, error) | Failure::Refused(error) | Failure::Kernel(error) => {
                Err(error)
            }
        }
    }

    /// Lets a thread go on, and stop again as soon as it can.
    fn stop_again(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        signal: i32,
    ) -> io::Result<Parting> {
        stopped.interrupt_when_resumed()?;
        self.resume_to_stop(tid, stopped, signal)
    }

    /// Lets a thread go on that will stop.
    fn resume_to_stop(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        signal: i32,
    ) -> io::Result<Parting> {
        let running = stopped.resume(Resume::Continue, signal)?;
        if let Some(tracee) = self.tracees.get_mut(tid) {
            // It stops at no call.
            tracee.position = Position::Outside;
            tracee.running = Some(running);
        }
        Ok(Parting::Later)
    }

    /// A thread has nothing to do with the agent any more.
    fn leave_space(&mut self, tid: Tid) {
        if let Some(tracee) = self.tracees.get_mut(tid) {
            self.toll.spoilt_threads += u64::from(tracee.is_spoilt());
            tracee.seat = None;
            tracee.heir = None;
        }
    }

    /// What is left to do for this thread, if it is the last.
    fn work_of_last(&mut self, tid: Tid, space: &Rc<RefCell<Space>>) -> Work {
        let process = self.tracees.get(tid).map(|tracee| tracee.process);
        let actions = self.agent.as_ref().map(|agent| &agent.actions);
        let owns_sys =
            process.is_some_and(|process| actions.is_some_and(|known| known.owns_sys(process)));
        let (mut in_process, mut in_space) = (false, false);
        for (other, tracee) in self.tracees.iter_mut() {
            let shared = tracee.space().is_some_and(|other| Rc::ptr_eq(other, space));
            if other != tid && shared && is_there(tid, other) {
                in_space = true;
                in_process |= Some(tracee.process) == process;
            }
        }
        let kept = space.borrow().kept;
        let was_set = !self.options.kill_on_exit && !owns_sys;
        Work { reset_action: was_set && !in_process && !kept, unmap: !in_space && !kept }
    }

    /// Does that, by calls of the thread.
    fn clear(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        stop: Stop,
        work: Work,
    ) -> Result<Ptraced<Stopped>, Failure> {
        let Some(tracee) = self.tracees.get(tid) else { return Ok(stopped) };
        let spot = Map::read(tracee.process.0).spot();
        let (Some(heir), Some(spot)) = (tracee.heritage(), spot) else {
            return Ok(stopped);
        };
        let caller = self.caller(tracee.process);
        if work.unmap {
            let space = heir.space.borrow();
            let undone = space.patches().try_for_each(|patch| patch::undo_board(&stopped, patch));
            undone.map_err(Failure::Kernel)?;
        }
        let mut calls = caller.begin_at(stopped, stop, spot)?;
        let cleared = clear_by(&mut calls, &heir, work);
        let (stopped, _) = match cleared {
            // What the kernel refuses stays.
            Ok(()) | Err(Failure::Refused(_)) => calls.finish()?,
            Err(failure) => return Err(failure),
        };
        Ok(stopped)
    }
}

fn clear_by(calls: &mut RemoteCalls, heir: &Heir, work: Work) -> Result<(), Failure> {
    if let Some(slot) = heir.slot().filter(|_| work.reset_action) {
        actions::set_action(calls, &slot, signal::SYS, DEFAULT)?;
    }
    if work.unmap {
        for area in &heir.space.borrow().areas {
            calls.call(Call::munmap(area.range.start, area.range.end - area.range.start))?;
        }
        calls.call(Call::munmap(abi::ARENA, heir.arena_len()))?;
        calls.call(Call::munmap(abi::IMAGE, abi::TABLES_END - abi::IMAGE))?;
    }
    Ok(())
}

/// Whether another thread is still in this one's address space: it may have ended, or run another
/// program, and its stop has not been served.
fn is_there(tid: Tid, other: Tid) -> bool {
    kcmp::share_memory(tid.0, other.0).unwrap_or_else(|error| !is_gone(&error))
}

/// Undoes the patches of an address space, whoever runs there: those of which nobody has to be held
/// up, where that cannot be.
fn undo_all(stopped: &Ptraced<Stopped>, space: &mut Space) -> io::Result<()> {
    if !std::mem::replace(&mut space.undone, true) {
        let mut undone = space.patches().filter(|patch| !space.untraced || patch.is_in_one_word());
        undone.try_for_each(|patch| patch::undo(stopped, patch))?;
    }
    Ok(())
}

/// Whether a thread is about to get one of the signals by which it is intercepted, or which come of
/// the agent's own work.
fn has_own_signal(tid: Tid) -> bool {
    let own = [signal::SYS, signal::SEGV, signal::BUS, signal::TRAP].map(bit);
    let own = own.into_iter().fold(0, |set, signal| set | signal);
    proc::signals(tid.0).is_ok_and(|signals| signals.pending & !signals.blocked & own != 0)
}
