//! The event loop: collect all changes that the kernel has to report, then serve of them.
//!
//! Collecting first makes the loop fair. `wait4(2)` reports the first child in its list that has
//! something to tell; whoever served each report at once would serve the same few guests again and
//! again, and starve the rest. Which of the collected come first, [`Queue`](crate::queue::Queue)
//! says.

use std::io;
use std::mem;

use ::agent::abi::slot;
use contract::{Event, GuestAddr, Origin, Tid, What};
use kernel::ptrace::{Resume, Stopped, Tracee as Ptraced, is_gone};
use kernel::wait::{self, Change, CpuTime, Patience, Stop};

use crate::mechanism::agent::{self, Fate};
use crate::observer::Observer;
use crate::session::{Session, now};
use crate::tasks::Early;
use crate::tracee::Position;
use crate::{Error, GuestEnd, detach};

/// After a poll has found that only one guest stops, so many of its stops are served without
/// another: that long may others have to wait, and no longer.
const POLLS_SPARED: u8 = 8;

impl Session {
    /// Collects all changes, and waits for one where none is left to serve. A guest whose stop is
    /// in the queue does not run: when as many changes have come as there are guests, no further
    /// one can be pending. Fails only where there is nothing to serve.
    pub(crate) fn collect(&mut self) -> io::Result<()> {
        let cpu_time = if self.options.cpu_time { CpuTime::Wanted } else { CpuTime::Unwanted };
        let is_outlived = self.is_outlived();
        while self.queue.len() < self.tracees.len() {
            let patience = if self.queue.is_empty() && self.may_wait() && self.delays.end_waits() {
                Patience::Block
            } else if self.polls_spared > 0 && !self.queue.is_empty() {
                self.polls_spared -= 1;
                break;
            } else {
                Patience::Poll
            };
            let next = if is_outlived { wait::next_keeping_signals } else { wait::next };
            let change = match next(patience, cpu_time) {
                Ok(Some(change)) => change,
                Ok(None) => {
                    if self.queue.len() == 1 {
                        self.polls_spared = POLLS_SPARED;
                    }
                    break;
                }
                // The last guest's end is in the queue.
                Err(error) if wait::is_childless(&error) && !self.queue.is_empty() => break,
                Err(error) => return Err(error),
            };
            let is_kept =
                is_outlived && matches!(change.what, wait::What::Stopped(_, Stop::Signal(_)));
            if is_kept && self.queue.has(change.tid) {
                break;
            }
            self.log_change(&change);
            let urgent = self.tracees.is_urgent(Tid(change.tid));
            self.queue.push(change, urgent);
            if is_kept {
                // It would be reported again before any other.
                break;
            }
        }
        Ok(())
    }

    /// Serves what of the collected comes first.
    pub(crate) fn serve_some(&mut self, observer: &mut dyn Observer) -> Result<(), Error> {
        self.toll.rounds += 1;
        let mut batch = mem::take(&mut self.batch);
        self.queue.take(&mut batch);
        for change in batch.drain(..) {
            let tid = Tid(change.tid);
            match self.serve(change, observer) {
                // Killed while it was stopped; its end is still to be reported.
                Err(error) if is_gone(&error) => {}
                Err(source) => return Err(Error::Request { tid, source }),
                Ok(()) => {}
            }
            self.catch_up(observer);
            self.heed_limit();
        }
        self.batch = batch;
        Ok(())
    }

    /// Lets all guests go once so many calls were told of as are wanted.
    pub(crate) fn heed_limit(&mut self) {
        let reached = |limit| self.calls_ended >= limit;
        if self.options.call_limit.is_some_and(reached) && !self.leaving {
            detach::all(self, None);
        }
    }

    fn serve(&mut self, change: Change, observer: &mut dyn Observer) -> io::Result<()> {
        let tid = Tid(change.tid);
        self.take_in(tid);
        match change.what {
            wait::What::Exited(status) => {
                self.ended(tid, What::Exited { status }, observer);
                Ok(())
            }
            wait::What::Killed { signal, core_dumped } => {
                self.ended(tid, What::Killed { signal, core_dumped }, observer);
                Ok(())
            }
            wait::What::Stopped(stopped, stop) => {
                self.stopped(tid, stopped, stop, change.system_time, observer)
            }
        }
    }

    pub(crate) fn ended(&mut self, tid: Tid, what: What<'static>, observer: &mut dyn Observer) {
        if self.tracees.contains(tid) {
            let tracee = self.tracees.get(tid);
            let unfollowed = tracee.is_some_and(|tracee| tracee.unfollowed);
            if tracee.is_some_and(|tracee| tracee.process == tid) {
                self.ended_processes.push((tid, what));
            }
            self.forget(tid, observer);
            self.toll.ends += 1;
            if self.launched() == Some(tid) {
                self.end.guest = GuestEnd::of(&what);
                self.tell_start_failure(observer);
            }
            if !unfollowed {
                self.report(tid, what, observer);
            }
        } else if self.options.follow || self.dispatches() {
            // Either it was made just now, or it is no guest: what the trace is piped to, for one.
            self.early.insert(tid, Early::Ended(what));
        }
    }

