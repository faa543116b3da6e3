//! Socket addresses, told apart by their family: `socket(7)`, `unix(7)`, `ip(7)`, `ipv6(7)`,
//! `netlink(7)`, `packet(7)`.

mod ax25;
mod bluetooth;
mod rxrpc;

use table::{Base, Layout, Width, flags, structs};

use crate::place::{Around, Place};
use crate::walk::{Pointer, Walk};
use crate::{Node, Value};

const AF_UNIX: u64 = 1;
const AF_INET: u64 = 2;
const AF_AX25: u64 = 3;
const AF_IPX: u64 = 4;
const AF_INET6: u64 = 10;
pub(crate) const AF_NETLINK: u64 = 16;
const AF_PACKET: u64 = 17;
const AF_BLUETOOTH: u64 = 31;
const AF_RXRPC: u64 = 33;
const AF_ALG: u64 = 38;
const AF_NFC: u64 = 39;

/// Families whose addresses are structs, by the number: how many bytes there must be.
static STRUCTS: [(u64, usize, &Layout); 7] = [
    (9, 18, &structs::SOCKADDR_X25),
    (36, 20, &structs::SOCKADDR_IEEE802154),
    (AF_NFC, 16, &structs::SOCKADDR_NFC),
    (40, 16, &structs::SOCKADDR_VSOCK),
    (42, 12, &structs::SOCKADDR_QRTR),
    (44, 16, &structs::SOCKADDR_XDP),
    (45, 12, &structs::SOCKADDR_MCTP),
];

/// `struct sockaddr_storage`: no address is longer.
const LONGEST: u64 = 128;

/// Appends the address of this length, given as a `socklen_t`.
pub(crate) fn decode<'a>(walk: &mut Walk<'a>, node: Node<'a>, at: Pointer, len: u64) {
    let len = len as u32;
    let bytes = match i32::try_from(len) {
        Ok(2..) => walk.up_to(at, u64::from(len).min(LONGEST)),
        _ => None,
    };
    let Some(bytes) = bytes.filter(|bytes| bytes.len() >= 2) else {
        return walk.leaf(node, at.unreadable());
    };
    value(walk, node, bytes);
}

/// Appends the address that these bytes are, two at least.
pub(crate) fn value<'a>(walk: &mut Walk<'a>, node: Node<'a>, bytes: &'a [u8]) {
    let family = Place::Memory(bytes).number(Width::U16);
    walk.peer = walk.peer.map(|_| family);
    walk.parent(node, Value::Struct, |walk| {
        walk.leaf(named("sa_family"), Value::Flags(family, &flags::ADDRESS_FAMILY));
        match (family, bytes.len()) {
            (_, 2) => {}
            (AF_UNIX, _) => unix(walk, bytes),
            (AF_INET, 16..) => inet(walk, bytes),
            (AF_INET6, 24..) => inet6(walk, bytes),
            (AF_NETLINK, 12..) => netlink(walk, bytes),
            (AF_PACKET, 20..) => packet(walk, bytes),
            (AF_IPX, 16..) => ipx(walk, bytes),
            (AF_AX25, 16..) => ax25::decode(walk, bytes),
            (AF_RXRPC, 36..) => rxrpc::decode(walk, bytes),
            (AF_ALG, 25..) => algorithm(walk, bytes),
            (AF_BLUETOOTH, _) if bluetooth::decode(walk, bytes) => {}
            (family, len) => {
                match STRUCTS.iter().find(|(of, least, _)| *of == family && len >= *least) {
                    Some((.., layout)) => fields(walk, layout, bytes),
                    None => {
                        let value = Value::Text { bytes: &bytes[2..], cut: false };
                        walk.leaf(named("sa_data"), value);
                    }
                }
                match (family, len) {
                    (AF_NFC, 96..) => fields(walk, &structs::SOCKADDR_NFC_LLCP, bytes),
                    (AF_NFC, 17..) => walk.leaf(Node::default(), Value::More(None)),
                    _ => {}
                }
            }
        }
    });
}

fn named<'a>(name: &'static str) -> Node<'a> {
    Node { name, ..Node::default() }
}

fn at(bytes: &[u8], offset: usize) -> Place<'_> {
    Place::Memory(&bytes[offset..])
}

/// The fields of a struct behind the family.
fn fields<'a>(walk: &mut Walk<'a>, layout: &'static Layout, bytes: &'a [u8]) {
    let around = Around { fields: layout.fields, bytes, before: None, model: walk.model };
    walk.fields(&around);
}

