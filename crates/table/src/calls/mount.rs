//! Mounts, file systems and swap.

use crate::arch::x86_64 as id;
use crate::{
    Call, Classes, Dir, Fit, Kind, Len, Ret, Short, Source, Target, arg, call, flags, structs,
};

const FILE: Classes = Classes::FILE;
const DESC: Classes = Classes::DESC;
const BOTH: Classes = FILE.or(DESC);
const NONE: Classes = Classes::NONE;

/// What `mount_setattr(2)` changes; less than its first form is nothing.
const ATTR: Kind = Kind::Select {
    on: Source::Arg(4),
    mask: !0x1f,
    cases: &[(0, Kind::Addr)],
    default: &Kind::Ptr(Dir::In, &Target::Extensible(&structs::MOUNT_ATTR, Len::Arg(4), 32)),
};
/// A request of the size that it says.
macro_rules! request {
    ($layout:ident) => {
        Kind::Ptr(
            Dir::In,
            const { &Target::SelfSized(&structs::$layout, 0, 24, Short::FirstField) },
        )
    };
}

/// Flags of `mount(2)` with which it makes no file system.
const CHANGES_MOUNT: u64 = flags::MS_BIND
    | flags::MS_MOVE
    | flags::MS_SHARED
    | flags::MS_PRIVATE
    | flags::MS_SLAVE
    | flags::MS_UNBINDABLE;

/// A string that `mount(2)` reads only with none of these flags.
macro_rules! string_without {
    ($mask:expr) => {
        Kind::Select {
            on: Source::Arg(3),
            mask: $mask,
            cases: &[(0, Kind::CSTR)],
            default: &Kind::Addr,
        }
    };
}

/// What `fsconfig(2)` sets a key to.
/// A parameter's value; the kernel takes no more than a mebibyte.
const BINARY: Kind = at_most!(4, 1 << 20, Kind::Ptr(Dir::In, &Target::HexBytes(Len::Arg(4))));

/// What is set by `fsconfig(2)`, where something is.
const FSCONFIG_KEY: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u64::MAX,
    cases: &[
        (flags::FSCONFIG_SET_FLAG, Kind::CSTR),
        (flags::FSCONFIG_SET_STRING, Kind::CSTR),
        (flags::FSCONFIG_SET_BINARY, Kind::CSTR),
        (flags::FSCONFIG_SET_PATH, Kind::CSTR),
        (flags::FSCONFIG_SET_PATH_EMPTY, Kind::CSTR),
        (flags::FSCONFIG_SET_FD, Kind::CSTR),
    ],
    default: &Kind::Addr,
};
const FSCONFIG_VALUE: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u64::MAX,
    cases: &[
        (flags::FSCONFIG_SET_STRING, Kind::CSTR),
        (flags::FSCONFIG_SET_BINARY, BINARY),
        (flags::FSCONFIG_SET_PATH, Kind::PATH),
        (flags::FSCONFIG_SET_PATH_EMPTY, Kind::PATH),
    ],
    default: &Kind::Addr,
};
const FSCONFIG_AUX: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u64::MAX,
    cases: &[
        (flags::FSCONFIG_SET_PATH, Kind::DirFd),
        (flags::FSCONFIG_SET_PATH_EMPTY, Kind::DirFd),
        (flags::FSCONFIG_SET_FD, Kind::Fd),
    ],
    default: &Kind::INT,
};

