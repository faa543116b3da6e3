//! The calls of the i386 ABI, so far as they differ from the x86-64 calls of their names.
//!
//! A call that means the same by both ABIs has one description, in its family beside this folder:
//! what is laid out differently is told by the data model. Here is the rest.

use crate::{Call, Id};

/// A call that is an x86-64 call by another name.
const fn renamed(id: Id, native: &Call) -> Call {
    let Call { classes, args, ret, depth, .. } = *native;
    Call { number: id.number, name: id.name, classes, args, ret, depth }
}

/// A call that is an x86-64 call, but for the kinds of the arguments of some places.
macro_rules! changed {
    ($id:expr, $native:ident, $($place:literal: $kind:expr),+) => {
        crate::Call {
            number: $id.number,
            name: $id.name,
            args: const {
                const NATIVE: &crate::Call = crate::arch::x86_64::described(x86_64::$native);
                const ARGS: [crate::Arg; NATIVE.args.len()] =
                    crate::call::with_kinds(NATIVE, &[$(($place, $kind)),+]);
                &ARGS
            },
            ..renamed($id, crate::arch::x86_64::described(x86_64::$native))
        }
    };
}

mod ids;
mod memory;
mod multiplexed;
mod names;
mod obsolete;
mod offsets;
mod signal;
mod stat;
mod system;
mod time32;

pub(crate) use multiplexed::parts;

/// Every family's entries.
pub(crate) static FAMILIES: &[&[Call]] = &[
    ids::CALLS,
    memory::CALLS,
    multiplexed::CALLS,
    names::CALLS,
    obsolete::CALLS,
    offsets::CALLS,
    signal::CALLS,
    stat::CALLS,
    system::CALLS,
    time32::CALLS,
];
