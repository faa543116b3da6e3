//! Messages of `netlink(7)`.

mod attributes;

use contract::{GuestAddr, NetlinkSocket};
use table::netlink::{ERROR, GENERIC, Message, NETFILTER, Protocol, SUBSYSTEMS, Tail, Verbs};
use table::{Base, FlagSet, Layout, Width, flags, netlink};

use crate::place::{Around, Place};
use crate::walk::Walk;
use crate::{Node, NotRead, Value};

/// `struct nlmsghdr`.
const HEADER: usize = 16;
/// Types below this one are the same for every protocol: `NLMSG_MIN_TYPE`.
const FIRST_TYPE: u16 = 16;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
/// `RTM_DELACTION`, whose flags are those of a question: it may be about all actions.
const DELETE_ACTION: u16 = 49;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_CAPPED: u16 = 0x100;
/// What devices send is text: `NETLINK_KOBJECT_UEVENT`.
const UEVENT: u32 = 15;

/// Whether what goes over this socket has the form of messages.
pub(crate) fn has_messages(socket: NetlinkSocket) -> bool {
    socket.protocol != Some(UEVENT)
}

/// Whether these are messages of which the last one ends with the bytes.
pub(crate) fn are_whole(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(header) = Header::of(rest) {
        match rest.get(header.end(rest)..) {
            Some([]) => return true,
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    false
}

/// `struct nlmsghdr`.
#[derive(Clone, Copy)]
struct Header {
    len: u32,
    kind: u16,
    flags: u16,
    seq: u32,
    pid: u32,
}

/// What is known of the place of a message.
#[derive(Clone, Copy)]
struct Scope {
    /// It is the one that an error is about.
    is_refused: bool,
    protocol: &'static Protocol,
    /// Netfilter's subsystems are told apart only where the protocol is known.
    is_netfilter: bool,
}

/// Appends the messages in these bytes, and from where on there should be more.
pub(crate) fn decode<'a>(
    walk: &mut Walk<'a>,
    node: Node<'a>,
    socket: NetlinkSocket,
    bytes: &'a [u8],
    missing: Option<GuestAddr>,
) {
    let protocol = netlink::protocol(socket.protocol);
    let is_netfilter = socket.protocol == Some(NETFILTER);
    let scope = Scope { is_refused: false, protocol, is_netfilter };
    let Some(first) = Header::of(bytes) else {
        return walk.leaf(node, unknown(bytes));
    };
    let end = first.end(bytes);
    if end >= bytes.len() && missing.is_none() {
        return walk.parent(node, Value::Messages, |walk| {
            message(walk, Node::default(), scope, first, bytes);
        });
    }
    walk.parent(node, Value::Messages, |walk| {
        let mut rest = bytes;
        while !rest.is_empty() {
            if walk.is_full() {
                return walk.leaf(Node::default(), Value::More(None));
            }
            let Some(header) = Header::of(rest) else {
                return walk.leaf(Node::default(), unknown(rest));
            };
            message(
                walk,
                Node::default(),
                scope,
                header,
                &rest[..header.end(rest).min(rest.len())],
            );
            rest = rest.get(header.end(rest)..).unwrap_or_default();
        }
        if let Some(addr) = missing {
            walk.leaf(Node::default(), Value::Addr(addr, NotRead::Unreadable));
        }
    });
}

/// Bytes of which nothing is known.
fn unknown(bytes: &[u8]) -> Value<'_> {
    Value::HexBytes { bytes, cut: false }
}

fn named<'a>(name: &'static str) -> Node<'a> {
    Node { name, ..Node::default() }
}

impl Header {
    fn of(bytes: &[u8]) -> Option<Header> {
        let at = |offset: usize| Place::Memory(&bytes[offset..]);
        (bytes.len() >= HEADER).then(|| Header {
            len: at(0).u32(),
            kind: at(4).number(Width::U16) as u16,
            flags: at(6).number(Width::U16) as u16,
            seq: at(8).u32(),
            pid: at(12).u32(),
        })
    }

    /// Where the next message begins. One that says that it is shorter than its header is the last.
    fn end(&self, bytes: &[u8]) -> usize {
        let len = self.len as usize;
        if len < HEADER { bytes.len() } else { len.checked_next_multiple_of(4).unwrap_or(len) }
    }
}