    fn stopped(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        stop: Stop,
        system_time: u64,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        self.toll.stops.count(stop);
        self.place_at_stop(tid);
        let started = stop == Stop::Exec && self.executed(tid, &stopped, observer)?;
        self.known(tid, observer);
        self.seat_at_stop(tid, &stopped)?;
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        tracee.running = None;
        tracee.urgency = tracee.urgency.saturating_sub(1);
        let signal = if let Stop::Signal(signal) = stop { signal } else { 0 };
        if tracee.unfollowed {
            return detach::one(self, tid, stopped, signal, observer);
        }
        if tracee.leaving {
            if stop == Stop::NewTask {
                self.new_task(tid, Tid(stopped.event_message()? as i32), observer);
            }
            return self.let_go(tid, stopped, stop, signal, observer);
        }
        let resumed = tracee.resumed;
        if let Stop::Signal(signal) = stop {
            self.disguise(tid, &stopped, signal)?;
        }
        match stop {
            Stop::Syscall => self.syscall(tid, stopped, system_time, observer),
            Stop::Seccomp if resumed == Resume::Syscall => self.picked_again(tid, stopped),
            Stop::Seccomp => self.entry(tid, stopped, stop, system_time, observer),
            Stop::NewTask => {
                let child = Tid(stopped.event_message()? as i32);
                self.new_task(tid, child, observer);
                match self.tracees.get_mut(child).filter(|child| child.unfollowed) {
                    Some(child) => {
                        child.maker = Some((tid, stopped));
                        Ok(())
                    }
                    None => self.go_on(tid, stopped, 0),
                }
            }
            Stop::Exec if self.options.detach_on_exec && !started => {
                detach::one(self, tid, stopped, 0, observer)
            }
            Stop::Signal(signal) if self.is_dispatch(tid, &stopped, signal)? => {
                self.make_dispatched(tid, stopped)
            }
            Stop::Signal(signal) => self.signalled(tid, stopped, signal, observer),
            Stop::Group(signal) => self.group_stopped(tid, stopped, signal, observer),
            Stop::Exec => self.exec(tid, stopped, system_time, observer),
            Stop::Trap => self.after_trap(tid, stopped, observer),
        }
    }

    /// A signal is about to be delivered to a guest.
    fn signalled(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        signal: i32,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        match self.leave_agent(tid, &stopped, signal, observer)? {
            Fate::Delivered => {}
            Fate::Swallowed => return self.go_on(tid, stopped, 0),
            Fate::Fault => return self.after_fault(tid, stopped, signal),
        }
        self.note_delivery(tid, signal);
        // A handler may run with `SIGSYS` blocked.
        self.disarm(tid, &stopped)?;
        let info = stopped.signal_info().ok();
        let stack = self.stack_of(tid, &stopped);
        let ip = self.ip_of(&stopped);
        let origin = Origin { info: info.as_ref(), ip, stack: stack.as_ref() };
        self.tell(tid, What::Signal { signal, origin }, observer);
        self.go_on(tid, stopped, signal)
    }

    /// Where a thread stands to which a signal comes, if that is wanted.
    fn ip_of(&self, stopped: &Ptraced<Stopped>) -> Option<GuestAddr> {
        let registers = self.options.signal_ips.then(|| stopped.registers().ok()).flatten();
        registers.map(|registers| GuestAddr(registers.rip))
    }

    /// A signal has stopped a guest's process, which stays stopped as it would natively.
    fn group_stopped(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        signal: i32,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        self.leave_agent(tid, &stopped, 0, observer)?;
        let ip = self.ip_of(&stopped);
        self.tell(tid, What::Stopped { signal, ip }, observer);
        let running = stopped.listen()?;
        if let Some(tracee) = self.tracees.get_mut(tid) {
            tracee.running = Some(running);
        }
        Ok(())
    }

    /// Lets a thread go on to its next stop of interest; `signal`, if not 0, is delivered to it.
    pub(crate) fn go_on(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        signal: i32,
    ) -> io::Result<()> {
        self.wake_for(tid);
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let how = match tracee.position {
            Position::Outside if tracee.emulating && self.options.emulation.is_on() => {
                Resume::Emulate
            }
            Position::Outside => tracee.mechanism.outside_call(),
            Position::Returning => Resume::Syscall,
            Position::Ignored => tracee.mechanism.inside_call(false),
            Position::Followed | Position::Preparing => tracee.mechanism.inside_call(true),
        };
        if how == Resume::Continue && !tracee.starting {
            // It does not stop before it goes on with its own.
            tracee.together = None;
        }
        if let Some(seat) = &tracee.seat {
            seat.slot.store(slot::NETLINK, self.netlink.candidates(tracee.process));
            seat.slot.store(slot::SHOWN, self.shown.of(tracee.process));
        }
        tracee.resumed = how;
        tracee.running = Some(stopped.resume(how, signal)?);
        self.log_resume(tid, how, signal);
        Ok(())
    }

    /// Tells what happened to a thread, unless its program has not started yet, or it is let go.
    pub(crate) fn tell(&mut self, tid: Tid, what: What<'_>, observer: &mut dyn Observer) {
        let tracee = self.tracees.get(tid);
        if !tracee.is_some_and(|tracee| tracee.starting || tracee.unfollowed) {
            self.report(tid, what, observer);
        }
    }

    /// Tells what happens to a thread now.
    pub(crate) fn report(&mut self, tid: Tid, what: What<'_>, observer: &mut dyn Observer) {
        let alone = self.is_alone(tid);
        agent::tell(&mut self.agent, alone, &Event { tid, time: now(), what }, observer);
    }

    /// Whether there is no other thread.
    pub(crate) fn is_alone(&self, tid: Tid) -> bool {
        self.tracees.len() == usize::from(self.tracees.contains(tid))
    }
}
