//! Many calls of a guest for one resume.

use std::io;

use libc::{c_int, c_long};

use super::{End, Failure, Place, RemoteCalls, Stub, result};
use crate::ptrace::Registers;
use crate::shared::SharedMemory;

/// A system call to be made, as the guest reads it in a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// Its number.
    pub number: c_long,
    /// Its arguments; those that it does not have are ignored.
    pub args: [u64; 6],
}

impl Call {
    /// Its size in a batch, in bytes: the number and the arguments, 8 bytes each.
    pub const LEN: usize = 7 * 8;

    /// `mmap(2)`.
    pub fn mmap(
        address: u64,
        len: u64,
        protection: c_int,
        flags: c_int,
        fd: c_int,
        offset: u64,
    ) -> Call {
        let args = [address, len, protection as u64, flags as u64, fd as u64, offset];
        Call { number: libc::SYS_mmap, args }
    }

    /// `munmap(2)`.
    pub fn munmap(address: u64, len: u64) -> Call {
        Call { number: libc::SYS_munmap, args: [address, len, 0, 0, 0, 0] }
    }

    /// `mremap(2)` that leaves the memory where it is.
    pub fn resize(address: u64, len: u64, new_len: u64) -> Call {
        Call { number: libc::SYS_mremap, args: [address, len, new_len, 0, 0, 0] }
    }

    /// `close(2)`.
    pub fn close(fd: c_int) -> Call {
        Call { number: libc::SYS_close, args: [fd as u64, 0, 0, 0, 0, 0] }
    }

    /// `dup3(2)`.
    pub fn dup3(from: c_int, to: c_int, close_on_exec: bool) -> Call {
        let flags = if close_on_exec { libc::O_CLOEXEC } else { 0 };
        Call { number: libc::SYS_dup3, args: [from as u64, to as u64, flags as u64, 0, 0, 0] }
    }

    /// Calls as they lie in a batch.
    pub(super) fn bytes(calls: &[Call]) -> Vec<u8> {
        let words = |call: &Call| {
            let [a, b, c, d, e, f] = call.args;
            [call.number as u64, a, b, c, d, e, f]
        };
        calls.iter().flat_map(words).flat_map(u64::to_le_bytes).collect()
    }
}

/// What becomes of a batch when a call fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnFailure {
    /// The calls behind it are made.
    GoOn,
    /// It is the last.
    Stop,
}

/// Memory of the guest in which a batch lies while it is made: the calls, over which the results
/// are written. Nobody else uses it meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct Room<'m> {
    /// The memory.
    pub memory: &'m SharedMemory,
    /// Where it begins in there, in bytes: a multiple of 8.
    pub offset: usize,
    /// Where that is in the guest.
    pub address: u64,
    /// How many calls it has room for, [`Call::LEN`] each: at least one.
    pub calls: usize,
}

impl RemoteCalls {
    /// Makes calls in this order, none of which starts or ends a task. Returns their results, one
    /// for each that was made: with [`OnFailure::Stop`] the first error is the last result.
    ///
    /// With a [`Stub`], as many calls as there is room for take one stop, unless the guest ignores
    /// `SIGTRAP`. A call that the guest's own filter traps (`SECCOMP_RET_TRAP`) has failed with
    /// `EPERM`.
    ///
    /// # Errors
    /// As [`RemoteCalls::call`], of which it makes one after the other where there is no stub.
    /// `EFAULT` if room or stub are not there.
    ///
    /// # Panics
    /// When there is room for no call.
    pub fn batch(
        &mut self,
        room: Room<'_>,
        calls: &[Call],
        on_failure: OnFailure,
    ) -> Result<Vec<io::Result<u64>>, Failure> {
        assert!(room.calls > 0, "no room for a call");
        let mut results = Vec::with_capacity(calls.len());
        while let rest @ [first, ..] = &calls[results.len()..] {
            match (&self.place, self.end) {
                (&Place::Stub(stub), End::Breakpoint) => {
                    let some = &rest[..rest.len().min(room.calls)];
                    self.make_in_one_go(stub, room, some, on_failure, &mut results)?;
                }
                _ => results.push(match self.call(*first) {
                    Err(Failure::Refused(error)) => Err(error),
                    made => Ok(made?),
                }),
            }
            if on_failure == OnFailure::Stop && matches!(results.last(), Some(Err(_))) {
                break;
            }
        }
        Ok(results)
    }

    /// Makes at least the first of the calls. Adds the results.
    fn make_in_one_go(
        &mut self,
        stub: Stub,
        room: Room<'_>,
        calls: &[Call],
        on_failure: OnFailure,
        results: &mut Vec<io::Result<u64>>,
    ) -> Result<(), Failure> {
        room.memory.copy_in(room.offset, &Call::bytes(calls));
        let registers = Registers {
            rip: stub.batch,
            rbp: calls.len() as u64,
            r12: room.address,
            r13: u64::from(on_failure == OnFailure::Stop),
            r14: room.address,
            ..self.outside_call()
        };
        self.tracee()?.set_registers(&registers)?;
        let (registers, trapped) = match self.run_to(&[stub.batch_end], None) {
            Ok(registers) => (registers, None),
            Err(Failure::Refused(error)) if error.raw_os_error() == Some(libc::EPERM) => {
                (self.tracee()?.registers()?, Some(error))
            }
            Err(failure) => return Err(failure),
        };
        let left = (registers.rbp as usize).min(calls.len());
        let mut stored = vec![0; 8 * (calls.len() - left)];
        room.memory.copy_out(room.offset, &mut stored);
        let stored = stored.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        results.extend(stored.map(result));
        if let Some(error) = trapped {
            results.push(Err(error));
        } else if left > 0 {
            results.push(result(registers.rax));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
