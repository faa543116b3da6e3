use std::mem::offset_of;

use agent::abi;
use agent::guest::call::{Course, before};
use agent::guest::capture::{Follower, When};
use agent::guest::testing::{Model, OwnedSlot};

use contract::{Count, Number, Plan, Shape, Trim};
use table::arch::x86_64;
use table::{DataModel, Id};

use super::super::net_only::{ABOUT_SHOWN, LEFT_TO_THE_NET, SOMETIMES_LEFT};
use super::*;

fn all() -> Tables {
    Tables::new(&CallSet::ALL, &CallSet::NONE, Limits::default())
}

fn of(tables: &Tables, name: &str) -> Call {
    tables.calls[usize::from(x86_64::by_name(name).expect("a call").number)]
}

/// Whether an op does what the shape says, and so does everything that they lead to. Written from
/// the words of the ABI, not from the compiler.
fn same(ops: &[Op], op: &Op, shape: &Shape, depth: usize) -> bool {
    let at = |index: u32| &ops[index as usize];
    assert!(depth < 16, "the agent follows no deeper");
    if depth > 0 && (leads_on(shape) || is_unbounded(shape)) {
        return op.kind == op::LEFT;
    }
    match shape {
        Shape::Nothing => op.kind == op::NOTHING,
        Shape::Str(trim) => op.kind == op::STR && op.trim == trim_of(*trim),
        Shape::Block { count, unit, trim, inside } => {
            let fields = (op.kind, op.size, op.trim) == (op::BLOCK, *unit, trim_of(*trim));
            inside.is_empty() && fields && counts(op, *count)
        }
        Shape::Headed { header, count } => {
            (op.kind, op.size) == (op::HEADED, *header) && counts(op, *count)
        }
        Shape::Strings | Shape::Environment => false,
        Shape::Select { on: Number::Register(on), mask, cases, default } => {
            let head = (op.kind, op.number, op.value) == (op::SELECT, *on, *mask);
            let each = cases.iter().enumerate().all(|(index, (value, shape))| {
                let case = at(op.next + index as u32);
                let head = (case.kind, case.value) == (op::CASE, *value);
                head && same(ops, at(case.next), shape, depth + 1)
            });
            let size = op.size as usize == cases.len();
            head && each && size && same(ops, at(op.next - 1), default, depth + 1)
        }
        Shape::IfBits { on: Number::Register(on), mask, then } => {
            let head = (op.kind, op.number, op.value) == (op::IF_BITS, *on, *mask);
            head && same(ops, at(op.next), then, depth + 1)
        }
        Shape::Select { .. } | Shape::IfBits { .. } => false,
    }
}

/// A trim, in the words of the ABI.
fn trim_of(trim: Trim) -> u8 {
    match trim {
        Trim::Data => trim::DATA,
        Trim::Elements => trim::ELEMENTS,
        Trim::Whole => trim::WHOLE,
    }
}

fn counts(op: &Op, count: Count) -> bool {
    let (kind, number) = (op.count, op.number);
    match count {
        Count::Const(value) => (kind, op.value) == (count::CONST, value.into()),
        Count::Of(Number::Register(of)) => (kind, number) == (count::REGISTER, of),
        Count::WithinRet(Number::Register(of)) => (kind, number) == (count::WITHIN_RESULT, of),
        Count::Of(_) | Count::WithinRet(_) => false,
        Count::Ret => kind == count::RESULT,
        Count::Deref(of) => (kind, number) == (count::DEREF, of),
        Count::WordsOfBits(of) => (kind, number) == (count::WORDS_OF_BITS, of),
        Count::PagesOfBytes(of) => (kind, number) == (count::PAGES_OF_BYTES, of),
    }
}

/// Whether the shape leads to more pointers whatever the arguments are, or counts by what lies in
/// memory.
fn leads_on(shape: &Shape) -> bool {
    let in_memory = |number: &Number| matches!(number, Number::Inside { .. });
    match shape {
        Shape::Nothing | Shape::Str(_) => false,
        Shape::Block { inside, count, .. } => {
            !inside.is_empty()
                || matches!(count, Count::Of(number) | Count::WithinRet(number) if in_memory(number))
        }
        Shape::Headed { count, .. } => matches!(count, Count::Of(number) if in_memory(number)),
        Shape::Strings | Shape::Environment => true,
        Shape::Select { on, .. } | Shape::IfBits { on, .. } => in_memory(on),
    }
}