/// A path; or an abstract name, which begins with a NUL and goes on to the end of the address.
fn unix<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) {
    let path = &bytes[2..bytes.len().min(2 + 108)];
    let value = match path.iter().position(|byte| *byte == 0) {
        Some(0) => Value::Abstract(&path[1..]),
        Some(end) => Value::Path { bytes: &path[..end], cut: false, context: None },
        None => Value::Path { bytes: path, cut: false, context: None },
    };
    walk.leaf(named("sun_path"), value);
}

/// A type and a name of what the kernel's cryptography offers.
fn algorithm<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) {
    walk.leaf(named("salg_type"), Value::fixed_text(&bytes[2..16]));
    for (name, offset) in [("salg_feat", 16), ("salg_mask", 20)] {
        let number = u64::from(at(bytes, offset).u32());
        walk.leaf(named(name), Value::Explained(number, &flags::CRYPTO_ALGORITHM));
    }
    walk.leaf(named("salg_name"), Value::fixed_text(&bytes[24..]));
}

fn port<'a>(walk: &mut Walk<'a>, name: &'static str, bytes: &'a [u8]) {
    let port = at(bytes, 2).number(Width::Net16);
    walk.form(named(name), "htons", Value::Unsigned(port, Base::Dec));
}

fn inet<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) {
    port(walk, "sin_port", bytes);
    walk.leaf(named("sin_addr"), Value::Inet4(at(bytes, 4).u32().to_le_bytes()));
}

fn inet6<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) {
    port(walk, "sin6_port", bytes);
    let flow = at(bytes, 4).number(Width::Net32);
    walk.form(named("sin6_flowinfo"), "htonl", Value::Unsigned(flow, Base::Dec));
    let address = bytes[8..24].try_into().unwrap_or_default();
    walk.leaf(named("sin6_addr"), Value::Inet6(address));
    if let Some(scope) = bytes.get(24..).filter(|rest| !rest.is_empty()) {
        let scope = Place::Memory(scope).u32();
        // Addresses of one link only have their interface beside them.
        let is_of_link = address[0] == 0xfe && address[1] & 0xc0 == 0x80
            || address[0] == 0xff && address[1] & 0xf == 2;
        let value = match is_of_link {
            true => Value::Interface(scope),
            false => Value::Unsigned(scope.into(), Base::Dec),
        };
        walk.leaf(named("sin6_scope_id"), value);
    }
}

fn netlink<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) {
    let padding = at(bytes, 2).number(Width::U16);
    if padding != 0 {
        walk.leaf(named("nl_pad"), Value::Unsigned(padding, Base::Hex));
    }
    walk.leaf(named("nl_pid"), Value::Signed(at(bytes, 4).i32().into()));
    walk.leaf(named("nl_groups"), Value::Mask(u64::from(at(bytes, 8).u32()), 8));
}

fn packet<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) {
    let protocol = at(bytes, 2).number(Width::Net16);
    let protocol = Value::Flags(protocol, &flags::ETHERNET_PROTOCOL);
    walk.parent(named("sll_protocol"), Value::Network("htons"), |walk| {
        walk.leaf(Node::default(), protocol);
    });
    walk.leaf(named("sll_ifindex"), Value::Interface(at(bytes, 4).u32()));
    let hardware = at(bytes, 8).number(Width::U16);
    walk.leaf(named("sll_hatype"), Value::Flags(hardware, &flags::LINK_HARDWARE));
    walk.leaf(named("sll_pkttype"), Value::Flags(u64::from(bytes[10]), &flags::PACKET_TYPE));
    let len = usize::from(bytes[11]);
    walk.leaf(named("sll_halen"), Value::Unsigned(len as u64, Base::Dec));
    if len == 0 {
        return;
    }
    let address = &bytes[12..bytes.len().min(12 + len)];
    let is_cut = address.len() < len;
    walk.leaf(named("sll_addr"), Value::Octets(address, is_cut));
}

fn ipx<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) {
    port(walk, "sipx_port", bytes);
    let network = at(bytes, 4).number(Width::Net32);
    walk.form(named("sipx_network"), "htonl", Value::Mask(network, 0));
    walk.leaf(named("sipx_node"), Value::Octets(&bytes[8..14], false));
    walk.leaf(named("sipx_type"), Value::Mask(bytes[14].into(), 2));
    if bytes[15] != 0 {
        walk.leaf(named("sipx_zero"), Value::Mask(bytes[15].into(), 2));
    }
}
