//! Sockets.

use super::socket_option::{LEVEL, NAME_GET, NAME_SET, VALUE_IN, VALUE_OUT};
use crate::arch::x86_64 as id;
use crate::{
    Arg, Call, Classes, Dir, Kind, Len, Note, Ret, Source, Target, Width, arg, call, flags,
    named_arg, sorted, structs,
};

const NETWORK: Classes = Classes::NETWORK;

const FD: Arg = arg("fd", Kind::Fd);
const FAMILY: Arg = arg("family", Kind::flags(&flags::ADDRESS_FAMILY));
const TYPE: Arg = arg("type", Kind::flags(&flags::SOCKET_TYPE));
const MESSAGE_FLAGS: Kind = Kind::flags(&flags::MESSAGE);

/// A length that the call reads and writes.
const LENGTH: Kind = Kind::Ptr(Dir::InOut, &Target::One(&Kind::INT));

/// The length of the address in the argument of this index; without one nobody looks at it.
const fn length_of(address: u8) -> Kind {
    Kind::Select {
        on: Source::Arg(address),
        mask: u64::MAX,
        cases: &[(0, Kind::Addr)],
        default: &LENGTH,
    }
}

/// An address that is given, its length in the next argument.
const fn address_in(name: &'static str, length: &'static Target) -> Arg {
    arg(name, Kind::Ptr(Dir::In, length))
}

/// An address that is stored, its length behind the next argument.
const fn address_out(name: &'static str, length: &'static Target) -> Arg {
    arg(name, Kind::Ptr(Dir::Out, length))
}

const PROTOCOL: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: u32::MAX as u64,
    cases: &PROTOCOLS,
    default: &Kind::ULONG,
};
static PROTOCOLS: [(u64, Kind); 15] = sorted([
    (2, Kind::flags(&flags::INET_PROTOCOL)),
    (3, Kind::Explained(Width::U32, &flags::AX25_PROTOCOL)),
    (10, Kind::flags(&flags::INET_PROTOCOL)),
    (16, Kind::flags(&flags::NETLINK_PROTOCOL)),
    (17, Kind::Flags(Width::Net16, &flags::ETHERNET_PROTOCOL)),
    (23, Kind::flags(&flags::IRDA_PROTOCOL)),
    (29, Kind::flags(&flags::CAN_PROTOCOL)),
    (31, Kind::flags(&flags::BLUETOOTH_PROTOCOL)),
    (33, Kind::flags(&flags::ADDRESS_FAMILY)),
    (34, Kind::flags(&flags::ISDN_PROTOCOL)),
    (35, Kind::flags(&flags::PHONET_PROTOCOL)),
    (37, Kind::flags(&flags::CAIF_PROTOCOL)),
    (39, Kind::flags(&flags::NFC_SOCKET_PROTOCOL)),
    (41, Kind::flags(&flags::KCM_PROTOCOL)),
    (43, Kind::flags(&flags::SMC_PROTOCOL)),
]);

