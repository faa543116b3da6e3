//! User and group ids of 16 bits.

use super::renamed;
use crate::arch::{i386 as id, x86_64};
use crate::{Call, Dir, Kind, Len, Source, Target};

const ID: Kind = Kind::Id16;
const ID_OUT: Kind = Kind::Ptr(Dir::Out, &Target::One(&ID));
const GROUPS_OUT: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: u64::MAX,
    cases: &[(0, Kind::Ptr(Dir::Out, &Target::Array(&ID, Len::Const(0))))],
    default: &Kind::Ptr(Dir::Out, &Target::Array(&ID, Len::Ret)),
};
const GROUPS_IN: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: 0xffff_0000,
    cases: &[(0, Kind::Ptr(Dir::In, &Target::Array(&ID, Len::Arg(0))))],
    default: &Kind::Addr,
};

/// The family's entries.
pub static CALLS: &[Call] = &[
    changed!(id::CHOWN, CHOWN, 1: ID, 2: ID),
    changed!(id::LCHOWN, LCHOWN, 1: ID, 2: ID),
    changed!(id::FCHOWN, FCHOWN, 1: ID, 2: ID),
    changed!(id::SETUID, SETUID, 0: ID),
    changed!(id::SETGID, SETGID, 0: ID),
    changed!(id::SETREUID, SETREUID, 0: ID, 1: ID),
    changed!(id::SETREGID, SETREGID, 0: ID, 1: ID),
    changed!(id::SETRESUID, SETRESUID, 0: ID, 1: ID, 2: ID),
    changed!(id::SETRESGID, SETRESGID, 0: ID, 1: ID, 2: ID),
    changed!(id::GETRESUID, GETRESUID, 0: ID_OUT, 1: ID_OUT, 2: ID_OUT),
    changed!(id::GETRESGID, GETRESGID, 0: ID_OUT, 1: ID_OUT, 2: ID_OUT),
    changed!(id::SETFSUID, SETFSUID, 0: ID),
    changed!(id::SETFSGID, SETFSGID, 0: ID),
    changed!(id::GETGROUPS, GETGROUPS, 1: GROUPS_OUT),
    changed!(id::SETGROUPS, SETGROUPS, 1: GROUPS_IN),
];
