//! A program that decides by architecture and call number.

use super::{Action, Assembler, Field, Program, Test, TooLong};

/// `AUDIT_ARCH_X86_64`: the machine's ELF number, marked as 64 bit and little endian.
const ARCH_X86_64: u32 = libc::EM_X86_64 as u32 | 0x8000_0000 | 0x4000_0000;

/// The numbers of the x32 calls: those of `AUDIT_ARCH_X86_64` with `__X32_SYSCALL_BIT`. Beyond
/// them lie the negative numbers, which no ABI uses.
const X32_NUMBERS: std::ops::Range<u32> = 0x4000_0000..0x8000_0000;

/// What becomes of which call, on x86-64.
#[derive(Clone, Debug)]
pub struct CallPolicy<'a> {
    /// Call numbers, in any order. Numbers from 0x40000000 on, which are no x86-64 calls, are
    /// ignored.
    pub calls: &'a [u32],
    /// For the calls listed.
    pub listed: Action,
    /// For all other x86-64 calls.
    pub others: Action,
    /// For x32 calls (bit 30 of the number is set).
    pub x32: Action,
    /// For the calls of other architectures: i386's, by `int 0x80` or from 32-bit code.
    pub foreign: Action,
}

/// Neighbouring call numbers with the same action, up to where the next range begins.
#[derive(Clone, Copy)]
struct Range {
    first: u32,
    action: Action,
}

impl CallPolicy<'_> {
    /// The program of this policy.
    ///
    /// It compares the architecture first. Then it searches the ranges of neighbouring numbers
    /// with the same action, halving them with each comparison.
    pub fn program(&self) -> Result<Program, TooLong> {
        let mut code = Assembler::new();
        let (native, foreign) = (code.label(), code.label());
        code.load(Field::Arch);
        code.jump(Test::Equal(ARCH_X86_64), native, foreign);
        code.bind(foreign);
        code.ret(self.foreign);
        code.bind(native);
        code.load(Field::Number);
        search(&mut code, &self.ranges());
        code.assemble()
    }

    /// The ranges, in order; the first begins at 0 and the last reaches to the end.
    fn ranges(&self) -> Vec<Range> {
        let mut calls = self.calls.to_vec();
        calls.retain(|&number| number < X32_NUMBERS.start);
        calls.sort_unstable();
        calls.dedup();
        let mut ranges = vec![Range { first: 0, action: self.others }];
        for number in calls {
            push(&mut ranges, Range { first: number, action: self.listed });
            push(&mut ranges, Range { first: number + 1, action: self.others });
        }
        push(&mut ranges, Range { first: X32_NUMBERS.start, action: self.x32 });
        push(&mut ranges, Range { first: X32_NUMBERS.end, action: self.others });
        ranges
    }
}

/// Adds a range behind the others, and merges it with what it continues.
fn push(ranges: &mut Vec<Range>, range: Range) {
    // It begins where the last one does, which therefore is empty.
    ranges.pop_if(|last| last.first == range.first);
    if ranges.last().is_none_or(|last| last.action != range.action) {
        ranges.push(range);
    }
}

/// Code that returns the action of the range in which the loaded number lies.
fn search(code: &mut Assembler, ranges: &[Range]) {
    if let [range] = ranges {
        code.ret(range.action);
        return;
    }
    let (below, above) = ranges.split_at(ranges.len() / 2);
    let (from_middle, before) = (code.label(), code.label());
    code.jump(Test::AtLeast(above[0].first), from_middle, before);
    code.bind(before);
    search(code, below);
    code.bind(from_middle);
    search(code, above);
}