/// Whether only the result says how much is copied: not before the call, when there must be room for it.
/// Of whole calls some have an argument that bounds it.
fn is_unbounded(shape: &Shape) -> bool {
    matches!(shape, Shape::Block { count: Count::Ret, trim: Trim::Whole, .. })
}

#[test]
fn every_call_is_left_to_the_net_or_captured_by_its_plan() {
    let tables = all();
    let mut recorded = 0;
    for call in x86_64::calls() {
        let plan = Plan::of(call, DataModel::Lp64);
        let Call { flags, entry, entry_count, exit, exit_count, .. } =
            tables.calls[usize::from(call.number)];
        let halves = [(&plan.entry, entry, entry_count), (&plan.exit, exit, exit_count)];
        let simple = halves.iter().all(|(plan, ..)| plan.iter().all(|at| !leads_on(&at.shape)));
        let listed = LEFT_TO_THE_NET.iter().any(|id| id.name == call.name);
        let wanted = simple && !listed;
        assert_eq!(flags & !Call::DEREFS, if wanted { Call::RECORDED } else { 0 }, "{}", call.name);
        recorded += u32::from(wanted);
        let conditions = SOMETIMES_LEFT.iter().filter(|(id, _)| id.name == call.name).count();
        let before = [conditions, 0];
        for ((plan, first, count), before) in halves.into_iter().zip(before).filter(|_| wanted) {
            assert_eq!(usize::from(count), before + plan.len(), "{}", call.name);
            let ops = &tables.ops[usize::from(first) + before..][..plan.len()];
            for (op, fetch) in ops.iter().zip(plan) {
                assert_eq!(op.register, fetch.register, "{}", call.name);
                assert!(same(tables.ops, op, &fetch.shape, 0), "{}: {op:?}", call.name);
            }
        }
    }
    assert!(recorded > 250, "{recorded} calls");
    for hot in ["read", "write", "openat", "newfstatat", "getdents64", "mmap", "futex", "poll"] {
        assert_eq!(of(&tables, hot).flags, Call::RECORDED, "{hot}");
    }
    for complex in ["execve", "readv", "sendmsg", "pselect6", "clone", "rt_sigreturn"] {
        assert_eq!(of(&tables, complex), Call::default(), "{complex}");
    }
}

#[test]
fn what_is_copied_whole_by_the_result_is_bounded_by_an_argument() {
    let tables = all();
    for (name, register) in [("getdents64", 2), ("sched_getaffinity", 1)] {
        let op = tables.ops[usize::from(of(&tables, name).exit)];
        let bound = (op.kind, op.count, op.number, op.trim);
        assert_eq!(bound, (op::BLOCK, count::RESULT, register, trim::WHOLE), "{name}");
    }
}

#[test]
fn other_calls_pass_unless_the_net_has_to_see_them() {
    let mut set = CallSet::NONE;
    set.insert(x86_64::READ.number.into());
    let tables = Tables::new(&set, &CallSet::NONE, Limits::default());
    assert_eq!(of(&tables, "read").flags, Call::RECORDED);
    let Call { flags, entry_count, exit_count, .. } = of(&tables, "lseek");
    assert_eq!((flags, entry_count, exit_count), (Call::PASSED, 0, 0));
    assert_eq!(of(&tables, "readv").flags, Call::PASSED);
    assert_eq!(of(&tables, "clone").flags, 0);
    // A number that this build knows no call of.
    assert_eq!(tables.calls[CALLS - 1], Call::default());
}

/// The tables' head, as the agent finds it.
fn head(tables: &Tables) -> Box<abi::Tables> {
    Box::new(abi::Tables {
        string_limit: tables.limits.string as u32,
        element_limit: tables.limits.elements as u32,
        op_count: tables.followed().len() as u32,
        ring_len: abi::RING_LEN as u32,
        paths: abi::PathRules::default(),
        calls: *tables.calls,
    })
}

