//! Threads come and go: who gets a seat, and when the rings are looked at.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Instant;

use agent::abi::{ARENA, ARENA_END};
use contract::{Arch, GuestAddr, Tid};
use kernel::kcmp;
use kernel::ptrace::{Stopped, Tracee as Ptraced, gone};
use kernel::remote::Failure;
use kernel::ticker::Ticker;
use kernel::wait::Stop;
use table::arch::x86_64;

use super::heir::Heir;
use super::net_only::{disables_agent, touches_agent};
use super::patcher::AtSite;
use super::space::Space;
use super::{AWAKE, Agent, FEW, LONG_PERIOD, MANY, PERIOD, QUIET, Seat, Watch};
use crate::mechanism::Mechanism;
use crate::observer::Observer;
use crate::session::Session;
use crate::sites::SYSCALL_LEN;
use crate::tracee::{Due, Tracee};

impl Session {
    /// A thread has stopped. If it is new, and has its maker's slot at `%gs`, it gets one of its own;
    /// if there is none for it, its maker's must not be used. Another `%gs` is the guest's.
    pub(crate) fn seat_at_stop(&mut self, tid: Tid, stopped: &Ptraced<Stopped>) -> io::Result<()> {
        let Some(agent) = &self.agent else { return Ok(()) };
        let came = agent.came;
        let dispatches = self.dispatches();
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let first = std::mem::replace(&mut tracee.unseen, false);
        if tracee.seat.is_some() {
            return Ok(());
        }
        if dispatches {
            return self.sit_down(tid, stopped, first);
        }
        if tracee.mechanism != Mechanism::Agent {
            tracee.heir = None;
        }
        if !came {
            // Nobody has a slot that it could have from its maker.
            return Ok(());
        }
        if (first || tracee.heir.is_some()) && has_own_gs(stopped)? {
            tracee.heir = None;
            return Ok(());
        }
        match tracee.heir.as_ref().and_then(Heir::seat) {
            Some(seat) => {
                stopped.set_gs_base(seat.slot.address())?;
                tracee.seat = Some(seat);
                tracee.heir = None;
            }
            None if first => stopped.set_gs_base(0)?,
            None => {}
        }
        Ok(())
    }

    /// A thread is where it can make calls for the supervisor, and goes on. If it waits for a slot,
    /// more of them are mapped. If all its calls stop from now on, so does the one that it is in.
    pub(crate) fn after_trap(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        let seat = self.tracees.get(tid).and_then(|tracee| tracee.seat.as_ref());
        if seat.is_some_and(Seat::is_closed) {
            self.leave_agent(tid, &stopped, 0, observer)?;
        }
        let outcome = self.seat_by_growth(tid, stopped, Stop::Trap);
        self.go_on_from(tid, outcome)
    }

    fn seat_by_growth(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        stop: Stop,
    ) -> Result<(Ptraced<Stopped>, i32), Failure> {
        let (dispatches, is_outlived) = (self.dispatches(), self.is_outlived());
        let (Some(agent), Some(tracee)) = (&mut self.agent, self.tracees.get_mut(tid)) else {
            return Ok((stopped, 0));
        };
        let Some(heir) = tracee.heir.as_ref() else { return Ok((stopped, 0)) };
        let process = tracee.process;
        let wanted = heir.arena.wanted().filter(|_| !heir.declined);
        let slots = wanted.and_then(|wanted| heir.extent.next(process.0, wanted));
        let Some(slots) = slots else {
            if !dispatches {
                tracee.heir = None;
            }
            return Ok((stopped, 0));
        };
        let mut calls = agent.caller(process, is_outlived).begin(stopped, stop)?;
        heir.extent.grow(&mut calls, slots)?;
        if dispatches {
            let (stopped, signal) = calls.finish()?;
            self.sit_down(tid, &stopped, false)?;
            return Ok((stopped, signal));
        }
        if let Some(seat) = heir.seat() {
            calls.set_gs_base(seat.slot.address());
            tracee.seat = Some(seat);
        }
        tracee.heir = None;
        calls.finish()
    }

