//! File descriptors: making, duplicating, setting and closing them.

use crate::arch::x86_64 as id;
use crate::{
    Base, Call, Classes, Dir, Kind, Len, Note, Ret, Source, Target, Width, arg, call, flags, parts,
    sorted,
};

const DESC: Classes = Classes::DESC;
const PAIR: Kind = Kind::Ptr(Dir::Out, &Target::Array(&Kind::Fd, Len::Const(2)));

const LOCK: Kind = struct_in!(FLOCK);
const LOCK_FOUND: Kind = struct_out!(FLOCK_FOUND);
const HINT: Target = Target::One(&Kind::Flags(Width::U64, &flags::RW_HINT));

/// The third argument of `fcntl(2)`, by its command.
pub(super) const FCNTL_ARG: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: 0xffff_ffff,
    cases: const {
        &sorted([
            (flags::F_DUPFD, Kind::LONG),
            (flags::F_DUPFD_CLOEXEC, Kind::LONG),
            (flags::F_GETFD, Kind::Absent),
            (flags::F_SETFD, Kind::flags(&flags::FD)),
            (flags::F_GETFL, Kind::Absent),
            (flags::F_SETFL, Kind::flags(&flags::OPEN)),
            (flags::F_GETLK, LOCK_FOUND),
            (flags::F_SETLK, LOCK),
            (flags::F_SETLKW, LOCK),
            (flags::F_OFD_GETLK, LOCK_FOUND),
            (flags::F_OFD_SETLK, LOCK),
            (flags::F_OFD_SETLKW, LOCK),
            (flags::F_GETOWN, Kind::Absent),
            (flags::F_SETOWN, Kind::Pid),
            (flags::F_GETSIG, Kind::Absent),
            (flags::F_SETSIG, Kind::Signal),
            (flags::F_GETOWN_EX, struct_out!(OWNER)),
            (flags::F_SETOWN_EX, struct_in!(OWNER)),
            (flags::F_GETLEASE, Kind::Absent),
            (flags::F_SETLEASE, Kind::flags64(&flags::LOCK_TYPE)),
            (flags::F_NOTIFY, Kind::flags64(&flags::NOTIFY)),
            (flags::F_GETPIPE_SZ, Kind::Absent),
            (flags::F_SETPIPE_SZ, Kind::LONG),
            (flags::F_GET_SEALS, Kind::Absent),
            (flags::F_ADD_SEALS, Kind::flags64(&flags::SEAL)),
            (flags::F_GET_RW_HINT, Kind::Ptr(Dir::Out, &HINT)),
            (flags::F_SET_RW_HINT, Kind::Ptr(Dir::In, &HINT)),
            (flags::F_GET_FILE_RW_HINT, Kind::Ptr(Dir::Out, &HINT)),
            (flags::F_SET_FILE_RW_HINT, Kind::Ptr(Dir::In, &HINT)),
        ])
    },
    default: &Kind::HEX64,
};

/// The result of `fcntl(2)`, by its command.
const FCNTL_RET: Ret = Ret::of(Kind::Select {
    on: Source::Arg(1),
    mask: 0xffff_ffff,
    cases: &[
        (flags::F_DUPFD, Kind::Fd),
        (flags::F_DUPFD_CLOEXEC, Kind::Fd),
        (flags::F_GETFD, Kind::HEX64),
        (flags::F_GETFL, Kind::HEX64),
        (flags::F_GETLEASE, Kind::HEX64),
        (flags::F_GET_SEALS, Kind::HEX64),
    ],
    default: &Kind::Int(Width::S64, Base::Dec),
});

/// What the result of `fcntl(2)` means.
const FCNTL_MEANING: Note = Note::MeaningBy {
    on: Source::Arg(1),
    cases: &[
        (flags::F_GETFD, "flags", Kind::Parts(Width::U32, &parts::DESCRIPTOR)),
        (flags::F_GETFL, "flags", Kind::flags(&flags::OPEN)),
        (flags::F_GET_SEALS, "seals", Kind::Parts(Width::U32, &parts::SEALS)),
        (flags::F_GETLEASE, "", Kind::flags(&flags::LOCK_TYPE)),
        (flags::F_GETSIG, "", Kind::Signal),
    ],
};

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(id::CLOSE, DESC, &[arg("fd", Kind::Fd)], Ret::INT),
    call(
        id::CLOSE_RANGE,
        Classes::NONE,
        &[
            arg("fd", Kind::UINT),
            arg("max_fd", Kind::UINT),
            arg("flags", Kind::flags(&flags::CLOSE_RANGE)),
        ],
        Ret::INT,
    ),
    call(id::DUP, DESC, &[arg("fildes", Kind::Fd)], Ret::FD),
    call(id::DUP2, DESC, &[arg("oldfd", Kind::Fd), arg("newfd", Kind::Fd)], Ret::FD),
    call(
        id::DUP3,
        DESC,
        &[
            arg("oldfd", Kind::Fd),
            arg("newfd", Kind::Fd),
            arg("flags", Kind::flags(&flags::OPEN_WITHOUT_MODE)),
        ],
        Ret::FD,
    ),
    call(id::PIPE, DESC, &[arg("fildes", PAIR)], Ret::INT),
    call(
        id::PIPE2,
        DESC,
        &[arg("fildes", PAIR), arg("flags", Kind::flags(&flags::OPEN_WITHOUT_MODE))],
        Ret::INT,
    ),
    call(
        id::FCNTL,
        DESC,
        &[arg("fd", Kind::Fd), arg("cmd", Kind::flags(&flags::FCNTL)), arg("arg", FCNTL_ARG)],
        FCNTL_RET.note(FCNTL_MEANING),
    ),
    call(id::FLOCK, DESC, &[arg("fd", Kind::Fd), arg("cmd", Kind::flags(&flags::FLOCK))], Ret::INT),
    call(
        id::MEMFD_CREATE,
        DESC,
        &[arg("uname", Kind::CSTR), arg("flags", Kind::flags(&flags::MEMFD))],
        Ret::FD,
    ),
    call(id::MEMFD_SECRET, DESC, &[arg("flags", Kind::flags(&flags::CLOSE_ON_EXEC))], Ret::FD),
    call(id::EVENTFD, DESC, &[arg("count", Kind::UINT)], Ret::FD),
    call(
        id::EVENTFD2,
        DESC,
        &[arg("count", Kind::UINT), arg("flags", Kind::flags(&flags::EVENTFD))],
        Ret::FD,
    ),
];
