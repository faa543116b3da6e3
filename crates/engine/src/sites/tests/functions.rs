//! What the functions of a file, and what is outside of them, mean for a site.

use super::elf_file::{CODE, program};
use crate::sites::{Decline, Text, Window};

/// `mov %rsi,%rdi; xor %eax,%eax; syscall; ret`: a jump covers the second instruction.
const FUNCTION: [u8; 8] = [0x48, 0x89, 0xf7, 0x31, 0xc0, 0x0f, 0x05, 0xc3];
const SITE: u64 = 5;

/// The plan for a function at an offset of a program.
fn plan(code: &[u8], functions: &[(u64, u64)], at: u64) -> Result<Window, Decline> {
    Text::open(program(code, functions)).unwrap().plan(CODE + at + SITE)
}

/// [`FUNCTION`] at offset 16, with something before and behind it.
fn with(before: &[u8], behind: &[u8]) -> Vec<u8> {
    let mut code = before.to_vec();
    code.resize(16, 0x90);
    code.extend(FUNCTION);
    code.extend(behind);
    code
}

#[test]
fn a_site_in_a_named_function_has_a_window() {
    let window = plan(&with(&[], &[]), &[(0, 16), (16, 8)], 16).unwrap();
    assert_eq!((window.start, window.site), (CODE + 16, CODE + 16 + SITE));
}

#[test]
fn between_two_functions_code_begins_where_the_first_ends() {
    let code = with(&[], &[0x90; 8]);
    assert!(plan(&code, &[(0, 16), (24, 8)], 16).is_ok());
    // The last has no successor.
    assert!(plan(&code, &[(0, 16)], 16).is_ok());
    // The first bytes of the window, if the function before reached into them.
    assert!(matches!(plan(&code, &[(0, 19), (24, 8)], 16), Err(Decline::NoRoom(_))));
}

#[test]
fn where_no_function_is_known_there_is_no_window() {
    assert!(matches!(plan(&FUNCTION, &[], 0), Err(Decline::NoFunction)));
    assert!(matches!(plan(&FUNCTION, &[(5, 3)], 1000), Err(Decline::NoFunction)));
}

#[test]
fn a_label_in_a_function_does_not_end_it() {
    let code = with(&[], &[]);
    assert!(plan(&code, &[(16, 8), (16 + SITE, 0)], 16).is_ok());
}

#[test]
fn a_name_for_a_covered_instruction_forbids_the_window() {
    let code = with(&[], &[]);
    assert!(matches!(plan(&code, &[(16, 8), (19, 0)], 16), Err(Decline::BranchInto)));
}

#[test]
fn a_short_branch_from_the_function_beside_it_forbids_the_window() {
    // `jmp` to the second instruction, from before and from behind.
    let before = with(&[0xeb, 17], &[]);
    assert!(matches!(plan(&before, &[(0, 16), (16, 8)], 16), Err(Decline::BranchInto)));
    let behind = with(&[], &[0xeb, 0xf9]);
    assert!(matches!(plan(&behind, &[(16, 8), (24, 2)], 16), Err(Decline::BranchInto)));
    // To the first one: nothing is wrong with it.
    let first = with(&[], &[0xeb, 0xf6]);
    assert!(plan(&first, &[(16, 8), (24, 2)], 16).is_ok());
}

#[test]
fn a_branch_from_far_away_forbids_the_window() {
    // Such as from a part of the function that is rarely executed. At several places: the search
    // looks at blocks, and at chunks of the file.
    for distance in [40_u32, 255, 256, 257, 300, 0xffe4, 0xffe6, 0xffe7, 0x2_0000] {
        for (opcode, len) in [(&[0xe9][..], 5), (&[0x0f, 0x84], 6)] {
            let mut behind = vec![0x90; distance as usize];
            behind.extend(opcode);
            let covered: u32 = 5 + distance + len;
            behind.extend(covered.wrapping_neg().to_le_bytes());
            let code = with(&[], &behind);
            let functions = [(16, 8), (30, 1), (24 + u64::from(distance), 10)];
            let declined = matches!(plan(&code, &functions, 16), Err(Decline::BranchInto));
            assert!(declined, "{opcode:x?} {distance:#x}");
        }
    }
}
