//! The rules for windows, each on a function made by hand.

use crate::sites::decline::{Decline, Obstacle};
use crate::sites::sweep::sweep;
use crate::sites::window::{Board, Window, candidates};

const BEGIN: u64 = 0x40_1000;

const SYSCALL: &[u8] = &[0x0f, 0x05];
const RET: &[u8] = &[0xc3];
/// `mov $0x27,%eax`
const MOV_NUMBER: &[u8] = &[0xb8, 0x27, 0, 0, 0];
/// `xor %eax,%eax`
const ZERO_EAX: &[u8] = &[0x31, 0xc0];
/// `mov %rsi,%rdi`
const MOV_RDI: &[u8] = &[0x48, 0x89, 0xf7];
/// `cmpb $0,0x1000(%rip)`
const CMP_GLOBAL: &[u8] = &[0x80, 0x3d, 0x00, 0x10, 0, 0, 0];
/// `call` to somewhere else
const CALL: &[u8] = &[0xe8, 0, 0x10, 0, 0];
/// `jmp *%rax`
const JMP_RAX: &[u8] = &[0xff, 0xe0];

/// `je` to so many bytes behind itself.
fn je(distance: i8) -> [u8; 2] {
    [0x74, distance.cast_unsigned()]
}

/// The windows of the first `syscall` of a function of these pieces, the best first.
fn windows(pieces: &[&[u8]]) -> Result<Vec<Window>, Decline> {
    windows_behind(None, pieces)
}

/// The same where there could be a board before the function.
fn windows_behind(board: Option<Board>, pieces: &[&[u8]]) -> Result<Vec<Window>, Decline> {
    let before: usize = pieces.iter().take_while(|piece| **piece != SYSCALL).map(|p| p.len()).sum();
    let code = pieces.concat();
    let site = BEGIN + before as u64;
    candidates(&code, BEGIN, site, &sweep(&code, BEGIN, site)?, board)
}

fn best(pieces: &[&[u8]]) -> Window {
    windows(pieces).unwrap().remove(0)
}

fn declined(pieces: &[&[u8]]) -> Decline {
    windows(pieces).unwrap_err()
}

#[test]
fn one_instruction_of_the_jumps_size_is_the_window() {
    let window = best(&[MOV_RDI, MOV_NUMBER, SYSCALL, RET]);
    assert_eq!(window.start, BEGIN + 3);
    assert_eq!(window.code, MOV_NUMBER);
    assert_eq!((window.site, window.after()), (BEGIN + 8, BEGIN + 10));
    assert!(window.single() && window.one_word());
    assert!(!window.bypassed && !window.branches());
}

#[test]
fn a_jump_over_one_instruction_is_preferred_to_a_shorter_window() {
    // The last two would do, with 6 bytes; but a thread could be between them.
    let window = best(&[RET, MOV_NUMBER, MOV_RDI, MOV_RDI, SYSCALL]);
    assert_eq!(window.start, BEGIN + 1);
    assert_eq!(window.code, [MOV_NUMBER, MOV_RDI, MOV_RDI].concat());
    assert!(window.single());
}

#[test]
fn short_instructions_make_a_window_together() {
    let window = best(&[MOV_RDI, ZERO_EAX, SYSCALL]);
    assert_eq!(window.start, BEGIN);
    assert!(window.covered().eq([BEGIN + 3]));
    assert!(!window.single());
}

#[test]
fn where_the_jump_has_no_room_it_can_be_on_a_board() {
    let board = Some([0x90; 5]);
    let on_board = |pieces: &[&[u8]]| windows_behind(board, pieces);
    let window = on_board(&[ZERO_EAX, SYSCALL, RET]).unwrap().remove(0);
    assert_eq!((window.start, window.board), (BEGIN, board));
    assert!(window.single() && window.one_word() && !window.bypassed);
    // It is the function's first instruction that a board is before.
    let later = on_board(&[RET, ZERO_EAX, SYSCALL, RET]);
    assert!(matches!(later, Err(Decline::NoRoom(Obstacle::Branch))));
    // The short jump has no room either.
    let push: &[u8] = &[0x50];
    assert!(on_board(&[push, ZERO_EAX, SYSCALL, RET]).is_err());
    // And where there is room, none is needed.
    assert_eq!(on_board(&[MOV_NUMBER, SYSCALL, RET]).unwrap()[0].board, None);
}

