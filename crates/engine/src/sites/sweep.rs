//! Reads a function from its beginning: the instructions before a site, and where the function
//! branches to.

use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};

use super::RUN_MAX;
use super::decline::Decline;

/// What was seen in a function.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sweep {
    /// The instructions directly before the site, in ascending order.
    pub before: Vec<Instruction>,
    /// The addresses near the site that instructions name: of direct branches, and of loads of an
    /// address. In ascending order.
    pub targets: Vec<u64>,
    /// The function has a jump to a computed address, which may be any of its own.
    pub computed: bool,
}

/// Reads the code of a function that begins at `begin` and contains the site.
pub(super) fn sweep(code: &[u8], begin: u64, site: u64) -> Result<Sweep, Decline> {
    let near = site.saturating_sub(RUN_MAX)..site.saturating_add(1);
    let mut sweep = Sweep::default();
    let mut is_syscall = false;
    let mut decoder = Decoder::with_ip(64, code, begin, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        let address = instruction.ip();
        if address < site {
            if instruction.is_invalid() {
                return Err(Decline::Undecodable);
            }
            if near.contains(&address) {
                sweep.before.push(instruction);
            }
        } else if address == site {
            is_syscall = instruction.mnemonic() == Mnemonic::Syscall;
        }
        sweep.computed |= instruction.flow_control() == FlowControl::IndirectBranch;
        sweep.targets.extend(target(&instruction).filter(|target| near.contains(target)));
    }
    if !is_syscall {
        return Err(Decline::NotSyscall);
    }
    sweep.targets.sort_unstable();
    sweep.targets.dedup();
    Ok(sweep)
}

/// The addresses in a range to which code branches directly, or which it names.
pub(super) fn targets_in(code: &[u8], begin: u64, range: &Range<u64>) -> Vec<u64> {
    let decoder = Decoder::with_ip(64, code, begin, DecoderOptions::NONE);
    decoder.into_iter().filter_map(|i| target(&i)).filter(|t| range.contains(t)).collect()
}

/// The address of code that an instruction names, if it names one.
fn target(instruction: &Instruction) -> Option<u64> {
    if instruction.op_count() > 0 && instruction.op0_kind() == OpKind::NearBranch64 {
        return Some(instruction.near_branch_target());
    }
    let names = instruction.mnemonic() == Mnemonic::Lea && instruction.is_ip_rel_memory_operand();
    names.then(|| instruction.ip_rel_memory_address())
}