#[test]
fn no_arguments_copy_more_than_the_tables_say() {
    let mut tables = all();
    ABOUT_SHOWN.iter().for_each(|id| tables.drop_first_condition(id.number.into()));
    let head = head(&tables);
    let read = agent::guest::tables::Tables { head: &head, ops: tables.ops };
    let mut owned = OwnedSlot::new();
    let mut noise = 1u64;
    let mut register = || {
        noise = noise.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        // Small numbers and flags as well as anything.
        noise >> 33 >> (noise >> 58) & 0xff_ffff
    };
    let mut bounded = 0;
    for (number, call) in (0..).zip(tables.calls.iter()) {
        let halves = [
            (read.entry(call), call.entry_most, When::Before),
            (read.exit(call), call.exit_most, When::Ahead),
            (read.exit(call), call.exit_most, When::After(1 << 20)),
        ];
        for (ops, most, when) in halves.into_iter().filter(|half| half.1 != Call::UNBOUNDED) {
            bounded += 1;
            for _ in 0..200 {
                let slot = owned.calling(number, std::array::from_fn(|_| register()));
                (0..7).for_each(|index| slot.set_pointed_to(index, register()));
                let needed = Follower::new(slot, &read, when).most(ops);
                assert!(needed.is_some_and(|needed| needed <= most.into()), "{number}: {needed:?}");
            }
        }
    }
    assert!(bounded > 500, "{bounded}");
    for (name, entry, exit) in
        [("read", 0, 16 + 32), ("write", 16 + 32, 0), ("openat", 16 + 4096, 0)]
    {
        let call = of(&tables, name);
        assert_eq!((call.entry_most, call.exit_most), (entry, exit), "{name}");
    }
    // What is left to the net by its arguments must be looked at.
    assert_eq!(of(&tables, "munmap").entry_most, Call::UNBOUNDED);
    assert_ne!(of(&tables, "accept").flags & Call::DEREFS, 0);
}

/// Whether the agent makes this call itself.
fn made(tables: &Tables, id: Id, args: [u64; 4]) -> bool {
    made_beside(tables, id, args, 0)
}

/// The same where these descriptors lead to where calls are shown.
fn made_beside(tables: &Tables, id: Id, args: [u64; 4], shown: u64) -> bool {
    let head = head(tables);
    let mut owned = OwnedSlot::new();
    let [a, b, c, d] = args;
    let slot = owned.calling(id.number.into(), [a, b, c, d, 0, 0, 0]);
    slot.set_word(abi::slot::SHOWN, shown);
    let ops = tables.followed();
    let tables = agent::guest::tables::Tables { head: &head, ops };
    before(&Model::default(), slot, &tables, || unreachable!("no call has paths")) == Course::Made
}

#[test]
fn some_calls_are_left_to_the_net_by_their_arguments() {
    const SEGV: u64 = 11;
    const SYS: u64 = 31;
    const SET_GS: u64 = 0x1001;
    const SET_FS: u64 = 0x1002;
    const GET_GS: u64 = 0x1004;
    const PAGES: u64 = 0x2000;
    const BEFORE: u64 = abi::IMAGE - PAGES;
    let passed = Tables::new(&CallSet::NONE, &CallSet::NONE, Limits::default());
    for tables in [all(), passed] {
        let sigaction = |signal, new| made(&tables, x86_64::RT_SIGACTION, [signal, new, 0, 8]);
        assert!(sigaction(SEGV - 1, 1) && sigaction(0, 1) && sigaction(u64::MAX, 1));
        // The kernel looks at the lower half.
        assert!(!sigaction(SEGV, 1) && !sigaction(1 << 32 | SEGV, 1));
        // What only asks changes nothing. But under dispatch the action of `SIGSYS` is ours.
        assert!(sigaction(SEGV, 0) && !sigaction(SYS, 0));
        let mut without_dispatch = tables.clone();
        without_dispatch.drop_first_condition(x86_64::RT_SIGACTION.number.into());
        let sigaction =
            |signal, new| made(&without_dispatch, x86_64::RT_SIGACTION, [signal, new, 0, 8]);
        assert!(sigaction(SYS, 1) && sigaction(SYS, 0) && !sigaction(SEGV, 1));
        let left_of = |shown: u64| {
            let write = |fd| made_beside(&tables, x86_64::WRITE, [fd, 0x1000, 8, 0], shown);
            [0, 1, 2, 1 << 32 | 2, 3].map(|fd| !write(fd))
        };
        assert_eq!(left_of(0), [false; 5]);
        assert_eq!(left_of(1 << 2), [false, false, true, true, false]);
        assert_eq!(left_of(1 << 1 | 1 << 2), [false, true, true, true, false]);
        let arch_prctl = |option| made(&tables, x86_64::ARCH_PRCTL, [option, 0x1000, 0, 0]);
        assert!(arch_prctl(SET_FS) && !arch_prctl(SET_GS) && !arch_prctl(GET_GS));
        let munmap = |start, len| made(&tables, x86_64::MUNMAP, [start, len, 0, 0]);
        assert!(munmap(BEFORE, PAGES) && munmap(abi::TABLES_END, PAGES));
        assert!(!munmap(BEFORE, PAGES + 1) && !munmap(abi::TABLES_END - 1, 1));
        assert!(!munmap(0, u64::MAX) && !munmap(abi::ARENA_END - 1, u64::MAX));
        assert!(munmap(abi::ARENA_END, u64::MAX));
        let mmap = |flags| made(&tables, x86_64::MMAP, [abi::ARENA, PAGES, 0, flags]);
        assert!(mmap(libc::MAP_PRIVATE as u64) && !mmap(libc::MAP_FIXED as u64));
    }
}

