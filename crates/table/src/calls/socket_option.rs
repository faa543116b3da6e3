//! Options of sockets: the arguments that `getsockopt(2)` and `setsockopt(2)` share.

use crate::{
    Arg, Dir, Fit, FlagSet, Kind, Len, Source, Special, Target, arg, flags, sorted, structs,
};

const SOL_IP: u64 = 0;
const SOL_SOCKET: u64 = 1;
const SOL_TCP: u64 = 6;
const SOL_UDP: u64 = 17;
const AF_VSOCK: u64 = 40;
const SOL_IPV6: u64 = 41;
const SOL_CAN_RAW: u64 = 101;
const SOL_SCTP: u64 = 132;
const SOL_RAW: u64 = 255;
const SOL_IPX: u64 = 256;
const SOL_AX25: u64 = 257;
const SOL_PACKET: u64 = 263;
const SOL_IRDA: u64 = 266;
const SOL_LLC: u64 = 268;
const SOL_DCCP: u64 = 269;
const SOL_NETLINK: u64 = 270;
const SOL_TIPC: u64 = 271;
const SOL_RXRPC: u64 = 272;
const SOL_PPPOL2TP: u64 = 273;
const SOL_BLUETOOTH: u64 = 274;
const SOL_PNPIPE: u64 = 275;
const SOL_RDS: u64 = 276;
const SOL_IUCV: u64 = 277;
const SOL_CAIF: u64 = 278;
const SOL_ALG: u64 = 279;
const SOL_NFC: u64 = 280;
const SOL_KCM: u64 = 281;
const SOL_TLS: u64 = 282;
const SOL_XDP: u64 = 283;

/// The protocol level.
pub const LEVEL: Arg = arg("level", Kind::flags(&flags::SOCKET_LEVEL));

/// The option's name for `setsockopt(2)`.
pub const NAME_SET: Arg = arg("optname", by_level(&NAMES_SET, &NAMES));

/// The option's name for `getsockopt(2)`.
pub const NAME_GET: Arg = arg("optname", by_level(&NAMES_GET, &NAMES));

/// The value that `setsockopt(2)` reads.
pub const VALUE_IN: Arg = arg("optval", by_level(&GIVEN_BY_LEVEL, &GIVEN));

/// The value that `getsockopt(2)` stores.
pub const VALUE_OUT: Arg = arg("optval", by_level(&STORED_BY_LEVEL, &STORED));

const fn by_level(cases: &'static [(u64, Kind)], default: &'static Kind) -> Kind {
    Kind::Select { on: Source::Arg(1), mask: u32::MAX as u64, cases, default }
}

const fn by_name(cases: &'static [(u64, Kind)], default: &'static Kind) -> Kind {
    Kind::Select { on: Source::Arg(2), mask: u32::MAX as u64, cases, default }
}

/// Names, of which some have another meaning: those whose numbers without the low bits are this.
const fn but(of_others: u64, others: &'static [(u64, Kind)], names: &'static Kind) -> Kind {
    Kind::Select { on: Source::Arg(2), mask: of_others, cases: others, default: names }
}

const fn names(level: u64, set: &'static FlagSet) -> (u64, Kind) {
    (level, Kind::flags(set))
}

