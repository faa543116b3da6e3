//! Addresses of AX.25: a call sign, and those of the stations on the way.

use super::{at, named};
use crate::walk::Walk;
use crate::{Node, Value};

/// An address without stations, and one with the most that there may be, in bytes.
const SHORT: usize = 16;
const LONG: usize = SHORT + 8 * CALL;
/// A call sign, in bytes.
const CALL: usize = 7;

/// Appends the fields behind the family, of 16 bytes at least.
pub(super) fn decode<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) {
    let stations = at(bytes, 12).i32();
    if bytes.len() == SHORT && stations == 0 {
        return station(walk, bytes);
    }
    walk.parent(named("fsa_ax25"), Value::Struct, |walk| station(walk, bytes));
    let there = &bytes[SHORT..bytes.len().min(LONG)];
    if let Ok(stations @ 1..) = usize::try_from(stations) {
        walk.parent(named("fsa_digipeater"), Value::Array, |walk| {
            for call in there.chunks_exact(CALL).take(stations) {
                walk.leaf(Node::default(), Value::CallSign(call));
            }
            if there.len() / CALL < stations.min(8) {
                walk.leaf(Node::default(), Value::More(None));
            }
        });
    }
    if bytes.len() > LONG || !there.len().is_multiple_of(CALL) {
        walk.leaf(Node::default(), Value::More(None));
    }
}

fn station<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) {
    walk.leaf(named("sax25_call"), Value::CallSign(&bytes[2..2 + CALL]));
    walk.leaf(named("sax25_ndigis"), Value::Signed(at(bytes, 12).i32().into()));
}
