//! `prctl(2)`, whose arguments depend on the option.

use crate::arch::x86_64 as id;
use crate::{Call, Classes, Dir, Kind, Note, Ret, Source, Target, arg, call, flags};

/// Options from linux/prctl.h.
mod option {
    pub const SET_PDEATHSIG: u64 = 1;
    pub const GET_PDEATHSIG: u64 = 2;
    pub const GET_DUMPABLE: u64 = 3;
    pub const SET_DUMPABLE: u64 = 4;
    pub const GET_KEEPCAPS: u64 = 7;
    pub const SET_KEEPCAPS: u64 = 8;
    pub const GET_TIMING: u64 = 13;
    pub const SET_TIMING: u64 = 14;
    pub const SET_NAME: u64 = 15;
    pub const GET_NAME: u64 = 16;
    pub const GET_SECCOMP: u64 = 21;
    pub const SET_SECCOMP: u64 = 22;
    pub const CAPBSET_READ: u64 = 23;
    pub const CAPBSET_DROP: u64 = 24;
    pub const GET_TSC: u64 = 25;
    pub const SET_TSC: u64 = 26;
    pub const GET_SECUREBITS: u64 = 27;
    pub const SET_SECUREBITS: u64 = 28;
    pub const SET_TIMERSLACK: u64 = 29;
    pub const GET_TIMERSLACK: u64 = 30;
    pub const TASK_PERF_EVENTS_DISABLE: u64 = 31;
    pub const TASK_PERF_EVENTS_ENABLE: u64 = 32;
    pub const MCE_KILL: u64 = 33;
    pub const SET_MM: u64 = 35;
    pub const SET_CHILD_SUBREAPER: u64 = 36;
    pub const GET_CHILD_SUBREAPER: u64 = 37;
    pub const SET_NO_NEW_PRIVS: u64 = 38;
    pub const GET_TID_ADDRESS: u64 = 40;
    pub const SET_THP_DISABLE: u64 = 41;
    pub const CAP_AMBIENT: u64 = 47;
    pub const GET_SPECULATION_CTRL: u64 = 52;
    pub const SET_SPECULATION_CTRL: u64 = 53;
    pub const SET_IO_FLUSHER: u64 = 57;
    pub const SET_SYSCALL_USER_DISPATCH: u64 = 59;
    pub const SCHED_CORE: u64 = 62;
    pub const SET_MDWE: u64 = 65;
    pub const SET_VMA: u64 = 0x5356_4d41;
    pub const SET_PTRACER: u64 = 0x5961_6d61;
}
use option::*;

const INT: Kind = Kind::INT;
const ULONG: Kind = Kind::ULONG;
const HEX: Kind = Kind::HEX64;
const ABSENT: Kind = Kind::Absent;

/// An argument that depends on the option.
const fn by_option(cases: &'static [(u64, Kind)]) -> Kind {
    Kind::Select { on: Source::Arg(0), mask: u32::MAX as u64, cases, default: &HEX }
}

