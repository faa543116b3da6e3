//! A program that decides by architecture, instruction pointer and call number.

use std::ops::Range;

use super::{Action, Assembler, Field, Label, Program, Test, TooLong};

/// `AUDIT_ARCH_X86_64`: the machine's ELF number, marked as 64 bit and little endian.
const ARCH_X86_64: u32 = libc::EM_X86_64 as u32 | 0x8000_0000 | 0x4000_0000;

/// The numbers of the x32 calls: those of `AUDIT_ARCH_X86_64` with `__X32_SYSCALL_BIT`. Beyond
/// them lie the negative numbers, which no ABI uses.
const X32_NUMBERS: Range<u32> = 0x4000_0000..0x8000_0000;

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
    /// Calls that fail with an errno, whatever was said of them above. One of 0 is no failure: the
    /// call returns 0.
    pub answered: &'a [(u32, u16)],
    /// Calls that the fields above do not count for.
    pub by_argument: &'a [ByArgument<'a>],
    /// The same.
    pub unless_null: &'a [UnlessNull],
    /// For x32 calls (bit 30 of the number is set).
    pub x32: Action,
    /// For the calls of other architectures: i386's, by `int 0x80` or from 32-bit code.
    pub foreign: Action,
    /// x86-64 and x32 calls are let pass if the instruction pointer lies in here. It is the address
    /// behind the instruction of the call.
    pub trusted: Option<Range<u64>>,
}

/// A call that is decided upon by one of its arguments.
#[derive(Clone, Copy, Debug)]
pub struct ByArgument<'a> {
    /// Its number.
    pub call: u32,
    /// The index of the argument, 0 to 5.
    pub argument: u8,
    /// What that can be, as numbers of 32 bits.
    pub values: &'a [u32],
    /// For calls with one of these. All others are allowed.
    pub action: Action,
}

/// A call that is decided upon by whether one of its arguments is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnlessNull {
    /// Its number.
    pub call: u32,
    /// The index of the argument, 0 to 5.
    pub argument: u8,
    /// Unless that is 0; then it is allowed.
    pub action: Action,
}

/// Neighbouring call numbers with the same action, up to where the next range begins.
#[derive(Clone, Copy)]
struct Numbers {
    first: u32,
    action: Action,
}

#[cfg(test)]
impl CallPolicy<'_> {
    /// The program by which these calls fail with this error, for tests of what is done without them.
    pub(crate) fn failing(calls: &[libc::c_long], errno: i32) -> Program {
        let calls: Vec<u32> = calls.iter().map(|&call| call as u32).collect();
        let policy = CallPolicy {
            trusted: None,
            answered: &[],
            by_argument: &[],
            unless_null: &[],
            calls: &calls,
            listed: Action::Errno(errno as u16),
            others: Action::Allow,
            x32: Action::Allow,
            foreign: Action::Allow,
        };
        policy.program().expect("it is short")
    }
}

impl CallPolicy<'_> {
    /// The program of this policy.
    ///
    /// It compares the architecture first. Then it searches the ranges of neighbouring numbers
    /// with the same action, halving them with each comparison. Each action stands once, behind all
    /// of that: what the kernel takes to check and to translate a program goes by its length. The
    /// instruction pointer is looked at only for calls that are not allowed anyway, so that the
    /// kernel need not run the program for those.
    ///
    /// # Panics
    /// When what is trusted is empty, or crosses a multiple of 4 GiB.
    pub fn program(&self) -> Result<Program, TooLong> {
        let mut code = Assembler::new();
        let (native, foreign) = (code.label(), code.label());
        code.load(Field::Arch);
        code.jump(Test::Equal(ARCH_X86_64), native, foreign);
        code.bind(foreign);
        code.ret(self.foreign);
        code.bind(native);
        code.load(Field::Number);
        let mut ends = Ends::default();
        for call in self.by_argument {
            call.decide(&mut code, &mut ends);
        }
        for call in self.unless_null {
            call.decide(&mut code, &mut ends);
        }
        search(&mut code, &self.ranges(), &mut ends);
        ends.bind(&mut code, self.trusted.as_ref());
        code.assemble()
    }

    /// The ranges, in order; the first begins at 0 and the last reaches to the end.
    fn ranges(&self) -> Vec<Numbers> {
        let mut calls = self.calls.to_vec();
        calls.retain(|&number| number < X32_NUMBERS.start);
        let mut ranges = vec![Numbers { first: 0, action: self.others }];
        let answered = self.answered.iter().map(|(number, _)| *number);
        let mut numbers: Vec<u32> = calls.iter().copied().chain(answered).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            let answer = self.answered.iter().find(|(answered, _)| *answered == number);
            let action = match answer {
                Some((_, errno)) => Action::Errno(*errno),
                None => self.listed,
            };
            push(&mut ranges, Numbers { first: number, action });
            push(&mut ranges, Numbers { first: number + 1, action: self.others });
        }
        push(&mut ranges, Numbers { first: X32_NUMBERS.start, action: self.x32 });
        push(&mut ranges, Numbers { first: X32_NUMBERS.end, action: self.others });
        ranges
    }
}

