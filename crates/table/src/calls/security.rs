//! Sandboxes and security modules.

use crate::arch::x86_64 as id;
use crate::{Call, Classes, Dir, Kind, Len, Ret, Source, Target, arg, call, flags};

const DESC: Classes = Classes::DESC;
const NONE: Classes = Classes::NONE;
const SIZE: Kind = Kind::ULONG;
const LENGTH: Kind = Kind::Ptr(Dir::InOut, &Target::One(&Kind::UINT));

/// The flags of `seccomp(2)`, which only a filter has.
const FILTER_FLAGS: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: 0xffff_ffff,
    cases: &[
        (flags::SECCOMP_SET_MODE_FILTER, Kind::flags(&flags::SECCOMP_FILTER)),
        (flags::SECCOMP_GET_ACTION_AVAIL, Kind::HEX32),
        (flags::SECCOMP_GET_NOTIF_SIZES, Kind::HEX32),
    ],
    default: &Kind::HEX32,
};

/// What an operation of `seccomp(2)` is about.
const ABOUT: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: 0xffff_ffff,
    cases: &[
        (flags::SECCOMP_SET_MODE_FILTER, struct_in!(SECCOMP_PROGRAM)),
        (
            flags::SECCOMP_GET_ACTION_AVAIL,
            Kind::Ptr(Dir::In, &Target::One(&Kind::flags(&flags::SECCOMP_ACTION))),
        ),
        (flags::SECCOMP_GET_NOTIF_SIZES, struct_out!(SECCOMP_SIZES)),
    ],
    default: &Kind::Addr,
};

/// A Landlock ruleset, by the size that the caller knows; less than the first field is nothing.
const RULESET: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u64::MAX,
    cases: &[
        (0, Kind::Addr),
        (1, Kind::Addr),
        (2, Kind::Addr),
        (3, Kind::Addr),
        (4, Kind::Addr),
        (5, Kind::Addr),
        (6, Kind::Addr),
        (7, Kind::Addr),
        (8, struct_in!(LANDLOCK_RULESET_1)),
        (16, struct_in!(LANDLOCK_RULESET_2)),
    ],
    default: &struct_in!(LANDLOCK_RULESET_3),
};

/// What is added to a Landlock ruleset.
const RULE: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u64::MAX,
    cases: &[
        (flags::LANDLOCK_RULE_PATH_BENEATH, struct_in!(LANDLOCK_PATH_BENEATH)),
        (flags::LANDLOCK_RULE_NET_PORT, struct_in!(LANDLOCK_NET_PORT)),
    ],
    default: &Kind::Addr,
};

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::SECCOMP,
        NONE,
        &[arg("op", Kind::flags(&flags::SECCOMP)), arg("flags", FILTER_FLAGS), arg("uargs", ABOUT)],
        Ret::INT,
    ),
    call(
        id::LANDLOCK_CREATE_RULESET,
        DESC,
        &[
            arg("attr", RULESET),
            arg("size", SIZE),
            arg("flags", Kind::flags(&flags::LANDLOCK_CREATE)),
        ],
        Ret::FD,
    ),
    call(
        id::LANDLOCK_ADD_RULE,
        DESC,
        &[
            arg("ruleset_fd", Kind::Fd),
            arg("rule_type", Kind::flags(&flags::LANDLOCK_RULE)),
            arg("rule_attr", RULE),
            arg("flags", Kind::flags(&flags::LANDLOCK_ADD)),
        ],
        Ret::INT,
    ),
    call(
        id::LANDLOCK_RESTRICT_SELF,
        DESC,
        &[arg("ruleset_fd", Kind::Fd), arg("flags", Kind::flags(&flags::LANDLOCK_RESTRICT))],
        Ret::INT,
    ),
    call(
        id::LSM_GET_SELF_ATTR,
        NONE,
        &[
            arg("attr", Kind::flags(&flags::LSM_ATTRIBUTE)),
            arg("ctx", struct_out!(LSM_CTX)),
            arg("size", LENGTH),
            arg("flags", Kind::flags(&flags::LSM_FLAGS)),
        ],
        Ret::INT,
    ),
    call(
        id::LSM_SET_SELF_ATTR,
        NONE,
        &[
            arg("attr", Kind::flags(&flags::LSM_ATTRIBUTE)),
            arg("ctx", struct_in!(LSM_CTX)),
            arg("size", Kind::UINT),
            arg("flags", Kind::HEX32),
        ],
        Ret::INT,
    ),
    call(
        id::LSM_LIST_MODULES,
        NONE,
        &[
            arg(
                "ids",
                Kind::Ptr(Dir::Out, &Target::Array(&Kind::flags64(&flags::LSM_ID), Len::Ret)),
            ),
            arg("size", LENGTH),
            arg("flags", Kind::HEX32),
        ],
        Ret::INT,
    ),
];