/// Names that mean the same to both calls.
static NAMES: Kind = by_level(&SHARED_NAMES, &Kind::UINT);
static SHARED_NAMES: [(u64, Kind); 26] = sorted([
    names(SOL_TCP, &flags::TCP_OPTION),
    names(SOL_UDP, &flags::UDP_OPTION),
    names(AF_VSOCK, &flags::VSOCK_OPTION),
    names(SOL_CAN_RAW, &flags::CAN_RAW_OPTION),
    names(SOL_SCTP, &flags::SCTP_OPTION),
    names(SOL_RAW, &flags::RAW_OPTION),
    names(SOL_IPX, &flags::IPX_OPTION),
    names(SOL_AX25, &flags::AX25_OPTION),
    names(SOL_PACKET, &flags::PACKET_OPTION),
    names(SOL_IRDA, &flags::IRDA_OPTION),
    names(SOL_LLC, &flags::LLC_OPTION),
    names(SOL_DCCP, &flags::DCCP_OPTION),
    names(SOL_NETLINK, &flags::NETLINK_OPTION),
    names(SOL_TIPC, &flags::TIPC_OPTION),
    names(SOL_RXRPC, &flags::RXRPC_OPTION),
    names(SOL_PPPOL2TP, &flags::PPPOL2TP_OPTION),
    names(SOL_BLUETOOTH, &flags::BLUETOOTH_OPTION),
    names(SOL_PNPIPE, &flags::PHONET_PIPE_OPTION),
    names(SOL_RDS, &flags::RDS_OPTION),
    names(SOL_IUCV, &flags::IUCV_OPTION),
    names(SOL_CAIF, &flags::CAIF_OPTION),
    names(SOL_ALG, &flags::ALG_OPTION),
    names(SOL_NFC, &flags::NFC_OPTION),
    names(SOL_KCM, &flags::KCM_OPTION),
    names(SOL_TLS, &flags::TLS_OPTION),
    names(SOL_XDP, &flags::XDP_OPTION),
]);

/// The options of packet filters' tables begin here at `SOL_IP`.
const TABLES: u64 = 0xffff_ffc0;
/// At `SOL_IPV6` they lie among others.
const TABLES_IPV6: u64 = 0xffff_fff8;

static NAMES_SET: [(u64, Kind); 3] = [
    names(SOL_SOCKET, &flags::SOCKET_OPTION),
    (SOL_IP, but(TABLES, &[(0, Kind::flags(&flags::IP_OPTION))], &IP_TABLES_SET)),
    (SOL_IPV6, but(TABLES_IPV6, &[(64, IPV6_TABLES_SET)], &IPV6_NAMES)),
];
static NAMES_GET: [(u64, Kind); 3] = [
    (SOL_SOCKET, by_name(&[(SO_GET_FILTER, SOCKET_GET)], &SOCKET_NAMES)),
    (SOL_IP, but(TABLES, &[(0, Kind::flags(&flags::IP_OPTION))], &IP_TABLES_GET)),
    (SOL_IPV6, but(TABLES_IPV6, &[(64, IPV6_TABLES_GET)], &IPV6_NAMES)),
];
static SOCKET_NAMES: Kind = Kind::flags(&flags::SOCKET_OPTION);
const SOCKET_GET: Kind = Kind::flags(&flags::SOCKET_OPTION_GET);
static IP_TABLES_SET: Kind = Kind::flags(&flags::IP_TABLES_SET);
static IP_TABLES_GET: Kind = Kind::flags(&flags::IP_TABLES_GET);
static IPV6_NAMES: Kind = Kind::flags(&flags::IPV6_OPTION);
const IPV6_TABLES_SET: Kind = Kind::flags(&flags::IPV6_TABLES_SET);
const IPV6_TABLES_GET: Kind = Kind::flags(&flags::IPV6_TABLES_GET);

const SO_ERROR: u64 = 4;
const SO_LINGER: u64 = 13;
const SO_PEERCRED: u64 = 17;
const SO_ATTACH_FILTER: u64 = 26;
const SO_GET_FILTER: u64 = 26;
const SO_ATTACH_REUSEPORT_CBPF: u64 = 51;
const SO_TXREHASH: u64 = 74;
const SO_PEERPIDFD: u64 = 77;
const IP_ADD_MEMBERSHIP: u64 = 35;
const IP_DROP_MEMBERSHIP: u64 = 36;
const MCAST_JOIN_GROUP: u64 = 42;
const MCAST_LEAVE_GROUP: u64 = 45;
const IPV6_ADD_MEMBERSHIP: u64 = 20;
const IPV6_DROP_MEMBERSHIP: u64 = 21;
const IPV6_JOIN_ANYCAST: u64 = 27;
const IPV6_LEAVE_ANYCAST: u64 = 28;
const ICMP_FILTER: u64 = 1;
const PACKET_ADD_MEMBERSHIP: u64 = 1;
const PACKET_DROP_MEMBERSHIP: u64 = 2;
const PACKET_RX_RING: u64 = 5;
const PACKET_STATISTICS: u64 = 6;
const PACKET_TX_RING: u64 = 13;
const NETLINK_LIST_MEMBERSHIPS: u64 = 9;

