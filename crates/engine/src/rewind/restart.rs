//! A thread in a call makes it anew, or is as if it made none.

use std::io;

use kernel::ptrace::{Registers, Stopped, Tracee};

/// Of a thread before a call: back to before its instruction, which is two bytes long.
pub(super) fn step_back(tracee: &Tracee<Stopped>) -> io::Result<()> {
    tracee.set_registers(&before_call(tracee.registers()?))
}

/// Of a thread behind a call: as if it were in none.
pub(super) fn leave_call(tracee: &Tracee<Stopped>) -> io::Result<()> {
    let registers = tracee.registers()?;
    tracee.set_registers(&Registers { orig_rax: u64::MAX, ..registers })
}

/// The registers of a thread in a call, such that it makes the call anew.
pub(super) fn before_call(registers: Registers) -> Registers {
    Registers { rip: registers.rip - 2, rax: registers.orig_rax, orig_rax: u64::MAX, ..registers }
}
