//! Processes and threads: making them, ending them, waiting for them, their ids and namespaces.

use crate::arch::x86_64 as id;
use crate::{
    Call, Classes, Dir, Kind, Len, Ret, Source, Special, Target, Width, arg, call, flags,
    named_arg, structs,
};

const NONE: Classes = Classes::NONE;
const PROCESS: Classes = Classes::PROCESS;
const DESC: Classes = Classes::DESC;
const FILE: Classes = Classes::FILE;
const PURE: Classes = Classes::PURE;

const PID: Ret = Ret::of(Kind::Pid);
/// The id of a process group or a session. It may outlive the process that had it, so that no
/// process is meant by it.
const GROUP: Kind = Kind::INT;

/// Flags of `clone(2)` that decide which of its arguments count.
mod clone {
    pub const PIDFD: u64 = 0x1000;
    pub const SETTLS: u64 = 0x8_0000;
    pub const PARENT_SETTID: u64 = 0x10_0000;
    pub const CHILD_CLEARTID: u64 = 0x20_0000;
    pub const CHILD_SETTID: u64 = 0x100_0000;
}

/// An argument of `clone(2)` that counts if one of these flags is set.
const fn if_cloned_with(mask: u64, then: &'static Kind) -> Kind {
    Kind::IfBits { on: Source::Arg(0), mask, then }
}

const PID_OUT: Kind = Kind::Ptr(Dir::Out, &Target::One(&Kind::Pid));
const FD_OUT: Kind = Kind::Ptr(Dir::Out, &Target::One(&Kind::Fd));
const STATUS: Kind = Kind::Ptr(Dir::Out, &Target::One(&Kind::WaitStatus));
/// Whom `waitid(2)` waits for: with `P_PIDFD` a descriptor says it.
const WAITED_FOR: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: 0xffff_ffff,
    cases: &[(3, Kind::Fd)],
    default: &Kind::Pid,
};
const USAGE: Kind = Kind::Ptr(Dir::Out, &Target::One(&Kind::Struct(&structs::RUSAGE)));
const ARGV: Kind = Kind::Ptr(Dir::In, &Target::Strings);
const ENVP: Kind = Kind::Ptr(Dir::In, &Target::Environment);

/// `clone3(2)`'s struct, which has grown; the kernel takes the smaller ones too.
const CLONE_ARGS: Kind =
    Kind::Ptr(Dir::In, &Target::Extensible(&structs::CLONE_ARGS, Len::Arg(1), 64));

/// An index that means something only for two of `kcmp(2)`'s types.
const fn kcmp_index(file: Kind, target: Kind) -> [(u64, Kind); 8] {
    [
        (0, file),
        (1, Kind::Absent),
        (2, Kind::Absent),
        (3, Kind::Absent),
        (4, Kind::Absent),
        (5, Kind::Absent),
        (6, Kind::Absent),
        (7, target),
    ]
}
static KCMP_INDEX_1: [(u64, Kind); 8] = kcmp_index(Kind::Fd, Kind::Fd);
static KCMP_INDEX_2: [(u64, Kind); 8] = kcmp_index(
    Kind::Fd,
    Kind::Ptr(Dir::In, &Target::One(&Kind::Struct(&structs::KCMP_EPOLL_SLOT))),
);

const fn kcmp_choice(cases: &'static [(u64, Kind)]) -> Kind {
    const TYPE: u64 = u32::MAX as u64;
    Kind::Select { on: Source::Arg(2), mask: TYPE, cases, default: &Kind::HEX64 }
}

const STATE_PART: Kind = Kind::Explained(Width::U64, &flags::XFEATURE);
const STATE_PARTS: Kind =
    Kind::Ptr(Dir::Out, &Target::One(&Kind::Explained(Width::U64, &flags::XFEATURE_MASK)));

