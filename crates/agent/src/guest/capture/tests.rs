use std::boxed::Box;
use std::vec;
use std::vec::Vec;

use super::*;
use crate::abi::{self, CALLS, Call, Entry, Exit, RING_LEN, entry};
use crate::entries::Entries;
use crate::guest::ring::Ring;
use crate::guest::testing::{Model, OwnedSlot, PAGE, drain};
use proptest::prelude::*;

/// What an argument leads to.
#[derive(Clone, Debug)]
enum Shape {
    Leaf(Op),
    Select { on: u8, mask: u64, cases: Vec<(u64, Op)>, default: Op },
    IfBits { on: u8, mask: u64, then: Op },
}

/// Size of an exit half without copies, in bytes.
const BARE: u64 = (size_of::<Entry>() + size_of::<Exit>()) as u64;

const NOTHING: Op = Op {
    kind: op::NOTHING,
    register: 0,
    number: 0,
    count: 0,
    trim: 0,
    reserved: [0; 3],
    size: 0,
    next: 0,
    value: 0,
};

fn leaf() -> impl Strategy<Value = Op> {
    let kind = prop_oneof![Just(op::NOTHING), Just(op::STR), Just(op::BLOCK), Just(op::HEADED)];
    let all = (kind, 0..7u8, 0..7u8, 0..7u8, 0..3u8, 0..40u32, 0..300u64);
    all.prop_map(|(kind, register, number, count, trim, size, value)| Op {
        kind,
        register,
        number,
        count,
        trim,
        size,
        value,
        ..NOTHING
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    let cases = prop::collection::btree_map(0..4u64, leaf(), 0..4);
    let cases = cases.prop_map(|cases| cases.into_iter().collect());
    let mask = prop_oneof![Just(3u64), Just(1), Just(0)];
    prop_oneof![
        3 => leaf().prop_map(Shape::Leaf),
        1 => (0..6u8, mask.clone(), cases, leaf())
            .prop_map(|(on, mask, cases, default)| Shape::Select { on, mask, cases, default }),
        1 => (0..6u8, mask, leaf()).prop_map(|(on, mask, then)| Shape::IfBits { on, mask, then }),
    ]
}

/// The shapes as ops, those of the arguments first.
fn compile(shapes: &[Shape]) -> Vec<Op> {
    let mut ops = vec![NOTHING; shapes.len()];
    for (index, shape) in shapes.iter().enumerate() {
        ops[index] = match shape {
            Shape::Leaf(leaf) => *leaf,
            Shape::IfBits { on, mask, then } => {
                ops.push(*then);
                let next = ops.len() as u32 - 1;
                Op { kind: op::IF_BITS, number: *on, value: *mask, next, ..NOTHING }
            }
            Shape::Select { on, mask, cases, default } => {
                ops.push(*default);
                let first = ops.len() as u32;
                let size = cases.len() as u32;
                ops.extend(cases.iter().zip(first + size..).map(|((value, _), next)| Op {
                    kind: op::CASE,
                    value: *value,
                    next,
                    ..NOTHING
                }));
                ops.extend(cases.iter().map(|(_, op)| *op));
                Op { kind: op::SELECT, number: *on, value: *mask, next: first, size, ..NOTHING }
            }
        };
    }
    ops
}

/// The case of one property: registers, limits, shapes, and when.
#[derive(Clone, Debug)]
struct Case {
    registers: [u64; 7],
    string_limit: u32,
    element_limit: u32,
    shapes: Vec<Shape>,
    result: Option<u64>,
    pointed_to: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let register = prop_oneof![
        Just(0),
        0..2000u64,
        PAGE..3 * PAGE + 16,
        3 * PAGE - 64..3 * PAGE,
        any::<u64>(),
    ];
    (
        prop::array::uniform7(register),
        0..80u32,
        0..20u32,
        prop::collection::vec(shape(), 0..6),
        prop::option::of(0..600u64),
        0..200u64,
    )
        .prop_map(|(registers, string_limit, element_limit, shapes, result, pointed_to)| {
            Case { registers, string_limit, element_limit, shapes, result, pointed_to }
        })
}

/// A copy: where, what, and whether it ended too early.
type Copy = (u64, Vec<u8>, bool);

/// What is to be copied, worked out byte by byte.
fn expected(case: &Case, machine: &Model) -> Option<Vec<Copy>> {
    let mut result_left = case.result.unwrap_or(0);
    let mut copies = Vec::new();
    for shape in &case.shapes {
        let op = match shape {
            Shape::Leaf(op) => *op,
            Shape::IfBits { on, mask, then } => {
                let any = case.registers[usize::from(*on)] & mask != 0;
                if any { *then } else { NOTHING }
            }
            Shape::Select { on, mask, cases, default } => {
                let value = case.registers[usize::from(*on)] & mask;
                cases.iter().find(|case| case.0 == value).map_or(*default, |case| case.1)
            }
        };
        let addr = case.registers[usize::from(op.register)];
        if addr == 0 || op.kind == op::NOTHING {
            continue;
        }
        let number = case.registers[usize::from(op.number)];
        let count = match op.count {
            count::CONST => op.value,
            count::REGISTER | count::WITHIN_RESULT => number,
            count::RESULT => case.result.unwrap_or(0),
            count::DEREF => case.result.map_or(0, |_| case.pointed_to),
            count::WORDS_OF_BITS => (u128::from(number as u32)).div_ceil(64) as u64,
            _ => number.div_ceil(4096),
        };
        let string_limit = u64::from(case.string_limit);
        let mut more = false;
        let len = match op.kind {
            op::STR if op.trim == trim::WHOLE => PATH_MAX,
            op::STR => string_limit + 1,
            op::HEADED => {
                more = count > string_limit && string_limit >= op.size.into();
                u64::from(op.size) + count.min(string_limit).max(op.size.into())
            }
            _ => {
                let whole = u128::from(count) * u128::from(op.size);
                let limit = match op.trim {
                    trim::DATA => u128::from(string_limit),
                    trim::ELEMENTS => u128::from(case.element_limit * op.size),
                    _ => u128::MAX,
                };
                let mut len = whole.min(limit);
                more = op.trim == trim::DATA && whole > limit;
                if op.count == count::WITHIN_RESULT {
                    more &= u128::from(result_left) > len;
                    len = len.min(result_left.into());
                    result_left -= whole.min(result_left.into()) as u64;
                }
                if len > COPY_MAX.into() {
                    return None;
                }
                len as u64
            }
        };
        let (mut bytes, mut fault) = machine.bytes(addr, len);
        fault |= more && machine.bytes(addr.wrapping_add(len), 1).1;
        if op.kind == op::STR
            && let Some(nul) = bytes.iter().position(|byte| *byte == 0)
        {
            bytes.truncate(nul + 1);
            fault = false;
        }
        copies.push((addr, bytes, fault));
    }
    Some(copies)
}

/// What is copied.
fn copied(case: &Case, machine: &Model) -> Option<Vec<Copy>> {
    let ops = compile(&case.shapes);
    let head = Box::new(abi::Tables {
        string_limit: case.string_limit,
        element_limit: case.element_limit,
        op_count: ops.len() as u32,
        ring_len: RING_LEN as u32,
        paths: abi::PathRules::default(),
        calls: [Call::default(); CALLS],
    });
    let tables = &Tables { head: &head, ops: &ops };
    let mut owned = OwnedSlot::new();
    let slot = owned.calling(0, case.registers);
    (0..7).for_each(|register| slot.set_pointed_to(register, case.pointed_to));
    let ops = &ops[..case.shapes.len()];
    let when = case.result.map_or(When::Before, When::After);
    let most = Follower::new(slot, tables, when).most(ops)?;
    let mut writer = Ring::of(slot).room(BARE + most).unwrap().begin(entry::EXIT, 0, [0, 0]);
    Follower::new(slot, tables, when).copy(machine, ops, &mut writer);
    writer.publish();
    let drained = drain(slot);
    assert!(drained.len() as u64 <= BARE + most);
    let mut entries = Entries::new(&drained);
    let half = entries.next().unwrap().unwrap();
    Some(half.copies.map(|copy| (copy.addr, copy.bytes.to_vec(), copy.fault)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn copies_are_what_the_ops_say(case in case(), zeros in prop::collection::vec(0..2 * PAGE, 0..60)) {
        // Two readable pages, between unreadable ones.
        let mut machine = Model::default();
        machine.pages.extend([1, 2].map(|page| (page * PAGE, vec![b'a'; PAGE as usize])));
        for zero in zeros {
            let page = machine.pages.get_mut(&(PAGE + zero / PAGE * PAGE)).unwrap();
            page[(zero % PAGE) as usize] = 0;
        }
        prop_assert_eq!(copied(&case, &machine), expected(&case, &machine));
    }
}
