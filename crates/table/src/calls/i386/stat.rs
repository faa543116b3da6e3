//! Files and file systems in structs of their own.

use super::renamed;
use crate::arch::{i386 as id, x86_64};
use crate::{Call, Classes, Kind, Ret, arg, call};

const STAT: Kind = struct_out!(STAT64);
const OLD_STAT: Kind = struct_out!(OLD_STAT);
const STATFS: Kind = struct_out!(STATFS64);
const SIZE: Kind = Kind::ULONG;

/// The family's entries.
pub static CALLS: &[Call] = &[
    changed!(id::STAT64, STAT, 1: STAT),
    changed!(id::LSTAT64, LSTAT, 1: STAT),
    changed!(id::FSTAT64, FSTAT, 1: STAT),
    changed!(id::FSTATAT64, NEWFSTATAT, 2: STAT),
    changed!(id::OLDSTAT, STAT, 1: OLD_STAT),
    changed!(id::OLDLSTAT, LSTAT, 1: OLD_STAT),
    changed!(id::OLDFSTAT, FSTAT, 1: OLD_STAT),
    call(
        id::STATFS64,
        Classes::FILE.or(Classes::STATFS).or(Classes::STATFS_LIKE),
        &[arg("pathname", Kind::PATH), arg("sz", SIZE), arg("buf", STATFS)],
        Ret::INT,
    ),
    call(
        id::FSTATFS64,
        Classes::DESC.or(Classes::FSTATFS).or(Classes::STATFS_LIKE),
        &[arg("fd", Kind::Fd), arg("sz", SIZE), arg("buf", STATFS)],
        Ret::INT,
    ),
];
