//! `prctl(2)`, whose arguments depend on the option.

use crate::arch::x86_64 as id;
use crate::{
    Call, Classes, Dir, Kind, Len, Note, Ret, Source, Target, Width, arg, call, flags, sorted,
};

/// Options from linux/prctl.h.
mod option {
    pub const SET_PDEATHSIG: u64 = 1;
    pub const GET_PDEATHSIG: u64 = 2;
    pub const GET_DUMPABLE: u64 = 3;
    pub const SET_DUMPABLE: u64 = 4;
    pub const GET_UNALIGN: u64 = 5;
    pub const SET_UNALIGN: u64 = 6;
    pub const GET_KEEPCAPS: u64 = 7;
    pub const SET_KEEPCAPS: u64 = 8;
    pub const GET_FPEMU: u64 = 9;
    pub const SET_FPEMU: u64 = 10;
    pub const GET_FPEXC: u64 = 11;
    pub const SET_FPEXC: u64 = 12;
    pub const GET_TIMING: u64 = 13;
    pub const SET_TIMING: u64 = 14;
    pub const SET_NAME: u64 = 15;
    pub const GET_NAME: u64 = 16;
    pub const GET_ENDIAN: u64 = 19;
    pub const SET_ENDIAN: u64 = 20;
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
    pub const MCE_KILL_GET: u64 = 34;
    pub const SET_MM: u64 = 35;
    pub const SET_CHILD_SUBREAPER: u64 = 36;
    pub const GET_CHILD_SUBREAPER: u64 = 37;
    pub const SET_NO_NEW_PRIVS: u64 = 38;
    pub const GET_TID_ADDRESS: u64 = 40;
    pub const SET_THP_DISABLE: u64 = 41;
    pub const SET_FP_MODE: u64 = 45;
    pub const GET_FP_MODE: u64 = 46;
    pub const CAP_AMBIENT: u64 = 47;
    pub const SVE_SET_VL: u64 = 50;
    pub const SVE_GET_VL: u64 = 51;
    pub const GET_SPECULATION_CTRL: u64 = 52;
    pub const SET_TAGGED_ADDR_CTRL: u64 = 55;
    pub const GET_TAGGED_ADDR_CTRL: u64 = 56;
    pub const SET_SPECULATION_CTRL: u64 = 53;
    pub const PAC_RESET_KEYS: u64 = 54;
    pub const SET_IO_FLUSHER: u64 = 57;
    pub const SET_SYSCALL_USER_DISPATCH: u64 = 59;
    pub const PAC_SET_ENABLED_KEYS: u64 = 60;
    pub const PAC_GET_ENABLED_KEYS: u64 = 61;
    pub const SCHED_CORE: u64 = 62;
    pub const SME_SET_VL: u64 = 63;
    pub const SME_GET_VL: u64 = 64;
    pub const SET_MDWE: u64 = 65;
    pub const SET_VMA: u64 = 0x5356_4d41;
    pub const SET_PTRACER: u64 = 0x5961_6d61;
}
use option::*;

const INT: Kind = Kind::INT;
const ULONG: Kind = Kind::ULONG;
const HEX: Kind = Kind::HEX64;
const ABSENT: Kind = Kind::Absent;

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
    cases: &[(1, ABSENT), (2, struct_in!(SECCOMP_PROGRAM))],
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

/// An `unsigned int` that the kernel stores.
const NUMBER_OUT: Kind = Kind::Ptr(Dir::Out, &Target::One(&Kind::UINT));

/// A signal, unless it is too large a number for one.
const DEATH_SIGNAL: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: !0xffff,
    cases: &[(0, Kind::Signal)],
    default: &ULONG,
};

/// What `PR_SET_SPECULATION_CTRL` makes of a known misfeature.
const SPECULATION_WANTED: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u64::MAX,
    cases: &[
        (0, Kind::flags64(&flags::SPECULATION_WANTED)),
        (1, Kind::flags64(&flags::SPECULATION_WANTED)),
        (2, Kind::flags64(&flags::SPECULATION_WANTED)),
    ],
    default: &HEX,
};

/// How speculation is restricted by a known misfeature.
const SPECULATION_FOUND: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u64::MAX,
    cases: &[
        (0, Kind::flags64(&flags::SPECULATION_CONTROL)),
        (1, Kind::flags64(&flags::SPECULATION_CONTROL)),
        (2, Kind::flags64(&flags::SPECULATION_CONTROL)),
    ],
    default: &ABSENT,
};

