//! Options of sockets: the arguments that `getsockopt(2)` and `setsockopt(2)` share.

use crate::{Arg, Dir, Kind, Len, Source, Target, arg, flags, structs};

const SOL_IP: u64 = 0;
const SOL_SOCKET: u64 = 1;
const SOL_TCP: u64 = 6;
const SOL_UDP: u64 = 17;
const SOL_IPV6: u64 = 41;
const SOL_PACKET: u64 = 263;
const SOL_NETLINK: u64 = 270;
const SOL_TLS: u64 = 282;

/// The protocol level.
pub const LEVEL: Arg = arg("level", Kind::flags(&flags::SOCKET_LEVEL));

/// The option's name.
pub const NAME: Arg = arg("optname", by_level(&NAMES, &Kind::UINT));

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

static NAMES: [(u64, Kind); 8] = [
    (SOL_SOCKET, Kind::flags(&flags::SOCKET_OPTION)),
    (SOL_TCP, Kind::flags(&flags::TCP_OPTION)),
    (SOL_UDP, Kind::flags(&flags::UDP_OPTION)),
    (SOL_IP, Kind::flags(&flags::IP_OPTION)),
    (SOL_IPV6, Kind::flags(&flags::IPV6_OPTION)),
    (SOL_NETLINK, Kind::flags(&flags::NETLINK_OPTION)),
    (SOL_PACKET, Kind::flags(&flags::PACKET_OPTION)),
    (SOL_TLS, Kind::flags(&flags::TLS_OPTION)),
];

static LINGER: Target = Target::One(&Kind::Struct(&structs::LINGER));
static CREDENTIALS: Target = Target::One(&Kind::Struct(&structs::PEER_CREDENTIALS));
static TIMEOUT: Target = Target::One(&Kind::Struct(&structs::TIMEVAL));
static FILTER: Target = Target::One(&Kind::Struct(&structs::FILTER_PROGRAM));
static MULTICAST: Target = Target::One(&Kind::Struct(&structs::MULTICAST));
static MULTICAST_IPV6: Target = Target::One(&Kind::Struct(&structs::MULTICAST_IPV6));

const SO_LINGER: u64 = 13;
const SO_PEERCRED: u64 = 17;
const SO_RCVTIMEO: u64 = 20;
const SO_SNDTIMEO: u64 = 21;
const SO_ATTACH_FILTER: u64 = 26;
const SO_ATTACH_REUSEPORT_CBPF: u64 = 51;
const SO_RCVTIMEO_NEW: u64 = 66;
const SO_SNDTIMEO_NEW: u64 = 67;
const IP_ADD_MEMBERSHIP: u64 = 35;
const IP_DROP_MEMBERSHIP: u64 = 36;
const IPV6_ADD_MEMBERSHIP: u64 = 20;
const IPV6_DROP_MEMBERSHIP: u64 = 21;

static GIVEN: Kind = Kind::Ptr(Dir::In, &Target::IntOrBytes(Len::Arg(4)));
static STORED: Kind = Kind::Ptr(Dir::Out, &Target::IntOrBytes(Len::Deref(4)));

static GIVEN_BY_LEVEL: [(u64, Kind); 3] = [
    (SOL_SOCKET, by_name(&GIVEN_TO_SOCKET, &GIVEN)),
    (SOL_IP, by_name(&GIVEN_TO_IP, &GIVEN)),
    (SOL_IPV6, by_name(&GIVEN_TO_IPV6, &GIVEN)),
];
static GIVEN_TO_SOCKET: [(u64, Kind); 7] = [
    (SO_LINGER, Kind::Ptr(Dir::In, &LINGER)),
    (SO_RCVTIMEO, Kind::Ptr(Dir::In, &TIMEOUT)),
    (SO_SNDTIMEO, Kind::Ptr(Dir::In, &TIMEOUT)),
    (SO_RCVTIMEO_NEW, Kind::Ptr(Dir::In, &TIMEOUT)),
    (SO_SNDTIMEO_NEW, Kind::Ptr(Dir::In, &TIMEOUT)),
    (SO_ATTACH_FILTER, Kind::Ptr(Dir::In, &FILTER)),
    (SO_ATTACH_REUSEPORT_CBPF, Kind::Ptr(Dir::In, &FILTER)),
];
static GIVEN_TO_IP: [(u64, Kind); 2] = [
    (IP_ADD_MEMBERSHIP, Kind::Ptr(Dir::In, &MULTICAST)),
    (IP_DROP_MEMBERSHIP, Kind::Ptr(Dir::In, &MULTICAST)),
];
static GIVEN_TO_IPV6: [(u64, Kind); 2] = [
    (IPV6_ADD_MEMBERSHIP, Kind::Ptr(Dir::In, &MULTICAST_IPV6)),
    (IPV6_DROP_MEMBERSHIP, Kind::Ptr(Dir::In, &MULTICAST_IPV6)),
];

static STORED_BY_LEVEL: [(u64, Kind); 1] = [(SOL_SOCKET, by_name(&STORED_BY_SOCKET, &STORED))];
static STORED_BY_SOCKET: [(u64, Kind); 6] = [
    (SO_LINGER, Kind::Ptr(Dir::Out, &LINGER)),
    (SO_PEERCRED, Kind::Ptr(Dir::Out, &CREDENTIALS)),
    (SO_RCVTIMEO, Kind::Ptr(Dir::Out, &TIMEOUT)),
    (SO_SNDTIMEO, Kind::Ptr(Dir::Out, &TIMEOUT)),
    (SO_RCVTIMEO_NEW, Kind::Ptr(Dir::Out, &TIMEOUT)),
    (SO_SNDTIMEO_NEW, Kind::Ptr(Dir::Out, &TIMEOUT)),
];
