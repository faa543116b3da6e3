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
use kernel::ptrace::{Registers, Stopped, Tracee as Ptraced};
use kernel::signal;

use super::seat::Seat;
use super::space::Site;
use crate::observer::Observer;
use crate::session::{Session, now};

/// `ERESTARTNOINTR`: what the kernel says of a call that begins anew after a signal.
const ERESTARTNOINTR: i64 = -513;

/// What becomes of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The guest gets it.
    Delivered,
    /// It was the agent's own, and is done with.
    Swallowed,
}

/// Where a thread is to go on, and what has come of the call that it was about to make.
struct Exit {
    registers: Registers,
    /// The call's result; `None` where it has not been made.
    result: Option<i64>,
}

impl Session {
    /// Takes a thread that stopped at the delivery of a signal out of the agent.
    pub(crate) fn leave_agent(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        signal: i32,
        observer: &mut dyn Observer,
    ) -> io::Result<Fate> {
        let Some(seat) = self.tracees.get(tid).and_then(|tracee| tracee.seat.as_ref()) else {
            return Ok(Fate::Delivered);
        };
        let registers = match stopped.registers() {
            // It runs 32-bit code, and so is not in the agent.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(Fate::Delivered),
            registers => registers?,
        };
        if matches!(signal, signal::SEGV | signal::BUS)
            && let Some((_, resume)) = SYMBOLS.faults.iter().find(|(at, _)| *at == registers.rip)
        {
            stopped.set_registers(&Registers { rip: *resume, ..registers })?;
            return Ok(Fate::Swallowed);
        }
        if signal == signal::TRAP {
            let start = registers.rip.wrapping_sub(1);
            if seat.space.borrow().patches().any(|patch| patch.start == start) {
                // It came by while the patch was written, which is done now.
                stopped.set_registers(&Registers { rip: start, ..registers })?;
                return Ok(Fate::Swallowed);
            }
        }
        let Some(exit) = way_out(seat, &registers) else { return Ok(Fate::Delivered) };
        stopped.set_registers(&exit.registers)?;
        if seat.inside.is_some() {
            // Where the call has not been made it is told of as one that will be made again.
            let value = exit.result.unwrap_or(ERESTARTNOINTR);
            let failed = (-4095..0).contains(&value);
            if let Some(seat) = self.tracees.get_mut(tid).and_then(|tracee| tracee.seat.as_mut()) {
                seat.inside = None;
            }
            self.end_call(tid, Outcome { time: now(), cpu: 0, value, failed }, observer)?;
        }
        Ok(Fate::Delivered)
    }
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
    let trusted = (abi::IMAGE..abi::IMAGE + abi::TRUSTED_LEN).contains(&rip);
    if rip == SYMBOLS.call {
        return Some(Exit { registers: Registers { rip: site, ..*registers }, result: None });
    }
    if trusted || returning {
        let result = Some(registers.rax as i64);
        return Some(Exit { registers: Registers { rip: after, rsp, ..*registers }, result });
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
