//! Reading, writing and moving data through file descriptors.

use crate::arch::x86_64 as id;
use crate::{Arg, Call, Classes, Dir, Kind, Len, Ret, Target, arg, call, flags, structs};

const DESC: Classes = Classes::DESC;

const FD: Arg = arg("fd", Kind::Fd);
const FILLED: Kind = Kind::Ptr(Dir::Out, &Target::Bytes(Len::Ret));
const GIVEN: Kind = Kind::Ptr(Dir::In, &Target::Bytes(Len::Arg(2)));
const VECTOR: Kind =
    Kind::Ptr(Dir::In, &Target::Array(&Kind::Struct(&structs::IOVEC), Len::Arg(2)));
const VECTOR_FILLED: Kind =
    Kind::Ptr(Dir::In, &Target::Array(&Kind::Struct(&structs::IOVEC_FILLED), Len::Arg(2)));
const COUNT: Arg = arg("count", Kind::ULONG);
const VLEN: Arg = arg("vlen", Kind::ULONG);
/// The offset. Its upper half is for 32-bit programs.
const POS: Arg = arg("pos", Kind::LONG);
const POS_HIGH: Arg = arg("pos_h", Kind::Absent);
const RWF: Arg = arg("flags", Kind::flags(&flags::RWF));
/// Where to begin, which the call moves on.
const OFFSET: Kind = Kind::Ptr(Dir::In, &Target::One(&Kind::S64));
const SPLICE: Kind = Kind::flags(&flags::SPLICE);

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(id::READ, DESC, &[FD, arg("buf", FILLED), COUNT], Ret::INT),
    call(id::WRITE, DESC, &[FD, arg("buf", GIVEN), COUNT], Ret::INT),
    call(id::PREAD64, DESC, &[FD, arg("buf", FILLED), COUNT, POS], Ret::INT),
    call(id::PWRITE64, DESC, &[FD, arg("buf", GIVEN), COUNT, POS], Ret::INT),
    call(id::READV, DESC, &[FD, arg("vec", VECTOR_FILLED), VLEN], Ret::INT),
    call(id::WRITEV, DESC, &[FD, arg("vec", VECTOR), VLEN], Ret::INT),
    call(id::PREADV, DESC, &[FD, arg("vec", VECTOR_FILLED), VLEN, POS, POS_HIGH], Ret::INT),
    call(id::PWRITEV, DESC, &[FD, arg("vec", VECTOR), VLEN, POS, POS_HIGH], Ret::INT),
    call(id::PREADV2, DESC, &[FD, arg("vec", VECTOR_FILLED), VLEN, POS, POS_HIGH, RWF], Ret::INT),
    call(id::PWRITEV2, DESC, &[FD, arg("vec", VECTOR), VLEN, POS, POS_HIGH, RWF], Ret::INT),
    call(
        id::LSEEK,
        DESC,
        &[FD, arg("offset", Kind::LONG), arg("whence", Kind::flags(&flags::WHENCE))],
        Ret::INT,
    ),
    call(id::FSYNC, DESC, &[FD], Ret::INT),
    call(id::FDATASYNC, DESC, &[FD], Ret::INT),
    call(id::FTRUNCATE, DESC, &[FD, arg("length", Kind::ULONG)], Ret::INT),
    call(
        id::FALLOCATE,
        DESC,
        &[
            FD,
            arg("mode", Kind::flags(&flags::FALLOCATE)),
            arg("offset", Kind::LONG),
            arg("len", Kind::LONG),
        ],
        Ret::INT,
    ),
    call(
        id::FADVISE64,
        DESC,
        &[
            FD,
            arg("offset", Kind::LONG),
            arg("len", Kind::ULONG),
            arg("advice", Kind::flags(&flags::FADVISE)),
        ],
        Ret::INT,
    ),
    call(id::READAHEAD, DESC, &[FD, arg("offset", Kind::LONG), COUNT], Ret::INT),
    call(
        id::SYNC_FILE_RANGE,
        DESC,
        &[
            FD,
            arg("offset", Kind::LONG),
            arg("nbytes", Kind::LONG),
            arg("flags", Kind::flags(&flags::SYNC_FILE_RANGE)),
        ],
        Ret::INT,
    ),
    call(
        id::SENDFILE,
        DESC.or(Classes::NETWORK),
        &[
            arg("out_fd", Kind::Fd),
            arg("in_fd", Kind::Fd),
            arg("offset", Kind::Ptr(Dir::InOut, &Target::One(&Kind::ULONG))),
            COUNT,
        ],
        Ret::INT,
    ),
    call(
        id::COPY_FILE_RANGE,
        DESC,
        &[
            arg("fd_in", Kind::Fd),
            arg("off_in", OFFSET),
            arg("fd_out", Kind::Fd),
            arg("off_out", OFFSET),
            arg("len", Kind::ULONG),
            arg("flags", Kind::UINT),
        ],
        Ret::INT,
    ),
    call(
        id::SPLICE,
        DESC,
        &[
            arg("fd_in", Kind::Fd),
            arg("off_in", OFFSET),
            arg("fd_out", Kind::Fd),
            arg("off_out", OFFSET),
            arg("len", Kind::ULONG),
            arg("flags", SPLICE),
        ],
        Ret::INT,
    ),
    call(
        id::TEE,
        DESC,
        &[
            arg("fdin", Kind::Fd),
            arg("fdout", Kind::Fd),
            arg("len", Kind::ULONG),
            arg("flags", SPLICE),
        ],
        Ret::INT,
    ),
    call(
        id::VMSPLICE,
        DESC,
        &[FD, arg("uiov", VECTOR), arg("nr_segs", Kind::ULONG), arg("flags", SPLICE)],
        Ret::INT,
    ),
    call(
        id::CACHESTAT,
        DESC,
        &[
            FD,
            arg("cstat_range", struct_in!(CACHE_RANGE)),
            arg("cstat", struct_out!(CACHE_STATE)),
            arg("flags", Kind::HEX32),
        ],
        Ret::INT,
    ),
];