/// Options at `SOL_SOCKET` that are an `int` whatever their length, less the few that only one of
/// the calls knows as such.
macro_rules! ints {
    ($kind:expr, $($more:tt)*) => {
        sorted([
            (1, $kind), (2, $kind), (5, $kind), (6, $kind), (7, $kind), (8, $kind), (9, $kind),
            (10, $kind), (11, $kind), (12, $kind), (14, $kind), (15, $kind), (16, $kind),
            (18, $kind), (19, $kind), (27, $kind), (29, $kind), (30, $kind), (32, $kind),
            (33, $kind), (34, $kind), (35, $kind), (36, $kind), (37, $kind), (40, $kind),
            (41, $kind), (42, $kind), (43, $kind), (44, $kind), (45, $kind), (46, $kind),
            (49, $kind), (53, $kind), (56, $kind), (60, $kind), (63, $kind), (64, $kind),
            (65, $kind), (68, $kind), (69, $kind), (70, $kind), (73, $kind), (75, $kind), (76, $kind),
            (82, $kind), (83, $kind), (84, $kind),
            $($more)*
        ])
    };
}

/// What `setsockopt(2)` reads if it is given at least as many bytes as the value has.
macro_rules! at_least {
    ($kind:expr) => {
        Kind::Ptr(Dir::In, &Target::Fitting(&$kind, Len::Arg(4), Fit::AtLeast))
    };
}

/// What `setsockopt(2)` reads if it is given as many bytes as the value has.
macro_rules! exactly {
    ($kind:expr) => {
        Kind::Ptr(Dir::In, &Target::Fitting(&$kind, Len::Arg(4), Fit::Exactly))
    };
}

/// What `getsockopt(2)` stores, of which there may be less than the whole.
macro_rules! partly {
    ($kind:expr) => {
        Kind::Ptr(Dir::Out, &Target::Fitting(&$kind, Len::Deref(4), Fit::Partly))
    };
}

static GIVEN: Kind = Kind::Ptr(Dir::In, &Target::IntOrBytes(Len::Arg(4)));
static STORED: Kind = Kind::Ptr(Dir::Out, &Target::IntOrBytes(Len::Deref(4)));

const GIVEN_INT: Kind = at_least!(Kind::INT);
const STORED_INT: Kind = partly!(Kind::INT);
static GIVEN_TO_NETLINK: Kind = GIVEN_INT;
static STORED_BY_NETLINK: Kind =
    Kind::Ptr(Dir::Out, &Target::Fitting(&Kind::INT, Len::Deref(4), Fit::AtLeast));

const MULTICAST: Kind = at_least!(Kind::Struct(&structs::MULTICAST));
const MULTICAST_IPV6: Kind = at_least!(Kind::Struct(&structs::MULTICAST_IPV6));
const GROUP: Kind = at_least!(Kind::Struct(&structs::GROUP_REQUEST));
const FILTER: Kind = exactly!(Kind::Struct(&structs::FILTER_PROGRAM));
const PACKET_MEMBERSHIP: Kind = exactly!(Kind::Struct(&structs::PACKET_MEMBERSHIP));
const PACKET_RING: Kind = exactly!(Kind::Struct(&structs::PACKET_RING_REQUEST));