    /// A thread has made another, which has an agent if its maker has. Whether they share their memory is
    /// asked where it is not known.
    pub(crate) fn bequeath(&mut self, maker: Tid, child: Tid, shares_memory: Option<bool>) {
        let Some(maker_thread) = self.tracees.get(maker) else { return };
        let (process, due) = (maker_thread.process, maker_thread.agent_due);
        let closed = maker_thread.seat.as_ref().is_some_and(Seat::is_closed);
        if closed && !self.dispatches() {
            return;
        }
        let heir = maker_thread.heritage();
        let Some(tracee) = self.tracees.get_mut(child) else { return };
        if tracee.seat.is_some() || tracee.agent_due != Due::No || tracee.unfollowed {
            // It was heard of before its maker told of it, and runs another program by now; or it is
            // let go.
            return;
        }
        // What is not known to be a copy is the same.
        let shares = || {
            shares_memory.unwrap_or_else(|| kcmp::share_memory(maker.0, child.0).unwrap_or(true))
        };
        let copied = tracee.process != process && !shares();
        let Some(mut heir) = heir else {
            // What another process brings into the same memory would stay when that one goes.
            if due != Due::No && (copied || tracee.process == process) {
                tracee.agent_due = if due == Due::Begins { Due::Runs(0) } else { due };
                if let Some(agent) = &mut self.agent {
                    agent.actions.forked(process, tracee.process);
                }
            }
            return;
        };
        if copied {
            let copy = heir.space.borrow().clone();
            heir.space = Rc::new(RefCell::new(copy));
            heir.extent = heir.extent.copy();
        }
        heir.declined |= closed;
        tracee.heir = Some(heir);
        if let Some(agent) = &mut self.agent {
            agent.actions.forked(process, tracee.process);
        }
    }

    /// A process runs another program: its agent is gone, and a new one has to be brought in.
    pub(crate) fn unseat(&mut self, tid: Tid) {
        let dispatches = self.dispatches();
        if let Some(tracee) = self.tracees.get_mut(tid).filter(|_| self.agent.is_some()) {
            self.toll.spoilt_threads += u64::from(tracee.is_spoilt());
            if let Some(seat) = tracee.seat.take() {
                seat.look_back(self.options.agent_after);
            }
            tracee.heir = None;
            let wanted = dispatches || tracee.mechanism == Mechanism::Agent;
            tracee.agent_due = if wanted { Due::Begins } else { Due::No };
            if dispatches {
                tracee.mechanism = Mechanism::Ptrace;
            }
        }
    }

    /// A thread has ended, and perhaps its process.
    pub(crate) fn forget_actions(&mut self, tid: Tid) {
        if let Some(agent) = &mut self.agent {
            agent.actions.ended(tid);
        }
    }

    /// From now on the calls of this thread stop, all of them.
    pub(crate) fn close_seat(&mut self, tid: Tid) {
        if let Some(seat) = self.tracees.get_mut(tid).and_then(|tracee| tracee.seat.as_mut()) {
            seat.close();
        }
    }

    /// A thread is about to make a call: it may be the end of its agent, or of all in its address
    /// space.
    pub(crate) fn note_agent_call(
        &mut self,
        tid: Tid,
        (arch, number, args): (Arch, u64, [u64; 6]),
    ) {
        if arch != Arch::X86_64 {
            return;
        }
        if disables_agent(number, &args) {
            self.close_seat(tid);
            if !self.dispatches() {
                self.set_due(tid, Due::No);
            }
        }
        if touches_agent(number, &args) {
            self.spoil_space(tid);
        }
    }

    /// A thread is about to make a call from this site: where it will not return, now is the time to
    /// note that.
    pub(crate) fn note_last_call(&mut self, tid: Tid, (arch, number): (Arch, u64), site: u64) {
        let ends = [x86_64::EXIT, x86_64::EXIT_GROUP].map(|id| id.number.into());
        let (Some(agent), Some(tracee)) = (&mut self.agent, self.tracees.get(tid)) else { return };
        if let Some(seat) = &tracee.seat
            && arch == Arch::X86_64
            && ends.contains(&number)
        {
            agent.patcher.note(tracee.process.0, &seat.space, site);
        }
    }

    /// Records may go missing of all threads in the address space of this one.
    fn spoil_space(&mut self, tid: Tid) {
        let seat = self.tracees.get(tid).and_then(|tracee| tracee.seat.as_ref());
        let Some(space) = seat.map(|seat| Rc::clone(&seat.space)) else { return };
        let seats = self.tracees.iter_mut().filter_map(|(_, tracee)| tracee.seat.as_mut());
        seats.filter(|seat| Rc::ptr_eq(&seat.space, &space)).for_each(Seat::spoil);
    }

