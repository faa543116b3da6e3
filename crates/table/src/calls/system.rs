//! The system as a whole: names, randomness, modules, keys, and the doors to larger interfaces.

use crate::arch::x86_64 as id;
use crate::{
    Arg, Call, Classes, Dir, Kind, Len, Note, Ret, Short, Source, Special, Target, arg, call,
    flags, resumed_arg, structs,
};

const DESC: Classes = Classes::DESC;
const NONE: Classes = Classes::NONE;
const SIZE: Kind = Kind::ULONG;
const SEGMENTS: Kind = at_most!(
    1,
    16,
    Kind::Ptr(Dir::In, &Target::Array(&Kind::Struct(&structs::KEXEC_SEGMENT), Len::Arg(1)))
);
const PERSONALITY: Kind = Kind::flags(&flags::PERSONALITY);

/// What `personality(2)` sets; all ones only ask.
const PERSONALITY_SET: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: 0xffff_ffff,
    cases: &[(0xffff_ffff, Kind::HEX32)],
    default: &PERSONALITY,
};

/// An argument of `syslog(2)`, absent for the actions that take none.
macro_rules! by_action {
    ($then:expr) => {
        Kind::Select {
            on: Source::Arg(0),
            mask: 0xffff_ffff,
            cases: &[
                (flags::SYSLOG_ACTION_CLOSE, Kind::Absent),
                (flags::SYSLOG_ACTION_OPEN, Kind::Absent),
                (flags::SYSLOG_ACTION_CLEAR, Kind::Absent),
                (flags::SYSLOG_ACTION_CONSOLE_OFF, Kind::Absent),
                (flags::SYSLOG_ACTION_CONSOLE_ON, Kind::Absent),
                (flags::SYSLOG_ACTION_SIZE_UNREAD, Kind::Absent),
                (flags::SYSLOG_ACTION_SIZE_BUFFER, Kind::Absent),
            ],
            default: &$then,
        }
    };
}

/// What actions that read store; others have no use for it.
const LOGGED: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: 0xffff_ffff,
    cases: &[
        (flags::SYSLOG_ACTION_READ, FILLED),
        (flags::SYSLOG_ACTION_READ_ALL, FILLED),
        (flags::SYSLOG_ACTION_READ_CLEAR, FILLED),
    ],
    default: &Kind::Addr,
};
const FILLED: Kind = Kind::Ptr(Dir::Out, &Target::Bytes(Len::Ret));

/// The least urgent of the messages that the console shows, or a buffer's length.
const LEVEL_OR_LENGTH: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: 0xffff_ffff,
    cases: &[(flags::SYSLOG_ACTION_CONSOLE_LEVEL, Kind::Annotated(&flags::LOGLEVEL))],
    default: &Kind::INT,
};

/// A descriptor of a segment, if that is what the length says.
const SEGMENT: Kind = Kind::Select {
    on: Source::Arg(2),
    mask: u64::MAX,
    cases: &[(16, struct_in!(USER_DESC))],
    default: &Kind::Addr,
};

const fn given(length: u8) -> Target {
    Target::Bytes(Len::Arg(length))
}
const NAME: Arg = arg("name", at_most!(1, 64, Kind::Ptr(Dir::In, &given(1))));

/// An event; its second field says how large it is.
pub(super) const PERF_EVENT: Kind = Kind::Ptr(Dir::In, &EVENT);
/// One that the kernel may answer with the size that it knows.
const PERF_EVENT_SIZED: Kind = Kind::Ptr(Dir::Answered, &EVENT);
static EVENT: Target = Target::SelfSized(&structs::PERF_EVENT, 1, 64, Short::Address);

