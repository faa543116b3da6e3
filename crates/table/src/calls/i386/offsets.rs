//! Offsets and lengths of 64 bits, each in two registers.

use crate::arch::{i386 as id, x86_64};
use crate::call::halves;
use crate::{Arg, Call, Dir, Id, Kind, Source, Target, arg, arg_in, call, flags};

const FD: Arg = arg("fd", Kind::Fd);

/// An x86-64 call with these arguments.
const fn with_args(id: Id, native: Id, args: &'static [Arg]) -> Call {
    let native = x86_64::described(native);
    call(id, native.classes, args, native.ret)
}

/// Reading or writing at an offset; the buffer and its length are as in the x86-64 call.
macro_rules! at_offset {
    ($id:ident) => {
        with_args(
            id::$id,
            x86_64::$id,
            const {
                const NATIVE: &[Arg] = x86_64::described(x86_64::$id).args;
                &[FD, NATIVE[1], NATIVE[2], halves("pos", 3, 4, Kind::S64)]
            },
        )
    };
    ($id:ident with flags) => {
        with_args(
            id::$id,
            x86_64::$id,
            const {
                const NATIVE: &[Arg] = x86_64::described(x86_64::$id).args;
                &[FD, NATIVE[1], NATIVE[2], halves("pos", 3, 4, Kind::S64), arg_in("flags", 5, RWF)]
            },
        )
    };
}
/// The directory of `fanotify_mark(2)`, or none.
const FANOTIFY_DIR: Kind = Kind::Select {
    on: Source::Arg(4),
    mask: u32::MAX as u64,
    cases: &[(u32::MAX as u64, Kind::flags(&flags::NO_DIRECTORY))],
    default: &Kind::DirFd,
};
const RWF: Kind = Kind::flags(&flags::RWF);

/// The family's entries.
pub static CALLS: &[Call] = &[
    at_offset!(PREAD64),
    at_offset!(PWRITE64),
    at_offset!(PREADV),
    at_offset!(PWRITEV),
    at_offset!(PREADV2 with flags),
    at_offset!(PWRITEV2 with flags),
    with_args(
        id::LLSEEK,
        x86_64::LSEEK,
        &[
            FD,
            halves("offset", 2, 1, Kind::S64),
            arg_in("result", 3, Kind::Ptr(Dir::Out, &Target::One(&Kind::S64))),
            arg_in("whence", 4, Kind::flags(&flags::WHENCE)),
        ],
    ),
    with_args(
        id::TRUNCATE64,
        x86_64::TRUNCATE,
        &[arg("path", Kind::PATH), halves("length", 1, 2, Kind::U64)],
    ),
    with_args(id::FTRUNCATE64, x86_64::FTRUNCATE, &[FD, halves("length", 1, 2, Kind::U64)]),
    with_args(
        id::FALLOCATE,
        x86_64::FALLOCATE,
        &[
            FD,
            arg("mode", Kind::flags(&flags::FALLOCATE)),
            halves("offset", 2, 3, Kind::S64),
            halves("len", 4, 5, Kind::S64),
        ],
    ),
    with_args(
        id::FADVISE64,
        x86_64::FADVISE64,
        &[
            FD,
            halves("offset", 1, 2, Kind::S64),
            arg_in("len", 3, Kind::ULONG),
            arg_in("advice", 4, Kind::flags(&flags::FADVISE)),
        ],
    ),
    with_args(
        id::FADVISE64_64,
        x86_64::FADVISE64,
        &[
            FD,
            halves("offset", 1, 2, Kind::S64),
            halves("len", 3, 4, Kind::S64),
            arg_in("advice", 5, Kind::flags(&flags::FADVISE)),
        ],
    ),
    with_args(
        id::READAHEAD,
        x86_64::READAHEAD,
        &[FD, halves("offset", 1, 2, Kind::S64), arg_in("count", 3, Kind::ULONG)],
    ),
    with_args(
        id::SYNC_FILE_RANGE,
        x86_64::SYNC_FILE_RANGE,
        &[
            FD,
            halves("offset", 1, 2, Kind::S64),
            halves("nbytes", 3, 4, Kind::S64),
            arg_in("flags", 5, Kind::flags(&flags::SYNC_FILE_RANGE)),
        ],
    ),
    with_args(
        id::LOOKUP_DCOOKIE,
        x86_64::LOOKUP_DCOOKIE,
        &[
            halves("cookie64", 0, 1, Kind::U64),
            arg_in("buf", 2, Kind::Addr),
            arg_in("len", 3, Kind::ULONG),
        ],
    ),
    with_args(
        id::FANOTIFY_MARK,
        x86_64::FANOTIFY_MARK,
        &[
            arg("fanotify_fd", Kind::Fd),
            arg("flags", Kind::flags(&flags::FANOTIFY_MARK)),
            halves("mask", 2, 3, Kind::flags64(&flags::FANOTIFY_EVENT)),
            arg_in("dfd", 4, FANOTIFY_DIR),
            arg_in("pathname", 5, Kind::PATH),
        ],
    ),
    with_args(
        id::SENDFILE64,
        x86_64::SENDFILE,
        &[
            arg("out_fd", Kind::Fd),
            arg("in_fd", Kind::Fd),
            arg("offset", Kind::Ptr(Dir::InOut, &Target::One(&Kind::U64))),
            arg("count", Kind::ULONG),
        ],
    ),
];
