//! An assembler for classic BPF, with labels.
//!
//! A conditional jump of classic BPF reaches 255 instructions only. Where a label lies farther
//! away, the assembler has the jump land on an unconditional one (which reaches everywhere) right
//! behind it.

use std::mem::offset_of;

use libc::{
    BPF_ABS, BPF_JA, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W,
    sock_filter,
};

use super::{Action, MAX_INSTRUCTIONS, Program, TooLong};

/// A field of `struct seccomp_data`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// The number of the call.
    Number,
    /// The architecture whose number it is: an `AUDIT_ARCH_` constant.
    Arch,
    /// The lower half of the instruction pointer, which is behind the instruction of the call.
    IpLow,
    /// Its upper half.
    IpHigh,
    /// The lower half of the call's argument of this index, 0 to 5.
    Low(u8),
    /// The upper half of it.
    High(u8),
}

impl Field {
    fn offset(self) -> usize {
        match self {
            Field::Number => offset_of!(libc::seccomp_data, nr),
            Field::Arch => offset_of!(libc::seccomp_data, arch),
            Field::IpLow => offset_of!(libc::seccomp_data, instruction_pointer),
            Field::IpHigh => offset_of!(libc::seccomp_data, instruction_pointer) + 4,
            Field::Low(index) => offset_of!(libc::seccomp_data, args) + 8 * usize::from(index),
            Field::High(index) => Field::Low(index).offset() + 4,
        }
    }
}

/// A comparison of the loaded field with a constant; both are unsigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// The field equals the constant.
    Equal(u32),
    /// The field is at least the constant.
    AtLeast(u32),
    /// The field and the constant have a bit in common.
    Bits(u32),
}

/// A place in the program that can be jumped to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(usize);

#[derive(Clone, Copy, Debug)]
enum Item {
    Load(Field),
    Jump { test: Test, yes: Label, no: Label },
    Goto(Label),
    Return(Action),
}

/// A program in the making. Instructions are added in order; jumps lead forward only.
#[derive(Debug, Default)]
pub struct Assembler {
    items: Vec<Item>,
    /// Where each label is bound: the index of the item that follows.
    labels: Vec<Option<usize>>,
}

impl Assembler {
    /// An empty program.
    pub fn new() -> Assembler {
        Assembler::default()
    }

    /// A new label, not bound yet.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Binds `label` to the next instruction.
    ///
    /// # Panics
    /// When it is bound already.
    pub fn bind(&mut self, label: Label) {
        let place = &mut self.labels[label.0];
        assert!(place.is_none(), "a label is bound twice");
        *place = Some(self.items.len());
    }

    /// Loads a field, which the jumps that follow test.
    pub fn load(&mut self, field: Field) {
        self.items.push(Item::Load(field));
    }

    /// Jumps to `yes` when the test holds, to `no` when it does not.
    pub fn jump(&mut self, test: Test, yes: Label, no: Label) {
        self.items.push(Item::Jump { test, yes, no });
    }

    /// Goes on at `label`.
    pub fn goto(&mut self, label: Label) {
        self.items.push(Item::Goto(label));
    }

    /// Ends the program with an action.
    pub fn ret(&mut self, action: Action) {
        self.items.push(Item::Return(action));
    }

    /// The finished program.
    ///
    /// # Panics
    /// When a jump leads backward, to a label that is not bound, or behind the program's end, or
    /// when the last instruction is no return.
    pub fn assemble(self) -> Result<Program, TooLong> {
        assert!(matches!(self.items.last(), Some(Item::Return(_))), "a program ends with a return");
        let layout = Layout::of(&self);
        let length = layout.starts[self.items.len()];
        if length > MAX_INSTRUCTIONS {
            return Err(TooLong { length });
        }
        let mut code = Vec::with_capacity(length);
        for (index, item) in self.items.iter().enumerate() {
            match *item {
                Item::Load(field) => {
                    code.push(plain(BPF_LD | BPF_W | BPF_ABS, field.offset() as u32));
                }
                Item::Return(action) => code.push(plain(BPF_RET | BPF_K, action.value())),
                Item::Goto(label) => {
                    let skipped =
                        layout.starts[self.target(label, index)] - layout.starts[index] - 1;
                    code.push(plain(BPF_JMP | BPF_JA, skipped as u32));
                }
                Item::Jump { test, .. } => emit_jump(&mut code, test, &layout.reach(index)),
            }
        }
        Ok(Program(code))
    }

