//! Trampolines do what the displaced instructions do.

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, Register};
use proptest::prelude::*;

use crate::sites::piece::{Piece, is_movable_branch};
use crate::sites::window::Board;
use crate::sites::{Patch, SYSCALL_LEN, Unreachable, Window};

const BIAS: u64 = 0x7f00_0000_0000;
const START: u64 = 0x40_1000;
const ENTRY: u64 = 0x7000_0000;
const NEAR: u64 = BIAS + 0x200_0000;

/// A window of these instructions.
fn window(code: &[u8]) -> Window {
    with_board(code, None)
}

/// The same with a board.
fn with_board(code: &[u8], board: Option<Board>) -> Window {
    let bytes = |i: &Instruction| &code[(i.ip() - START) as usize..][..i.len()];
    let pieces = decode(code, START).iter().map(|i| Piece::of(i, bytes(i))).collect();
    Window::restored(START + code.len() as u64, code, pieces, false, board).unwrap()
}

fn decode(code: &[u8], ip: u64) -> Vec<Instruction> {
    Decoder::with_ip(64, code, ip, DecoderOptions::NONE).into_iter().collect()
}

/// The number at an address in the trampoline.
fn word(patch: &Patch, address: u64) -> u64 {
    let at = (address - patch.trampoline) as usize;
    u64::from_le_bytes(patch.bytes[at..at + 8].try_into().unwrap())
}

#[test]
fn the_jump_leads_to_the_trampoline_and_that_to_the_entry() {
    let code = [0xb8, 0x27, 0, 0, 0];
    let patch = window(&code).patch(BIAS, NEAR, ENTRY).unwrap();
    assert_eq!(patch.expected, [&code[..], &[0x0f, 0x05]].concat());
    let [(at, jump)] = patch.jumps().collect::<Vec<_>>()[..] else { panic!("{patch:x?}") };
    assert_eq!((at, patch.start, patch.board()), (BIAS + START, BIAS + START, None));
    assert_eq!(patch.original(at, jump.len()), code);

    let jump = decode(jump, at);
    assert_eq!((jump[0].near_branch_target(), jump[0].len()), (NEAR, 5));

    assert_eq!(patch.bytes[..5], code);
    let rest = decode(&patch.bytes[5..], NEAR + 5);
    assert_eq!((rest[0].code(), rest[0].op0_register()), (Code::Lea_r64_m, Register::R11));
    assert_eq!((rest[1].code(), rest[1].memory_base()), (Code::Jmp_rm64, Register::RIP));
    let site = rest[0].ip_rel_memory_address();
    assert_eq!(site % 8, 0);
    assert_eq!(word(&patch, site), patch.site);
    assert_eq!(word(&patch, site + 8), patch.site + SYSCALL_LEN);
    assert_eq!(word(&patch, rest[1].ip_rel_memory_address()), ENTRY);
    assert_eq!(patch.bytes.len() % 8, 0);
}

#[test]
fn a_short_jump_leads_to_the_board_and_that_to_the_trampoline() {
    let (code, board) = ([0x31, 0xc0], [0x90, 0x0f, 0x1f, 0x40, 0]);
    let patch = with_board(&code, Some(board)).patch(BIAS, NEAR, ENTRY).unwrap();
    let start = BIAS + START;
    assert_eq!((patch.start, patch.first, patch.board()), (start, start - 5, Some(start - 5)));
    assert_eq!(patch.expected, [&board[..], &code, &[0x0f, 0x05]].concat());
    let [(first, long), (last, short)] = patch.jumps().collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!((first, patch.original(first, long.len())), (start - 5, &board[..]));
    assert_eq!((last, patch.original(last, short.len())), (start, &code[..]));
    assert_eq!(decode(long, first)[0].near_branch_target(), NEAR);
    assert_eq!(decode(short, last)[0].near_branch_target(), first);
    assert_eq!(decode(short, last)[0].len(), 2);
    // Whoever is there has done nothing yet.
    assert_eq!((patch.origin(first), patch.origin(NEAR)), (Some(start), Some(start)));
    assert!(patch.covered.is_empty());
}

