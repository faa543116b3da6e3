//! Syscall user dispatch as the net under the agent, in programs that are let go again: a filter
//! cannot be taken out of them.
//!
//! A thread that is *armed* runs freely, and a call that is not made in the trusted page raises
//! `SIGSYS`. The supervisor swallows that, disarms the thread and has it make the call again, as one
//! of `PTRACE_SYSCALL`. Behind the call the thread is armed anew. Armed or not, it has its seat; a
//! thread that is not armed has its slot shut.
//!
//! `SIGSYS` must not be blocked where it is raised: the kernel would take its handler away, which the
//! guest needs if the supervisor dies. So an armed thread does not block it. Where it had blocked it,
//! it does so again during its calls, and a thread that gets a signal is disarmed: its handler may
//! block others.

use std::io;

use agent::abi::{TRUSTED, slot};
use contract::{Arch, Pid, Tid};
use kernel::ptrace::{Dispatch, Stopped, SyscallStop, Tracee as Ptraced};
use kernel::{clock, signal, wait};
use table::arch::x86_64;

use super::SYMBOLS;
use super::actions::{SIG_IGN, bit};
use super::seat::Seat;
use crate::mechanism::Mechanism;
use crate::session::Session;
use crate::sites::SYSCALL_LEN;
use crate::tracee::Position;
use contract::GuestAddr;

/// So long guests may record after the supervisor has last looked at their rings, in nanoseconds.
const LEASE: u64 = 20_000_000;
/// `prctl(2)`'s option that sets dispatch up.
const PR_SET_SYSCALL_USER_DISPATCH: u32 = 59;

impl Session {
    /// Whether this signal tells of a call that dispatch has stopped.
    pub(crate) fn is_dispatch(
        &self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        signal: i32,
    ) -> io::Result<bool> {
        let seated = self.tracees.get(tid).is_some_and(|tracee| tracee.seat.is_some());
        if signal != signal::SYS || !self.dispatches() || !seated {
            return Ok(false);
        }
        Ok(stopped_call(stopped)?.is_some())
    }

    /// Has a thread make the call that dispatch has stopped.
    pub(crate) fn make_dispatched(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
    ) -> io::Result<()> {
        self.send_back(tid, &stopped)?;
        self.disarm(tid, &stopped)?;
        self.go_on(tid, stopped, 0)
    }

    /// Sends a thread back to the instruction of the call that dispatch has stopped.
    pub(super) fn send_back(&self, tid: Tid, stopped: &Ptraced<Stopped>) -> io::Result<()> {
        if let Some(behind) = stopped_call(stopped)? {
            // By `int 0x80` it is as long.
            stopped.go_to(behind.wrapping_sub(SYSCALL_LEN))?;
        }
        let seat = self.tracees.get(tid).and_then(|tracee| tracee.seat.as_ref());
        if seat.is_some_and(|seat| seat.blocks_sys) && self.is_outlived() {
            // Should we be killed when the signal is blocked again, it would come behind the call.
            wait::take(stopped)?;
        }
        Ok(())
    }

    /// A thread stops at each call from now on.
    pub(crate) fn disarm(&mut self, tid: Tid, stopped: &Ptraced<Stopped>) -> io::Result<()> {
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let armed = tracee.mechanism == Mechanism::Dispatch;
        let Some(seat) = tracee.seat.as_mut().filter(|_| armed) else { return Ok(()) };
        tracee.mechanism = Mechanism::Ptrace;
        seat.shut();
        if std::mem::take(&mut seat.blocks_sys) {
            stopped.block_signals(stopped.blocked_signals()? | bit(signal::SYS))?;
        }
        Ok(())
    }