    /// The index of the item that `label` is bound to, as the target of a jump at `from`.
    fn target(&self, label: Label, from: usize) -> usize {
        let target = self.labels[label.0].expect("every label that is jumped to is bound");
        assert!(target > from, "a jump leads backward");
        assert!(target < self.items.len(), "a jump leads behind the end");
        target
    }
}

/// Where each item begins, and how the jumps reach their targets.
struct Layout {
    /// The first instruction of each item, and the program's length.
    starts: Vec<usize>,
    jumps: Vec<Option<Branches>>,
}

/// The two branches of the jump at one item.
#[derive(Clone, Copy)]
struct Branches {
    yes: Branch,
    no: Branch,
}

#[derive(Clone, Copy)]
struct Branch {
    /// The index of the item that it leads to.
    target: usize,
    /// It needs an unconditional jump of its own.
    far: bool,
}

/// How many instructions each branch skips, counted from the one after the conditional jump.
struct Reach {
    yes: (usize, bool),
    no: (usize, bool),
}

impl Layout {
    /// Starts with near branches only and makes those far that do not reach, until all do. A
    /// branch never becomes near again, so this ends.
    fn of(program: &Assembler) -> Layout {
        let near = |label, from| Branch { target: program.target(label, from), far: false };
        let branches = |(index, item): (usize, &Item)| match *item {
            Item::Jump { yes, no, .. } => {
                Some(Branches { yes: near(yes, index), no: near(no, index) })
            }
            _ => None,
        };
        let jumps = program.items.iter().enumerate().map(branches).collect();
        let mut layout = Layout { starts: Vec::new(), jumps };
        loop {
            layout.place();
            if !layout.lengthen() {
                return layout;
            }
        }
    }

    /// Computes where each item begins.
    fn place(&mut self) {
        let mut next = 0;
        self.starts.clear();
        self.starts.push(next);
        for jump in &self.jumps {
            next += 1 + jump.map_or(0, |jump| usize::from(jump.yes.far) + usize::from(jump.no.far));
            self.starts.push(next);
        }
    }

    /// Makes the branches far that do not reach; whether there were any.
    fn lengthen(&mut self) -> bool {
        let mut changed = false;
        for (index, jump) in self.jumps.iter_mut().enumerate() {
            let Some(jump) = jump else { continue };
            for branch in [&mut jump.yes, &mut jump.no] {
                let skipped = self.starts[branch.target] - self.starts[index] - 1;
                if !branch.far && skipped > u8::MAX.into() {
                    branch.far = true;
                    changed = true;
                }
            }
        }
        changed
    }

    fn reach(&self, index: usize) -> Reach {
        let Branches { yes, no } = self.jumps[index].expect("the item is a jump");
        let skipped = |branch: Branch| self.starts[branch.target] - self.starts[index] - 1;
        Reach { yes: (skipped(yes), yes.far), no: (skipped(no), no.far) }
    }
}

/// A conditional jump, followed by an unconditional one for each branch that is far.
fn emit_jump(code: &mut Vec<sock_filter>, test: Test, reach: &Reach) {
    let (yes, yes_far) = reach.yes;
    let (no, no_far) = reach.no;
    let (code_of_test, constant) = match test {
        Test::Equal(constant) => (BPF_JEQ, constant),
        Test::AtLeast(constant) => (BPF_JGE, constant),
        Test::Bits(constant) => (BPF_JSET, constant),
    };
    let no_place = usize::from(yes_far);
    code.push(sock_filter {
        code: (BPF_JMP | code_of_test | BPF_K) as u16,
        jt: if yes_far { 0 } else { yes as u8 },
        jf: if no_far { no_place as u8 } else { no as u8 },
        k: constant,
    });
    // Each of these stands further behind, and skips so much less.
    if yes_far {
        code.push(plain(BPF_JMP | BPF_JA, (yes - 1) as u32));
    }
    if no_far {
        code.push(plain(BPF_JMP | BPF_JA, (no - no_place - 1) as u32));
    }
}

fn plain(code: u32, constant: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: 0, jf: 0, k: constant }
}
