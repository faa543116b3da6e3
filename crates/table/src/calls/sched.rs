//! Scheduling, CPUs and resource limits.

use crate::arch::x86_64 as id;
use crate::{
    Arg, Call, Classes, Dir, Kind, Len, Note, Ret, Short, Source, Special, Target, arg, call,
    flags, structs,
};

const NONE: Classes = Classes::NONE;

const PID: Arg = arg("pid", Kind::Pid);
const POLICY: Kind = Kind::flags(&flags::SCHED);
/// `struct sched_param` holds nothing but the priority.
const PRIORITY: Target = Target::One(&Kind::INT);
const RESOURCE: Arg = arg("resource", Kind::flags(&flags::RLIMIT));
/// Whose priority is meant: a process's, a group's or a user's.
const WHO: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: u32::MAX as u64,
    cases: &[(0, Kind::Pid)],
    default: &Kind::INT,
};
const UINT_OUT: Kind = Kind::Ptr(Dir::Out, &Target::One(&Kind::UINT));

static ATTRIBUTES: Target = Target::SelfSized(&structs::SCHED_ATTR, 0, 48, Short::FirstField);

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(id::SCHED_YIELD, NONE, &[], Ret::INT),
    call(
        id::SCHED_SETSCHEDULER,
        NONE,
        &[PID, arg("policy", POLICY), arg("param", Kind::Ptr(Dir::In, &PRIORITY))],
        Ret::INT,
    ),
    call(id::SCHED_GETSCHEDULER, NONE, &[PID], Ret::INT.note(Note::Meaning("", POLICY))),
    call(id::SCHED_SETPARAM, NONE, &[PID, arg("param", Kind::Ptr(Dir::In, &PRIORITY))], Ret::INT),
    call(id::SCHED_GETPARAM, NONE, &[PID, arg("param", Kind::Ptr(Dir::Out, &PRIORITY))], Ret::INT),
    call(id::SCHED_GET_PRIORITY_MAX, NONE, &[arg("policy", POLICY)], Ret::INT),
    call(id::SCHED_GET_PRIORITY_MIN, NONE, &[arg("policy", POLICY)], Ret::INT),
    call(id::SCHED_RR_GET_INTERVAL, NONE, &[PID, arg("interval", struct_out!(TIMESPEC))], Ret::INT),
    call(
        id::SCHED_SETATTR,
        NONE,
        &[PID, arg("uattr", Kind::Ptr(Dir::Answered, &ATTRIBUTES)), arg("flags", Kind::UINT)],
        Ret::INT,
    ),
    call(
        id::SCHED_GETATTR,
        NONE,
        &[
            PID,
            arg("uattr", Kind::Ptr(Dir::Out, &ATTRIBUTES)),
            arg("usize", Kind::UINT),
            arg("flags", Kind::UINT),
        ],
        Ret::INT,
    ),
    call(
        id::SCHED_SETAFFINITY,
        NONE,
        &[
            PID,
            arg("len", Kind::UINT),
            arg("user_mask_ptr", Kind::Ptr(Dir::In, &Target::BitSetBytes(Len::Arg(1)))),
        ],
        Ret::INT,
    ),
    call(
        id::SCHED_GETAFFINITY,
        NONE,
        &[
            PID,
            arg("len", Kind::UINT),
            arg("user_mask_ptr", Kind::Ptr(Dir::Out, &Target::BitSetBytes(Len::Ret))),
        ],
        Ret::INT,
    ),
    call(
        id::GETPRIORITY,
        NONE,
        &[arg("which", Kind::flags(&flags::PRIO)), arg("who", WHO)],
        Ret::INT,
    ),
    call(
        id::SETPRIORITY,
        NONE,
        &[arg("which", Kind::flags(&flags::PRIO)), arg("who", WHO), arg("niceval", Kind::INT)],
        Ret::INT,
    ),
    call(
        id::IOPRIO_GET,
        NONE,
        &[arg("which", Kind::flags(&flags::IOPRIO_WHO)), arg("who", WHO)],
        Ret::INT.note(Note::Meaning("", Kind::Special(Special::IoPriority))),
    ),
    call(
        id::IOPRIO_SET,
        NONE,
        &[
            arg("which", Kind::flags(&flags::IOPRIO_WHO)),
            arg("who", WHO),
            arg("ioprio", Kind::Special(Special::IoPriority)),
        ],
        Ret::INT,
    ),
    call(
        id::GETCPU,
        NONE,
        &[arg("cpup", UINT_OUT), arg("nodep", UINT_OUT), arg("unused", Kind::Addr)],
        Ret::INT,
    ),
    call(id::GETRLIMIT, NONE, &[RESOURCE, arg("rlim", struct_out!(RLIMIT))], Ret::INT),
    call(id::SETRLIMIT, NONE, &[RESOURCE, arg("rlim", struct_in!(RLIMIT))], Ret::INT),
    call(
        id::PRLIMIT64,
        NONE,
        &[PID, RESOURCE, arg("new_rlim", struct_in!(RLIMIT)), arg("old_rlim", struct_out!(RLIMIT))],
        Ret::INT,
    ),
    call(
        id::GETRUSAGE,
        NONE,
        &[arg("who", Kind::flags(&flags::RUSAGE_WHO)), arg("ru", struct_out!(RUSAGE))],
        Ret::INT,
    ),
];
