//! An interpreter of classic BPF, as strict as the kernel's check of seccomp programs.

use libc::{BPF_ABS, BPF_JA, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W};

use super::Program;

/// What a program answered, and how many instructions that took.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub value: u32,
    pub steps: usize,
}

/// Runs `program` on a call. Panics where the program is malformed, or asks from where the call is
/// made or for its arguments.
pub fn run(program: &Program, arch: u32, number: u32) -> Answer {
    interpret(program, arch, number, None, None)
}

/// Runs `program` on a call at this instruction pointer. Panics where the program is malformed, or
/// asks for the call's arguments.
pub fn run_at(program: &Program, arch: u32, number: u32, ip: u64) -> Answer {
    interpret(program, arch, number, Some(ip), None)
}

/// Runs `program` on a call with this first argument. Panics where the program is malformed, or asks
/// from where the call is made.
pub fn run_with(program: &Program, arch: u32, number: u32, first: u64) -> Answer {
    interpret(program, arch, number, None, Some(first))
}

fn interpret(
    program: &Program,
    arch: u32,
    number: u32,
    ip: Option<u64>,
    first: Option<u64>,
) -> Answer {
    const LOAD: u32 = BPF_LD | BPF_W | BPF_ABS;
    const ALWAYS: u32 = BPF_JMP | BPF_JA;
    const EQUAL: u32 = BPF_JMP | BPF_JEQ | BPF_K;
    const AT_LEAST: u32 = BPF_JMP | BPF_JGE | BPF_K;
    const RETURN: u32 = BPF_RET | BPF_K;

    let code = program.instructions();
    let (mut at, mut steps, mut loaded) = (0, 0, None);
    loop {
        let instruction = code[at];
        at += 1;
        steps += 1;
        let mut branch =
            |holds| at += usize::from(if holds { instruction.jt } else { instruction.jf });
        match u32::from(instruction.code) {
            LOAD => {
                loaded = Some(match instruction.k {
                    0 => number,
                    4 => arch,
                    8 => ip.expect("an instruction pointer") as u32,
                    12 => (ip.expect("an instruction pointer") >> 32) as u32,
                    16 => first.expect("an argument") as u32,
                    20 => (first.expect("an argument") >> 32) as u32,
                    offset => panic!("load at offset {offset}"),
                });
            }
            ALWAYS => at += instruction.k as usize,
            EQUAL => branch(loaded.expect("a field is loaded") == instruction.k),
            AT_LEAST => branch(loaded.expect("a field is loaded") >= instruction.k),
            RETURN => return Answer { value: instruction.k, steps },
            other => panic!("instruction {other:#x}"),
        }
    }
}
