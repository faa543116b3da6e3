//! The system, processes and limits.

use super::renamed;
use crate::arch::{i386 as id, x86_64};
use crate::{Call, Classes, Dir, Kind, Ret, Source, Special, Target, arg, call, flags, structs};

const NONE: Classes = Classes::NONE;
const DATE: Kind = Kind::Special(Special::Date);
const LIMIT_IN: Kind = struct_in!(OLD_RLIMIT);
const LIMIT_OUT: Kind = struct_out!(OLD_RLIMIT);

/// How many entries are wanted: the kernel gives one, whatever is asked for.
const COUNT_OF_ENTRIES: Kind = Kind::Select {
    on: Source::Arg(2),
    mask: u32::MAX as u64,
    cases: &[(1, Kind::Absent)],
    default: &Kind::UINT,
};

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::WAITPID,
        Classes::PROCESS,
        &[
            arg("pid", Kind::Pid),
            arg("stat_addr", Kind::Ptr(Dir::Out, &Target::One(&Kind::WaitStatus))),
            arg("options", Kind::flags(&flags::WAIT)),
        ],
        Ret::of(Kind::Pid).zero_writes_nothing(),
    ),
    call(id::NICE, NONE, &[arg("increment", Kind::INT)], Ret::INT),
    call(
        id::STIME,
        Classes::CLOCK,
        &[arg("tptr", Kind::Ptr(Dir::In, &Target::One(&DATE)))],
        Ret::INT,
    ),
    call(id::UMOUNT, Classes::FILE, &[arg("name", Kind::PATH)], Ret::INT),
    call(
        id::READDIR,
        Classes::DESC,
        &[
            arg("fd", Kind::Fd),
            arg("dirent", Kind::Ptr(Dir::Out, &Target::One(&Kind::Struct(&structs::OLD_DIRENT)))),
            arg("count", COUNT_OF_ENTRIES),
        ],
        Ret::INT.zero_writes_nothing(),
    ),
    call(id::OLDOLDUNAME, NONE, &[arg("name", Kind::HEX)], Ret::INT),
    call(id::OLDUNAME, NONE, &[arg("name", Kind::HEX)], Ret::INT),
    changed!(id::GETRLIMIT, GETRLIMIT, 1: LIMIT_OUT),
    changed!(id::UGETRLIMIT, GETRLIMIT, 1: LIMIT_OUT),
    changed!(id::SETRLIMIT, SETRLIMIT, 1: LIMIT_IN),
];
