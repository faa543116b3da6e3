//! The protocols of netlink, and what their messages hold.

use super::attributes::*;
use super::{Attributes, Message, Protocol, Tail, Verbs};
use crate::{FlagSet, Layout, flags, structs};

/// `NETLINK_GENERIC`: its types are families, whose numbers the kernel gives out.
pub const GENERIC: u32 = 16;
/// `NETLINK_NETFILTER`: the types are those of subsystems.
pub const NETFILTER: u32 = 12;

const AF_UNIX: u8 = 1;
const AF_INET: u8 = 2;
const AF_BRIDGE: u8 = 7;
const AF_INET6: u8 = 10;
const AF_NETLINK: u8 = 16;
const AF_PACKET: u8 = 17;
const AF_SMC: u8 = 43;

/// What is known of a protocol; of an unknown one only that its messages have headers.
pub fn protocol(number: Option<u32>) -> &'static Protocol {
    let known = PROTOCOLS.iter().find(|protocol| Some(protocol.number) == number);
    known.unwrap_or(&UNKNOWN)
}

static UNKNOWN: Protocol =
    Protocol { number: u32::MAX, ..plain(&flags::NETLINK_MESSAGE, Verbs::Unknown, &[]) };

static PROTOCOLS: [Protocol; 8] = [
    Protocol {
        number: 0,
        has_families: true,
        ..plain(&flags::ROUTE_MESSAGE, Verbs::Number, &ROUTE_MESSAGES)
    },
    Protocol {
        number: 4,
        has_families: true,
        ..plain(&flags::SOCK_DIAG_MESSAGE, Verbs::Asks, &DIAG_MESSAGES)
    },
    Protocol { number: 6, ..plain(&flags::XFRM_MESSAGE, Verbs::Name, &[]) },
    Protocol { number: 7, ..plain(&flags::SELINUX_MESSAGE, Verbs::Unknown, &SELINUX_MESSAGES) },
    Protocol { number: 9, ..plain(&flags::AUDIT_MESSAGE, Verbs::Unknown, &[]) },
    Protocol {
        number: NETFILTER,
        ..plain(&flags::NETFILTER_SUBSYSTEM, Verbs::Name, &NETFILTER_MESSAGES)
    },
    Protocol {
        number: GENERIC,
        ..plain(&flags::GENERIC_FAMILY, Verbs::Unknown, &GENERIC_MESSAGES)
    },
    Protocol { number: 21, ..plain(&flags::CRYPTO_MESSAGE, Verbs::Name, &CRYPTO_MESSAGES) },
];

const fn plain(types: &'static FlagSet, verbs: Verbs, messages: &'static [Message]) -> Protocol {
    Protocol { number: 0, types, verbs, has_families: false, messages }
}

/// Messages of these types that begin with a family and hold these attributes.
const fn families(
    types: [u16; 2],
    header: &'static Layout,
    attributes: &'static Attributes,
) -> Message {
    let tail = Tail::Attributes(attributes);
    Message { types, request: None, family: None, header, has_family: true, tail }
}

static ROUTE_MESSAGES: [Message; 24] = [
    families([16, 19], &structs::LINK_MESSAGE, &LINK),
    families([20, 22], &structs::ADDRESS_MESSAGE, &ADDRESSES),
    families([24, 26], &structs::ROUTE_MESSAGE, &ROUTE),
    // Who asks a bridge for its neighbours may name them as links.
    Message { family: Some(AF_BRIDGE), ..families([30, 30], &structs::LINK_MESSAGE, &LINK) },
    families([28, 30], &structs::NEIGHBOUR_MESSAGE, &NEIGHBOUR),
    families([32, 34], &structs::RULE_MESSAGE, &RULE),
    families([36, 38], &structs::TRAFFIC_MESSAGE, &TRAFFIC),
    families([40, 42], &structs::TRAFFIC_MESSAGE, &TRAFFIC),
    families([44, 46], &structs::TRAFFIC_MESSAGE, &TRAFFIC),
    families([48, 50], &structs::ACTION_MESSAGE, &ACTION),
    families([56, 58], &structs::ADDRESS_MESSAGE, &ADDRESSES),
    families([60, 62], &structs::ADDRESS_MESSAGE, &ADDRESSES),
    families([64, 64], &structs::NEIGHBOUR_TABLE_MESSAGE, &NEIGHBOUR_TABLE),
    families([66, 67], &structs::NEIGHBOUR_TABLE_MESSAGE, &NEIGHBOUR_TABLE),
    families([72, 74], &structs::ADDRESS_LABEL_MESSAGE, &ADDRESS_LABEL),
    families([78, 79], &structs::DCB_MESSAGE, &DCB),
    families([80, 82], &structs::NETCONF_MESSAGE, &NETCONF),
    families([84, 86], &structs::MULTICAST_MESSAGE, &MULTICAST),
    families([88, 90], &structs::GENERAL_MESSAGE, &NAMESPACE_ID),
    families([92, 92], &structs::STATS_MESSAGE, &STATS),
    families([94, 94], &structs::STATS_MESSAGE, &STATS),
    Message { tail: Tail::Bytes, ..families([96, 96], &structs::GENERAL_MESSAGE, &UNNAMED) },
    families([100, 102], &structs::TRAFFIC_MESSAGE, &TRAFFIC),
    families([104, 106], &structs::NEXT_HOP_MESSAGE, &NEXT_HOP),
];

