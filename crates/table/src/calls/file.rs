//! Files and directories by name.

use crate::arch::x86_64 as id;
use crate::{
    Call, Classes, Dir, Fraction, Kind, Len, Ret, Source, Target, Width, arg, call, flags, structs,
};

const FILE: Classes = Classes::FILE;
const DESC: Classes = Classes::DESC;
const BOTH: Classes = FILE.or(DESC);

const AT: Kind = Kind::flags(&flags::AT);
const ACCESS: Kind = Kind::flags(&flags::ACCESS);
const OPEN: Kind = Kind::flags(&flags::OPEN);
const MODE: Kind = Kind::FileMode(Width::U16);
const SIZE: Kind = Kind::ULONG;
const STAT: Kind = struct_out!(STAT);
const STATFS: Kind = struct_out!(STATFS);
/// A buffer that the call fills with as many bytes as it returns.
const FILLED: Kind = Kind::Ptr(Dir::Out, &Target::Bytes(Len::Ret));

/// The permissions of a file to be created, which `open(2)` takes only with these flags.
const fn mode_if_created(flags: u8) -> Kind {
    let mask = flags::O_CREAT | flags::O_TMPFILE;
    Kind::IfBits { on: Source::Arg(flags), mask, then: &Kind::Perm }
}

/// The number of a device to be made; other files have none.
const fn number_if_device(mode: u8) -> Kind {
    Kind::Select {
        on: Source::Arg(mode),
        mask: flags::S_IFMT,
        cases: &[(flags::S_IFCHR, Kind::Dev(Width::U32)), (flags::S_IFBLK, Kind::Dev(Width::U32))],
        default: &Kind::Absent,
    }
}

/// Two points in time: of the last access and of the last change.
const MICRO_TIMES: Kind = Kind::Ptr(
    Dir::In,
    &Target::Array(&Kind::Instant(&structs::TIMEVAL, Fraction::Micros), Len::Const(2)),
);
const NANO_TIMES: Kind = Kind::Ptr(
    Dir::In,
    &Target::Array(&Kind::Instant(&structs::UTIMESPEC, Fraction::Nanos), Len::Const(2)),
);

/// How `openat2(2)` opens.
const HOW: Kind = Kind::Ptr(Dir::In, &Target::Extensible(&structs::OPEN_HOW, Len::Arg(3), 24));

const HANDLE_FILLED: Kind =
    Kind::Ptr(Dir::Answered, &Target::One(&Kind::Struct(&structs::FILE_HANDLE_FILLED)));

