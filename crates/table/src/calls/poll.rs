//! Waiting for file descriptors to become ready.

use crate::arch::x86_64 as id;
use crate::{
    Arg, Call, Classes, Dir, Kind, Len, Note, Ret, Target, arg, arg_in, call, flags, named_arg,
    structs,
};

const DESC: Classes = Classes::DESC;

/// The signals that are let in, where the argument behind them has the size of a set.
const SIGNALS: Kind = Kind::Ptr(Dir::In, &Target::SigSet(Len::Arg(4), 0));
const TIMESPEC: Kind = struct_in!(TIMESPEC);
/// What the call reads, told only where it succeeds.
const SIGNALS_IF_RIGHT: Kind = Kind::Ptr(Dir::Out, &Target::SigSet(Len::Arg(5), 0));

const POLLED: Kind =
    Kind::Ptr(Dir::In, &Target::Array(&Kind::Struct(&structs::POLLFD), Len::IntArg(1)));
const POLLED_READY: Kind =
    Kind::Ptr(Dir::Out, &Target::Array(&Kind::Struct(&structs::POLLFD_READY), Len::IntArg(1)));
const UFDS: Arg = arg("ufds", POLLED);
const READY: Arg = arg_in("ufds", 0, POLLED_READY);
const NFDS: Arg = arg("nfds", Kind::UINT);

const SET: Kind = Kind::Ptr(Dir::In, &Target::BitSet(Len::BitsOfArg(0)));
const SET_LEFT: Kind = Kind::Ptr(Dir::Out, &Target::BitSet(Len::BitsOfArg(0)));
const IN_LEFT: Arg = named_arg("in", 1, SET_LEFT);
const OUT_LEFT: Arg = named_arg("out", 2, SET_LEFT);
const EXCEPT_LEFT: Arg = named_arg("except", 3, SET_LEFT);

const EPOLLED: Kind =
    Kind::Ptr(Dir::Out, &Target::Array(&Kind::Struct(&structs::EPOLL_EVENT), Len::Ret));
const EVENTS: Arg = arg("events", EPOLLED);
const EPFD: Arg = arg("epfd", Kind::Fd);
const MAX_EVENTS: Arg = arg("maxevents", Kind::INT);

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::POLL,
        DESC,
        &[UFDS, NFDS, arg("timeout_msecs", Kind::INT)],
        Ret::INT.note(Note::After(&[READY])),
    ),
    call(
        id::PPOLL,
        DESC,
        &[
            UFDS,
            NFDS,
            arg("tsp", TIMESPEC),
            arg("sigmask", SIGNALS),
            arg("sigsetsize", Kind::ULONG),
        ],
        Ret::INT.note(Note::After(&[READY, named_arg("left", 2, struct_out!(TIMESPEC))])),
    ),
    call(
        id::SELECT,
        DESC,
        &[
            arg("n", Kind::INT),
            arg("inp", SET),
            arg("outp", SET),
            arg("exp", SET),
            arg("tvp", struct_in!(TIMEVAL)),
        ],
        Ret::INT.note(Note::After(&[
            IN_LEFT,
            OUT_LEFT,
            EXCEPT_LEFT,
            named_arg("left", 4, struct_out!(TIMEVAL)),
        ])),
    ),
    call(
        id::PSELECT6,
        DESC,
        &[
            arg("n", Kind::INT),
            arg("inp", SET),
            arg("outp", SET),
            arg("exp", SET),
            arg("tsp", TIMESPEC),
            arg("sig", struct_in!(PSELECT_MASK)),
        ],
        Ret::INT.note(Note::After(&[
            IN_LEFT,
            OUT_LEFT,
            EXCEPT_LEFT,
            named_arg("left", 4, struct_out!(TIMESPEC)),
        ])),
    ),
    call(id::EPOLL_CREATE, DESC, &[arg("size", Kind::INT)], Ret::FD),
    call(id::EPOLL_CREATE1, DESC, &[arg("flags", Kind::flags(&flags::EPOLL_CREATE))], Ret::FD),
    call(
        id::EPOLL_CTL,
        DESC,
        &[
            EPFD,
            arg("op", Kind::flags(&flags::EPOLL_CTL)),
            arg("fd", Kind::Fd),
            arg(
                "event",
                Kind::Select {
                    on: crate::Source::Arg(1),
                    mask: u64::MAX,
                    cases: &[(flags::EPOLL_CTL_DEL, Kind::Addr)],
                    default: &struct_in!(EPOLL_EVENT),
                },
            ),
        ],
        Ret::INT,
    ),
    call(id::EPOLL_WAIT, DESC, &[EPFD, EVENTS, MAX_EVENTS, arg("timeout", Kind::INT)], Ret::INT),
    call(
        id::EPOLL_PWAIT,
        DESC,
        &[
            EPFD,
            EVENTS,
            MAX_EVENTS,
            arg("timeout", Kind::INT),
            arg("sigmask", SIGNALS_IF_RIGHT),
            arg("sigsetsize", Kind::ULONG),
        ],
        Ret::INT,
    ),
    call(
        id::EPOLL_PWAIT2,
        DESC,
        &[
            EPFD,
            EVENTS,
            MAX_EVENTS,
            arg("timeout", struct_out!(TIMESPEC)),
            arg("sigmask", SIGNALS_IF_RIGHT),
            arg("sigsetsize", Kind::ULONG),
        ],
        Ret::INT,
    ),
];
