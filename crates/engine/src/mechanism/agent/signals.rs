//! Signals that come while a thread is in the agent.
//!
//! At each signal the thread is put where it would be without the agent: before the call at the
//! `syscall` of its site, whose calls go through the net; in it or after it behind the site, with
//! the kernel's result. So no handler, no unwinder and no `siglongjmp(3)` ever meets the agent, and
//! the kernel's own restart of interrupted calls finds what it expects.

use std::io;

use agent::abi::{self, Frame, slot};
use agent::image::SYMBOLS;
use contract::{Outcome, Tid};
use kernel::ptrace::{ERESTARTNOINTR, RESTARTS, Registers, Stopped, Tracee as Ptraced};
use kernel::signal;

use super::seat::Seat;
use super::space::{Site, Space};
use crate::observer::Observer;
use crate::session::{Session, now};

/// What becomes of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The guest gets it.
    Delivered,
    /// It was the agent's own, and is done with.
    Swallowed,
    /// The agent's own reading or writing has raised it: what it has undone is to be put back.
    Fault,
}

/// Where a thread is to go on, and what has come of the call that it was about to make.
struct Exit {
    registers: Registers,
    /// The call's result; `None` where it has not been made.
    result: Option<i64>,
}

impl Session {
    /// Takes a thread that stopped at the delivery of a signal, or since its process does (then the
    /// signal is 0), out of the agent.
    pub(crate) fn leave_agent(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        signal: i32,
        observer: &mut dyn Observer,
    ) -> io::Result<Fate> {
        let Some(tracee) = self.tracees.get(tid) else { return Ok(Fate::Delivered) };
        let Some(space) = tracee.space() else { return Ok(Fate::Delivered) };
        let registers = match stopped.registers() {
            // It runs 32-bit code, and so is not in the agent.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(Fate::Delivered),
            registers => registers?,
        };
        if signal == signal::TRAP {
            let start = registers.rip.wrapping_sub(1);
            if space.borrow().patches().any(|patch| patch.start == start) {
                // It came by while the patch was written, which is done now.
                stopped.set_registers(&Registers { rip: start, ..registers })?;
                return Ok(Fate::Swallowed);
            }
        }
        let Some(seat) = &tracee.seat else { return Ok(Fate::Delivered) };
        if matches!(signal, signal::SEGV | signal::BUS)
            && let Some((_, resume)) = SYMBOLS.faults.iter().find(|(at, _)| *at == registers.rip)
        {
            stopped.set_registers(&Registers { rip: *resume, ..registers })?;
            return Ok(Fate::Fault);
        }
        let Some(exit) = way_out(seat, &registers) else {
            seat.space.borrow_mut().interrupted.add(registers.rip);
            return Ok(Fate::Delivered);
        };
        let cut_off = is_cut_off(seat, stopped, signal, registers.rip)?;
        let patch = seat.space.borrow().trampoline(registers.rip).cloned();
        stopped.set_registers(&exit.registers)?;
        self.end_inside(tid, exit.result, observer)?;
        if !cut_off {
            return Ok(Fate::Delivered);
        }
        if let Some(patch) = patch {
            super::patch::undo(stopped, &patch)?;
        }
        // Its calls go through the net, whatever they find at the site.
        self.close_seat(tid);
        stopped.set_gs_base(0)?;
        Ok(Fate::Fault)
    }

    /// Takes a thread out of the agent that is to be let go. A call that it is in goes on without us.
    pub(super) fn take_out(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        let registers = match stopped.registers() {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
            registers => registers?,
        };
        let Some(tracee) = self.tracees.get(tid) else { return Ok(()) };
        let Some(seat) = tracee.seat.as_ref() else {
            let space = tracee.space().map(|space| space.borrow());
            let back = space.and_then(|space| way_back(&space, &registers));
            return back.map_or(Ok(()), |registers| stopped.set_registers(&registers));
        };
        let Some(exit) = way_out(seat, &registers) else { return Ok(()) };
        stopped.set_registers(&exit.registers)?;
        match exit.result {
            Some(result) if RESTARTS.contains(&result) => self.left(tid),
            None => {
                self.undo_entry(tid);
                self.left(tid);
            }
            result => self.end_inside(tid, result, observer)?,
        }
        Ok(())
    }

    /// Tells of the end of the call in which a thread was that was taken out of the agent. One that
    /// has not been made (no `result`) will be made through the net, and told then.
    fn end_inside(
        &mut self,
        tid: Tid,
        result: Option<i64>,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        self.left(tid);
        if result.is_none() && self.undo_entry(tid) {
            return Ok(());
        }
        let open = self.agent.as_ref().and_then(|agent| agent.order.open_call(tid));
        let (Some(call), Some(tracee)) = (open, self.tracees.get_mut(tid)) else { return Ok(()) };
        tracee.call = call;
        // Of a call that has not been made the entry was told before: it begins anew.
        let value = result.unwrap_or(ERESTARTNOINTR);
        self.end_call(tid, Outcome::of(value, now(), 0), observer)
    }

