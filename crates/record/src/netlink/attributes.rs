//! Attributes of netlink messages: `struct nlattr`.

mod condition;

use table::netlink::{Attributes, Content};
use table::{Base, FlagSet, Kind, Layout, Width, flags};

use super::{extent, named, unknown};
use crate::place::{Around, Place};
use crate::walk::Walk;
use crate::{Node, Value};

/// `struct nlattr`, without what it holds.
const HEADER: usize = 4;
/// `struct rtnexthop`.
const NEXT_HOP: usize = 8;
/// The longest hardware address: `MAX_ADDR_LEN`.
const LONGEST_ADDRESS: usize = 32;
const NLA_F_NESTED: u16 = 0x8000;
const NLA_F_NET_BYTEORDER: u16 = 0x4000;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
/// So deep the kernel's attributes do not go; a guest's may, without end.
const DEEPEST: u8 = 16;

/// One attribute.
#[derive(Clone, Copy)]
struct Attribute<'a> {
    len: u16,
    kind: u16,
    payload: &'a [u8],
}

/// Attributes beside each other.
#[derive(Clone, Copy)]
struct Siblings<'a> {
    table: &'static Attributes,
    bytes: &'a [u8],
    /// The family of the message.
    family: Option<u8>,
    /// Within how many others they are.
    depth: u8,
}

impl<'a> Siblings<'a> {
    /// Attributes within one of these.
    fn within(self, table: &'static Attributes, bytes: &'a [u8]) -> Siblings<'a> {
        Siblings { table, bytes, depth: self.depth + 1, ..self }
    }
}

/// Appends the attributes in these bytes; `family` is what the message's header says.
pub(super) fn decode<'a>(
    walk: &mut Walk<'a>,
    node: Node<'a>,
    table: &'static Attributes,
    bytes: &'a [u8],
    family: Option<u8>,
) {
    all(walk, node, Siblings { table, bytes, family, depth: 0 });
}

fn all<'a>(walk: &mut Walk<'a>, node: Node<'a>, siblings: Siblings<'a>) {
    let bytes = siblings.bytes;
    let first = Attribute::at(bytes).filter(|_| siblings.depth < DEEPEST);
    let Some((first, end)) = first else {
        return walk.leaf(node, unknown(bytes));
    };
    if end >= bytes.len() {
        return attribute(walk, node, siblings, first);
    }
    walk.parent(node, Value::Array, |walk| {
        let mut rest = bytes;
        while !rest.is_empty() {
            if walk.is_full() {
                return walk.leaf(Node::default(), Value::More(None));
            }
            let Some((next, end)) = Attribute::at(rest) else {
                return walk.leaf(Node::default(), unknown(rest));
            };
            attribute(walk, Node::default(), siblings, next);
            rest = rest.get(end..).unwrap_or_default();
        }
    });
}

impl<'a> Attribute<'a> {
    /// The attribute at the beginning of these bytes, and where the next one begins. One that says
    /// that it is shorter than its header is the last.
    fn at(bytes: &'a [u8]) -> Option<(Attribute<'a>, usize)> {
        if bytes.len() < HEADER {
            return None;
        }
        let number = |offset: usize| Place::Memory(&bytes[offset..]).number(Width::U16) as u16;
        let len = number(0);
        let end = usize::from(len).clamp(HEADER, bytes.len());
        let next = match usize::from(len) {
            0..HEADER => bytes.len(),
            len => len.next_multiple_of(4),
        };
        Some((Attribute { len, kind: number(2), payload: &bytes[HEADER..end] }, next))
    }

    fn number(&self) -> u16 {
        self.kind & !(NLA_F_NESTED | NLA_F_NET_BYTEORDER)
    }
}

fn attribute<'a>(
    walk: &mut Walk<'a>,
    node: Node<'a>,
    siblings: Siblings<'a>,
    attribute: Attribute<'a>,
) {
    if attribute.payload.is_empty() {
        return head(walk, node, siblings.table.names, attribute);
    }
    walk.parent(node, Value::Array, |walk| {
        head(walk, Node::default(), siblings.table.names, attribute);
        let known = siblings.table.content(attribute.number());
        content(walk, siblings, known, attribute.payload);
    });
}