/// The second argument.
static SECOND: [(u64, Kind); 38] = [
    (SET_PDEATHSIG, Kind::Signal),
    (GET_PDEATHSIG, Kind::Ptr(Dir::Out, &Target::One(&Kind::Signal))),
    (GET_DUMPABLE, ABSENT),
    (SET_DUMPABLE, Kind::flags64(&flags::DUMPABLE)),
    (GET_KEEPCAPS, ABSENT),
    (SET_KEEPCAPS, ULONG),
    (GET_TIMING, ABSENT),
    (SET_TIMING, ULONG),
    (SET_NAME, Kind::CSTR),
    (GET_NAME, Kind::Ptr(Dir::Out, &Target::One(&Kind::CharArray(16)))),
    (GET_SECCOMP, ABSENT),
    (SET_SECCOMP, Kind::flags64(&flags::SECCOMP_MODE)),
    (CAPBSET_READ, Kind::flags64(&flags::CAPABILITY_NUMBER)),
    (CAPBSET_DROP, Kind::flags64(&flags::CAPABILITY_NUMBER)),
    (GET_TSC, Kind::Ptr(Dir::Out, &Target::One(&Kind::flags(&flags::TSC)))),
    (SET_TSC, Kind::flags64(&flags::TSC)),
    (GET_SECUREBITS, ABSENT),
    (SET_SECUREBITS, Kind::flags64(&flags::SECUREBITS)),
    (SET_TIMERSLACK, ULONG),
    (GET_TIMERSLACK, ABSENT),
    (TASK_PERF_EVENTS_DISABLE, ABSENT),
    (TASK_PERF_EVENTS_ENABLE, ABSENT),
    (MCE_KILL, Kind::flags64(&flags::MCE_KILL)),
    (SET_MM, Kind::flags64(&flags::SET_MM)),
    (SET_CHILD_SUBREAPER, ULONG),
    (GET_CHILD_SUBREAPER, Kind::Ptr(Dir::Out, &Target::One(&INT))),
    (SET_NO_NEW_PRIVS, ULONG),
    (GET_TID_ADDRESS, Kind::Ptr(Dir::Out, &Target::One(&Kind::Addr))),
    (SET_THP_DISABLE, ULONG),
    (CAP_AMBIENT, Kind::flags64(&flags::CAP_AMBIENT)),
    (GET_SPECULATION_CTRL, Kind::flags64(&flags::SPECULATION)),
    (SET_SPECULATION_CTRL, Kind::flags64(&flags::SPECULATION)),
    (SET_IO_FLUSHER, ULONG),
    (SET_SYSCALL_USER_DISPATCH, Kind::flags64(&flags::SYSCALL_DISPATCH)),
    (SCHED_CORE, Kind::flags64(&flags::SCHED_CORE)),
    (SET_MDWE, Kind::flags64(&flags::MDWE)),
    (SET_VMA, Kind::flags64(&flags::SET_VMA)),
    (SET_PTRACER, PTRACER),
];
/// `PR_SET_PTRACER_ANY` or a process.
const PTRACER: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u64::MAX,
    cases: &[(u64::MAX, Kind::flags64(&flags::PTRACER))],
    default: &Kind::Pid,
};

/// The program of `SECCOMP_MODE_FILTER`.
const FILTER: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u64::MAX,
    cases: &[(1, ABSENT), (2, struct_in!(FILTER_PROGRAM))],
    default: &HEX,
};

/// The capability that `PR_CAP_AMBIENT` is about, unless it clears all.
const AMBIENT: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u64::MAX,
    cases: &[
        (1, Kind::flags64(&flags::CAPABILITY_NUMBER)),
        (2, Kind::flags64(&flags::CAPABILITY_NUMBER)),
        (3, Kind::flags64(&flags::CAPABILITY_NUMBER)),
    ],
    default: &HEX,
};

/// What remains behind the program: nothing if the mode is known.
const AFTER_FILTER: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u64::MAX,
    cases: &[(1, ABSENT), (2, ABSENT)],
    default: &HEX,
};

/// The policy of `PR_MCE_KILL_SET`.
const MCE_POLICY: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u64::MAX,
    cases: &[(1, Kind::flags64(&flags::MCE_KILL_POLICY))],
    default: &HEX,
};

/// The third argument; most options have none.
static THIRD: [(u64, Kind); 31] = [
    (GET_DUMPABLE, ABSENT),
    (GET_KEEPCAPS, ABSENT),
    (GET_TIMING, ABSENT),
    (GET_SECCOMP, ABSENT),
    (GET_SECUREBITS, ABSENT),
    (GET_TIMERSLACK, ABSENT),
    (TASK_PERF_EVENTS_DISABLE, ABSENT),
    (TASK_PERF_EVENTS_ENABLE, ABSENT),
    (SET_PDEATHSIG, ABSENT),
    (GET_PDEATHSIG, ABSENT),
    (SET_DUMPABLE, ABSENT),
    (SET_KEEPCAPS, ABSENT),
    (SET_TIMING, ABSENT),
    (SET_NAME, ABSENT),
    (GET_NAME, ABSENT),
    (CAPBSET_READ, ABSENT),
    (CAPBSET_DROP, ABSENT),
    (GET_TSC, ABSENT),
    (SET_TSC, ABSENT),
    (SET_SECUREBITS, ABSENT),
    (SET_TIMERSLACK, ABSENT),
    (SET_CHILD_SUBREAPER, ABSENT),
    (GET_CHILD_SUBREAPER, ABSENT),
    (GET_TID_ADDRESS, ABSENT),
    (GET_SPECULATION_CTRL, ABSENT),
    (SET_PTRACER, ABSENT),
    (SET_SECCOMP, FILTER),
    (MCE_KILL, MCE_POLICY),
    (CAP_AMBIENT, AMBIENT),
    (SET_SPECULATION_CTRL, Kind::flags64(&flags::SPECULATION_CONTROL)),
    (SCHED_CORE, Kind::Pid),
];

