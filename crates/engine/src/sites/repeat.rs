//! Whether instructions can be executed twice.

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register};

/// Instructions that change nothing but registers and flags, and depend on nothing but these and
/// memory. There are more; these are what compilers put before a system call.
const PLAIN: [Mnemonic; 10] = [
    Mnemonic::Mov,
    Mnemonic::Movsx,
    Mnemonic::Movsxd,
    Mnemonic::Movzx,
    Mnemonic::Lea,
    Mnemonic::Xor,
    Mnemonic::Cmp,
    Mnemonic::Test,
    Mnemonic::Nop,
    Mnemonic::Endbr64,
];

/// A thread that has executed some of these instructions, from the first on, can begin anew as if
/// it had executed none: none of them reads what any of them writes, and none writes memory.
pub(super) fn is_repeatable(instructions: &[Instruction]) -> bool {
    let mut factory = InstructionInfoFactory::new();
    let (mut read, mut written) = (Vec::new(), Vec::new());
    let (mut flags_read, mut flags_written) = (0, 0);
    for instruction in instructions {
        if !PLAIN.contains(&instruction.mnemonic()) && !instruction.is_jcc_short_or_near() {
            return false;
        }
        let info = factory.info(instruction);
        if info.used_memory().iter().any(|memory| writes(memory.access())) {
            return false;
        }
        for used in info.used_registers() {
            let register = used.register().full_register();
            if writes(used.access()) {
                written.push(register);
            }
            // Part of a register that is written is left as it was: that does not read it.
            if used.access() != OpAccess::Write {
                read.push(register);
            }
        }
        flags_read |= instruction.rflags_read();
        flags_written |= instruction.rflags_modified();
    }
    let plain = |register: &Register| register.is_gpr();
    written.iter().all(plain)
        && written.iter().all(|register| !read.contains(register))
        && flags_read & flags_written == 0
}

fn writes(access: OpAccess) -> bool {
    !matches!(access, OpAccess::None | OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess)
}