fn head<'a>(walk: &mut Walk<'a>, node: Node<'a>, names: &'static FlagSet, of: Attribute<'a>) {
    walk.parent(node, Value::Struct, |walk| {
        walk.leaf(named("nla_len"), Value::Unsigned(of.len.into(), Base::Dec));
        let number = Value::Flags(of.number().into(), names);
        let marks = [NLA_F_NESTED, NLA_F_NET_BYTEORDER];
        if of.kind == of.number() {
            return walk.leaf(named("nla_type"), number);
        }
        walk.parent(named("nla_type"), Value::Or, |walk| {
            for mark in marks.into_iter().filter(|mark| of.kind & mark != 0) {
                let value = Value::Flags(mark.into(), &flags::ATTRIBUTE_FLAG);
                walk.leaf(Node::default(), value);
            }
            walk.leaf(Node::default(), number);
        });
    });
}

/// Appends what an attribute holds, if it is long enough for that.
fn content<'a>(
    walk: &mut Walk<'a>,
    siblings: Siblings<'a>,
    known: &'static Content,
    payload: &'a [u8],
) {
    let node = Node::default();
    let place = Place::Memory(payload);
    match known {
        Content::Value(Kind::Flags(..)) | Content::Number(_) if payload.len() > 8 => {
            walk.leaf(node, unknown(payload));
        }
        Content::Value(kind) if payload.len() >= needed(walk, kind) => value(walk, kind, place),
        Content::Number(kind) => value(walk, kind, place),
        Content::Growing(layout, least) if payload.len() >= *least as usize => {
            growing(walk, layout, payload);
        }
        // What lacks a NUL at its end is told to lack it.
        Content::Text => walk.leaf(node, Value::Terminated { bytes: payload, cut: true }),
        Content::Hardware if payload.len() <= LONGEST_ADDRESS => {
            walk.leaf(node, Value::HardwareAddress { bytes: payload, told: payload.len() });
        }
        Content::Address => match address(siblings.family, payload) {
            Some(address) => walk.leaf(node, address),
            None => walk.leaf(node, unknown(payload)),
        },
        Content::Row(kind) if payload.len() >= kind.size(walk.model) as usize => {
            row(walk, kind, payload)
        }
        Content::Indexed(kind, names) if payload.len() >= kind.size(walk.model) as usize => {
            walk.indexed(node, kind, names, payload, 0);
        }
        Content::Nested(table) => all(walk, node, siblings.within(table, payload)),
        Content::Headed(kind, table) if payload.len() >= needed(walk, kind) => {
            value(walk, kind, place);
            let rest = payload.get((kind.size(walk.model) as usize).next_multiple_of(4)..);
            if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
                all(walk, node, siblings.within(table, rest));
            }
        }
        Content::NextHops(table) if payload.len() >= NEXT_HOP => {
            next_hops(walk, siblings.within(table, payload));
        }
        Content::Via if payload.len() >= 2 => via(walk, payload),
        Content::SocketCondition => condition::operation(walk, payload),
        Content::ByFamily(cases, other) => {
            let case = cases.iter().find(|(family, _)| Some(*family) == siblings.family);
            content(walk, siblings, case.map_or(other, |(_, known)| known), payload);
        }
        Content::ByText(number, cases) => {
            let text = text_before(siblings.bytes, *number, payload);
            let case = cases.iter().find(|(name, _)| Some(name.as_bytes()) == text);
            content(walk, siblings, case.map_or(&Content::Bytes, |(_, known)| known), payload);
        }
        _ => walk.leaf(node, unknown(payload)),
    }
}

/// How many bytes a value needs.
fn needed(walk: &Walk<'_>, kind: &Kind) -> usize {
    match kind {
        Kind::Struct(layout) => extent(walk, layout),
        kind => kind.size(walk.model) as usize,
    }
}