    /// A thread stands behind a call that stopped: it runs freely up to the next one that the agent
    /// does not make.
    pub(super) fn arm(&mut self, tid: Tid, stopped: &Ptraced<Stopped>) -> io::Result<()> {
        let until = self.lease();
        let dispatches = self.dispatches();
        let Some(tracee) = self.tracees.get_mut(tid).filter(|_| dispatches) else { return Ok(()) };
        let between_calls = tracee.position == Position::Outside && !tracee.leaving;
        let Some(seat) = tracee.seat.as_mut().filter(|seat| between_calls && !seat.is_closed())
        else {
            return Ok(());
        };
        let blocked = stopped.blocked_signals()?;
        if blocked & bit(signal::SYS) != 0 {
            if has_own_mask(tracee.call.number) {
                // A signal may be on its way that is blocked as soon as we touch the mask.
                return Ok(());
            }
            stopped.block_signals(blocked & !bit(signal::SYS))?;
            seat.blocks_sys = true;
        }
        if std::mem::take(&mut seat.is_left) {
            stopped.set_gs_base(seat.slot.address())?;
        }
        seat.open(until);
        tracee.mechanism = Mechanism::Dispatch;
        Ok(())
    }

    /// A thread is about to make another, which has `%gs` from it: should the supervisor be killed
    /// before that has one of its own, two of them would use one slot. It is put back as the thread is
    /// armed.
    pub(crate) fn leave_slot(&mut self, tid: Tid, stopped: &Ptraced<Stopped>) -> io::Result<()> {
        let seat = self.tracees.get_mut(tid).and_then(|tracee| tracee.seat.as_mut());
        let Some(seat) = seat else { return Ok(()) };
        seat.is_left = true;
        stopped.set_gs_base(0)
    }

    /// A thread takes its seat, if it may have one. `first`: it has been born under us, and so its
    /// `%gs` is its maker's.
    pub(super) fn sit_down(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        first: bool,
    ) -> io::Result<()> {
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let wanted = tracee.heir.as_ref().is_some_and(|heir| !heir.declined);
        if !wanted && !first {
            return Ok(());
        }
        let (base, selector) = match stopped.registers() {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
            registers => registers.map(|registers| (registers.gs_base, registers.gs))?,
        };
        let makers = Seat::is_base(base);
        if makers {
            stopped.set_gs_base(0)?;
        }
        let Some(heir) = tracee.heir.as_mut().filter(|_| wanted && !tracee.leaving) else {
            return Ok(());
        };
        if base != 0 && !makers || selector != 0 || stopped.has_dispatch()? {
            heir.declined = true;
            return Ok(());
        }
        let Some(seat) = heir.seat() else { return Ok(()) };
        seat.shut();
        let selector = seat.slot.address() + slot::SELECTOR;
        stopped.set_dispatch(Some(&Dispatch { selector, allowed: TRUSTED }))?;
        stopped.set_gs_base(seat.slot.address())?;
        tracee.seat = Some(seat);
        tracee.heir = None;
        Ok(())
    }

    /// Until when guests that outlive the supervisor may record, as `rdtsc` gives it.
    pub(super) fn lease(&self) -> u64 {
        let agent = self.agent.as_ref();
        agent.map_or(0, |agent| clock::tsc().saturating_add(agent.order.clock.ticks(LEASE)))
    }

    /// Whether guests have an agent, and live on should the supervisor be killed.
    pub(crate) fn is_outlived(&self) -> bool {
        self.dispatches() && !self.options.kill_on_exit
    }

    /// Whether dispatch is the net.
    pub(crate) fn dispatches(&self) -> bool {
        self.options.mechanism == Mechanism::Dispatch
    }

    /// A thread is about to make a call of which nothing is wanted: notes its site.
    pub(crate) fn note_site(
        &mut self,
        tid: Tid,
        stop: &SyscallStop,
        (arch, number, args): (Arch, u64, [u64; 6]),
    ) {
        let dispatches = self.dispatches();
        if let Some(tracee) = self.tracees.get_mut(tid).filter(|_| dispatches) {
            tracee.call.enter(arch, number, args, GuestAddr(stop.ip), GuestAddr(stop.sp));
        }
    }