/// What `arch_prctl(2)`'s address is, by the code.
const ARCH_VALUE: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: u32::MAX as u64,
    cases: &[
        (0x1003, Kind::Ptr(Dir::Out, &Target::One(&Kind::Addr))),
        (0x1004, Kind::Ptr(Dir::Out, &Target::One(&Kind::Addr))),
        (0x1011, Kind::Absent),
        (0x1021, STATE_PARTS),
        (0x1022, STATE_PARTS),
        (0x1023, STATE_PART),
        (0x1024, STATE_PARTS),
        (0x1025, STATE_PART),
    ],
    default: &Kind::HEX64,
};

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(id::FORK, PROCESS, &[], PID),
    call(id::VFORK, PROCESS, &[], PID),
    call(
        id::CLONE,
        PROCESS,
        &[
            named_arg("child_stack", 1, Kind::Addr),
            named_arg("flags", 0, Kind::Special(Special::CloneFlags)),
            named_arg(
                "parent_tid",
                2,
                Kind::Select {
                    on: Source::Arg(0),
                    mask: clone::PIDFD,
                    cases: &[(clone::PIDFD, FD_OUT)],
                    default: &if_cloned_with(clone::PARENT_SETTID, &PID_OUT),
                },
            )
            .late(),
            named_arg("tls", 4, if_cloned_with(clone::SETTLS, &Kind::Addr)).late(),
            named_arg(
                "child_tidptr",
                3,
                if_cloned_with(clone::CHILD_SETTID | clone::CHILD_CLEARTID, &Kind::Addr),
            )
            .late(),
        ],
        PID,
    ),
    call(id::CLONE3, PROCESS, &[arg("uargs", CLONE_ARGS), arg("size", Kind::ULONG)], PID),
    call(
        id::EXECVE,
        PROCESS.or(FILE),
        &[arg("filename", Kind::PATH), arg("argv", ARGV), arg("envp", ENVP)],
        Ret::INT,
    ),
    call(
        id::EXECVEAT,
        PROCESS.or(FILE).or(DESC),
        &[
            arg("fd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("argv", ARGV),
            arg("envp", ENVP),
            arg("flags", Kind::flags(&flags::EXECVEAT)),
        ],
        Ret::INT,
    ),
    call(id::EXIT, PROCESS, &[arg("error_code", Kind::INT)], Ret::NEVER),
    call(id::EXIT_GROUP, PROCESS, &[arg("error_code", Kind::INT)], Ret::NEVER),
    call(
        id::WAIT4,
        PROCESS,
        &[
            arg("upid", Kind::Pid),
            arg("stat_addr", STATUS),
            arg("options", Kind::flags(&flags::WAIT)),
            arg("ru", USAGE),
        ],
        PID.zero_writes_nothing(),
    ),
    call(
        id::WAITID,
        PROCESS,
        &[
            arg("which", Kind::flags(&flags::WAIT_ID)),
            arg("upid", WAITED_FOR),
            arg("infop", Kind::Ptr(Dir::Out, &Target::One(&Kind::SigInfo))),
            arg("options", Kind::flags(&flags::WAIT)),
            arg("ru", USAGE),
        ],
        Ret::INT,
    ),
    call(id::GETPID, PURE, &[], PID),
    call(id::GETTID, PURE, &[], PID),
    call(id::GETPPID, PURE, &[], PID),
    call(id::GETPGRP, PURE, &[], Ret::of(GROUP)),
    call(id::GETPGID, NONE, &[arg("pid", Kind::Pid)], Ret::of(GROUP)),
    call(id::SETPGID, NONE, &[arg("pid", Kind::Pid), arg("pgid", GROUP)], Ret::INT),
    call(id::GETSID, NONE, &[arg("pid", Kind::Pid)], Ret::of(GROUP)),
    call(id::SETSID, NONE, &[], Ret::of(GROUP)),
    call(id::SET_TID_ADDRESS, NONE, &[arg("tidptr", Kind::HEX)], Ret::INT),
    call(id::UNSHARE, NONE, &[arg("unshare_flags", Kind::flags64(&flags::UNSHARE))], Ret::INT),
    call(
        id::SETNS,
        DESC,
        &[arg("fd", Kind::Fd), arg("flags", Kind::flags(&flags::NAMESPACE))],
        Ret::INT,
    ),
    call(
        id::PIDFD_OPEN,
        DESC,
        &[arg("pid", Kind::Pid), arg("flags", Kind::flags(&flags::PIDFD_OPEN))],
        Ret::FD,
    ),
    call(
        id::PIDFD_GETFD,
        DESC,
        &[
            arg("pidfd", Kind::Fd),
            arg("fd", Kind::Special(Special::OthersFd)),
            arg("flags", Kind::HEX32),
        ],
        Ret::FD,
    ),
    call(
        id::PROCESS_MRELEASE,
        DESC,
        &[arg("pidfd", Kind::Fd), arg("flags", Kind::HEX32)],
        Ret::INT,
    ),
    call(
        id::KCMP,
        NONE,
        &[
            arg("pid1", Kind::Pid),
            arg("pid2", Kind::Pid),
            arg("type", Kind::flags(&flags::KCMP)),
            arg("idx1", kcmp_choice(&KCMP_INDEX_1)),
            arg("idx2", kcmp_choice(&KCMP_INDEX_2)),
        ],
        Ret::INT,
    ),
    call(
        id::ARCH_PRCTL,
        NONE,
        &[arg("option", Kind::flags(&flags::ARCH_PRCTL)), arg("arg2", ARCH_VALUE)],
        Ret::INT,
    ),
];