    /// Forgets the entry of a call that was not made, unless it has been told. Returns whether that
    /// was so.
    fn undo_entry(&mut self, tid: Tid) -> bool {
        self.agent.as_mut().is_some_and(|agent| agent.order.lane(tid).undo_entry())
    }

    /// A thread was taken out of the agent: it publishes nothing of what it was about to.
    fn left(&self, tid: Tid) {
        if let Some(seat) = self.tracees.get(tid).and_then(|tracee| tracee.seat.as_ref()) {
            seat.left();
        }
    }
}

/// Whether this signal comes of that the guest has unmapped the agent, or protected it. In a
/// trampoline, where instructions of the guest are executed, only if the code itself is not there.
fn is_cut_off(seat: &Seat, stopped: &Ptraced<Stopped>, signal: i32, rip: u64) -> io::Result<bool> {
    if !matches!(signal, signal::SEGV | signal::BUS) {
        return Ok(false);
    }
    let info = stopped.signal_info()?;
    let word = |at: usize| u64::from_ne_bytes(info[at..at + 8].try_into().expect("eight bytes"));
    let (code, address) = (word(8) as i32, word(16));
    let in_trampoline = seat.space.borrow().trampoline(rip).is_some();
    Ok(code > 0 && (!in_trampoline || address == rip))
}

/// The way out of the agent; `None` for a thread that is not in it.
fn way_out(seat: &Seat, registers: &Registers) -> Option<Exit> {
    let rip = registers.rip;
    let space = seat.space.borrow();
    if let Some(patch) = space.trampoline(rip) {
        let rip = patch.origin(rip)?;
        return Some(Exit { registers: Registers { rip, ..*registers }, result: None });
    }
    if !(abi::IMAGE..abi::TABLES).contains(&rip) {
        return None;
    }
    let frame = seat.slot.frame();
    let rsp = if seat.slot.contains(registers.rsp) { frame.rsp } else { registers.rsp };
    let site_of = |record: u64| {
        let patch = space.trampoline(record)?;
        matches!(space.sites.get(&patch.site), Some(Site::Patched(_))).then_some(patch.site)
    };
    if (SYMBOLS.entry..SYMBOLS.saved).contains(&rip) {
        let registers = Registers { rip: site_of(registers.r11)?, rsp, ..*registers };
        return Some(Exit { registers, result: None });
    }
    let site = site_of(frame.site)?;
    let after = site + crate::sites::SYSCALL_LEN;
    let returning = (SYMBOLS.after..SYMBOLS.returned).contains(&rip);
    let called = (SYMBOLS.call + 1..SYMBOLS.remote).contains(&rip);
    let Frame { rdi, rsi, rdx, r10, r8, r9, .. } = frame;
    // The call may be made with others.
    let own = Registers { rdi, rsi, rdx, r10, r8, r9, ..*registers };
    if rip == SYMBOLS.call {
        return Some(Exit { registers: Registers { rip: site, ..own }, result: None });
    }
    if called || returning {
        let result = Some(registers.rax as i64);
        // As the instruction leaves it; r11 is so already.
        let rcx = after;
        return Some(Exit { registers: Registers { rip: after, rcx, rsp, ..own }, result });
    }
    let made = seat.slot.load(slot::MADE) != 0;
    let guest = saved(&frame, registers);
    Some(if made {
        let result = Some(frame.rax as i64);
        let registers = Registers { rip: after, rcx: after, r11: frame.flags, ..guest };
        Exit { registers, result }
    } else {
        Exit { registers: Registers { rip: site, ..guest }, result: None }
    })
}

/// The same for a thread without a seat, which the agent sends back to the site.
fn way_back(space: &Space, registers: &Registers) -> Option<Registers> {
    let rip = registers.rip;
    if let Some(patch) = space.trampoline(rip) {
        return Some(Registers { rip: patch.origin(rip)?, ..*registers });
    }
    let entry = (SYMBOLS.entry..SYMBOLS.saved).contains(&rip);
    let site = space.trampoline(registers.r11).filter(|_| entry)?.site;
    Some(Registers { rip: site, ..*registers })
}

/// The registers that the agent has saved.
fn saved(frame: &Frame, registers: &Registers) -> Registers {
    Registers {
        rax: frame.rax,
        rdi: frame.rdi,
        rsi: frame.rsi,
        rdx: frame.rdx,
        r10: frame.r10,
        r8: frame.r8,
        r9: frame.r9,
        rbx: frame.rbx,
        rbp: frame.rbp,
        r12: frame.r12,
        r13: frame.r13,
        r14: frame.r14,
        r15: frame.r15,
        rsp: frame.rsp,
        flags: frame.flags,
        orig_rax: u64::MAX,
        ..*registers
    }
}
