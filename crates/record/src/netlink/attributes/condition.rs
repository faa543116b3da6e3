//! Bytecode that picks internet sockets: `INET_DIAG_REQ_BYTECODE`.

use table::{Kind, Layout, Special, structs};

use super::{address, extent, named, unknown, value};
use crate::Node;
use crate::place::{Around, Place};
use crate::walk::Walk;

/// `struct inet_diag_bc_op`.
const OPERATION: usize = 4;
/// `struct inet_diag_hostcond`, without the address.
const HOST: usize = 8;
const S_GE: u8 = 2;
const D_LE: u8 = 5;
const S_COND: u8 = 7;
const D_COND: u8 = 8;
const DEV_COND: u8 = 9;
const MARK_COND: u8 = 10;

/// Appends the first operation and what it compares; of those behind it nothing is told.
pub(super) fn operation<'a>(walk: &mut Walk<'a>, payload: &'a [u8]) {
    let Some((first, operand)) = payload.split_at_checked(OPERATION) else {
        return walk.leaf(Node::default(), unknown(payload));
    };
    walk.structure(Node::default(), &structs::INET_OPERATION, first, None);
    match first[0] {
        _ if operand.is_empty() => {}
        // Ports are in the place of the next operation's jump.
        S_GE..=D_LE => whole(walk, &structs::INET_OPERATION, operand),
        S_COND | D_COND => host(walk, operand),
        DEV_COND if operand.len() >= 4 => {
            value(walk, &Kind::Special(Special::Interface), Place::Memory(operand));
        }
        MARK_COND => whole(walk, &structs::INET_MARK, operand),
        _ => walk.leaf(Node::default(), unknown(operand)),
    }
}

/// A struct, if all of it is there.
fn whole<'a>(walk: &mut Walk<'a>, layout: &'static Layout, bytes: &'a [u8]) {
    if bytes.len() < extent(walk, layout) {
        return walk.leaf(Node::default(), unknown(bytes));
    }
    walk.structure(Node::default(), layout, bytes, None);
}

/// `struct inet_diag_hostcond`.
fn host<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) {
    if bytes.len() < HOST {
        return walk.leaf(Node::default(), unknown(bytes));
    }
    let (head, rest) = bytes.split_at(HOST);
    let fields = structs::INET_HOST.fields;
    let around = Around { fields, bytes: head, before: None, model: walk.model };
    walk.parent(Node::default(), crate::Value::Struct, |walk| {
        walk.fields(&around);
        if !rest.is_empty() {
            let value = address(Some(head[0]), rest).unwrap_or_else(|| unknown(rest));
            walk.leaf(named("addr"), value);
        }
    });
}