    /// Whether the agent could do with this call, which stops now, if its site were patched: then the
    /// thread has to stop behind it, where that can be done. So it has to behind the last of the calls
    /// for which the agent waits; those before are counted here. `ip` is behind the site.
    pub(crate) fn agent_could_serve(
        &mut self,
        tid: Tid,
        (arch, number): (Arch, u64),
        ip: u64,
    ) -> bool {
        let (Some(agent), Some(tracee)) = (&self.agent, self.tracees.get_mut(tid)) else {
            return false;
        };
        if arch != Arch::X86_64 || !agent.tables.decides(number) {
            return false;
        }
        match &tracee.seat {
            Some(seat) => {
                !seat.is_closed() && !seat.space.borrow().knows(ip.wrapping_sub(SYSCALL_LEN))
            }
            None => match &mut tracee.agent_due {
                Due::Runs(calls) if *calls > 1 => {
                    *calls -= 1;
                    false
                }
                Due::Runs(_) => true,
                Due::Begins | Due::No => tracee.heir.is_some(),
            },
        }
    }

    /// A thread stands behind a call that went through the net: brings in the agent, or patches
    /// the site, if it is time. Then the thread goes on.
    pub(crate) fn after_net_call(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        stop: Stop,
    ) -> io::Result<()> {
        let without = self.toll.without_agent;
        let outcome = self.serve_agent(tid, stopped, stop).and_then(|(stopped, signal)| {
            self.arm(tid, &stopped)?;
            Ok((stopped, signal))
        });
        if let Some(why) = self.toll.why_without.filter(|_| self.toll.without_agent > without) {
            self.log(format_args!("agent: none for {tid}, since {why}"));
        }
        if let Some(tracee) = self.tracees.get_mut(tid) {
            tracee.together = None;
        }
        self.go_on_from(tid, outcome)
    }

    /// The agent's own reading has raised a signal, which its thread is not to get.
    pub(crate) fn after_fault(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        signal: i32,
    ) -> io::Result<()> {
        let outcome = self.put_back(tid, stopped, signal);
        self.go_on_from(tid, outcome)
    }

    /// Lets a thread go on that may have made calls for the supervisor.
    fn go_on_from(
        &mut self,
        tid: Tid,
        outcome: Result<(Ptraced<Stopped>, i32), Failure>,
    ) -> io::Result<()> {
        match outcome {
            Ok((stopped, signal)) => self.go_on(tid, stopped, signal),
            Err(Failure::Unfit(stopped, _)) => self.go_on(tid, stopped, 0),
            Err(Failure::Ended(change)) => {
                let urgent = self.tracees.is_urgent(Tid(change.tid));
                self.queue.push(change, urgent);
                Err(gone())
            }
            Err(Failure::Refused(error) | Failure::Kernel(error)) => Err(error),
        }
    }

    fn serve_agent(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        stop: Stop,
    ) -> Result<(Ptraced<Stopped>, i32), Failure> {
        let dispatches = self.dispatches();
        let (Some(agent), Some(tracee)) = (&mut self.agent, self.tracees.get_mut(tid)) else {
            return Ok((stopped, 0));
        };
        match tracee.agent_due {
            Due::Begins | Due::Runs(_) if dispatches => {
                return self.attach_agent(tid, stopped, stop);
            }
            Due::Begins
                if self.options.agent_after > 0
                    && !agent.patcher.expects_many(tracee.process.0) =>
            {
                agent.actions.executed(tracee.process);
                tracee.agent_due = Due::Runs(self.options.agent_after);
                return Ok((stopped, 0));
            }
            Due::Runs(calls) => {
                let counts = agent.tables.has(tracee.call.number);
                // Others were counted before them.
                let is_last = calls <= 1 || !agent.tables.decides(tracee.call.number);
                let counts = counts && is_last && tracee.call.arch == Arch::X86_64;
                let calls = calls.saturating_sub(counts.into());
                tracee.agent_due = Due::Runs(calls);
                return if calls == 0 {
                    self.come_late(tid, stopped, stop)
                } else {
                    Ok((stopped, 0))
                };
            }
            Due::Begins => return self.come_at_exec(tid, stopped, stop),
            Due::No => {}
        }
        if tracee.heir.is_some() {
            return self.seat_by_growth(tid, stopped, stop);
        }
        let process = tracee.process;
        let Some((at, space)) = at_site(tracee).filter(|_| agent.tables.has(tracee.call.number))
        else {
            return Ok((stopped, 0));
        };
        let caller = self.caller(process);
        let Some(agent) = &mut self.agent else { return Ok((stopped, 0)) };
        agent.patcher.hit(at, &space, stopped, caller)
    }

    /// A thread stands before a call that the agent could do with if its site were patched: patches that,
    /// unless the thread would have to make calls for it. Whether there is nothing left to be done.
    pub(crate) fn serve_before_call(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
    ) -> io::Result<bool> {
        let dispatches = self.dispatches();
        let (Some(agent), Some(tracee)) = (&mut self.agent, self.tracees.get_mut(tid)) else {
            return Ok(false);
        };
        if dispatches || tracee.agent_due != Due::No || tracee.heir.is_some() {
            return Ok(false);
        }
        match at_site(tracee) {
            Some((at, space)) => agent.patcher.hit_before(at, &space, stopped),
            None => Ok(false),
        }
    }

