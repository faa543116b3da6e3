//! The event loop: collect all changes that the kernel has to report, then serve each.
//!
//! Collecting first makes the loop fair. `wait4(2)` reports the first child in its list that has
//! something to tell; whoever served each report at once would serve the same few guests again and
//! again, and starve the rest.

use std::io;
use std::mem;

use contract::{Event, Tid, What};
use kernel::ptrace::{Running, Stopped, Tracee as Ptraced, is_gone};
use kernel::wait::{self, Change, CpuTime, Patience, Stop};

use crate::mechanism::Mechanism;
use crate::observer::{Interest, Observer};
use crate::session::{Session, now};
use crate::tracee::Position;
use crate::{Error, GuestEnd, detach};

impl Session {
    /// Waits for changes and collects them all. Every guest runs at that time: when as many
    /// changes have come as there are guests, no further one can be pending.
    pub(crate) fn collect(&mut self) -> io::Result<()> {
        let mut patience = Patience::Block;
        let cpu_time = if self.options.cpu_time { CpuTime::Wanted } else { CpuTime::Unwanted };
        while self.queue.len() < self.tracees.len() {
            let Some(change) = wait::next(patience, cpu_time)? else { break };
            self.queue.push(change);
            patience = Patience::Poll;
        }
        Ok(())
    }

    /// Serves what was collected.
    pub(crate) fn serve_all(&mut self, observer: &mut dyn Observer) -> Result<(), Error> {
        self.toll.rounds += 1;
        self.placement.adapt(&self.queue);
        let mut queue = mem::take(&mut self.queue);
        for change in queue.drain(..) {
            let tid = Tid(change.tid);
            match self.serve(change, observer) {
                // Killed while it was stopped; its end is still to be reported.
                Err(error) if is_gone(&error) => {}
                Err(source) => return Err(Error::Request { what: "a request", tid, source }),
                Ok(()) => {}
            }
        }
        self.queue = queue;
        if self.options.call_limit.is_some_and(|limit| self.toll.calls_told >= limit) {
            self.options.call_limit = None;
            detach::all(self, None);
        }
        Ok(())
    }

    fn serve(&mut self, change: Change, observer: &mut dyn Observer) -> io::Result<()> {
        let tid = Tid(change.tid);
        match change.what {
            wait::What::Exited(status) => {
                self.ended(tid, GuestEnd::Exited(status), What::Exited { status }, observer);
                Ok(())
            }
            wait::What::Killed { signal, core_dumped } => {
                let what = What::Killed { signal, core_dumped };
                self.ended(tid, GuestEnd::Killed(signal), what, observer);
                Ok(())
            }
            wait::What::Stopped(stopped, stop) => {
                self.stopped(tid, stopped, stop, change.system_time, observer)
            }
        }
    }

    fn ended(&mut self, tid: Tid, end: GuestEnd, what: What<'_>, observer: &mut dyn Observer) {
        // Others among our children: what the trace is piped to, for one.
        if self.tracees.contains(tid) {
            self.forget(tid, observer);
            self.toll.ends += 1;
            detach::note_end(self, tid, end);
            observer.event(&Event { tid, time: now(), what });
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
        let started = stop == Stop::Exec && self.executed(tid, &stopped, observer)?;
        let tracee = self.known(tid, observer);
        tracee.running = None;
        if tracee.leaving {
            let signal = if let Stop::Signal(signal) = stop { signal } else { 0 };
            return detach::one(self, tid, stopped, signal, observer);
        }
        let mechanism = tracee.mechanism;
        match stop {
            Stop::Syscall => self.syscall(tid, stopped, system_time, observer),
            // The stop before it, at the call's entry, has told all.
            Stop::Seccomp if mechanism == Mechanism::Ptrace => self.go_on(tid, stopped, 0),
            Stop::Seccomp => self.entry(tid, stopped, system_time, observer),
            Stop::NewTask => {
                let child = Tid(stopped.event_message()? as i32);
                self.new_task(tid, child, observer);
                self.go_on(tid, stopped, 0)
            }
            Stop::Exec if self.options.detach_on_exec && !started => {
                detach::one(self, tid, stopped, 0, observer)
            }
            Stop::Signal(signal) => {
                let info = stopped.signal_info().ok();
                let what = What::Signal { signal, info: info.as_ref() };
                self.tell(tid, what, observer);
                self.go_on(tid, stopped, signal)
            }
            Stop::Group(signal) => {
                self.tell(tid, What::Stopped { signal }, observer);
                let running = stopped.listen()?;
                self.now_running(tid, running);
                Ok(())
            }
            Stop::Exec | Stop::Trap => self.go_on(tid, stopped, 0),
        }
    }

    /// Lets a thread go on to its next stop of interest; `signal`, if not 0, is delivered to it.
    pub(crate) fn go_on(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        signal: i32,
    ) -> io::Result<()> {
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let how = match tracee.position {
            Position::Outside => tracee.mechanism.outside_call(),
            Position::Ignored => tracee.mechanism.inside_call(false),
            Position::Followed => tracee.mechanism.inside_call(true),
        };
        let running = stopped.resume(how, signal)?;
        self.now_running(tid, running);
        Ok(())
    }

    fn now_running(&mut self, tid: Tid, running: Ptraced<Running>) {
        if let Some(tracee) = self.tracees.get_mut(tid) {
            tracee.running = Some(running);
        }
    }

    /// Tells what happened to a thread, unless its program has not started yet.
    pub(crate) fn tell(&self, tid: Tid, what: What<'_>, observer: &mut dyn Observer) -> Interest {
        if self.tracees.get(tid).is_some_and(|tracee| tracee.starting) {
            return Interest::None;
        }
        observer.event(&Event { tid, time: now(), what })
    }
}
