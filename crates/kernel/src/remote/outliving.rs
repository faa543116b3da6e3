//! Code for calls that a guest survives whose supervisor is killed meanwhile: behind the call it puts
//! back by itself what was changed of the thread, which goes on where it was.
//!
//! So no `int3` ends it, which nobody would be there to take. Nor does it need memory of the guest's
//! but for itself.

use libc::c_int;

use crate::ptrace::{RESTARTS, Registers};

/// What a call leaves that is not to stay should the supervisor be killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leavings {
    Nothing,
    /// The descriptor that the next call returns.
    Result,
    /// This descriptor.
    Descriptor(c_int),
}

/// The code, and what it is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code {
    registers: Registers,
    blocked: u64,
    leavings: Leavings,
}

/// `mov $imm32,%eax` and so on.
const MOV_EAX: u8 = 0xb8;
const MOV_EDX: u8 = 0xba;
const MOV_EDI: u8 = 0xbf;
const SYSCALL: [u8; 2] = [0x0f, 0x05];
const NOP: u8 = 0x90;
/// `mov %eax,%edi`
const RESULT_TO_EDI: [u8; 2] = [0x89, 0xc7];
/// `restart_syscall(2)`'s result, and that of all others, that ask for a restart.
const ERESTART_RESTARTBLOCK: i64 = -516;

impl Code {
    /// Its size at most.
    pub const LEN: usize = 192;
    /// Where it goes on behind the call.
    pub const BEHIND: u64 = 7;
    /// Where a thread is to be put that has made no call, with no descriptor in `rdi`.
    pub const START: u64 = 9;
    /// Where in it the caller's own bytes begin, and how many they are at most.
    pub const ROOM: usize = 168;

    /// For a thread with these registers and these blocked signals.
    pub fn new(registers: &Registers, blocked: u64) -> Code {
        Code { registers: restarted(*registers), blocked, leavings: Leavings::Nothing }
    }

    /// What the calls from now on leave.
    pub fn leave(&mut self, leavings: Leavings) {
        self.leavings = leavings;
    }

    /// The code that makes this call. It can lie anywhere.
    pub fn bytes(&self, number: u64) -> Vec<u8> {
        let short = |opcode: u8, value: u32| {
            let [a, b, c, d] = value.to_le_bytes();
            [opcode, a, b, c, d]
        };
        let mut code = Vec::with_capacity(Code::LEN);
        code.extend(short(MOV_EAX, number as u32));
        code.extend(SYSCALL);
        let (number, result, descriptor) = match self.leavings {
            Leavings::Nothing => (libc::SYS_getpid, [NOP; 2], [NOP; 5]),
            Leavings::Result => (libc::SYS_close, RESULT_TO_EDI, [NOP; 5]),
            Leavings::Descriptor(fd) => (libc::SYS_close, [NOP; 2], short(MOV_EDI, fd as u32)),
        };
        code.extend(result);
        code.extend(descriptor);
        code.extend(short(MOV_EAX, number as u32));
        code.extend(SYSCALL);
        // rt_sigprocmask(SIG_SETMASK, the mask, NULL, 8). No instruction changes flags.
        code.extend(short(MOV_EAX, libc::SYS_rt_sigprocmask as u32));
        code.extend(short(MOV_EDI, libc::SIG_SETMASK as u32));
        code.extend([0x48, 0x8d, 0x35]); // lea mask(%rip),%rsi
        let to_mask = code.len();
        code.extend([0; 4]);
        code.extend(short(MOV_EDX, 0));
        code.extend([0x41, 0xba, 8, 0, 0, 0]); // mov $8,%r10d
        code.extend(SYSCALL);
        let Registers { rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rip, .. } = self.registers;
        // movabs $value,%register
        let values = [
            ([0x48, 0xb8], rax),
            ([0x48, 0xb9], rcx),
            ([0x48, 0xba], rdx),
            ([0x48, 0xbe], rsi),
            ([0x48, 0xbf], rdi),
            ([0x49, 0xb8], r8),
            ([0x49, 0xb9], r9),
            ([0x49, 0xba], r10),
            ([0x49, 0xbb], r11),
        ];
        for (opcode, value) in values {
            code.extend(opcode);
            code.extend(value.to_le_bytes());
        }
        code.extend([0xff, 0x25, 0, 0, 0, 0]); // jmp *(%rip)
        code.extend(rip.to_le_bytes());
        let mask = (code.len() - to_mask - 4) as u32;
        code[to_mask..to_mask + 4].copy_from_slice(&mask.to_le_bytes());
        code.extend(self.blocked.to_le_bytes());
        code.resize(Code::ROOM, 0);
        code
    }
}

/// The registers with which the kernel would have let the thread go on.
fn restarted(registers: Registers) -> Registers {
    let result = registers.rax as i64;
    if (registers.orig_rax as i64) < 0 || !RESTARTS.contains(&result) {
        return registers;
    }
    let rip = registers.rip.wrapping_sub(SYSCALL.len() as u64);
    let rax = match result {
        ERESTART_RESTARTBLOCK => libc::SYS_restart_syscall as u64,
        _ => registers.orig_rax,
    };
    Registers { rip, rax, ..registers }
}