/// The fourth argument.
static FOURTH: [(u64, Kind); 29] = [
    (GET_DUMPABLE, ABSENT),
    (GET_KEEPCAPS, ABSENT),
    (GET_TIMING, ABSENT),
    (GET_SECCOMP, ABSENT),
    (GET_SECUREBITS, ABSENT),
    (GET_TIMERSLACK, ABSENT),
    (TASK_PERF_EVENTS_DISABLE, ABSENT),
    (TASK_PERF_EVENTS_ENABLE, ABSENT),
    (SET_PDEATHSIG, ABSENT),
    (GET_PDEATHSIG, ABSENT),
    (SET_DUMPABLE, ABSENT),
    (SET_KEEPCAPS, ABSENT),
    (SET_TIMING, ABSENT),
    (SET_NAME, ABSENT),
    (GET_NAME, ABSENT),
    (CAPBSET_READ, ABSENT),
    (CAPBSET_DROP, ABSENT),
    (GET_TSC, ABSENT),
    (SET_TSC, ABSENT),
    (SET_SECUREBITS, ABSENT),
    (SET_TIMERSLACK, ABSENT),
    (SET_CHILD_SUBREAPER, ABSENT),
    (GET_CHILD_SUBREAPER, ABSENT),
    (GET_TID_ADDRESS, ABSENT),
    (GET_SPECULATION_CTRL, ABSENT),
    (SET_PTRACER, ABSENT),
    (SET_SECCOMP, AFTER_FILTER),
    (SET_SPECULATION_CTRL, ABSENT),
    (SET_VMA, ULONG),
];

/// The fifth argument.
static FIFTH: [(u64, Kind); 30] = [
    (GET_DUMPABLE, ABSENT),
    (GET_KEEPCAPS, ABSENT),
    (GET_TIMING, ABSENT),
    (GET_SECCOMP, ABSENT),
    (GET_SECUREBITS, ABSENT),
    (GET_TIMERSLACK, ABSENT),
    (TASK_PERF_EVENTS_DISABLE, ABSENT),
    (TASK_PERF_EVENTS_ENABLE, ABSENT),
    (SET_PDEATHSIG, ABSENT),
    (GET_PDEATHSIG, ABSENT),
    (SET_DUMPABLE, ABSENT),
    (SET_KEEPCAPS, ABSENT),
    (SET_TIMING, ABSENT),
    (SET_NAME, ABSENT),
    (GET_NAME, ABSENT),
    (CAPBSET_READ, ABSENT),
    (CAPBSET_DROP, ABSENT),
    (GET_TSC, ABSENT),
    (SET_TSC, ABSENT),
    (SET_SECUREBITS, ABSENT),
    (SET_TIMERSLACK, ABSENT),
    (SET_CHILD_SUBREAPER, ABSENT),
    (GET_CHILD_SUBREAPER, ABSENT),
    (GET_TID_ADDRESS, ABSENT),
    (GET_SPECULATION_CTRL, ABSENT),
    (SET_PTRACER, ABSENT),
    (SET_SECCOMP, AFTER_FILTER),
    (SET_SPECULATION_CTRL, ABSENT),
    (SET_VMA, Kind::CSTR),
    (SET_SYSCALL_USER_DISPATCH, Kind::Addr),
];

/// What some results mean.
static MEANINGS: [(u64, &str, Kind); 3] = [
    (GET_DUMPABLE, "", Kind::flags64(&flags::DUMPABLE)),
    (GET_SECUREBITS, "", Kind::flags64(&flags::SECUREBITS)),
    (GET_SPECULATION_CTRL, "", Kind::flags64(&flags::SPECULATION_CONTROL)),
];

/// Results that are sets of bits.
const RESULT: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: u32::MAX as u64,
    cases: &[(GET_SECUREBITS, HEX), (GET_SPECULATION_CTRL, HEX)],
    default: &Kind::LONG,
};

/// The family's entries.
pub static CALLS: &[Call] = &[call(
    id::PRCTL,
    Classes::CREDS,
    &[
        arg("option", Kind::flags(&flags::PRCTL)),
        arg("arg2", by_option(&SECOND)),
        arg("arg3", by_option(&THIRD)),
        arg("arg4", by_option(&FOURTH)),
        arg("arg5", by_option(&FIFTH)),
    ],
    Ret::of(RESULT).note(Note::MeaningBy { on: Source::Arg(0), cases: &MEANINGS }),
)];
