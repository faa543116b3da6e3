//! Compiles the plans of all calls into the ops that the agent reads. This is done when Shunpike is
//! built, by `build.rs`: a run would spend more time on it than on all else before its guest starts.

use std::fmt::Write as _;

use agent::abi::{CALLS, Call, NETLINK_REGISTER, Op, SHOWN_REGISTER, count, op, trim};
use contract::{Count, Fetch, Number, Plan, Shape, Trim};
use table::arch::x86_64::{self, GETDENTS, GETDENTS64, SCHED_GETAFFINITY};
use table::{DataModel, Id};

use super::net_only::{Condition, FLAGS, LEFT_TO_THE_NET, SOMETIMES_LEFT};

/// Calls whose result counts what is copied whole, with the argument that bounds it.
const BOUNDED_RESULTS: [(Id, u8); 3] = [(SCHED_GETAFFINITY, 1), (GETDENTS, 2), (GETDENTS64, 2)];

/// What has been compiled.
#[derive(Default)]
pub struct Compiled {
    /// The number of each call that the agent makes, and how it records it and how it makes it without a
    /// record. One that cannot be recorded is made in both cases.
    calls: Vec<(u16, Call, Call)>,
    /// First those of the conditions: who records nothing needs no others.
    ops: Vec<Op>,
    /// How many these are.
    conditions: usize,
}

impl Compiled {
    /// All calls.
    pub fn all() -> Compiled {
        let mut compiled = Compiled::default();
        let is_made = |call: &&table::Call| {
            let is_left = LEFT_TO_THE_NET.iter().any(|id| id.number == call.number);
            usize::from(call.number) < CALLS && !is_left
        };
        let calls: Vec<(&table::Call, Call)> =
            x86_64::calls().filter(is_made).map(|call| (call, compiled.passed(call))).collect();
        compiled.conditions = compiled.ops.len();
        for (call, passed) in calls {
            let recorded = compiled.recorded(call, passed).unwrap_or(passed);
            compiled.calls.push((call.number, recorded, passed));
        }
        compiled
    }

    /// As Rust: two statics, `CALLS` and `OPS`, and how many of the ops are conditions' (`CONDITIONS`).
    pub fn source(&self) -> String {
        let mut source = format!("pub const CONDITIONS: usize = {};\n", self.conditions);
        let mut list = |name: &str, of: &str, entries: Vec<String>| {
            let (len, entries) = (entries.len(), entries.join(",\n"));
            writeln!(source, "pub static {name}: [{of}; {len}] = [\n{entries}\n];")
                .expect("a string takes it");
        };
        let calls = self.calls.iter().map(|call| format!("{call:?}"));
        list("CALLS", "(u16, Call, Call)", calls.collect());
        list("OPS", "Op", self.ops.iter().map(|op| format!("{op:?}")).collect());
        source
    }

    /// How to record a call that would be made so without a record; `None` if the agent cannot.
    fn recorded(&mut self, call: &table::Call, passed: Call) -> Option<Call> {
        let plan = Plan::of(call, DataModel::Lp64);
        let bound = BOUNDED_RESULTS.iter().find(|(id, _)| id.number == call.number);
        let bound = bound.map(|(_, register)| *register);
        let before = self.ops.len();
        let (first, count) = (usize::from(passed.entry), usize::from(passed.entry_count));
        let conditions = self.ops[first..first + count].to_vec();
        let halves =
            (self.half(conditions, &plan.entry, bound), self.half(Vec::new(), &plan.exit, bound));
        let (Some((entry, entry_count)), Some((exit, exit_count))) = halves else {
            self.ops.truncate(before);
            return None;
        };
        let derefs = self.ops[before..].iter().any(|op| op.count == count::DEREF);
        let flags = Call::RECORDED | if derefs { Call::DEREFS } else { 0 };
        Some(Call { flags, entry, entry_count, exit, exit_count, ..Call::default() })
    }

