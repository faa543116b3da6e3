//! What is known of a call beside its result, told as a note to that.

use contract::{Aside, Namespace};
use table::flags::KVM_EXIT;

use crate::{Node, Nodes, Value};

/// Appends what is known.
pub(crate) fn note(note: &mut Nodes<'_>, aside: &Aside) {
    let mut push = |value| {
        note.push(Node { value, ..Node::default() });
    };
    match aside {
        Aside::VcpuExit(reason) => push(Value::Flags(u64::from(*reason), &KVM_EXIT)),
        Aside::Namespaces(namespaces) => {
            namespaces
                .iter()
                .for_each(|Namespace { kind, inode }| push(Value::Namespace(kind, *inode)));
        }
    }
}