fn value<'a>(walk: &mut Walk<'a>, kind: &Kind, place: Place<'a>) {
    walk.kind(Node::default(), kind, place, &Around::NOTHING);
}

/// An address of IPv4 or IPv6.
fn address<'a>(family: Option<u8>, payload: &'a [u8]) -> Option<Value<'a>> {
    match family? {
        AF_INET => payload.first_chunk().map(|bytes| Value::Inet4(*bytes)),
        AF_INET6 => payload.first_chunk().map(|bytes| Value::Inet6(*bytes)),
        _ => None,
    }
}

/// The fields of a struct that these bytes hold whole.
fn growing<'a>(walk: &mut Walk<'a>, layout: &'static Layout, payload: &'a [u8]) {
    let model = walk.model;
    let end = |field: &table::Field| (field.offset(model) + field.size(model)) as usize;
    let held = |field: &&table::Field| end(field) <= payload.len();
    let count = layout.fields.iter().take_while(held).count();
    let around = Around { fields: &layout.fields[..count], bytes: payload, before: None, model };
    walk.parent(Node::default(), Value::Struct, |walk| walk.fields(&around));
}

fn row<'a>(walk: &mut Walk<'a>, kind: &Kind, payload: &'a [u8]) {
    let size = kind.size(walk.model).max(1) as usize;
    walk.parent(Node::default(), Value::Array, |walk| {
        for element in payload.chunks_exact(size) {
            if walk.is_full() {
                return walk.leaf(Node::default(), Value::More(None));
            }
            value(walk, kind, Place::Memory(element));
        }
    });
}

/// `RTA_MULTIPATH`.
fn next_hops<'a>(walk: &mut Walk<'a>, hops: Siblings<'a>) {
    let len = |bytes: &[u8]| usize::from(Place::Memory(bytes).number(Width::U16) as u16);
    let one = |walk: &mut Walk<'a>, hop: &'a [u8]| {
        let end = len(hop).clamp(NEXT_HOP, hop.len());
        let attributes = &hop[NEXT_HOP..end];
        let layout = &table::structs::ROUTE_NEXT_HOP;
        if attributes.is_empty() {
            return walk.structure(Node::default(), layout, hop, None);
        }
        walk.parent(Node::default(), Value::Array, |walk| {
            walk.structure(Node::default(), layout, hop, None);
            all(walk, Node::default(), hops.within(hops.table, attributes));
        });
    };
    let mut rest = hops.bytes;
    walk.parent(Node::default(), Value::Array, |walk| {
        while !rest.is_empty() {
            if rest.len() < NEXT_HOP || walk.is_full() {
                return walk.leaf(Node::default(), unknown(rest));
            }
            one(walk, rest);
            let step = len(rest).next_multiple_of(4);
            rest = if step < NEXT_HOP { &[] } else { rest.get(step..).unwrap_or_default() };
        }
    });
}

/// `struct rtvia`.
fn via<'a>(walk: &mut Walk<'a>, payload: &'a [u8]) {
    let family = Place::Memory(payload).number(Width::U16);
    let bytes = &payload[2..];
    walk.parent(Node::default(), Value::Struct, |walk| {
        walk.leaf(named("rtvia_family"), Value::Flags(family, &flags::ADDRESS_FAMILY));
        if !bytes.is_empty() {
            let family = u8::try_from(family).ok();
            let value = address(family, bytes).unwrap_or_else(|| unknown(bytes));
            walk.leaf(named("rtvia_addr"), value);
        }
    });
}

/// The string in the last attribute of this number that stands before the one with this payload.
fn text_before<'a>(siblings: &'a [u8], number: u16, payload: &'a [u8]) -> Option<&'a [u8]> {
    let mut rest = siblings;
    let mut found = None;
    while let Some((attribute, end)) = Attribute::at(rest) {
        if std::ptr::eq(attribute.payload, payload) {
            break;
        }
        if attribute.number() == number {
            found = attribute.payload.split(|byte| *byte == 0).next();
        }
        rest = rest.get(end..).unwrap_or_default();
    }
    found
}
