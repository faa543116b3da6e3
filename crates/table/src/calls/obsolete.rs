//! Calls that current kernels refuse or that no C library uses: their arguments are bare numbers.

use crate::arch::x86_64 as id;
use crate::{Arg, Call, Classes, Dir, Kind, Len, Ret, Target, arg, call, structs};

const NONE: Classes = Classes::NONE;
const NETWORK: Classes = Classes::NETWORK;

const fn number(name: &'static str) -> Arg {
    arg(name, Kind::HEX64)
}

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(id::SYSCTL, NONE, &[arg("args", struct_in!(SYSCTL))], Ret::INT),
    call(id::CREATE_MODULE, NONE, &[number("name"), number("size")], Ret::INT),
    call(id::GET_KERNEL_SYMS, NONE, &[number("table")], Ret::INT),
    call(
        id::QUERY_MODULE,
        NONE,
        &[number("name"), number("which"), number("buf"), number("bufsize"), number("ret")],
        Ret::INT,
    ),
    call(id::NFSSERVCTL, NONE, &[number("cmd"), number("argp"), number("resp")], Ret::INT),
    call(
        id::GETPMSG,
        NETWORK,
        &[number("fd"), number("ctlptr"), number("dataptr"), number("bandp"), number("flagsp")],
        Ret::INT,
    ),
    call(
        id::PUTPMSG,
        NETWORK,
        &[number("fd"), number("ctlptr"), number("dataptr"), number("band"), number("flags")],
        Ret::INT,
    ),
    call(
        id::AFS_SYSCALL,
        NONE,
        &[number("id"), number("a1"), number("a2"), number("a3"), number("a4")],
        Ret::INT,
    ),
    call(id::TUXCALL, NONE, &[number("a0"), number("a1"), number("a2")], Ret::INT),
    call(id::SECURITY, NONE, &[number("a0"), number("a1"), number("a2")], Ret::INT),
    call(
        id::EPOLL_CTL_OLD,
        NONE,
        &[number("epfd"), number("op"), number("fd"), number("event")],
        Ret::INT,
    ),
    call(
        id::EPOLL_WAIT_OLD,
        NONE,
        &[number("epfd"), number("events"), number("maxevents"), number("timeout")],
        Ret::INT,
    ),
    call(
        id::VSERVER,
        NONE,
        &[number("a0"), number("a1"), number("a2"), number("a3"), number("a4")],
        Ret::INT,
    ),
    call(id::SYSFS, NONE, &[number("option"), number("arg1"), number("arg2")], Ret::INT),
    call(id::SET_THREAD_AREA, NONE, &[arg("u_info", struct_in!(USER_DESC))], Ret::INT),
    call(
        id::GET_THREAD_AREA,
        NONE,
        &[arg(
            "u_info",
            Kind::Ptr(Dir::InOut, &Target::One(&Kind::Struct(&structs::USER_DESC_FOUND))),
        )],
        Ret::INT,
    ),
    call(
        id::LOOKUP_DCOOKIE,
        NONE,
        &[
            arg("cookie64", Kind::ULONG),
            arg("buf", Kind::Ptr(Dir::Out, &Target::Bytes(Len::Ret))),
            arg("len", Kind::ULONG),
        ],
        Ret::INT,
    ),
];
