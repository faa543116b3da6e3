//! Addresses of RxRPC: a service, and the address of the transport below.

use table::{Base, Width, flags};

use super::{AF_INET, AF_INET6, at, inet, inet6, named};
use crate::walk::Walk;
use crate::{Node, Value};

/// Appends the fields behind the family, of 36 bytes at least.
pub(super) fn decode<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) {
    let number = |offset| at(bytes, offset).number(Width::U16);
    walk.leaf(named("srx_service"), Value::Explained(number(2), &flags::RXRPC_SERVICE));
    walk.leaf(named("transport_type"), Value::Flags(number(4), &flags::TRANSPORT_TYPE));
    let len = number(6);
    walk.leaf(named("transport_len"), Value::Unsigned(len, Base::Dec));
    let transport = &bytes[8..];
    walk.parent(named("transport"), Value::Struct, |walk| {
        let family = Value::Flags(number(8), &flags::ADDRESS_FAMILY);
        let inner = &transport[..transport.len().min(len as usize)];
        match number(8) {
            AF_INET => walk.parent(named("sin"), Value::Struct, |walk| {
                walk.leaf(named("sin_family"), family);
                match inner.len() {
                    16.. => inet(walk, inner),
                    _ => data(walk, inner),
                }
            }),
            AF_INET6 => walk.parent(named("sin6"), Value::Struct, |walk| {
                walk.leaf(named("sin6_family"), family);
                match inner.len() {
                    24.. => inet6(walk, inner),
                    _ => data(walk, inner),
                }
            }),
            _ => {
                walk.leaf(named("family"), family);
                data(walk, inner);
            }
        }
    });
}

fn data<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) {
    if let Some(bytes) = bytes.get(2..).filter(|rest| !rest.is_empty()) {
        walk.leaf(Node::default(), Value::Text { bytes, cut: false });
    }
}