/// A string of `mount(2)`, by whether old programs' magic number stands before the flags.
macro_rules! mount_string {
    ($old:expr, $default:expr) => {
        Kind::Select {
            on: Source::Arg(3),
            mask: 0xffff_0000,
            cases: &[(flags::MS_MGC_VAL, $old)],
            default: &$default,
        }
    };
}
const MOVES: u64 = flags::MS_BIND | flags::MS_MOVE;
const MOUNT_TYPE: Kind = mount_string!(
    string_without!(MOVES | flags::MS_REMOUNT),
    string_without!(CHANGES_MOUNT | flags::MS_REMOUNT)
);
const MOUNT_DATA: Kind = Kind::Select {
    on: Source::Arg(3),
    mask: flags::MS_REMOUNT,
    cases: &[(flags::MS_REMOUNT, Kind::CSTR)],
    default: &mount_string!(string_without!(MOVES), string_without!(CHANGES_MOUNT)),
};

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::MOUNT,
        FILE,
        &[
            arg("dev_name", Kind::PATH),
            arg("dir_name", Kind::PATH),
            arg("type", MOUNT_TYPE),
            arg("flags", Kind::flags64(&flags::MOUNT)),
            arg("data", MOUNT_DATA),
        ],
        Ret::INT,
    ),
    call(
        id::UMOUNT2,
        FILE,
        &[arg("name", Kind::PATH), arg("flags", Kind::flags(&flags::UMOUNT))],
        Ret::INT,
    ),
    call(
        id::PIVOT_ROOT,
        FILE,
        &[arg("new_root", Kind::PATH), arg("put_old", Kind::PATH)],
        Ret::INT,
    ),
    call(
        id::OPEN_TREE,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("flags", Kind::flags(&flags::OPEN_TREE)),
        ],
        Ret::FD,
    ),
    call(
        id::OPEN_TREE_ATTR,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("flags", Kind::flags(&flags::OPEN_TREE)),
            arg("uattr", ATTR),
            arg("usize", Kind::ULONG),
        ],
        Ret::FD,
    ),
    call(
        id::MOVE_MOUNT,
        BOTH,
        &[
            arg("from_dfd", Kind::DirFd),
            arg("from_pathname", Kind::PATH),
            arg("to_dfd", Kind::DirFd),
            arg("to_pathname", Kind::PATH),
            arg("flags", Kind::flags(&flags::MOVE_MOUNT)),
        ],
        Ret::INT,
    ),
    call(
        id::FSOPEN,
        DESC,
        &[arg("fs_name", Kind::CSTR), arg("flags", Kind::flags(&flags::FSOPEN))],
        Ret::FD,
    ),
    call(
        id::FSCONFIG,
        BOTH,
        &[
            arg("fd", Kind::Fd),
            arg("cmd", Kind::flags(&flags::FSCONFIG)),
            arg("key", FSCONFIG_KEY),
            arg("value", FSCONFIG_VALUE),
            arg("aux", FSCONFIG_AUX),
        ],
        Ret::INT,
    ),
    call(
        id::FSMOUNT,
        DESC,
        &[
            arg("fs_fd", Kind::Fd),
            arg("flags", Kind::flags(&flags::FSMOUNT)),
            arg("attr_flags", Kind::flags(&flags::FSMOUNT_ATTR)),
        ],
        Ret::FD,
    ),
    call(
        id::FSPICK,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("path", Kind::PATH),
            arg("flags", Kind::flags(&flags::FSPICK)),
        ],
        Ret::FD,
    ),
    call(
        id::MOUNT_SETATTR,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("path", Kind::PATH),
            arg("flags", Kind::flags(&flags::MOUNT_SETATTR)),
            arg("uattr", ATTR),
            arg("usize", Kind::ULONG),
        ],
        Ret::INT,
    ),
    call(
        id::SWAPON,
        FILE,
        &[arg("specialfile", Kind::PATH), arg("swap_flags", Kind::flags(&flags::SWAPON))],
        Ret::INT,
    ),
    call(id::SWAPOFF, FILE, &[arg("specialfile", Kind::PATH)], Ret::INT),
    call(id::ACCT, FILE, &[arg("name", Kind::PATH)], Ret::INT),
    call(id::SYNC, NONE, &[], Ret::INT),
    call(id::SYNCFS, DESC, &[arg("fd", Kind::Fd)], Ret::INT),
    call(
        id::STATMOUNT,
        NONE,
        &[
            arg("req", request!(MNT_ID_REQ)),
            arg(
                "buf",
                Kind::Ptr(
                    Dir::Out,
                    &Target::Fitting(&Kind::Struct(&structs::STATMOUNT), Len::Arg(2), Fit::Partly),
                ),
            ),
            arg("bufsize", Kind::ULONG),
            arg("flags", Kind::HEX32),
        ],
        Ret::INT,
    ),
    call(
        id::LISTMOUNT,
        NONE,
        &[
            arg("req", request!(MNT_LIST_REQ)),
            arg("mnt_ids", Kind::Ptr(Dir::Out, &Target::Array(&Kind::HEX64, Len::Ret))),
            arg("nr_mnt_ids", Kind::ULONG),
            arg("flags", Kind::flags(&flags::LISTMOUNT)),
        ],
        Ret::INT,
    ),
];
