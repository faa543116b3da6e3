//! The system, processes and limits.

use super::renamed;
use crate::arch::{i386 as id, x86_64};
use crate::call::with_kinds;
use crate::{
    Arg, Call, Classes, Dir, Kind, Len, Note, Ret, Source, Special, Target, arg, call, flags,
    structs,
};

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

/// `clone(2)`, which takes its last two arguments in the other order.
const CLONE: Call = {
    const NATIVE: &Call = x86_64::described(x86_64::CLONE);
    const ARGS: [Arg; NATIVE.args.len()] = {
        let mut args: [Arg; NATIVE.args.len()] = with_kinds(NATIVE, &[]);
        args[3].register = 3;
        args[4].register = 4;
        args
    };
    Call { args: &ARGS, ..renamed(id::CLONE, NATIVE) }
};

/// Requests of `io_submit(2)`, of which there are no fewer than none.
const REQUESTS: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: 1 << 31,
    cases: &[(0, Kind::Ptr(Dir::In, &Target::Array(&struct_in!(IOCB), Len::Arg(1))))],
    default: &Kind::Addr,
};

const SEGMENT: Kind = struct_in!(USER_DESC_I386);
const SEGMENT_FOUND: Kind =
    Kind::Ptr(Dir::InOut, &Target::One(&Kind::Struct(&structs::USER_DESC_I386_FOUND)));
/// `set_thread_area(2)`, which tells by the descriptor itself where it has put it.
const SET_THREAD_AREA: Call = Call {
    ret: Ret::INT.note(Note::Labelled(
        "entry_number=",
        &[arg("entry_number", Kind::Ptr(Dir::Out, &Target::Bare(&Kind::UINT)))],
    )),
    ..changed!(id::SET_THREAD_AREA, SET_THREAD_AREA, 0: SEGMENT)
};
/// A descriptor of a segment, if that is what the length says.
const SEGMENT_OF_LENGTH: Kind = Kind::Select {
    on: Source::Arg(2),
    mask: u64::MAX,
    cases: &[(16, SEGMENT)],
    default: &Kind::Addr,
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
    CLONE,
    changed!(id::IOCTL, IOCTL, 2: crate::calls::ioctl::SHORT_ARG),
    changed!(id::IO_SUBMIT, IO_SUBMIT, 2: REQUESTS),
    SET_THREAD_AREA,
    changed!(id::GET_THREAD_AREA, GET_THREAD_AREA, 0: SEGMENT_FOUND),
    changed!(id::MODIFY_LDT, MODIFY_LDT, 1: SEGMENT_OF_LENGTH),
    changed!(id::GETRLIMIT, GETRLIMIT, 1: LIMIT_OUT),
    changed!(id::UGETRLIMIT, GETRLIMIT, 1: LIMIT_OUT),
    changed!(id::SETRLIMIT, SETRLIMIT, 1: LIMIT_IN),
];