impl ByArgument<'_> {
    /// Code that decides upon this call, and goes on for all others. The number is loaded.
    fn decide(&self, code: &mut Assembler, ends: &mut Ends) {
        let (this, others) = (code.label(), code.label());
        let picked = ends.label(code, self.action);
        code.jump(Test::Equal(self.call), this, others);
        code.bind(this);
        code.load(Field::Low(self.argument));
        for value in self.values {
            let next = code.label();
            code.jump(Test::Equal(*value), picked, next);
            code.bind(next);
        }
        code.ret(Action::Allow);
        code.bind(others);
    }
}

impl UnlessNull {
    /// Code that decides upon this call, and goes on for all others. The number is loaded.
    fn decide(&self, code: &mut Assembler, ends: &mut Ends) {
        let (this, low_null, others) = (code.label(), code.label(), code.label());
        let (null, picked) = (ends.label(code, Action::Allow), ends.label(code, self.action));
        code.jump(Test::Equal(self.call), this, others);
        code.bind(this);
        code.load(Field::Low(self.argument));
        code.jump(Test::Equal(0), low_null, picked);
        code.bind(low_null);
        code.load(Field::High(self.argument));
        code.jump(Test::Equal(0), null, picked);
        code.bind(others);
    }
}

/// Code that lets a call pass if the instruction pointer lies in the range.
fn allow_from(code: &mut Assembler, trusted: &Range<u64>) {
    let halves = |address: u64| ((address >> 32) as u32, address as u32);
    assert!(!trusted.is_empty(), "an empty range of instruction pointers");
    let ((high, first), (last_high, last)) = (halves(trusted.start), halves(trusted.end - 1));
    assert!(high == last_high, "a range of instruction pointers crosses a multiple of 4 GiB");
    let (same_high, above, inside, outside) =
        (code.label(), code.label(), code.label(), code.label());
    code.load(Field::IpHigh);
    code.jump(Test::Equal(high), same_high, outside);
    code.bind(same_high);
    code.load(Field::IpLow);
    code.jump(Test::AtLeast(first), above, outside);
    code.bind(above);
    match last.checked_add(1) {
        Some(end) => code.jump(Test::AtLeast(end), outside, inside),
        None => code.jump(Test::AtLeast(last), inside, inside),
    }
    code.bind(inside);
    code.ret(Action::Allow);
    code.bind(outside);
}

/// Adds a range behind the others, and merges it with what it continues.
fn push(ranges: &mut Vec<Numbers>, range: Numbers) {
    // It begins where the last one does, which therefore is empty.
    ranges.pop_if(|last| last.first == range.first);
    if ranges.last().is_none_or(|last| last.action != range.action) {
        ranges.push(range);
    }
}

/// Code that goes to the end of the action of the range in which the loaded number lies.
fn search(code: &mut Assembler, ranges: &[Numbers], ends: &mut Ends) {
    let (below, above) = ranges.split_at(ranges.len() / 2);
    if below.is_empty() {
        let end = ends.label(code, above[0].action);
        code.goto(end);
        return;
    }
    // One range is decided by the jump itself.
    let mut half = |ranges: &[Numbers]| match ranges {
        [range] => (ends.label(code, range.action), false),
        _ => (code.label(), true),
    };
    let ((before, searches_below), (from_middle, searches_above)) = (half(below), half(above));
    code.jump(Test::AtLeast(above[0].first), from_middle, before);
    if searches_below {
        code.bind(before);
        search(code, below, ends);
    }
    if searches_above {
        code.bind(from_middle);
        search(code, above, ends);
    }
}

/// The ends of a program, one for each action that it has.
#[derive(Default)]
struct Ends(Vec<(Action, Label)>);

impl Ends {
    /// The label of this action's end, a new one if it has none.
    fn label(&mut self, code: &mut Assembler, action: Action) -> Label {
        if let Some((_, label)) = self.0.iter().find(|(of, _)| *of == action) {
            return *label;
        }
        let label = code.label();
        self.0.push((action, label));
        label
    }

    /// Code that returns each action, at its label. What is not allowed anyway is allowed from the
    /// trusted addresses.
    fn bind(self, code: &mut Assembler, trusted: Option<&Range<u64>>) {
        for (action, label) in self.0 {
            code.bind(label);
            if let Some(trusted) = trusted.filter(|_| action != Action::Allow) {
                allow_from(code, trusted);
            }
            code.ret(action);
        }
    }
}
