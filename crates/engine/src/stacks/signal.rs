//! What a signal handler has interrupted, where no unwind table tells how it returns there.

use super::memory::Memory;
use super::row::{Frame, RA, REGISTERS, SP};

/// The code to which handlers return: `rt_sigreturn(2)`, in the two ways in which it is written.
const SIGNAL_RETURNS: [&[u8]; 2] =
    [b"\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", b"\xb8\x0f\x00\x00\x00\x0f\x05"];

/// Where the registers are in the kernel's `struct ucontext`, which is on top of the stack then.
const MCONTEXT: usize = 40;
/// The order of `struct sigcontext`: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, by the
/// numbers that the unwind tables give them.
const ORDER: [usize; REGISTERS] = [8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16];

/// The registers of what was interrupted, if the frame is that code.
pub fn interrupted(frame: &Frame, memory: &mut Memory) -> Option<Frame> {
    let mut code = [0; SIGNAL_RETURNS[0].len()];
    let read = memory.read(frame[RA], &mut code);
    if !SIGNAL_RETURNS.iter().any(|known| code[..read].starts_with(known)) {
        return None;
    }
    let at = frame[SP].checked_add(MCONTEXT as u64)?;
    let mut interrupted = *frame;
    for (index, register) in ORDER.into_iter().enumerate() {
        interrupted[register] = memory.word(at.checked_add(8 * index as u64)?)?;
    }
    Some(interrupted)
}