/// The memory that `PR_SET_VMA_ANON_NAME` names.
const VMA_ADDRESS: Kind =
    Kind::Select { on: Source::Arg(1), mask: u64::MAX, cases: &[(0, Kind::Addr)], default: &HEX };

/// The length of the memory that `PR_SET_VMA_ANON_NAME` names.
const VMA_LENGTH: Kind =
    Kind::Select { on: Source::Arg(1), mask: u64::MAX, cases: &[(0, ULONG)], default: &HEX };

/// The name that `PR_SET_VMA_ANON_NAME` gives.
const VMA_NAME: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u64::MAX,
    cases: &[(0, Kind::CSTR)],
    default: &Kind::Addr,
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

/// The arguments behind each option. What is not listed for a known option is absent; those of an
/// option that is not listed are numbers.
const ARGUMENTS: [(u64, &[Kind]); 55] = [
    (SET_PDEATHSIG, &[DEATH_SIGNAL]),
    (GET_PDEATHSIG, &[Kind::Ptr(Dir::Out, &Target::One(&Kind::Signal))]),
    (GET_DUMPABLE, &[]),
    (SET_DUMPABLE, &[Kind::flags64(&flags::DUMPABLE)]),
    (GET_UNALIGN, &[Kind::Ptr(Dir::Out, &Target::One(&Kind::flags(&flags::UNALIGN)))]),
    (SET_UNALIGN, &[Kind::flags(&flags::UNALIGN)]),
    (GET_KEEPCAPS, &[]),
    (SET_KEEPCAPS, &[ULONG]),
    (GET_FPEMU, &[NUMBER_OUT]),
    (SET_FPEMU, &[ULONG]),
    (GET_FPEXC, &[NUMBER_OUT]),
    (SET_FPEXC, &[ULONG]),
    (GET_TIMING, &[]),
    (SET_TIMING, &[ULONG]),
    (SET_NAME, &[Kind::Ptr(Dir::In, &Target::ShortStr(Len::Const(15)))]),
    (GET_NAME, &[Kind::Ptr(Dir::Out, &Target::ShortStr(Len::Const(16)))]),
    (GET_ENDIAN, &[NUMBER_OUT]),
    (SET_ENDIAN, &[ULONG]),
    (GET_SECCOMP, &[]),
    (SET_SECCOMP, &[Kind::flags64(&flags::SECCOMP_MODE), FILTER, AFTER_FILTER, AFTER_FILTER]),
    (CAPBSET_READ, &[Kind::flags64(&flags::CAPABILITY_NUMBER)]),
    (CAPBSET_DROP, &[Kind::flags64(&flags::CAPABILITY_NUMBER)]),
    (GET_TSC, &[Kind::Ptr(Dir::Out, &Target::One(&Kind::flags(&flags::TSC)))]),
    (SET_TSC, &[Kind::flags(&flags::TSC)]),
    (GET_SECUREBITS, &[]),
    (SET_SECUREBITS, &[Kind::flags64(&flags::SECUREBITS)]),
    (SET_TIMERSLACK, &[Kind::LONG]),
    (GET_TIMERSLACK, &[]),
    (TASK_PERF_EVENTS_DISABLE, &[]),
    (TASK_PERF_EVENTS_ENABLE, &[]),
    (MCE_KILL, &[Kind::flags64(&flags::MCE_KILL), MCE_POLICY, HEX, HEX]),
    (SET_MM, &[Kind::flags(&flags::SET_MM), HEX, HEX, HEX]),
    (SET_CHILD_SUBREAPER, &[ULONG]),
    (GET_CHILD_SUBREAPER, &[Kind::Ptr(Dir::Out, &Target::One(&INT))]),
    (SET_NO_NEW_PRIVS, &[ULONG, HEX, HEX, HEX]),
    (GET_TID_ADDRESS, &[Kind::Ptr(Dir::Out, &Target::One(&Kind::Addr))]),
    (SET_THP_DISABLE, &[ULONG, HEX, HEX, HEX]),
    (SET_FP_MODE, &[Kind::flags(&flags::FP_MODE)]),
    (GET_FP_MODE, &[]),
    (CAP_AMBIENT, &[Kind::flags64(&flags::CAP_AMBIENT), AMBIENT, HEX, HEX]),
    (SVE_SET_VL, &[Kind::flags64(&flags::SVE_VECTOR)]),
    (SVE_GET_VL, &[]),
    (GET_SPECULATION_CTRL, &[Kind::flags64(&flags::SPECULATION)]),
    (SET_SPECULATION_CTRL, &[Kind::flags64(&flags::SPECULATION), SPECULATION_WANTED]),
    (PAC_RESET_KEYS, &[Kind::flags64(&flags::POINTER_KEYS), HEX, HEX, HEX]),
    (SET_TAGGED_ADDR_CTRL, &[TAGGED, HEX, HEX, HEX]),
    (SET_IO_FLUSHER, &[ULONG, HEX, HEX, HEX]),
    (SET_SYSCALL_USER_DISPATCH, &[Kind::flags64(&flags::SYSCALL_DISPATCH), HEX, HEX, Kind::Addr]),
    (
        PAC_SET_ENABLED_KEYS,
        &[
            Kind::flags64(&flags::POINTER_KEYS_USED),
            Kind::flags64(&flags::POINTER_KEYS_USED),
            HEX,
            HEX,
        ],
    ),
    (
        SCHED_CORE,
        &[
            Kind::flags(&flags::SCHED_CORE),
            Kind::Pid,
            Kind::Explained(Width::U32, &flags::PID_TYPE),
            Kind::Addr,
        ],
    ),
    (SME_SET_VL, &[Kind::flags64(&flags::SME_VECTOR)]),
    (SME_GET_VL, &[]),
    (SET_MDWE, &[Kind::flags64(&flags::MDWE), HEX, HEX, HEX]),
    (SET_VMA, &[Kind::flags64(&flags::SET_VMA), VMA_ADDRESS, VMA_LENGTH, VMA_NAME]),
    (SET_PTRACER, &[PTRACER]),
];

