//! Rings for operations: `io_uring(7)`.

use crate::arch::x86_64 as id;
use crate::{
    Call, Classes, Dir, Kind, Len, Ret, Source, Target, Width, arg, call, flags, sorted, structs,
};

const PARAMS: Kind = Kind::Ptr(Dir::InOut, &Target::One(&Kind::Struct(&structs::IO_URING_PARAMS)));

/// What `io_uring_enter(2)` waits with: the signals let in, unless its flags say that there is more.
const WAIT: Kind = Kind::Ptr(Dir::In, &Target::SigSet(Len::Arg(5), 0));

/// A list of so many as the last argument says.
macro_rules! list {
    ($kind:expr) => {
        Kind::Ptr(Dir::In, const { &Target::Array(&$kind, Len::IntArg(3)) })
    };
}

/// A struct of as many bytes as the last argument says, and at least so many.
macro_rules! growing {
    ($layout:ident, $least:literal) => {
        Kind::Ptr(Dir::In, const { &Target::Extensible(&structs::$layout, Len::Arg(3), $least) })
    };
}

/// Numbers of workers of so many kinds.
macro_rules! workers {
    ($kinds:literal) => {
        Kind::Ptr(Dir::InOut, const { &Target::Answer(&workers!(@ $kinds), &workers!(@ $kinds)) })
    };
    (@ $kinds:literal) => {
        Kind::Indexed(&Kind::UINT, $kinds, Len::Const($kinds), &flags::IO_WORKERS)
    };
}

const VECTOR: Kind = Kind::Struct(&structs::IOVEC_ADDRESS);
const RESTRICTION: Kind = Kind::Struct(&structs::IO_URING_RESTRICTION);
const RING_FD: Kind = Kind::Struct(&structs::IO_URING_RING_FD);
const RING_PLACE: Kind = Kind::Struct(&structs::IO_URING_RING_PLACE);
const PROBE: Kind = Kind::Ptr(Dir::InOut, &Target::One(&Kind::Struct(&structs::IO_URING_PROBE)));
/// Of more operations than fit into a byte, and one, the kernel tells nothing.
const PROBED: Kind = Kind::Select {
    on: Source::Arg(3),
    mask: 0xffff_ffff,
    cases: &[(256, PROBE)],
    default: &Kind::Select {
        on: Source::Arg(3),
        mask: 0xffff_ff00,
        cases: &[(0, PROBE)],
        default: &Kind::Addr,
    },
};
/// A ring, which may be told by its place among those that the thread has registered.
const RING: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: flags::IORING_REGISTER_USE_REGISTERED_RING,
    cases: &[(0, Kind::Fd)],
    default: &Kind::UINT,
};
const PROCESSORS: Kind = Kind::Ptr(Dir::In, &Target::BitSetBytes(Len::IntArg(3)));

/// How many workers there may be of each kind, and how many there were.
const WORKERS: Kind = Kind::Select {
    on: Source::Arg(3),
    mask: 0xffff_ffff,
    cases: &[
        (0, Kind::Ptr(Dir::In, &Target::Array(&Kind::UINT, Len::Const(0)))),
        (1, workers!(1)),
        (2, workers!(2)),
    ],
    default: &Kind::Addr,
};

/// What is registered, by the operation.
const REGISTERED: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: 0x7fff_ffff,
    cases: const {
        &sorted([
            (flags::IORING_REGISTER_BUFFERS, list!(VECTOR)),
            (flags::IORING_REGISTER_FILES, list!(Kind::Fd)),
            (flags::IORING_REGISTER_EVENTFD, list!(Kind::Fd)),
            (flags::IORING_REGISTER_EVENTFD_ASYNC, list!(Kind::Fd)),
            (flags::IORING_REGISTER_FILES_UPDATE, struct_in!(IO_URING_FILES)),
            (flags::IORING_REGISTER_PROBE, PROBED),
            (flags::IORING_REGISTER_RESTRICTIONS, list!(RESTRICTION)),
            (flags::IORING_REGISTER_FILES2, growing!(IO_URING_TAGGED_FILES, 32)),
            (flags::IORING_REGISTER_BUFFERS2, growing!(IO_URING_TAGGED_BUFFERS, 32)),
            (flags::IORING_REGISTER_FILES_UPDATE2, growing!(IO_URING_UPDATED_FILES, 32)),
            (flags::IORING_REGISTER_BUFFERS_UPDATE, growing!(IO_URING_UPDATED_BUFFERS, 32)),
            (flags::IORING_REGISTER_IOWQ_AFF, PROCESSORS),
            (flags::IORING_REGISTER_IOWQ_MAX_WORKERS, WORKERS),
            (flags::IORING_REGISTER_RING_FDS, list!(RING_FD)),
            (flags::IORING_UNREGISTER_RING_FDS, list!(RING_PLACE)),
            (flags::IORING_REGISTER_PBUF_RING, struct_in!(IO_URING_BUFFERS)),
            (flags::IORING_UNREGISTER_PBUF_RING, struct_in!(IO_URING_BUFFERS)),
        ])
    },
    default: &Kind::Addr,
};

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::IO_URING_SETUP,
        Classes::DESC,
        &[arg("entries", Kind::UINT), arg("params", PARAMS)],
        Ret::FD,
    ),
    call(
        id::IO_URING_ENTER,
        Classes::DESC.or(Classes::SIGNAL),
        &[
            arg("fd", Kind::Fd),
            arg("to_submit", Kind::UINT),
            arg("min_complete", Kind::UINT),
            arg("flags", Kind::flags(&flags::IO_URING_ENTER)),
            arg("argp", WAIT),
            arg("argsz", Kind::ULONG),
        ],
        Ret::INT,
    ),
    call(
        id::IO_URING_REGISTER,
        Classes::DESC.or(Classes::MEMORY),
        &[
            arg("fd", RING),
            arg("opcode", Kind::Parts(Width::U32, &crate::parts::RING_OPERATION)),
            arg("arg", REGISTERED),
            arg("nr_args", Kind::UINT),
        ],
        Ret::INT,
    ),
];