#[test]
fn a_window_ends_at_what_cannot_be_displaced() {
    let room = |pieces: &[&[u8]]| match declined(pieces) {
        Decline::NoRoom(obstacle) => obstacle,
        other => panic!("{other}"),
    };
    assert_eq!(room(&[ZERO_EAX, SYSCALL]), Obstacle::Beginning);
    assert_eq!(room(&[MOV_NUMBER, CALL, ZERO_EAX, SYSCALL]), Obstacle::Call);
    assert_eq!(room(&[MOV_NUMBER, RET, ZERO_EAX, SYSCALL]), Obstacle::Branch);
    assert_eq!(room(&[MOV_NUMBER, JMP_RAX, ZERO_EAX, SYSCALL]), Obstacle::Branch);
    // `jmp`, `loop`, `jrcxz`, `ud2`
    for branch in [&[0xeb, 0x10][..], &[0xe2, 0x10], &[0xe3, 0x10], &[0x0f, 0x0b]] {
        assert_eq!(room(&[MOV_NUMBER, branch, ZERO_EAX, SYSCALL]), Obstacle::Branch);
    }
}

#[test]
fn of_two_sites_the_second_has_no_window_that_contains_the_first() {
    let code = [MOV_NUMBER, SYSCALL, ZERO_EAX, SYSCALL].concat();
    let site = BEGIN + 9;
    let windows = candidates(&code, BEGIN, site, &sweep(&code, BEGIN, site).unwrap(), None);
    assert!(matches!(windows, Err(Decline::NoRoom(Obstacle::Call))));
}

#[test]
fn a_window_can_contain_a_conditional_branch() {
    // As read(2) of glibc begins.
    let window = best(&[CMP_GLOBAL, &je(3), ZERO_EAX, SYSCALL, RET, MOV_NUMBER, RET]);
    assert_eq!(window.start, BEGIN);
    assert!(window.single() && window.branches() && !window.bypassed);
}

#[test]
fn a_branch_to_the_start_of_the_window_is_fine() {
    let window = best(&[RET, MOV_NUMBER, SYSCALL, &je(-9)]);
    assert_eq!(window.start, BEGIN + 1);
    assert!(!window.bypassed);
}

#[test]
fn a_branch_behind_the_jump_bypasses_the_window() {
    // To the `syscall`, and to the instruction before it, which stays intact.
    for distance in [-4, -7] {
        let window = best(&[MOV_NUMBER, MOV_RDI, SYSCALL, &je(distance)]);
        assert!(window.single() && window.bypassed, "{distance}");
    }
}

#[test]
fn a_branch_behind_the_jump_is_avoided_if_there_is_another_window() {
    let window = best(&[MOV_NUMBER, MOV_RDI, MOV_RDI, SYSCALL, &je(-10)]);
    assert_eq!(window.start, BEGIN + 5);
    assert!(!window.bypassed && !window.single());
}

#[test]
fn a_branch_to_a_covered_instruction_forbids_the_window() {
    let pieces: &[&[u8]] = &[RET, MOV_RDI, ZERO_EAX, SYSCALL, &je(-6)];
    assert!(matches!(declined(pieces), Decline::BranchInto));
    // `je` over the prefix of `lock xadd %ecx,0x10(%rdi)`: into the middle of one instruction.
    let pieces: &[&[u8]] = &[&je(1), &[0xf0, 0x0f, 0xc1, 0x4f, 0x10], SYSCALL];
    assert!(matches!(declined(pieces), Decline::BranchInto));
    // `lea -9(%rip),%rdx` names the same instruction.
    let pieces: &[&[u8]] =
        &[RET, MOV_RDI, ZERO_EAX, SYSCALL, &[0x48, 0x8d, 0x15, 0xf5, 255, 255, 255]];
    assert!(matches!(declined(pieces), Decline::BranchInto));
}