#[test]
fn each_instruction_of_the_trampoline_has_its_origin() {
    // `cmpb $0,0x1000(%rip); je +0x10; xor %eax,%eax`: the branch becomes a long one.
    let code = [0x80, 0x3d, 0, 0x10, 0, 0, 0, 0x74, 0x10, 0x31, 0xc0];
    let patch = window(&code).patch(BIAS, NEAR, ENTRY).unwrap();
    let start = BIAS + START;
    let origins = [(0, start), (7, start + 7), (13, start + 9), (15, patch.site), (22, patch.site)];
    for offset in 0..patch.bytes.len() as u64 {
        let expected = origins.iter().find(|(at, _)| *at == offset).map(|(_, origin)| *origin);
        assert_eq!(patch.origin(NEAR + offset), expected, "{offset}");
    }
}

#[test]
fn a_thread_at_a_covered_instruction_begins_anew() {
    // `mov %rsi,%rdi; xor %eax,%eax; xor %edx,%edx`: the jump covers the second.
    let patch = window(&[0x48, 0x89, 0xf7, 0x31, 0xc0, 0x31, 0xd2]).patch(BIAS, NEAR, ENTRY);
    let patch = patch.unwrap();
    let start = BIAS + START;
    let anew = |ip: &u64| patch.resume(*ip) != *ip;
    assert_eq!((start..=patch.site).filter(anew).collect::<Vec<_>>(), [start + 3]);
    assert_eq!(patch.resume(start + 3), start);
    let origins = [0, 3, 5, 7].map(|offset| patch.origin(NEAR + offset));
    assert_eq!(origins, [start, start, start + 5, patch.site].map(Some));
}

#[test]
fn what_is_out_of_reach_is_told() {
    let far = BIAS + START + (1 << 31) + 0x1000;
    let below = BIAS + START - (1 << 31) - 0x1000;
    for trampoline in [far, below, 8, 0xffff_ffff_ffff_f000] {
        let plain = window(&[0xb8, 0x27, 0, 0, 0]).patch(BIAS, trampoline, ENTRY);
        assert_eq!(plain, Err(Unreachable), "{trampoline:#x}");
    }
    // The jump reaches, but the operand, 1.5 GiB below, does not; nor does the branch's target.
    let trampoline = BIAS + START + (1 << 30);
    let operand = [0x80, 0x3d, 0, 0, 0, 0xa0, 0];
    let branch = [0x0f, 0x84, 0, 0, 0, 0xa0];
    for code in [&operand[..], &branch] {
        assert_eq!(window(code).patch(BIAS, trampoline, ENTRY), Err(Unreachable));
        assert!(window(code).patch(BIAS, BIAS + START - (1 << 30), ENTRY).is_ok());
    }
}

/// The instructions that random bytes hold and that a window can contain.
fn relocatable(bytes: &[u8]) -> Vec<u8> {
    let mut code = Vec::new();
    for instruction in decode(bytes, 0) {
        let fits =
            instruction.flow_control() == FlowControl::Next || is_movable_branch(&instruction);
        if fits && !instruction.is_invalid() && code.len() + instruction.len() <= 64 {
            code.extend(&bytes[instruction.ip() as usize..][..instruction.len()]);
        }
    }
    code
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn displaced_instructions_mean_the_same(bytes in prop::collection::vec(any::<u8>(), 16..100)) {
        let code = relocatable(&bytes);
        prop_assume!(code.len() >= 5);
        let window = window(&code);
        let Ok(patch) = window.patch(BIAS, NEAR, ENTRY) else {
            // Random distances may well be out of reach.
            return Ok(());
        };
        let old = decode(&code, BIAS + START);
        let new = decode(&patch.bytes, NEAR);
        for (old, new) in old.iter().zip(&new) {
            prop_assert_eq!(patch.origin(new.ip()), Some(patch.resume(old.ip())));
            if old.is_jcc_short_or_near() {
                prop_assert_eq!(old.condition_code(), new.condition_code());
                prop_assert_eq!(old.near_branch_target(), new.near_branch_target());
            } else {
                prop_assert_eq!(old, new);
            }
        }
        prop_assert_eq!(patch.origin(new[old.len()].ip()), Some(patch.site));
    }
}
