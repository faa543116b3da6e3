//! Instructions of the classic packet filter: `struct sock_filter`.

use table::{Base, Width, flags};

use crate::place::Place;
use crate::walk::Walk;
use crate::{Node, Value};

/// The bits of a code that say its class, and the class of returns.
const CLASS: u64 = 0x07;
const RETURN: u64 = 0x06;

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
    let operand = Value::Unsigned(at(4).number(Width::U32), Base::Hex);
    let jumps = on_true != 0 || on_false != 0;
    let form = Value::Form(if jumps { "BPF_JUMP" } else { "BPF_STMT" });
    walk.parent(node, form, |walk| {
        let mut push = |value| walk.leaf(Node::default(), value);
        push(Value::Flags(code, &flags::FILTER_CODE));
        match operand {
            Value::Unsigned(action, _) if is_seccomp && !jumps && code & CLASS == RETURN => {
                push(Value::Flags(action, &flags::FILTER_ACTION));
            }
            operand => push(operand),
        }
        if jumps {
            [on_true, on_false].into_iter().for_each(|by| push(Value::Unsigned(by, Base::Hex)));
        }
    });
}