    /// How to make a call without a record: of its ops only the conditions count.
    fn passed(&mut self, call: &table::Call) -> Call {
        let conditions = self.conditions(call);
        let (entry, entry_count) = self.append(&conditions);
        Call { flags: Call::PASSED, entry, entry_count, ..Call::default() }
    }

    /// Adds the ops of one half of a call: these, and one for each pointer. See [`Tables::append`].
    fn half(
        &mut self,
        mut ops: Vec<Op>,
        fetches: &[Fetch],
        bound: Option<u8>,
    ) -> Option<(u16, u16)> {
        for fetch in fetches {
            let mut compiler = Compiler { ops: &mut self.ops, register: fetch.register, bound };
            ops.push(compiler.op(&fetch.shape)?);
        }
        Some(self.append(&ops))
    }

    /// Adds ops that a call refers to. The index of the first, and how many there are.
    fn append(&mut self, ops: &[Op]) -> (u16, u16) {
        let first = u16::try_from(self.ops.len()).expect("the plans of all calls are not so many");
        self.ops.extend(ops);
        (first, ops.len() as u16)
    }

    /// The ops that leave a call to the net where its arguments are such.
    fn conditions(&mut self, call: &table::Call) -> Vec<Op> {
        let of_call = SOMETIMES_LEFT.iter().filter(|(id, _)| id.number == call.number);
        of_call.map(|(_, condition)| self.condition(*condition)).collect()
    }

    fn condition(&mut self, condition: Condition) -> Op {
        let left = len(&self.ops);
        let stop = Op { kind: op::LEFT, ..Op::default() };
        self.ops.push(stop);
        match condition {
            Condition::Is(number, values) => self.one_of(number, values, left, Op::default()),
            Condition::IsNot(number, values) => {
                self.ops.push(Op::default());
                self.one_of(number, values, left + 1, stop)
            }
            Condition::IsWith(number, values, with) => {
                let value = u64::MAX;
                let op = Op { kind: op::IF_BITS, number: with, value, next: left, ..Op::default() };
                self.ops.push(op);
                self.one_of(number, values, left + 1, Op::default())
            }
            Condition::Touches(register, number) => touches(register, number, left),
            Condition::MayBeNetlink => if_set(NETLINK_REGISTER, left),
            Condition::IsShown => if_set(SHOWN_REGISTER, left),
            Condition::TouchesIf(flag, register, number) => {
                self.ops.push(touches(register, number, left));
                let next = len(&self.ops) - 1;
                Op { kind: op::IF_BITS, number: FLAGS, value: flag, next, ..Op::default() }
            }
        }
    }

    /// The op that goes on at `next` where an argument, as a number of 32 bits, is one of the values,
    /// and is this other op where it is none.
    fn one_of(&mut self, number: u8, values: &[u64], next: u32, other: Op) -> Op {
        self.ops.push(other);
        let case = |value: &u64| Op { kind: op::CASE, value: *value, next, ..Op::default() };
        let (first, size) = (len(&self.ops), values.len() as u32);
        let mut cases: Vec<Op> = values.iter().map(case).collect();
        cases.sort_by_key(|case| case.value);
        self.ops.extend(cases);
        let value = u32::MAX.into();
        Op { kind: op::SELECT, number, value, next: first, size, ..Op::default() }
    }
}

/// The op that goes on at `next` where a register is not 0.
fn if_set(number: u8, next: u32) -> Op {
    Op { kind: op::IF_BITS, number, value: u64::MAX, next, ..Op::default() }
}

/// The op that goes on at another one where memory touches the agent's.
fn touches(register: u8, number: u8, next: u32) -> Op {
    Op { kind: op::IF_OURS, register, number, next, ..Op::default() }
}

/// Makes ops of the shape behind one register. What an op leads to is added before it.
struct Compiler<'t> {
    ops: &'t mut Vec<Op>,
    register: u8,
    /// The register that bounds the result, where that counts what is copied whole.
    bound: Option<u8>,
}