const DIAG: [u16; 2] = [16, u16::MAX];
const OLD_DIAG: [u16; 2] = [18, 19];

/// Questions after sockets of a family.
const fn asks(types: [u16; 2], family: u8, header: &'static Layout, tail: Tail) -> Message {
    let (request, family) = (Some(true), Some(family));
    Message { types, request, family, header, has_family: true, tail }
}

/// Answers to them.
const fn answers(family: u8, header: &'static Layout, attributes: &'static Attributes) -> Message {
    let tail = Tail::Attributes(attributes);
    Message { request: Some(false), ..asks(DIAG, family, header, tail) }
}

const INET_TAIL: Tail = Tail::Attributes(&INET_WANTED);

static DIAG_MESSAGES: [Message; 14] = [
    asks(OLD_DIAG, AF_INET, &structs::INET_OLD_REQUEST, INET_TAIL),
    asks(OLD_DIAG, AF_INET6, &structs::INET6_OLD_REQUEST, INET_TAIL),
    asks(DIAG, AF_UNIX, &structs::UNIX_REQUEST, Tail::Nothing),
    asks(DIAG, AF_INET, &structs::INET_REQUEST, INET_TAIL),
    asks(DIAG, AF_INET6, &structs::INET6_REQUEST, INET_TAIL),
    asks(DIAG, AF_NETLINK, &structs::NETLINK_REQUEST, Tail::Nothing),
    asks(DIAG, AF_PACKET, &structs::PACKET_REQUEST, Tail::Nothing),
    asks(DIAG, AF_SMC, &structs::SMC_REQUEST, Tail::Nothing),
    answers(AF_UNIX, &structs::UNIX_ANSWER, &UNIX),
    answers(AF_INET, &structs::INET_ANSWER, &INET),
    answers(AF_INET6, &structs::INET6_ANSWER, &INET),
    answers(AF_NETLINK, &structs::NETLINK_ANSWER, &NETLINK),
    answers(AF_PACKET, &structs::PACKET_ANSWER, &PACKET),
    answers(AF_SMC, &structs::SMC_ANSWER, &SMC),
];

/// Messages of these types, whose headers do not begin with a family or are told whole or not.
const fn whole(types: [u16; 2], header: &'static Layout, tail: Tail) -> Message {
    Message { types, request: None, family: None, header, has_family: false, tail }
}

static SELINUX_MESSAGES: [Message; 2] = [
    whole([16, 16], &structs::SELINUX_ENFORCE, Tail::Nothing),
    whole([17, 17], &structs::SELINUX_POLICY, Tail::Nothing),
];

static NETFILTER_MESSAGES: [Message; 3] = [
    whole([16, 17], &structs::NETFILTER_MESSAGE, Tail::Bytes),
    whole([0xa00, 0xaff], &structs::NETFILTER_TABLES_MESSAGE, Tail::Attributes(&UNNAMED)),
    whole([16, u16::MAX], &structs::NETFILTER_MESSAGE, Tail::Attributes(&UNNAMED)),
];

static GENERIC_MESSAGES: [Message; 1] =
    [whole([16, 16], &structs::GENERIC_MESSAGE, Tail::Attributes(&CONTROL))];

static CRYPTO_MESSAGES: [Message; 1] =
    [whole([16, 21], &structs::CRYPTO_ALGORITHM, Tail::Attributes(&CRYPTO))];
