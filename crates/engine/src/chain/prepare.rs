//! Has a thread make other calls before its own: for room in its memory, for a descriptor.
//!
//! At the stop before its call it is given another one's number and arguments, and behind that its own
//! again, at the same instruction. So it stops before its call once more, and what was decided about it
//! has waited. This works at the stop that a filter makes, where no remote call can be begun.

use std::io;

use contract::{Arch, Tid};
use kernel::ptrace::{Side, Stopped, SyscallStopKind, Tracee as Ptraced};
use table::arch::{i386, x86_64};

use super::arguments::set_arguments;
use super::carry::{ENOMEM, in_abi};
use super::decided::Decided;
use super::deferred::{Awaits, Deferred};
use super::passing::{Passing, errno};
use super::scratch;
use crate::session::Session;
use crate::tracee::Position;

/// `PROT_READ | PROT_WRITE`, and `MAP_PRIVATE | MAP_ANONYMOUS`.
const READ_WRITE: u64 = 3;
const PRIVATE_ANONYMOUS: u64 = 0x22;

impl Session {
    /// A thread stands before a call in the place of which it gets a descriptor, and that waited for
    /// `awaited`, if for anything. What it has to wait for now; if for nothing, the verdict is an answer.
    pub(super) fn pass(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        decided: &mut Decided,
        awaited: Option<Awaits>,
    ) -> io::Result<Option<Awaits>> {
        let had_room = matches!(awaited, Some(Awaits::Room));
        match awaited {
            Some(Awaits::Descriptor(passing)) if passing.is_over() => {
                stopped.block_signals(passing.blocked)?;
                decided.settle(passing.result);
                return Ok(None);
            }
            Some(Awaits::Descriptor(passing)) => return Ok(Some(Awaits::Descriptor(passing))),
            _ => {}
        }
        let Some(at) = self.room_for(tid, &[&[0; Passing::ROOM_LEN]]) else {
            if had_room {
                decided.refuse(ENOMEM);
            }
            return Ok((!had_room).then_some(Awaits::Room));
        };
        let arch = self.tracees.get(tid).map_or(Arch::X86_64, |tracee| tracee.call.arch);
        let Some((descriptor, place)) = decided.passed() else { return Ok(None) };
        match Passing::new((tid, arch), descriptor, place, at[0]) {
            Ok(mut passing) => {
                passing.blocked = stopped.blocked_signals()?;
                stopped.block_signals(u64::MAX)?;
                Ok(Some(Awaits::Descriptor(passing)))
            }
            Err(error) => {
                decided.settle(-errno(&error));
                Ok(None)
            }
        }
    }

    /// A thread stands before a call that is to wait: has it make the next of those that come first.
    pub(crate) fn prepare(&mut self, tid: Tid, stopped: Ptraced<Stopped>) -> io::Result<()> {
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let arch = tracee.call.arch;
        let (call, args) = match tracee.deferred.as_ref().map(Deferred::awaits) {
            Some(Awaits::Descriptor(passing)) => {
                let (call, args) = passing.call();
                (arch.number_of(call), args)
            }
            _ => {
                let call = match arch {
                    Arch::I386 => Some(i386::MMAP2.number.into()),
                    Arch::X86_64 | Arch::X32 => arch.number_of(x86_64::MMAP),
                };
                let args = [0, scratch::EXTENT_LEN, READ_WRITE, PRIVATE_ANONYMOUS, u64::MAX, 0];
                (call, args)
            }
        };
        set_arguments(&stopped, arch, args)?;
        stopped.set_call_number(call.unwrap_or(u64::MAX))?;
        tracee.position = Position::Preparing;
        self.go_on(tid, stopped, 0)
    }

    /// A thread has made such a call: has it make its own again.
    pub(crate) fn prepared(&mut self, tid: Tid, stopped: Ptraced<Stopped>) -> io::Result<()> {
        let stop = self.syscall_stop(&stopped, Side::Exit)?;
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let arch = tracee.call.arch;
        if let (SyscallStopKind::Exit { value, failed }, Some(deferred)) =
            (stop.what, &mut tracee.deferred)
        {
            match deferred.awaits() {
                Awaits::Descriptor(_) => {
                    deferred.advance((tracee.process, tid), in_abi(arch, value));
                }
                _ if failed => {}
                _ => tracee.room.get_or_insert_default().add(address(arch, value)),
            }
        }
        set_arguments(&stopped, arch, tracee.registers)?;
        stopped.call_again(tracee.call.raw_number, tracee.call.ip.0)?;
        tracee.position = Position::Outside;
        self.go_on(tid, stopped, 0)
    }
}

/// An address that a call has returned.
fn address(arch: Arch, value: i64) -> u64 {
    match arch {
        Arch::I386 => u64::from(value as u32),
        Arch::X86_64 | Arch::X32 => value as u64,
    }
}
