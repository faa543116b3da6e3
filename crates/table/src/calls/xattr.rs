//! Extended attributes of files.

use crate::arch::x86_64 as id;
use crate::{Call, Classes, Dir, Kind, Len, Ret, Source, Target, arg, call, flags};

const FILE: Classes = Classes::FILE;
const DESC: Classes = Classes::DESC;
const BOTH: Classes = FILE.or(DESC);

const NAME: Kind = Kind::CSTR;
const SIZE: Kind = Kind::ULONG;
const FLAGS: Kind = Kind::flags(&flags::XATTR);
const AT: Kind = Kind::flags(&flags::AT);
const GIVEN: Kind = at_most!(3, 65536, Kind::Ptr(Dir::In, &Target::Terminated(Len::Arg(3))));
const FOUND: Kind = Kind::Ptr(Dir::Out, &Target::Terminated(Len::Ret));
const LISTED: Kind = Kind::Ptr(Dir::Out, &Target::Bytes(Len::Ret));
/// The names of attributes; a size of 0 only asks how long they are.
const NAMES: Kind = Kind::Select {
    on: Source::Arg(2),
    mask: u64::MAX,
    cases: &[(0, Kind::Addr)],
    default: &LISTED,
};

const SET: [crate::Arg; 4] =
    [arg("name", NAME), arg("value", GIVEN), arg("size", SIZE), arg("flags", FLAGS)];
const GET: [crate::Arg; 3] = [arg("name", NAME), arg("value", FOUND), arg("size", SIZE)];
const PATH: crate::Arg = arg("pathname", Kind::PATH);
const FD: crate::Arg = arg("fd", Kind::Fd);
const LIST: crate::Arg = arg("list", NAMES);

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(id::SETXATTR, FILE, &[PATH, SET[0], SET[1], SET[2], SET[3]], Ret::INT),
    call(id::LSETXATTR, FILE, &[PATH, SET[0], SET[1], SET[2], SET[3]], Ret::INT),
    call(id::FSETXATTR, DESC, &[FD, SET[0], SET[1], SET[2], SET[3]], Ret::INT),
    call(id::GETXATTR, FILE, &[PATH, GET[0], GET[1], GET[2]], Ret::INT),
    call(id::LGETXATTR, FILE, &[PATH, GET[0], GET[1], GET[2]], Ret::INT),
    call(id::FGETXATTR, DESC, &[FD, GET[0], GET[1], GET[2]], Ret::INT),
    call(id::LISTXATTR, FILE, &[PATH, LIST, arg("size", SIZE)], Ret::INT),
    call(id::LLISTXATTR, FILE, &[PATH, LIST, arg("size", SIZE)], Ret::INT),
    call(id::FLISTXATTR, DESC, &[FD, LIST, arg("size", SIZE)], Ret::INT),
    call(id::REMOVEXATTR, FILE, &[PATH, arg("name", NAME)], Ret::INT),
    call(id::LREMOVEXATTR, FILE, &[PATH, arg("name", NAME)], Ret::INT),
    call(id::FREMOVEXATTR, DESC, &[FD, arg("name", NAME)], Ret::INT),
    call(
        id::SETXATTRAT,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            PATH,
            arg("at_flags", AT),
            arg("name", NAME),
            arg("uargs", struct_in!(XATTR_GIVEN)),
            arg("usize", SIZE),
        ],
        Ret::INT,
    ),
    call(
        id::GETXATTRAT,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            PATH,
            arg("at_flags", AT),
            arg("name", NAME),
            arg("uargs", struct_in!(XATTR_WANTED)),
            arg("usize", SIZE),
        ],
        Ret::INT,
    ),
    call(
        id::LISTXATTRAT,
        BOTH,
        &[
            arg("dfd", Kind::DirFd),
            PATH,
            arg("at_flags", AT),
            arg("list", LISTED),
            arg("size", SIZE),
        ],
        Ret::INT,
    ),
    call(
        id::REMOVEXATTRAT,
        BOTH,
        &[arg("dfd", Kind::DirFd), PATH, arg("at_flags", AT), arg("name", NAME)],
        Ret::INT,
    ),
];