#[test]
fn a_computed_jump_forbids_to_cover_several_instructions() {
    assert!(matches!(declined(&[MOV_RDI, ZERO_EAX, SYSCALL, JMP_RAX]), Decline::ComputedJump));
    assert!(best(&[MOV_NUMBER, SYSCALL, JMP_RAX]).single());
}

#[test]
fn covered_instructions_must_be_repeatable() {
    let refused = |first: &[u8]| match windows(&[first, ZERO_EAX, SYSCALL]) {
        Err(Decline::NotRepeatable) => true,
        Ok(_) => false,
        Err(other) => panic!("{other}"),
    };
    // `add $1,%rdi`, `mov %rax,(%rdi)`, `mov (%rdi),%rdi`, `xchg %rdi,%rsi`, `pop %rdi` twice
    let once: [&[u8]; 5] = [
        &[0x48, 0x83, 0xc7, 1],
        &[0x48, 0x89, 0x07],
        &[0x48, 0x8b, 0x3f],
        &[0x48, 0x87, 0xf7],
        &[0x5f, 0x5f, 0x90],
    ];
    for first in once {
        assert!(refused(first), "{first:x?}");
    }
    // `mov %rsi,%rdi`, `mov (%rsi),%rdi`, `lea 8(%rsi),%edi`, `mov %r10b,%dil`
    let often: [&[u8]; 4] =
        [MOV_RDI, &[0x48, 0x8b, 0x3e], &[0x8d, 0x7e, 0x08], &[0x44, 0x88, 0xd7]];
    for first in often {
        assert!(!refused(first), "{first:x?}");
    }
    // One that is repeatable, but not after what follows it: `mov %rdx,%rsi` behind it.
    let pieces: &[&[u8]] = &[&[0x89, 0xf7], &[0x89, 0xd6], &[0x89, 0xd0], SYSCALL];
    assert!(matches!(declined(pieces), Decline::NotRepeatable));
    // The last one that is covered may do what it likes: `add $1,%rdi`.
    let last = best(&[MOV_RDI, &[0x48, 0x83, 0xc7, 1], SYSCALL]);
    assert!(last.covered().eq([BEGIN + 3]));
}

#[test]
fn what_returns_from_signal_handlers_stays_as_it_is() {
    let long: &[u8] = &[0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0];
    let short: &[u8] = &[0xb8, 0x0f, 0, 0, 0];
    for number in [long, short] {
        assert!(matches!(declined(&[MOV_NUMBER, number, SYSCALL]), Decline::SignalReturn));
    }
}

#[test]
fn bytes_in_the_middle_of_an_instruction_are_no_site() {
    // `mov $0x050f,%eax`
    let code = [&[0xb8, 0x0f, 0x05, 0, 0], RET].concat();
    assert!(matches!(sweep(&code, BEGIN, BEGIN + 1), Err(Decline::NotSyscall)));
    assert!(matches!(sweep(&code, BEGIN, BEGIN), Err(Decline::NotSyscall)));
    assert!(matches!(sweep(&code, BEGIN, BEGIN + 6), Err(Decline::NotSyscall)));
}

#[test]
fn what_does_not_decode_before_the_site_declines() {
    // `06` is no instruction in 64-bit mode.
    assert!(matches!(declined(&[&[0x06], MOV_NUMBER, SYSCALL]), Decline::Undecodable));
    assert!(best(&[MOV_NUMBER, SYSCALL, RET, &[0x06]]).single());
}

#[test]
fn a_word_of_eight_bytes_is_told_from_two() {
    let window = |padding: usize| best(&[&vec![0x90; padding], MOV_NUMBER, SYSCALL]);
    assert!(window(3).one_word());
    // Another window, from a `nop` in the same word, would cover several instructions.
    assert!(window(4).single() && !window(4).one_word());
    // Of two that are as good but for that, the other one.
    let aligned = best(&[MOV_NUMBER, &[0x90], MOV_NUMBER, SYSCALL]);
    assert_eq!(aligned.start, BEGIN);
}
