//! Signals: sending them, blocking them, waiting for them.

use crate::arch::x86_64 as id;
use crate::{
    Call, Classes, Dir, Kind, Len, Note, Ret, Target, arg, call, flags, stack_arg, structs,
};

const SIGNAL: Classes = Classes::SIGNAL;
const PROCESS: Classes = Classes::PROCESS;
const DESC: Classes = Classes::DESC;

static ACTION: Target = Target::One(&Kind::Struct(&structs::SIGACTION));
static STACK: Target = Target::One(&Kind::Struct(&structs::SIGNAL_STACK));
static FRAME: Target = Target::One(&Kind::Struct(&structs::SIGNAL_FRAME));
static TIMEOUT: Target = Target::One(&Kind::Struct(&structs::TIMESPEC));

/// A signal set, whose size the kernel wants confirmed by the argument of index `size`.
macro_rules! set {
    ($dir:ident, $size:literal) => {
        Kind::Ptr(Dir::$dir, &Target::SigSet(Len::Arg($size), 0))
    };
}

const INFO: Kind = Kind::Ptr(Dir::In, &Target::One(&Kind::SigInfo));

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::KILL,
        SIGNAL.or(PROCESS),
        &[arg("pid", Kind::Pid), arg("sig", Kind::Signal)],
        Ret::INT,
    ),
    call(
        id::TKILL,
        SIGNAL.or(PROCESS),
        &[arg("pid", Kind::Pid), arg("sig", Kind::Signal)],
        Ret::INT,
    ),
    call(
        id::TGKILL,
        SIGNAL.or(PROCESS),
        &[arg("tgid", Kind::Pid), arg("pid", Kind::Pid), arg("sig", Kind::Signal)],
        Ret::INT,
    ),
    call(
        id::RT_SIGQUEUEINFO,
        SIGNAL.or(PROCESS),
        &[arg("pid", Kind::Pid), arg("sig", Kind::Signal), arg("uinfo", INFO)],
        Ret::INT,
    ),
    call(
        id::RT_TGSIGQUEUEINFO,
        SIGNAL.or(PROCESS),
        &[
            arg("tgid", Kind::Pid),
            arg("pid", Kind::Pid),
            arg("sig", Kind::Signal),
            arg("uinfo", INFO),
        ],
        Ret::INT,
    ),
    call(
        id::PIDFD_SEND_SIGNAL,
        SIGNAL.or(PROCESS).or(DESC),
        &[
            arg("pidfd", Kind::Fd),
            arg("sig", Kind::Signal),
            arg("info", INFO),
            arg("flags", Kind::flags(&flags::PIDFD_SIGNAL)),
        ],
        Ret::INT,
    ),
    call(
        id::RT_SIGACTION,
        SIGNAL,
        &[
            arg("sig", Kind::Signal),
            arg("act", Kind::Ptr(Dir::In, &ACTION)),
            arg("oact", Kind::Ptr(Dir::Out, &ACTION)),
            arg("sigsetsize", Kind::ULONG),
        ],
        Ret::INT,
    ),
    call(
        id::RT_SIGPROCMASK,
        SIGNAL,
        &[
            arg("how", Kind::flags(&flags::SIG_HOW)),
            arg("nset", set!(In, 3)),
            arg("oset", set!(Out, 3)),
            arg("sigsetsize", Kind::ULONG),
        ],
        Ret::INT,
    ),
    call(
        id::RT_SIGPENDING,
        SIGNAL,
        &[
            arg("uset", Kind::Ptr(Dir::Out, &Target::SigSet(Len::Arg(1), 1))),
            arg("sigsetsize", Kind::ULONG),
        ],
        Ret::INT,
    ),
    call(
        id::RT_SIGSUSPEND,
        SIGNAL,
        &[arg("unewset", set!(In, 1)), arg("sigsetsize", Kind::ULONG)],
        Ret::INT,
    ),
    call(
        id::RT_SIGTIMEDWAIT,
        SIGNAL,
        &[
            arg("uthese", set!(In, 3)),
            arg("uinfo", Kind::Ptr(Dir::Out, &Target::One(&Kind::SigInfo))),
            arg("uts", Kind::Ptr(Dir::In, &TIMEOUT)),
            arg("sigsetsize", Kind::ULONG),
        ],
        Ret::INT.note(Note::Meaning("", Kind::Signal)),
    ),
    call(
        id::SIGALTSTACK,
        SIGNAL,
        &[arg("uss", Kind::Ptr(Dir::In, &STACK)), arg("uoss", Kind::Ptr(Dir::Out, &STACK))],
        Ret::INT,
    ),
    call(
        id::SIGNALFD,
        SIGNAL.or(DESC),
        &[arg("ufd", Kind::Fd), arg("user_mask", set!(In, 2)), arg("sizemask", Kind::ULONG)],
        Ret::FD,
    ),
    call(
        id::SIGNALFD4,
        SIGNAL.or(DESC),
        &[
            arg("ufd", Kind::Fd),
            arg("user_mask", set!(In, 2)),
            arg("sizemask", Kind::ULONG),
            arg("flags", Kind::flags(&flags::SFD)),
        ],
        Ret::FD,
    ),
    call(id::PAUSE, SIGNAL, &[], Ret::INT),
    call(id::RT_SIGRETURN, SIGNAL, &[stack_arg("frame", Kind::Ptr(Dir::In, &FRAME))], Ret::INT),
];