#[test]
fn who_records_nothing_has_no_ops_but_those_of_conditions() {
    let passed = Tables::new(&CallSet::NONE, &CallSet::NONE, Limits::default());
    assert!(!passed.record() && passed.followed().len() * 10 < all().followed().len());
    for call in passed.calls.iter() {
        assert!(usize::from(call.entry + call.entry_count) <= passed.followed().len());
    }
    assert_eq!(
        passed.bytes(0x8000).len(),
        passed.head_len() - size_of_val(passed.ops) + size_of_val(passed.followed())
    );
}

#[test]
fn the_bytes_are_laid_out_as_the_agent_reads_them() {
    let limits = Limits { string: 7, elements: usize::MAX, environment: false };
    let tables = Tables::new(&CallSet::ALL, &CallSet::NONE, limits);
    let bytes = tables.bytes(0x8000);
    let u16_at = |at: usize| u16::from_le_bytes(bytes[at..][..2].try_into().unwrap());
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..][..4].try_into().unwrap());
    let u64_at = |at: usize| u64::from_le_bytes(bytes[at..][..8].try_into().unwrap());
    let head = size_of::<abi::Tables>();
    assert_eq!(head % align_of::<Op>(), 0);
    assert_eq!(bytes.len(), head + size_of_val(tables.ops));
    assert!(bytes.len() as u64 <= abi::TABLES_END - abi::TABLES);
    assert_eq!(u32_at(offset_of!(abi::Tables, string_limit)), 7);
    assert_eq!(u32_at(offset_of!(abi::Tables, element_limit)), u32::MAX);
    assert_eq!(u32_at(offset_of!(abi::Tables, op_count)) as usize, tables.ops.len());
    assert_eq!(u32_at(offset_of!(abi::Tables, ring_len)), 0x8000);
    for (number, call) in tables.calls.iter().enumerate() {
        let at = offset_of!(abi::Tables, calls) + number * size_of::<Call>();
        let read = Call {
            flags: u16_at(at + offset_of!(Call, flags)),
            entry: u16_at(at + offset_of!(Call, entry)),
            entry_count: u16_at(at + offset_of!(Call, entry_count)),
            exit: u16_at(at + offset_of!(Call, exit)),
            exit_count: u16_at(at + offset_of!(Call, exit_count)),
            paths: u16_at(at + offset_of!(Call, paths)),
            names: u16_at(at + offset_of!(Call, names)),
            reserved: 0,
            entry_most: u32_at(at + offset_of!(Call, entry_most)),
            exit_most: u32_at(at + offset_of!(Call, exit_most)),
        };
        assert_eq!(read, *call);
    }
    for (index, op) in tables.ops.iter().enumerate() {
        let at = head + index * size_of::<Op>();
        let read = Op {
            kind: bytes[at + offset_of!(Op, kind)],
            register: bytes[at + offset_of!(Op, register)],
            number: bytes[at + offset_of!(Op, number)],
            count: bytes[at + offset_of!(Op, count)],
            trim: bytes[at + offset_of!(Op, trim)],
            reserved: [0; 3],
            size: u32_at(at + offset_of!(Op, size)),
            next: u32_at(at + offset_of!(Op, next)),
            value: u64_at(at + offset_of!(Op, value)),
        };
        assert_eq!(read, *op);
    }
}
