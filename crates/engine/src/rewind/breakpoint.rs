//! An instruction that stops, in the place of another.

use std::io;

use kernel::memory;
use kernel::ptrace::{Registers, Stopped, Tracee};

/// The instruction that stops.
const INT3: u8 = 0xcc;

/// Where it is, and what was there.
#[derive(Clone, Copy, Debug)]
pub struct Breakpoint {
    address: u64,
    original: u8,
}

impl Breakpoint {
    pub fn set(tracee: &Tracee<Stopped>, address: u64) -> io::Result<Breakpoint> {
        let original = tracee.peek(address)?.to_le_bytes()[0];
        tracee.write_many([(address, [INT3].as_slice())])?;
        Ok(Breakpoint { address, original })
    }

    /// Whether a thread that stopped for a `SIGTRAP` has come to it. If so it is before the instruction that
    /// was there.
    pub fn is_reached(&self, tracee: &Tracee<Stopped>) -> io::Result<bool> {
        let registers = tracee.registers()?;
        if registers.rip != self.address + 1 {
            return Ok(false);
        }
        tracee.set_registers(&Registers { rip: self.address, ..registers })?;
        Ok(true)
    }

    /// Whether a thread is where the instruction that stops leaves it.
    pub fn is_behind(&self, tracee: &Tracee<Stopped>) -> io::Result<bool> {
        Ok(tracee.registers()?.rip == self.address + 1)
    }

    /// Takes it from the process of a thread that has come to it.
    pub fn take(&self, tracee: &Tracee<Stopped>) -> io::Result<()> {
        tracee.write_many([(self.address, [self.original].as_slice())]).map(drop)
    }

    /// Takes it from a process that may have it, whether that is stopped or not.
    pub fn take_from(&self, pid: i32) {
        let mut now = [0];
        let is_there = memory::read_by_force(pid, self.address, &mut now).is_ok() && now == [INT3];
        if is_there {
            // What has ended since needs nothing.
            let _ = memory::write_ranges(pid, &[(self.address, &[self.original])]);
        }
    }
}