/// Appends one message, which lies at the beginning of these bytes.
fn message<'a>(walk: &mut Walk<'a>, node: Node<'a>, scope: Scope, header: Header, bytes: &'a [u8]) {
    let end = (header.len as usize).clamp(HEADER, bytes.len());
    let payload = &bytes[HEADER..end];
    if payload.is_empty() {
        return head(walk, node, scope, header);
    }
    walk.parent(node, Value::List, |walk| {
        head(walk, Node::default(), scope, header);
        match header.kind {
            // No error is about an error.
            NLMSG_ERROR if !scope.is_refused => {
                error(walk, scope, header.flags & NLM_F_CAPPED != 0, payload);
            }
            NLMSG_DONE if payload.len() == 4 => {
                walk.leaf(Node::default(), Value::Signed(Place::Memory(payload).i32().into()));
            }
            0..FIRST_TYPE => walk.leaf(Node::default(), unknown(payload)),
            _ => body(walk, scope.protocol, header, payload),
        }
    });
}

fn head<'a>(walk: &mut Walk<'a>, node: Node<'a>, scope: Scope, header: Header) {
    walk.parent(node, Value::Struct, |walk| {
        walk.leaf(named("nlmsg_len"), Value::Unsigned(header.len.into(), Base::Dec));
        kind(walk, scope, header.kind);
        let names = flag_names(scope, header.kind);
        walk.leaf(named("nlmsg_flags"), Value::Flags(header.flags.into(), names));
        walk.leaf(named("nlmsg_seq"), Value::Unsigned(header.seq.into(), Base::Dec));
        walk.leaf(named("nlmsg_pid"), Value::Signed((header.pid as i32).into()));
    });
}

fn kind(walk: &mut Walk<'_>, scope: Scope, kind: u16) {
    const BATCH: std::ops::RangeInclusive<u16> = 16..=17;
    let node = named("nlmsg_type");
    let [low, high] = kind.to_le_bytes();
    if kind < FIRST_TYPE {
        walk.leaf(node, Value::Flags(kind.into(), &flags::NETLINK_MESSAGE));
    } else if scope.is_netfilter && !BATCH.contains(&kind) {
        walk.parent(node, Value::Or, |walk| {
            walk.parent(Node::default(), Value::Shifted(8), |walk| {
                walk.leaf(Node::default(), Value::Flags(high.into(), SUBSYSTEMS));
            });
            let names = netlink::subsystem(high);
            walk.leaf(Node::default(), Value::Flags(low.into(), names));
        });
    } else if scope.is_netfilter {
        walk.leaf(node, Value::Flags(kind.into(), netlink::subsystem(0)));
    } else if scope.protocol.number == GENERIC {
        walk.leaf(node, Value::GenericFamily(kind));
    } else {
        walk.leaf(node, Value::Flags(kind.into(), scope.protocol.types));
    }
}

/// The names of a message's flags, some of which depend on what it is to do.
fn flag_names(scope: Scope, kind: u16) -> &'static FlagSet {
    match (kind, scope.protocol.verbs) {
        (NLMSG_ERROR, _) => &flags::NETLINK_ACK_FLAG,
        (0..FIRST_TYPE, _) | (_, Verbs::Unknown) => &flags::NETLINK_FLAG,
        (_, Verbs::Asks) => &flags::NETLINK_GET_FLAG,
        (DELETE_ACTION, Verbs::Number) => &flags::NETLINK_GET_FLAG,
        (_, Verbs::Number) => match kind & 3 {
            0 => &flags::NETLINK_NEW_FLAG,
            1 => &flags::NETLINK_DELETE_FLAG,
            2 => &flags::NETLINK_GET_FLAG,
            _ => &flags::NETLINK_FLAG,
        },
        (_, Verbs::Name) => by_name(scope, kind),
    }
}

fn by_name(scope: Scope, kind: u16) -> &'static FlagSet {
    let [low, high] = kind.to_le_bytes();
    let name = if scope.is_netfilter {
        netlink::subsystem(high).name(low.into())
    } else {
        scope.protocol.types.name(kind.into())
    };
    match name.unwrap_or_default() {
        name if name.contains("DEFAULT") => &flags::NETLINK_FLAG,
        name if name.contains("_NEW") => &flags::NETLINK_NEW_FLAG,
        name if name.contains("_DEL") => &flags::NETLINK_DELETE_FLAG,
        name if name.contains("_GET") => &flags::NETLINK_GET_FLAG,
        _ => &flags::NETLINK_FLAG,
    }
}

