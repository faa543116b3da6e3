//! Instructions of the classic packet filter: `struct sock_filter`.

use table::{Base, FlagSet, Width, flags};

use crate::place::Place;
use crate::walk::Walk;
use crate::{Node, Value};

/// The bits of a code that say its class, and the classes.
const CLASS: u64 = 0x07;
const LOAD: u64 = 0;
const LOAD_INDEX: u64 = 1;
const COMPUTE: u64 = 4;
const JUMP: u64 = 5;
const RETURN: u64 = 6;
const MISC: u64 = 7;

/// The bits that say where from is loaded, and the packet.
const MODE: u64 = 0xe0;
const ABSOLUTE: u64 = 0x20;

/// Appends an instruction as the macro that makes it: `BPF_STMT(code, k)`, or
/// `BPF_JUMP(code, k, jt, jf)` where it jumps. What a program of `seccomp(2)` returns has a name.
pub(crate) fn instruction<'a>(
    walk: &mut Walk<'a>,
    node: Node<'a>,
    bytes: &'a [u8],
    is_seccomp: bool,
) {
    let at = |offset: usize| Place::Memory(bytes.get(offset..).unwrap_or_default());
    let code = at(0).number(Width::U16);
    let [on_true, on_false] = [2, 3].map(|offset| at(offset).number(Width::U8));
    let operand = at(4).number(Width::U32);
    let jumps = on_true != 0 || on_false != 0;
    let form = Value::Form(if jumps { "BPF_JUMP" } else { "BPF_STMT" });
    walk.parent(node, form, |walk| {
        self::code(walk, code);
        let is_of_packet = code & (CLASS | MODE) == LOAD | ABSOLUTE;
        if is_seccomp && !jumps && code & CLASS == RETURN {
            walk.leaf(Node::default(), Value::Flags(operand, &flags::FILTER_ACTION));
        } else if !is_seccomp && !jumps && is_of_packet {
            offset(walk, operand);
        } else {
            walk.leaf(Node::default(), Value::Unsigned(operand, Base::Hex));
        }
        if jumps {
            for by in [on_true, on_false] {
                walk.leaf(Node::default(), Value::Unsigned(by, Base::Hex));
            }
        }
    });
}

/// Appends the parts of a code: its class, what there is to say of this class, and other bits.
fn code(walk: &mut Walk<'_>, code: u64) {
    let parts: &[(u64, &FlagSet)] = match code & CLASS {
        LOAD | LOAD_INDEX => &[(0x18, &flags::FILTER_SIZE), (MODE, &flags::FILTER_MODE)],
        COMPUTE => &[(0x08, &flags::FILTER_SOURCE), (0xf0, &flags::FILTER_OPERATION)],
        JUMP => &[(0x08, &flags::FILTER_SOURCE), (0xf0, &flags::FILTER_JUMP)],
        RETURN => &[(0x18, &flags::FILTER_RETURN)],
        MISC => &[(0xf8, &flags::FILTER_COPY)],
        _ => &[],
    };
    walk.parent(Node::default(), Value::Or, |walk| {
        let mut push = |bits, names| walk.leaf(Node::default(), Value::Flags(bits, names));
        push(code & CLASS, &flags::FILTER_CLASS);
        for (mask, names) in parts {
            push(code & mask, names);
        }
        let rest = parts.iter().fold(code & !CLASS, |rest, (mask, _)| rest & !mask);
        if rest != 0 && parts.len() < 2 {
            push(rest, &flags::FILTER_REST);
        }
    });
}

/// Appends where in a packet is looked. Some places are not in its data.
fn offset(walk: &mut Walk<'_>, offset: u64) {
    let bases = flags::FILTER_OFFSET.field.iter().map(|named| named.value);
    let Some(base) = bases.filter(|base| *base <= offset).max() else {
        return walk.leaf(Node::default(), Value::Unsigned(offset, Base::Hex));
    };
    walk.parent(Node::default(), Value::Sum, |walk| {
        walk.leaf(Node::default(), Value::Flags(base, &flags::FILTER_OFFSET));
        let beside = offset - base;
        let is_ancillary = flags::FILTER_OFFSET.name(base) == Some("SKF_AD_OFF");
        let value = match is_ancillary {
            true => Value::Flags(beside, &flags::FILTER_ANCILLARY),
            false => Value::Unsigned(beside, Base::Dec),
        };
        walk.leaf(Node::default(), value);
    });
}
