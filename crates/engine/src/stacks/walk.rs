//! From frame to frame.

use contract::{Frame as Told, GuestAddr, Stack};
use kernel::ptrace::Registers;

use super::code;
use super::memory::Memory;
use super::object::Objects;
use super::row::{BP, Frame, RA, SP};
use super::signal;
use super::space::Space;

/// The frames of a thread with these registers, at most so many.
pub fn frames(
    registers: &Registers,
    most: usize,
    space: &mut Space,
    objects: &mut Objects,
    memory: &mut Memory,
) -> Stack {
    let mut frame = innermost(registers);
    let mut stack = Stack::default();
    // Whether a call goes on at the frame's instruction, or it was interrupted there.
    let mut returns = false;
    while stack.frames.len() < most {
        let ip = frame[RA];
        let mapped = space.at(ip, objects, memory);
        let file = mapped.and_then(|mapped| Some((mapped.object.clone()?, mapped.offset(ip))));
        let code = file.as_ref().map(|(object, offset)| object.code(*offset, returns));
        stack.frames.push(Told { ip: GuestAddr(ip), code });
        let row = file.as_ref().and_then(|(object, offset)| object.row(*offset, returns));
        let (caller, interrupted) = match &row {
            Some((row, unwind)) => (row.caller(&frame, unwind, memory), row.is_signal),
            None if mapped.is_some() => match signal::interrupted(&frame, memory) {
                Some(interrupted) => (Some(interrupted), true),
                None => (without_tables(&frame, space, objects, memory), false),
            },
            None => (None, false),
        };
        // Where there is no code, nobody has called: the word meant something else.
        let caller = caller.filter(|caller| space.at(caller[RA], objects, memory).is_some());
        let Some(caller) = caller else { return stack };
        if (caller[RA], caller[SP]) == (frame[RA], frame[SP]) {
            return stack;
        }
        frame = caller;
        returns = !interrupted;
    }
    stack.cut = true;
    stack
}

/// The caller of a function of which no table tells: what its code does to the stack up to where it
/// returns, or else the chain of frame pointers.
fn without_tables(
    frame: &Frame,
    space: &mut Space,
    objects: &mut Objects,
    memory: &mut Memory,
) -> Option<Frame> {
    let by_code = code::caller(frame, memory);
    if let Some(caller) = by_code.filter(|caller| space.at(caller[RA], objects, memory).is_some()) {
        return Some(caller);
    }
    let bp = frame[BP];
    if bp < frame[SP] || !bp.is_multiple_of(8) {
        return None;
    }
    let mut caller = *frame;
    caller[BP] = memory.word(bp)?;
    caller[RA] = memory.word(bp.checked_add(8)?)?;
    caller[SP] = bp.checked_add(16)?;
    space.at(caller[RA], objects, memory).is_some().then_some(caller)
}

fn innermost(registers: &Registers) -> Frame {
    let r = registers;
    [
        r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10, r.r11, r.r12,
        r.r13, r.r14, r.r15, r.rip,
    ]
}