/// How much of the timeout was left when messages had come.
const LEFT: Kind = struct_out!(TIMESPEC);

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(id::SOCKET, NETWORK, &[FAMILY, TYPE, arg("protocol", PROTOCOL)], Ret::FD),
    call(
        id::SOCKETPAIR,
        NETWORK,
        &[
            FAMILY,
            TYPE,
            arg("protocol", Kind::ULONG),
            arg("usockvec", Kind::Ptr(Dir::Out, &Target::Array(&Kind::Fd, Len::Const(2)))),
        ],
        Ret::INT,
    ),
    call(
        id::BIND,
        NETWORK,
        &[FD, address_in("umyaddr", &Target::SockAddr(Len::Arg(2))), arg("addrlen", Kind::INT)],
        Ret::INT,
    ),
    call(
        id::CONNECT,
        NETWORK,
        &[FD, address_in("uservaddr", &Target::SockAddr(Len::Arg(2))), arg("addrlen", Kind::INT)],
        Ret::INT,
    ),
    call(id::LISTEN, NETWORK, &[FD, arg("backlog", Kind::INT)], Ret::INT),
    call(
        id::ACCEPT,
        NETWORK,
        &[
            FD,
            address_out("upeer_sockaddr", &Target::SockAddr(Len::Deref(2))),
            arg("upeer_addrlen", length_of(1)),
        ],
        Ret::FD,
    ),
    call(
        id::ACCEPT4,
        NETWORK,
        &[
            FD,
            address_out("upeer_sockaddr", &Target::SockAddr(Len::Deref(2))),
            arg("upeer_addrlen", length_of(1)),
            arg("flags", Kind::flags(&flags::ACCEPT)),
        ],
        Ret::FD,
    ),
    call(
        id::GETSOCKNAME,
        NETWORK,
        &[
            FD,
            address_out("usockaddr", &Target::SockAddr(Len::Deref(2))),
            arg("usockaddr_len", length_of(1)),
        ],
        Ret::INT,
    ),
    call(
        id::GETPEERNAME,
        NETWORK,
        &[
            FD,
            address_out("usockaddr", &Target::SockAddr(Len::Deref(2))),
            arg("usockaddr_len", length_of(1)),
        ],
        Ret::INT,
    ),
    call(
        id::SENDTO,
        NETWORK,
        &[
            FD,
            arg("buff", Kind::Ptr(Dir::In, &Target::Bytes(Len::Arg(2)))),
            arg("len", Kind::ULONG),
            arg("flags", MESSAGE_FLAGS),
            address_in("addr", &Target::SockAddr(Len::Arg(5))),
            arg("addr_len", Kind::INT),
        ],
        Ret::INT,
    ),
    call(
        id::RECVFROM,
        NETWORK,
        &[
            FD,
            arg("ubuf", Kind::Ptr(Dir::Out, &Target::Bytes(Len::ArgWithinRet(2)))),
            arg("size", Kind::ULONG),
            arg("flags", MESSAGE_FLAGS),
            address_out("addr", &Target::SockAddr(Len::Deref(5))),
            arg("addr_len", length_of(4)),
        ],
        Ret::INT,
    ),
    call(
        id::SENDMSG,
        NETWORK,
        &[FD, arg("msg", struct_in!(MESSAGE_IN)), arg("flags", MESSAGE_FLAGS)],
        Ret::INT,
    ),
    call(
        id::RECVMSG,
        NETWORK,
        &[
            FD,
            arg("msg", Kind::Ptr(Dir::InOut, &Target::One(&Kind::Struct(&structs::MESSAGE_OUT)))),
            arg("flags", MESSAGE_FLAGS),
        ],
        Ret::INT,
    ),
    call(
        id::SENDMMSG,
        NETWORK,
        &[
            FD,
            arg(
                "mmsg",
                Kind::Ptr(
                    Dir::InOut,
                    &Target::Array(&Kind::Struct(&structs::MESSAGES_IN), Len::IntArg(2)),
                ),
            ),
            arg("vlen", Kind::UINT),
            arg("flags", MESSAGE_FLAGS),
        ],
        Ret::INT,
    ),
    call(
        id::RECVMMSG,
        NETWORK,
        &[
            FD,
            arg(
                "mmsg",
                Kind::Ptr(
                    Dir::Refilled,
                    &Target::Array(&Kind::Struct(&structs::MESSAGES_OUT), Len::DoneOfArg(2)),
                ),
            ),
            arg("vlen", Kind::UINT),
            arg("flags", MESSAGE_FLAGS),
            arg("timeout", struct_in!(TIMESPEC)),
        ],
        Ret::INT.note(Note::After(&[named_arg("left", 4, LEFT)])),
    ),
    call(id::SHUTDOWN, NETWORK, &[FD, arg("how", Kind::flags(&flags::SHUTDOWN))], Ret::INT),
    call(
        id::SETSOCKOPT,
        NETWORK,
        &[FD, LEVEL, NAME_SET, VALUE_IN, arg("optlen", Kind::INT)],
        Ret::INT,
    ),
    call(
        id::GETSOCKOPT,
        NETWORK,
        &[FD, LEVEL, NAME_GET, VALUE_OUT, arg("optlen", LENGTH)],
        Ret::INT,
    ),
];