/// `struct nlmsgerr`, and the attributes behind it.
fn error<'a>(walk: &mut Walk<'a>, scope: Scope, is_capped: bool, payload: &'a [u8]) {
    const ERRORS: std::ops::RangeInclusive<i32> = -4095..=-1;
    let Some(header) = payload.get(4..).and_then(Header::of) else {
        return walk.leaf(Node::default(), unknown(payload));
    };
    let error = Place::Memory(payload).i32();
    let request = &payload[4..];
    // It comes with the whole message, or if it is capped with its header.
    let end = 4 + match is_capped {
        true => HEADER,
        false => (header.len as usize).clamp(HEADER, request.len()),
    };
    let rest = &payload[end..];
    let show = |walk: &mut Walk<'a>, node| {
        walk.parent(node, Value::Struct, |walk| {
            let value = match error {
                error if ERRORS.contains(&error) => Value::NegatedErrno(error.unsigned_abs()),
                error => Value::Signed(error.into()),
            };
            walk.leaf(named("error"), value);
            let scope = Scope { is_refused: true, ..scope };
            message(walk, named("msg"), scope, header, &payload[4..end]);
        });
    };
    if rest.is_empty() {
        return show(walk, Node::default());
    }
    walk.parent(Node::default(), Value::List, |walk| {
        show(walk, Node::default());
        attributes::decode(walk, Node::default(), &ERROR, rest, None);
    });
}

/// What follows `struct nlmsghdr`.
fn body<'a>(walk: &mut Walk<'a>, protocol: &'static Protocol, header: Header, payload: &'a [u8]) {
    let family = payload.first().copied();
    let fits = |message: &&Message| {
        let [first, last] = message.types;
        (first..=last).contains(&header.kind)
            && message.request.is_none_or(|asks| asks == (header.flags & NLM_F_REQUEST != 0))
            && message.family.is_none_or(|family| payload.len() >= 2 && payload[0] == family)
    };
    let Some(message) = protocol.messages.iter().find(fits) else {
        return match family {
            Some(family) if protocol.has_families => of_family(walk, family, &payload[1..]),
            _ => walk.leaf(Node::default(), unknown(payload)),
        };
    };
    let layout = message.header;
    if payload.len() < extent(walk, layout) {
        return match message.has_family {
            true => cut_short(walk, layout, payload),
            false => walk.leaf(Node::default(), unknown(payload)),
        };
    }
    walk.structure(Node::default(), layout, payload, None);
    let Some(rest) = payload.get((layout.size(walk.model) as usize).next_multiple_of(4)..) else {
        return;
    };
    match message.tail {
        Tail::Nothing => {}
        _ if rest.is_empty() => {}
        Tail::Bytes => walk.leaf(Node::default(), unknown(rest)),
        Tail::Attributes(table) => {
            let family = family.filter(|_| message.has_family);
            attributes::decode(walk, Node::default(), table, rest, family);
        }
    }
}

/// How many bytes the fields of a struct need.
fn extent(walk: &Walk<'_>, layout: &Layout) -> usize {
    let fields = layout.fields.iter();
    let ends = fields.map(|field| field.offset(walk.model) + field.size(walk.model));
    ends.max().unwrap_or(0) as usize
}

/// A header of which only the family is there.
fn cut_short<'a>(walk: &mut Walk<'a>, layout: &'static Layout, payload: &'a [u8]) {
    let fields = &layout.fields[..1];
    let around = Around { fields, bytes: payload, before: None, model: walk.model };
    walk.parent(Node::default(), Value::Struct, |walk| {
        walk.fields(&around);
        walk.leaf(Node::default(), Value::More(None));
    });
}

fn of_family<'a>(walk: &mut Walk<'a>, family: u8, data: &'a [u8]) {
    walk.parent(Node::default(), Value::Struct, |walk| {
        walk.leaf(named("family"), Value::Flags(family.into(), &flags::ADDRESS_FAMILY));
        if !data.is_empty() {
            walk.leaf(named("data"), unknown(data));
        }
    });
}