/// A directory for `fanotify_mark(2)`, or none.
const MARKED_DIRECTORY: Kind = Kind::Select {
    on: Source::Arg(3),
    mask: u32::MAX as u64,
    cases: &[(u32::MAX as u64, Kind::flags(&flags::NO_DIRECTORY))],
    default: &Kind::DirFd,
};

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::OPEN,
        BOTH,
        &[arg("filename", Kind::PATH), arg("flags", OPEN), arg("mode", mode_if_created(1))],
        Ret::FD,
    ),
    call(
        id::OPENAT,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("flags", OPEN),
            arg("mode", mode_if_created(2)),
        ],
        Ret::FD,
    ),
    call(
        id::OPENAT2,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("how", HOW),
            arg("usize", SIZE),
        ],
        Ret::FD,
    ),
    call(id::CREAT, BOTH, &[arg("pathname", Kind::PATH), arg("mode", Kind::Perm)], Ret::FD),
    call(
        id::STAT,
        FILE.or(Classes::STAT).or(Classes::STAT_LIKE),
        &[arg("filename", Kind::PATH), arg("statbuf", STAT)],
        Ret::INT,
    ),
    call(
        id::LSTAT,
        FILE.or(Classes::LSTAT).or(Classes::STAT_LIKE),
        &[arg("filename", Kind::PATH), arg("statbuf", STAT)],
        Ret::INT,
    ),
    call(
        id::FSTAT,
        DESC.or(Classes::FSTAT).or(Classes::STAT_LIKE),
        &[arg("fd", Kind::Fd), arg("statbuf", STAT)],
        Ret::INT,
    ),
    call(
        id::NEWFSTATAT,
        BOTH.or(Classes::FSTAT).or(Classes::STAT_LIKE),
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("statbuf", STAT),
            arg("flag", AT),
        ],
        Ret::INT,
    ),
    call(
        id::STATX,
        BOTH.or(Classes::FSTAT).or(Classes::STAT_LIKE),
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("flags", Kind::flags(&flags::AT_STATX)),
            arg("mask", Kind::flags(&flags::STATX)),
            arg("buffer", struct_out!(STATX)),
        ],
        Ret::INT,
    ),
    call(id::ACCESS, FILE, &[arg("filename", Kind::PATH), arg("mode", ACCESS)], Ret::INT),
    call(
        id::FACCESSAT,
        BOTH,
        &[arg("dfd", Kind::DirFd), arg("filename", Kind::PATH), arg("mode", ACCESS)],
        Ret::INT,
    ),
    call(
        id::FACCESSAT2,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("mode", ACCESS),
            arg("flags", Kind::flags(&flags::AT_ACCESS)),
        ],
        Ret::INT,
    ),
    call(id::RENAME, FILE, &[arg("oldname", Kind::PATH), arg("newname", Kind::PATH)], Ret::INT),
    call(
        id::RENAMEAT,
        BOTH,
        &[
            arg("olddfd", Kind::DirFd),
            arg("oldname", Kind::PATH),
            arg("newdfd", Kind::DirFd),
            arg("newname", Kind::PATH),
        ],
        Ret::INT,
    ),
    call(
        id::RENAMEAT2,
        BOTH,
        &[
            arg("olddfd", Kind::DirFd),
            arg("oldname", Kind::PATH),
            arg("newdfd", Kind::DirFd),
            arg("newname", Kind::PATH),
            arg("flags", Kind::flags(&flags::RENAME)),
        ],
        Ret::INT,
    ),
    call(id::MKDIR, FILE, &[arg("pathname", Kind::PATH), arg("mode", Kind::Perm)], Ret::INT),
    call(
        id::MKDIRAT,
        BOTH,
        &[arg("dfd", Kind::DirFd), arg("pathname", Kind::PATH), arg("mode", Kind::Perm)],
        Ret::INT,
    ),
    call(id::RMDIR, FILE, &[arg("pathname", Kind::PATH)], Ret::INT),
    call(id::LINK, FILE, &[arg("oldname", Kind::PATH), arg("newname", Kind::PATH)], Ret::INT),
    call(
        id::LINKAT,
        BOTH,
        &[
            arg("olddfd", Kind::DirFd),
            arg("oldname", Kind::PATH),
            arg("newdfd", Kind::DirFd),
            arg("newname", Kind::PATH),
            arg("flags", AT),
        ],
        Ret::INT,
    ),
    call(id::UNLINK, FILE, &[arg("pathname", Kind::PATH)], Ret::INT),
    call(
        id::UNLINKAT,
        BOTH,
        &[arg("dfd", Kind::DirFd), arg("pathname", Kind::PATH), arg("flag", AT)],
        Ret::INT,
    ),
    call(id::SYMLINK, FILE, &[arg("oldname", Kind::PATH), arg("newname", Kind::PATH)], Ret::INT),
    call(
        id::SYMLINKAT,
        BOTH,
        &[arg("oldname", Kind::PATH), arg("newdfd", Kind::DirFd), arg("newname", Kind::PATH)],
        Ret::INT,
    ),
    call(
        id::READLINK,
        FILE,
        &[arg("path", Kind::PATH), arg("buf", FILLED), arg("bufsiz", SIZE)],
        Ret::INT,
    ),
    call(
        id::READLINKAT,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("pathname", Kind::PATH),
            arg("buf", FILLED),
            arg("bufsiz", SIZE),
        ],
        Ret::INT,
    ),
    call(id::CHMOD, FILE, &[arg("filename", Kind::PATH), arg("mode", Kind::Perm)], Ret::INT),
    call(id::FCHMOD, DESC, &[arg("fd", Kind::Fd), arg("mode", Kind::Perm)], Ret::INT),
    call(
        id::FCHMODAT,
        BOTH,
        &[arg("dfd", Kind::DirFd), arg("filename", Kind::PATH), arg("mode", Kind::Perm)],
        Ret::INT,
    ),
    call(
        id::FCHMODAT2,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("mode", Kind::Perm),
            arg("flags", AT),
        ],
        Ret::INT,
    ),
    call(
        id::CHOWN,
        FILE,
        &[arg("filename", Kind::PATH), arg("user", Kind::Id), arg("group", Kind::Id)],
        Ret::INT,
    ),
    call(
        id::LCHOWN,
        FILE,
        &[arg("filename", Kind::PATH), arg("user", Kind::Id), arg("group", Kind::Id)],
        Ret::INT,
    ),
    call(
        id::FCHOWN,
        DESC,
        &[arg("fd", Kind::Fd), arg("user", Kind::Id), arg("group", Kind::Id)],
        Ret::INT,
    ),
    call(
        id::FCHOWNAT,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("user", Kind::Id),
            arg("group", Kind::Id),
            arg("flag", AT),
        ],
        Ret::INT,
    ),
    call(
        id::MKNOD,
        FILE,
        &[arg("filename", Kind::PATH), arg("mode", MODE), arg("dev", number_if_device(1))],
        Ret::INT,
    ),
    call(
        id::MKNODAT,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("mode", MODE),
            arg("dev", number_if_device(2)),
        ],
        Ret::INT,
    ),
    call(id::TRUNCATE, FILE, &[arg("path", Kind::PATH), arg("length", SIZE)], Ret::INT),
    call(id::CHDIR, FILE, &[arg("filename", Kind::PATH)], Ret::INT),
    call(id::FCHDIR, DESC, &[arg("fd", Kind::Fd)], Ret::INT),
    call(id::CHROOT, FILE, &[arg("filename", Kind::PATH)], Ret::INT),
    call(
        id::GETCWD,
        FILE,
        &[arg("buf", Kind::Ptr(Dir::Out, &Target::Path)), arg("size", SIZE)],
        Ret::INT,
    ),
    call(
        id::GETDENTS64,
        DESC,
        &[
            arg("fd", Kind::Fd),
            arg("dirent", Kind::Ptr(Dir::Out, &Target::Dirents(Len::Ret))),
            arg("count", Kind::UINT),
        ],
        Ret::INT,
    ),
    call(
        id::UTIME,
        FILE,
        &[arg("filename", Kind::PATH), arg("times", struct_in!(UTIMBUF))],
        Ret::INT,
    ),
    call(id::UTIMES, FILE, &[arg("filename", Kind::PATH), arg("utimes", MICRO_TIMES)], Ret::INT),
    call(
        id::FUTIMESAT,
        BOTH,
        &[arg("dfd", Kind::DirFd), arg("filename", Kind::PATH), arg("utimes", MICRO_TIMES)],
        Ret::INT,
    ),
    call(
        id::UTIMENSAT,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("utimes", NANO_TIMES),
            arg("flags", AT),
        ],
        Ret::INT,
    ),
    call(
        id::STATFS,
        FILE.or(Classes::STATFS).or(Classes::STATFS_LIKE),
        &[arg("pathname", Kind::PATH), arg("buf", STATFS)],
        Ret::INT,
    ),
    call(
        id::FSTATFS,
        DESC.or(Classes::FSTATFS).or(Classes::STATFS_LIKE),
        &[arg("fd", Kind::Fd), arg("buf", STATFS)],
        Ret::INT,
    ),
    call(
        id::USTAT,
        Classes::STATFS_LIKE,
        &[arg("dev", Kind::Dev(Width::U32)), arg("ubuf", Kind::Addr)],
        Ret::INT,
    ),
    call(
        id::NAME_TO_HANDLE_AT,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("name", Kind::PATH),
            arg("handle", HANDLE_FILLED),
            arg("mnt_id", Kind::Ptr(Dir::Out, &Target::One(&Kind::INT))),
            arg("flag", Kind::flags(&flags::AT_HANDLE)),
        ],
        Ret::INT,
    ),
    call(
        id::OPEN_BY_HANDLE_AT,
        DESC,
        &[arg("mountdirfd", Kind::Fd), arg("handle", struct_in!(FILE_HANDLE)), arg("flags", OPEN)],
        Ret::INT,
    ),
    call(id::USELIB, FILE, &[arg("library", Kind::PATH)], Ret::INT),
    call(id::UMASK, Classes::NONE, &[arg("mask", Kind::Perm)], Ret::of(Kind::Perm)),
    call(id::INOTIFY_INIT, DESC, &[], Ret::FD),
    call(id::INOTIFY_INIT1, DESC, &[arg("flags", Kind::flags(&flags::INOTIFY_INIT))], Ret::FD),
    call(
        id::INOTIFY_ADD_WATCH,
        BOTH,
        &[
            arg("fd", Kind::Fd),
            arg("pathname", Kind::PATH),
            arg("mask", Kind::flags(&flags::INOTIFY_WATCH)),
        ],
        Ret::INT,
    ),
    call(id::INOTIFY_RM_WATCH, DESC, &[arg("fd", Kind::Fd), arg("wd", Kind::INT)], Ret::INT),
    call(
        id::FANOTIFY_INIT,
        DESC,
        &[arg("flags", Kind::flags(&flags::FANOTIFY_INIT)), arg("event_f_flags", OPEN)],
        Ret::FD,
    ),
    call(
        id::FANOTIFY_MARK,
        BOTH,
        &[
            arg("fanotify_fd", Kind::Fd),
            arg("flags", Kind::flags(&flags::FANOTIFY_MARK)),
            arg("mask", Kind::flags64(&flags::FANOTIFY_EVENT)),
            arg("dfd", MARKED_DIRECTORY),
            arg("pathname", Kind::PATH),
        ],
        Ret::INT,
    ),
    call(
        id::FILE_GETATTR,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("ufattr", struct_out!(FILE_ATTR)),
            arg("usize", SIZE),
            arg("at_flags", AT),
        ],
        Ret::INT,
    ),
    call(
        id::FILE_SETATTR,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("ufattr", struct_in!(FILE_ATTR)),
            arg("usize", SIZE),
            arg("at_flags", AT),
        ],
        Ret::INT,
    ),
    call(
        id::GETDENTS,
        DESC,
        &[
            arg("fd", Kind::Fd),
            arg("dirent", Kind::Ptr(Dir::Out, &Target::OldDirents(Len::Ret))),
            arg("count", Kind::UINT),
        ],
        Ret::INT,
    ),
];
