//! User and group ids, capabilities.

use crate::arch::x86_64 as id;
use crate::{Call, Classes, Dir, Kind, Len, Ret, Source, Target, arg, call, structs};

const CREDS: Classes = Classes::CREDS;
const PURE: Classes = CREDS.or(Classes::PURE);

const ID_OUT: Kind = Kind::Ptr(Dir::Out, &Target::One(&Kind::Id));

/// The groups that `getgroups(2)` stores: none if it was only asked for their number.
const GROUPS_OUT: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: u32::MAX as u64,
    cases: &[(0, Kind::Ptr(Dir::Out, &Target::Array(&Kind::Id, Len::IntArg(0))))],
    default: &Kind::Ptr(Dir::Out, &Target::Array(&Kind::Id, Len::Ret)),
};
/// The groups that `setgroups(2)` takes. There are less than 65536 (`NGROUPS_MAX`); another number
/// is a mistake, and nothing is at the address.
const GROUPS_IN: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: 0xffff_0000,
    cases: &[(0, Kind::Ptr(Dir::In, &Target::Array(&Kind::Id, Len::IntArg(0))))],
    default: &Kind::Addr,
};

static HEADER: Target = Target::One(&Kind::Struct(&structs::CAPABILITY_HEADER));
static DATA: Target = Target::Capabilities(&structs::CAPABILITY_DATA, 12);

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(id::GETUID, PURE, &[], Ret::INT),
    call(id::GETGID, PURE, &[], Ret::INT),
    call(id::GETEUID, PURE, &[], Ret::INT),
    call(id::GETEGID, PURE, &[], Ret::INT),
    call(id::SETUID, CREDS, &[arg("uid", Kind::Id)], Ret::INT),
    call(id::SETGID, CREDS, &[arg("gid", Kind::Id)], Ret::INT),
    call(id::SETFSUID, CREDS, &[arg("uid", Kind::Id)], Ret::INT),
    call(id::SETFSGID, CREDS, &[arg("gid", Kind::Id)], Ret::INT),
    call(id::SETREUID, CREDS, &[arg("ruid", Kind::Id), arg("euid", Kind::Id)], Ret::INT),
    call(id::SETREGID, CREDS, &[arg("rgid", Kind::Id), arg("egid", Kind::Id)], Ret::INT),
    call(
        id::SETRESUID,
        CREDS,
        &[arg("ruid", Kind::Id), arg("euid", Kind::Id), arg("suid", Kind::Id)],
        Ret::INT,
    ),
    call(
        id::SETRESGID,
        CREDS,
        &[arg("rgid", Kind::Id), arg("egid", Kind::Id), arg("sgid", Kind::Id)],
        Ret::INT,
    ),
    call(
        id::GETRESUID,
        CREDS,
        &[arg("ruidp", ID_OUT), arg("euidp", ID_OUT), arg("suidp", ID_OUT)],
        Ret::INT,
    ),
    call(
        id::GETRESGID,
        CREDS,
        &[arg("rgidp", ID_OUT), arg("egidp", ID_OUT), arg("sgidp", ID_OUT)],
        Ret::INT,
    ),
    call(
        id::GETGROUPS,
        CREDS,
        &[arg("gidsetsize", Kind::INT), arg("grouplist", GROUPS_OUT)],
        Ret::INT,
    ),
    call(
        id::SETGROUPS,
        CREDS,
        &[arg("gidsetsize", Kind::INT), arg("grouplist", GROUPS_IN)],
        Ret::INT,
    ),
    call(
        id::CAPGET,
        CREDS,
        &[arg("header", Kind::Ptr(Dir::In, &HEADER)), arg("dataptr", Kind::Ptr(Dir::Out, &DATA))],
        Ret::INT,
    ),
    call(
        id::CAPSET,
        CREDS,
        &[arg("header", Kind::Ptr(Dir::In, &HEADER)), arg("data", Kind::Ptr(Dir::In, &DATA))],
        Ret::INT,
    ),
];