impl Compiler<'_> {
    /// The op of a shape; `None` if the agent has none for it.
    fn op(&mut self, shape: &Shape) -> Option<Op> {
        let op = Op { register: self.register, ..Op::default() };
        Some(match shape {
            Shape::Nothing => Op { kind: op::NOTHING, ..op },
            Shape::Str(trim) => Op { kind: op::STR, trim: trim_of(*trim), ..op },
            Shape::Block { count, unit, trim, inside } if inside.is_empty() => {
                let op = Op { kind: op::BLOCK, size: *unit, trim: trim_of(*trim), ..op };
                self.counted(op, *count)?
            }
            Shape::Headed { header, count } => {
                let op = Op { kind: op::HEADED, size: *header, trim: trim::DATA, ..op };
                self.counted(op, *count)?
            }
            Shape::Select { on, mask, cases, default } => {
                let op = Op { kind: op::SELECT, number: register(*on)?, value: *mask, ..op };
                let (next, size) = self.cases(cases, default);
                Op { next, size, ..op }
            }
            Shape::IfBits { on, mask, then } => {
                let op = Op { kind: op::IF_BITS, number: register(*on)?, value: *mask, ..op };
                Op { next: self.add(then), ..op }
            }
            Shape::Block { .. } | Shape::Strings | Shape::Environment => return None,
        })
    }

    /// Adds the op of a shape that some arguments lead to; its index. Where the agent has none for
    /// it, these leave the call to the net.
    fn add(&mut self, shape: &Shape) -> u32 {
        let op = self.op(shape).unwrap_or(Op { kind: op::LEFT, ..Op::default() });
        self.ops.push(op);
        len(self.ops) - 1
    }

    /// Adds the cases of a selection, the default right before them. The index of the first, and
    /// how many there are.
    fn cases(&mut self, cases: &[(u64, Shape)], default: &Shape) -> (u32, u32) {
        let case = |(value, shape): &(u64, Shape)| {
            let next = self.add(shape);
            let register = self.register;
            Op { kind: op::CASE, register, value: *value, next, ..Op::default() }
        };
        let cases: Vec<Op> = cases.iter().map(case).collect();
        let first = self.add(default) + 1;
        self.ops.extend(&cases);
        (first, len(&cases))
    }

    /// The op with what it counts by.
    fn counted(&self, op: Op, by: Count) -> Option<Op> {
        Some(match by {
            Count::Const(value) => Op { count: count::CONST, value: value.into(), ..op },
            Count::Of(number) => Op { count: count::REGISTER, number: register(number)?, ..op },
            Count::WithinRet(number) => {
                Op { count: count::WITHIN_RESULT, number: register(number)?, ..op }
            }
            // Where a limit bounds the copy, the agent does not ask for the register.
            Count::Ret if op.trim != trim::WHOLE => Op { count: count::RESULT, ..op },
            Count::Ret => Op { count: count::RESULT, number: self.bound?, ..op },
            Count::Deref(number) => Op { count: count::DEREF, number, ..op },
            Count::WordsOfBits(number) => Op { count: count::WORDS_OF_BITS, number, ..op },
            Count::PagesOfBytes(number) => Op { count: count::PAGES_OF_BYTES, number, ..op },
        })
    }
}

/// The register in which a number is; `None` if it is in memory.
fn register(number: Number) -> Option<u8> {
    match number {
        Number::Register(register) => Some(register),
        Number::Inside { .. } => None,
    }
}

fn trim_of(trim: Trim) -> u8 {
    match trim {
        Trim::Data => trim::DATA,
        Trim::Elements => trim::ELEMENTS,
        Trim::Whole => trim::WHOLE,
    }
}

fn len(ops: &[Op]) -> u32 {
    u32::try_from(ops.len()).expect("no more ops than an index of 16 bits reaches")
}