    /// Looks at the rings. Where they have held nothing for a while every guest is asked to stop at
    /// its next call, which wakes the supervisor.
    pub(crate) fn watch_rings(&mut self, observer: &mut dyn Observer) {
        let dispatches = self.dispatches();
        let nothing_to_see = |agent: &Agent| !agent.records && !dispatches;
        let too_early = |agent: &Agent| !agent.busy && agent.looked.is_fresh();
        if self.agent.as_ref().is_some_and(|agent| nothing_to_see(agent) || too_early(agent)) {
            return;
        }
        let told = self.drain(observer);
        if told > 0 {
            self.log(format_args!("agent: {told} halves of calls and stops were told"));
        }
        let Some(agent) = &mut self.agent else { return };
        agent.busy = told >= MANY;
        if told > FEW {
            agent.last_much = Instant::now();
        }
        if let Some(ticker) = agent.ticker.as_mut().filter(|_| agent.watch == Watch::Awake) {
            let is_quiet = agent.last_much.elapsed() > QUIET;
            ticker.set(Some(if is_quiet { LONG_PERIOD } else { PERIOD }));
        }
        if told > 0 || !agent.order.is_empty() {
            agent.last_record = Instant::now();
        } else if agent.last_record.elapsed() > AWAKE {
            match agent.watch {
                Watch::Awake => {
                    agent.watch = Watch::FallingAsleep;
                    self.set_attention(true);
                }
                // What was published before a guest could see it has been told by now, or is announced.
                Watch::FallingAsleep => self.fall_asleep(),
                Watch::Asleep => {}
            }
        }
    }

    fn fall_asleep(&mut self) {
        let finished = !self.has_records();
        if let Some(agent) = self.agent.as_mut().filter(|_| finished) {
            agent.watch = Watch::Asleep;
            agent.ticker = None;
        }
    }

    /// A guest has stopped: until the rings have held nothing for a while, others need not.
    pub(crate) fn wake(&mut self) {
        let dispatches = self.dispatches();
        let Some(agent) = self.agent.as_mut().filter(|agent| agent.records || dispatches) else {
            return;
        };
        agent.last_record = Instant::now();
        if agent.watch == Watch::Awake
            || !self.tracees.iter_mut().any(|(_, tracee)| tracee.seat.is_some())
        {
            return;
        }
        if agent.ticker.is_none() {
            agent.ticker = Ticker::new().ok();
        }
        // Without one, every call stops.
        let Some(ticker) = &mut agent.ticker else { return };
        ticker.set(Some(PERIOD));
        agent.watch = Watch::Awake;
        self.set_attention(false);
    }

    /// A thread goes on that may have a seat, which it can make use of.
    pub(crate) fn wake_for(&mut self, tid: Tid) {
        let asleep = self.agent.as_ref().is_some_and(|agent| agent.watch == Watch::Asleep);
        if asleep && self.tracees.get(tid).is_some_and(|tracee| tracee.seat.is_some()) {
            self.wake();
        }
    }

    /// Whether the supervisor can wait for guests: a tick will end the wait in time.
    pub(crate) fn may_wait(&self) -> bool {
        self.agent.as_ref().is_none_or(|agent| !agent.busy)
    }

    fn set_attention(&mut self, wanted: bool) {
        for (_, tracee) in self.tracees.iter_mut() {
            if let Some(seat) = &tracee.seat {
                seat.set_attention(wanted);
            }
        }
    }
}

/// The site of the call of a thread, and its address space, if it can be patched.
fn at_site(tracee: &Tracee) -> Option<(AtSite, Rc<RefCell<Space>>)> {
    let is_open = |seat: &&Seat| tracee.call.arch == Arch::X86_64 && !seat.is_closed();
    let seat = tracee.seat.as_ref().filter(is_open)?;
    let alone = Rc::strong_count(&seat.space) == 1 && !seat.space.borrow().untraced;
    let GuestAddr(ip) = tracee.call.ip;
    let site = ip.wrapping_sub(SYSCALL_LEN);
    Some((AtSite { process: tracee.process.0, site, alone }, Rc::clone(&seat.space)))
}

/// Whether the guest itself has set `%gs`.
fn has_own_gs(stopped: &Ptraced<Stopped>) -> io::Result<bool> {
    let base = stopped.gs_base()?;
    Ok(base != 0 && !(ARENA..ARENA_END).contains(&base))
}