/// What `LINUX_REBOOT_CMD_RESTART2` tells the machine; other commands have nothing to tell.
const REBOOT_WITH: Kind = Kind::Select {
    on: Source::Arg(2),
    mask: u32::MAX as u64,
    cases: &[(0xa1b2_c3d4, Kind::CSTR)],
    default: &Kind::Absent,
};

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(id::UNAME, NONE, &[arg("name", struct_out!(UTSNAME))], Ret::INT),
    call(id::SYSINFO, NONE, &[arg("info", struct_out!(SYSINFO))], Ret::INT),
    call(id::SETHOSTNAME, NONE, &[NAME, arg("len", Kind::UINT)], Ret::INT),
    call(id::SETDOMAINNAME, NONE, &[NAME, arg("len", Kind::UINT)], Ret::INT),
    call(
        id::GETRANDOM,
        NONE,
        &[
            arg("ubuf", Kind::Ptr(Dir::Out, &Target::HexBytes(Len::Ret))),
            arg("len", SIZE),
            arg("flags", Kind::flags(&flags::GETRANDOM)),
        ],
        Ret::INT,
    ),
    call(
        id::PERSONALITY,
        NONE,
        &[arg("personality", PERSONALITY_SET)],
        Ret::HEX.note(Note::Meaning("", PERSONALITY)),
    ),
    call(
        id::SYSLOG,
        NONE,
        &[
            arg("type", Kind::Annotated(&flags::SYSLOG)),
            arg("buf", by_action!(LOGGED)),
            arg("len", by_action!(LEVEL_OR_LENGTH)),
        ],
        Ret::INT,
    ),
    call(id::VHANGUP, NONE, &[], Ret::INT),
    call(id::IOPL, NONE, &[arg("level", Kind::INT)], Ret::INT),
    call(
        id::IOPERM,
        NONE,
        &[arg("from", Kind::HEX64), arg("num", Kind::HEX64), arg("turn_on", Kind::INT)],
        Ret::INT,
    ),
    call(
        id::MODIFY_LDT,
        NONE,
        &[arg("func", Kind::INT), arg("ptr", SEGMENT), arg("bytecount", SIZE)],
        Ret::of(Kind::Special(Special::ShortResult)),
    ),
    call(
        id::REBOOT,
        NONE,
        &[
            arg("magic1", Kind::flags(&flags::REBOOT_MAGIC)),
            arg("magic2", Kind::flags(&flags::REBOOT_MAGIC2)),
            arg("cmd", Kind::flags(&flags::REBOOT)),
            arg("arg", REBOOT_WITH),
        ],
        Ret::INT,
    ),
    call(
        id::INIT_MODULE,
        NONE,
        &[arg("umod", Kind::Addr), arg("len", SIZE), arg("uargs", Kind::CSTR)],
        Ret::INT,
    ),
    call(
        id::FINIT_MODULE,
        DESC,
        &[
            arg("fd", Kind::Fd),
            arg("uargs", Kind::CSTR),
            arg("flags", Kind::flags(&flags::INIT_MODULE)),
        ],
        Ret::INT,
    ),
    call(
        id::DELETE_MODULE,
        NONE,
        &[arg("name_user", Kind::CSTR), arg("flags", Kind::flags(&flags::DELETE_MODULE))],
        Ret::INT,
    ),
    call(
        id::PERF_EVENT_OPEN,
        DESC,
        &[
            arg("attr_uptr", PERF_EVENT_SIZED),
            arg("pid", Kind::Pid),
            arg("cpu", Kind::INT),
            arg("group_fd", Kind::Fd),
            arg("flags", Kind::flags64(&flags::PERF_OPEN)),
        ],
        Ret::FD,
    ),
    call(
        id::KEXEC_LOAD,
        NONE,
        &[
            arg("entry", Kind::Addr),
            arg("nr_segments", SIZE),
            arg("segments", SEGMENTS),
            arg("flags", Kind::flags64(&flags::KEXEC)),
        ],
        Ret::INT,
    ),
    call(
        id::KEXEC_FILE_LOAD,
        DESC,
        &[
            arg("kernel_fd", Kind::Fd),
            arg("initrd_fd", Kind::Fd),
            arg("cmdline_len", SIZE),
            arg("cmdline_ptr", Kind::Ptr(Dir::In, &given(2))),
            arg("flags", Kind::flags64(&flags::KEXEC_FILE)),
        ],
        Ret::INT,
    ),
    call(id::RESTART_SYSCALL, NONE, &[resumed_arg()], Ret::INT),
    call(id::URETPROBE, NONE, &[], Ret::INT),
    call(id::UPROBE, NONE, &[], Ret::INT),
    call(
        id::LISTNS,
        NONE,
        &[
            arg("req", struct_in!(NS_ID_REQ)),
            arg("ns_ids", Kind::Ptr(Dir::Out, &Target::Array(&SIZE, Len::Ret))),
            arg("nr_ns_ids", SIZE),
            arg("flags", Kind::HEX32),
        ],
        Ret::INT,
    ),
];
