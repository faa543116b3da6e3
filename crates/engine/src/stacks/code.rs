//! The caller of a function, by what its code does to the stack from an address on.
//!
//! For code that no unwind table tells of, such as that of musl, or what is made at run time. Calls on
//! the way return with the stack as it was; of a branch one way is as good as the other, since both
//! lead to a return.

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess,
    OpKind, Register,
};

use super::memory::Memory;
use super::row::{BP, Frame, RA, SP};

/// So many instructions are looked at, at most.
const INSTRUCTIONS_MAX: usize = 512;
/// So many bytes of code are read at once.
const CHUNK: usize = 64;

/// The caller's registers, as far as they can be known: none but the stack pointer and those that the
/// code takes back from the stack.
pub fn caller(frame: &Frame, memory: &mut Memory) -> Option<Frame> {
    let mut frame = *frame;
    let mut seen = Vec::new();
    let mut factory = InstructionInfoFactory::new();
    for _ in 0..INSTRUCTIONS_MAX {
        if seen.contains(&frame[RA]) {
            return None;
        }
        seen.push(frame[RA]);
        let instruction = fetch(frame[RA], memory)?;
        match instruction.flow_control() {
            FlowControl::Return => {
                frame[RA] = memory.word(frame[SP])?;
                frame[SP] = frame[SP].checked_add(8)?;
                return Some(frame);
            }
            FlowControl::UnconditionalBranch => {
                frame[RA] = instruction.near_branch_target();
                continue;
            }
            FlowControl::Next
            | FlowControl::Call
            | FlowControl::IndirectCall
            | FlowControl::ConditionalBranch => {}
            _ => return None,
        }
        apply(&instruction, &mut frame, memory, &mut factory)?;
        frame[RA] = instruction.next_ip();
    }
    None
}

fn fetch(ip: u64, memory: &mut Memory) -> Option<Instruction> {
    let mut bytes = [0; CHUNK];
    let read = memory.read(ip, &mut bytes);
    let instruction = Decoder::with_ip(64, &bytes[..read], ip, DecoderOptions::NONE).decode();
    (!instruction.is_invalid()).then_some(instruction)
}

/// What an instruction does to the stack pointer and to registers that it takes from the stack.
fn apply(
    instruction: &Instruction,
    frame: &mut Frame,
    memory: &mut Memory,
    factory: &mut InstructionInfoFactory,
) -> Option<()> {
    match instruction.mnemonic() {
        Mnemonic::Leave => {
            frame[SP] = frame[BP].checked_add(8)?;
            frame[BP] = memory.word(frame[BP])?;
        }
        Mnemonic::Pop => {
            let value = memory.word(frame[SP])?;
            frame[SP] = frame[SP].checked_add(8)?;
            if let Some(index) = dwarf_number(instruction.op0_register()) {
                frame[index] = value;
            }
        }
        Mnemonic::Lea if instruction.op0_register() == Register::RSP => {
            let base = dwarf_number(instruction.memory_base())?;
            if instruction.memory_index() != Register::None {
                return None;
            }
            frame[SP] = frame[base].wrapping_add(instruction.memory_displacement64());
        }
        Mnemonic::Mov
            if instruction.op0_register() == Register::RSP
                && instruction.op1_kind() == OpKind::Register =>
        {
            frame[SP] = frame[dwarf_number(instruction.op1_register())?];
        }
        _ if instruction.is_stack_instruction() => {
            let by = i64::from(instruction.stack_pointer_increment());
            let calls =
                matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall);
            frame[SP] = frame[SP].wrapping_add_signed(if calls { 0 } else { by });
        }
        Mnemonic::Add | Mnemonic::Sub if instruction.op0_register() == Register::RSP => {
            let by = instruction.try_immediate(1).ok()?;
            let adds = instruction.mnemonic() == Mnemonic::Add;
            frame[SP] = frame[SP].wrapping_add(if adds { by } else { by.wrapping_neg() });
        }
        _ => {
            let info = factory.info(instruction);
            let writes_sp = info.used_registers().iter().any(|used| {
                used.register().full_register() == Register::RSP && writes(used.access())
            });
            if writes_sp {
                return None;
            }
        }
    }
    Some(())
}

fn writes(access: OpAccess) -> bool {
    !matches!(access, OpAccess::None | OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess)
}

/// The number by which a frame has a 64-bit register.
fn dwarf_number(register: Register) -> Option<usize> {
    const ORDER: [Register; 16] = [
        Register::RAX,
        Register::RDX,
        Register::RCX,
        Register::RBX,
        Register::RSI,
        Register::RDI,
        Register::RBP,
        Register::RSP,
        Register::R8,
        Register::R9,
        Register::R10,
        Register::R11,
        Register::R12,
        Register::R13,
        Register::R14,
        Register::R15,
    ];
    ORDER.iter().position(|known| *known == register)
}