/// The argument of this place, the one behind the option being 0.
const fn by_option<const PLACE: usize>() -> Kind {
    let cases = const { &cases(PLACE) };
    Kind::Select { on: Source::Arg(0), mask: u32::MAX as u64, cases, default: &HEX }
}

/// What each option makes of that argument.
const fn cases(place: usize) -> [(u64, Kind); ARGUMENTS.len()] {
    let mut cases = [(0, ABSENT); ARGUMENTS.len()];
    let mut row = 0;
    while row < cases.len() {
        let (option, kinds) = ARGUMENTS[row];
        cases[row] = (option, if place < kinds.len() { kinds[place] } else { ABSENT });
        row += 1;
    }
    cases
}

const TAGGED: Kind = Kind::Parts(Width::U64, &crate::parts::TAGGED_ADDRESSES);

/// What some results mean.
static MEANINGS: [(u64, &str, Kind); 11] = [
    (GET_FP_MODE, "", Kind::flags64(&flags::FP_MODE)),
    (SVE_SET_VL, "", Kind::flags64(&flags::SVE_VECTOR)),
    (SVE_GET_VL, "", Kind::flags64(&flags::SVE_VECTOR)),
    (SME_SET_VL, "", Kind::flags64(&flags::SME_VECTOR)),
    (SME_GET_VL, "", Kind::flags64(&flags::SME_VECTOR)),
    (PAC_GET_ENABLED_KEYS, "", Kind::flags64(&flags::POINTER_KEYS_USED)),
    (GET_TAGGED_ADDR_CTRL, "", TAGGED),
    (GET_DUMPABLE, "", Kind::flags64(&flags::DUMPABLE)),
    (GET_SECUREBITS, "", Kind::flags64(&flags::SECUREBITS)),
    (MCE_KILL_GET, "", Kind::flags64(&flags::MCE_KILL_POLICY)),
    (GET_SPECULATION_CTRL, "", SPECULATION_FOUND),
];

/// Results that are sets of bits.
const RESULT: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: u32::MAX as u64,
    cases: const {
        &sorted([
            (GET_SECUREBITS, HEX),
            (GET_FP_MODE, HEX),
            (SVE_SET_VL, HEX),
            (SVE_GET_VL, HEX),
            (GET_SPECULATION_CTRL, HEX),
            (GET_TAGGED_ADDR_CTRL, HEX),
            (PAC_GET_ENABLED_KEYS, HEX),
            (SME_SET_VL, HEX),
            (SME_GET_VL, HEX),
        ])
    },
    default: &Kind::LONG,
};

/// The family's entries.
pub static CALLS: &[Call] = &[call(
    id::PRCTL,
    Classes::CREDS,
    &[
        arg("option", Kind::flags(&flags::PRCTL)),
        arg("arg2", by_option::<0>()),
        arg("arg3", by_option::<1>()),
        arg("arg4", by_option::<2>()),
        arg("arg5", by_option::<3>()),
    ],
    Ret::of(RESULT).note(Note::MeaningBy { on: Source::Arg(0), cases: &MEANINGS }),
)];