static GIVEN_BY_LEVEL: [(u64, Kind); 6] = [
    (SOL_SOCKET, by_name(&GIVEN_TO_SOCKET, &GIVEN)),
    (SOL_IP, by_name(&GIVEN_TO_IP, &GIVEN)),
    (SOL_IPV6, by_name(&GIVEN_TO_IPV6, &GIVEN)),
    (SOL_RAW, by_name(&GIVEN_TO_RAW, &GIVEN)),
    (SOL_PACKET, by_name(&GIVEN_TO_PACKET, &GIVEN)),
    (SOL_NETLINK, by_name(&[], &GIVEN_TO_NETLINK)),
];
static GIVEN_TO_SOCKET: [(u64, Kind); 51] = ints![
    GIVEN_INT,
    (SO_LINGER, at_least!(Kind::Struct(&structs::LINGER))),
    (SO_ATTACH_FILTER, FILTER),
    (SO_ATTACH_REUSEPORT_CBPF, FILTER),
    (SO_TXREHASH, at_least!(Kind::flags(&flags::TX_REHASH))),
];
static GIVEN_TO_IP: [(u64, Kind); 4] = [
    (IP_ADD_MEMBERSHIP, MULTICAST),
    (IP_DROP_MEMBERSHIP, MULTICAST),
    (MCAST_JOIN_GROUP, GROUP),
    (MCAST_LEAVE_GROUP, GROUP),
];
static GIVEN_TO_IPV6: [(u64, Kind); 6] = [
    (IPV6_ADD_MEMBERSHIP, MULTICAST_IPV6),
    (IPV6_DROP_MEMBERSHIP, MULTICAST_IPV6),
    (IPV6_JOIN_ANYCAST, MULTICAST_IPV6),
    (IPV6_LEAVE_ANYCAST, MULTICAST_IPV6),
    (MCAST_JOIN_GROUP, GROUP),
    (MCAST_LEAVE_GROUP, GROUP),
];
static GIVEN_TO_RAW: [(u64, Kind); 1] =
    [(ICMP_FILTER, Kind::Ptr(Dir::In, &Target::Fitting(&ICMP_TYPES, Len::Arg(4), Fit::Partly)))];
static GIVEN_TO_PACKET: [(u64, Kind); 4] = [
    (PACKET_ADD_MEMBERSHIP, PACKET_MEMBERSHIP),
    (PACKET_DROP_MEMBERSHIP, PACKET_MEMBERSHIP),
    (PACKET_RX_RING, PACKET_RING),
    (PACKET_TX_RING, PACKET_RING),
];
static ICMP_TYPES: Kind = Kind::Special(Special::IcmpFilter);

static STORED_BY_LEVEL: [(u64, Kind); 4] = [
    (SOL_SOCKET, by_name(&STORED_BY_SOCKET, &STORED)),
    (SOL_RAW, by_name(&[(ICMP_FILTER, partly!(ICMP_TYPES))], &STORED)),
    (
        SOL_PACKET,
        by_name(
            &[(PACKET_STATISTICS, partly!(Kind::Struct(&structs::PACKET_STATISTICS)))],
            &STORED,
        ),
    ),
    (SOL_NETLINK, by_name(&[(NETLINK_LIST_MEMBERSHIPS, GROUPS)], &STORED_BY_NETLINK)),
];
static STORED_BY_SOCKET: [(u64, Kind); 53] = ints![
    STORED_INT,
    (SO_ERROR, partly!(Kind::Special(Special::Errno))),
    (SO_LINGER, partly!(Kind::Struct(&structs::LINGER))),
    (SO_PEERCRED, partly!(Kind::Struct(&structs::PEER_CREDENTIALS))),
    (SO_GET_FILTER, FILTER_FOUND),
    (SO_PEERPIDFD, partly!(Kind::Fd)),
    (SO_TXREHASH, partly!(Kind::flags(&flags::TX_REHASH))),
];
const GROUPS: Kind = Kind::Ptr(Dir::Out, &Target::Packed(&Kind::UINT, Len::Deref(4)));
/// The instructions of a filter; the length counts them.
const FILTER_FOUND: Kind = Kind::Ptr(
    Dir::Out,
    &Target::InFull(&Target::Array(&Kind::Special(Special::FilterInstruction), Len::Deref(4))),
);