    /// A thread is about to make a call. If it sets up dispatch, or takes `SIGSYS` for itself, its
    /// calls and those of all that have to do with it stop from now on.
    pub(crate) fn note_own_dispatch(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        (arch, number, args): (Arch, u64, [u64; 6]),
    ) -> io::Result<()> {
        let is = |id: table::Id| arch == Arch::X86_64 && number == id.number.into();
        if !self.dispatches() {
            return Ok(());
        }
        if is(x86_64::PRCTL) && args[0] as u32 == PR_SET_SYSCALL_USER_DISPATCH {
            stopped.set_dispatch(None)?;
            if let Some(seat) = self.tracees.get_mut(tid).and_then(|tracee| tracee.seat.as_mut()) {
                seat.close();
                seat.has_dispatch = false;
            }
        } else if is(x86_64::RT_SIGACTION)
            && args[0] as i32 == signal::SYS
            && self.needs_sys(stopped, args[1])
        {
            let Some(process) = self.tracees.get(tid).map(|tracee| tracee.process) else {
                return Ok(());
            };
            self.close_seats(process);
        }
        Ok(())
    }

    /// Whether dispatch cannot do with this action for `SIGSYS` (the address of one, or 0). Where the
    /// guest ends with us, it can do with any handler: that gets the signals that are not ours.
    fn needs_sys(&self, stopped: &Ptraced<Stopped>, action: u64) -> bool {
        let is_handler = || stopped.peek(action).is_ok_and(|handler| handler != SIG_IGN);
        action != 0 && !(self.options.kill_on_exit && is_handler())
    }

    /// All calls of a process stop from now on: `SIGSYS` is its own.
    fn close_seats(&mut self, process: Pid) {
        if let Some(agent) = &mut self.agent {
            agent.actions.take_sys(process);
        }
        for (_, tracee) in self.tracees.iter_mut().filter(|(_, other)| other.process == process) {
            if let Some(seat) = &mut tracee.seat {
                seat.close();
            }
            if let Some(heir) = &mut tracee.heir {
                heir.declined = true;
            }
        }
    }

    /// A thread stands behind a call. If that has asked for the action of `SIGSYS`, the answer is to
    /// be what it would be without us.
    pub(crate) fn hide_handler(&self, tid: Tid, stopped: &Ptraced<Stopped>) -> io::Result<()> {
        let Some(tracee) = self.tracees.get(tid).filter(|_| self.dispatches()) else {
            return Ok(());
        };
        let call = &tracee.call;
        let asks = call.arch == Arch::X86_64
            && call.number == x86_64::RT_SIGACTION.number.into()
            && call.args[0] as i32 == signal::SYS;
        let old = call.args[2];
        if asks && old != 0 && stopped.peek(old).is_ok_and(|handler| handler == SYMBOLS.orphaned) {
            (0..4).try_for_each(|word| stopped.poke(old + 8 * word, 0))?;
        }
        Ok(())
    }

    /// Somebody comes into the address space of this thread whom nobody can stop: the agent stays
    /// mapped there for good.
    pub(crate) fn share_with_untraced(&self, tid: Tid) {
        if let Some(space) = self.tracees.get(tid).and_then(|tracee| tracee.space()) {
            let mut space = space.borrow_mut();
            space.untraced = true;
            space.kept = true;
        }
    }
}

/// The address behind the instruction of the call that dispatch has stopped, at the delivery of its
/// signal.
fn stopped_call(stopped: &Ptraced<Stopped>) -> io::Result<Option<u64>> {
    let info = stopped.signal_info()?;
    let code = i32::from_ne_bytes(info[8..12].try_into().expect("four bytes"));
    let address = u64::from_ne_bytes(info[16..24].try_into().expect("eight bytes"));
    Ok((code == Dispatch::SIGNAL_CODE).then_some(address))
}

/// Whether a call blocks other signals for its own time.
fn has_own_mask(number: u64) -> bool {
    let calls = [
        x86_64::RT_SIGSUSPEND,
        x86_64::PSELECT6,
        x86_64::PPOLL,
        x86_64::EPOLL_PWAIT,
        x86_64::EPOLL_PWAIT2,
        x86_64::IO_PGETEVENTS,
    ];
    calls.iter().any(|call| number == call.number.into())
}
