//! The kernel's keys and keyrings.

use crate::arch::x86_64 as id;
use crate::{
    Call, Classes, Dir, Fit, Kind, Len, Ret, Source, Special, Target, arg, call, flags, structs,
};

const NONE: Classes = Classes::NONE;
const ABSENT: Kind = Kind::Absent;
const PAYLOADS: Target = Target::Array(&Kind::Struct(&structs::IOVEC), Len::Arg(3));
const FILLED: Kind = Kind::Ptr(Dir::Out, &Target::Bytes(Len::Ret));

/// What fits into so much room; the result says how much there is.
const READ: Kind = Kind::Ptr(Dir::Out, &Target::Bytes(Len::ArgWithinRet(3)));
const READ_TEXT: Kind = Kind::Ptr(Dir::Out, &Target::Terminated(Len::ArgWithinRet(3)));
const CAPABILITIES: Kind = Kind::Ptr(
    Dir::Out,
    &Target::Fitting(&Kind::Row(&structs::KEY_CAPABILITIES), Len::ArgWithinRet(2), Fit::Partly),
);

/// What is done to by an asymmetric key, and what comes of it or belongs to it: in
/// `struct keyctl_pkey_params` their lengths stand behind the key.
const GIVEN: Target = Target::Bytes(Len::DerefAt(1, 4));
const SECOND_DATA: Target = Target::Bytes(Len::DerefAt(1, 8));

/// A key or keyring by its number, or a keyring by its role.
const KEY: Kind = Kind::flags(&flags::KEYRING);

/// An argument of `keyctl(2)`, by its operation.
macro_rules! by_operation {
    ($default:expr; $($($operation:ident)|+ => $kind:expr),* $(,)?) => {
        Kind::Select {
            on: Source::Arg(0),
            mask: 0xffff_ffff,
            cases: const { &crate::sorted([$($((flags::$operation, $kind)),+),*]) },
            default: &$default,
        }
    };
}

const SECOND: Kind = by_operation!(Kind::HEX64;
    KEYCTL_JOIN_SESSION_KEYRING => Kind::CSTR,
    KEYCTL_SET_REQKEY_KEYRING => Kind::flags(&flags::KEY_REQUEST_DEFAULT),
    KEYCTL_SESSION_TO_PARENT => ABSENT,
    KEYCTL_GET_PERSISTENT => Kind::Id,
    KEYCTL_DH_COMPUTE => struct_in!(KEY_DH),
    KEYCTL_CAPABILITIES => CAPABILITIES,
    KEYCTL_PKEY_ENCRYPT | KEYCTL_PKEY_DECRYPT | KEYCTL_PKEY_SIGN => struct_in!(KEY_PARAMETERS),
    KEYCTL_PKEY_VERIFY => struct_in!(KEY_PARAMETERS_OF_TWO),
    KEYCTL_GET_KEYRING_ID | KEYCTL_UPDATE | KEYCTL_REVOKE | KEYCTL_CHOWN | KEYCTL_SETPERM
        | KEYCTL_DESCRIBE | KEYCTL_CLEAR | KEYCTL_LINK | KEYCTL_UNLINK | KEYCTL_SEARCH
        | KEYCTL_READ | KEYCTL_INSTANTIATE | KEYCTL_NEGATE | KEYCTL_SET_TIMEOUT
        | KEYCTL_ASSUME_AUTHORITY | KEYCTL_GET_SECURITY | KEYCTL_REJECT | KEYCTL_INSTANTIATE_IOV
        | KEYCTL_INVALIDATE | KEYCTL_PKEY_QUERY | KEYCTL_RESTRICT_KEYRING | KEYCTL_MOVE => KEY,
);
const THIRD: Kind = by_operation!(Kind::HEX64;
    KEYCTL_JOIN_SESSION_KEYRING | KEYCTL_REVOKE | KEYCTL_CLEAR | KEYCTL_SET_REQKEY_KEYRING
        | KEYCTL_ASSUME_AUTHORITY | KEYCTL_SESSION_TO_PARENT | KEYCTL_INVALIDATE => ABSENT,
    KEYCTL_GET_KEYRING_ID => Kind::INT,
    KEYCTL_NEGATE | KEYCTL_SET_TIMEOUT | KEYCTL_REJECT => Kind::UINT,
    KEYCTL_CHOWN => Kind::Id,
    KEYCTL_CAPABILITIES => Kind::ULONG,
    KEYCTL_DH_COMPUTE => FILLED,
    KEYCTL_PKEY_ENCRYPT | KEYCTL_PKEY_DECRYPT | KEYCTL_PKEY_SIGN | KEYCTL_PKEY_VERIFY
        => Kind::CSTR,
    KEYCTL_INSTANTIATE_IOV => Kind::Ptr(Dir::In, &PAYLOADS),
    KEYCTL_SETPERM => Kind::flags(&flags::KEY_PERMISSIONS),
    KEYCTL_LINK | KEYCTL_UNLINK | KEYCTL_GET_PERSISTENT | KEYCTL_MOVE => KEY,
    KEYCTL_SEARCH | KEYCTL_RESTRICT_KEYRING => Kind::CSTR,
    KEYCTL_UPDATE | KEYCTL_INSTANTIATE => Kind::Ptr(Dir::In, &Target::Bytes(Len::Arg(3))),
    KEYCTL_DESCRIBE | KEYCTL_GET_SECURITY => READ_TEXT,
    KEYCTL_READ => READ,
);
const FOURTH: Kind = by_operation!(Kind::HEX64;
    KEYCTL_GET_KEYRING_ID | KEYCTL_JOIN_SESSION_KEYRING | KEYCTL_REVOKE | KEYCTL_SETPERM
        | KEYCTL_CLEAR | KEYCTL_LINK | KEYCTL_UNLINK | KEYCTL_SET_REQKEY_KEYRING
        | KEYCTL_SET_TIMEOUT | KEYCTL_ASSUME_AUTHORITY | KEYCTL_SESSION_TO_PARENT
        | KEYCTL_INVALIDATE | KEYCTL_GET_PERSISTENT | KEYCTL_CAPABILITIES => ABSENT,
    KEYCTL_UPDATE | KEYCTL_DESCRIBE | KEYCTL_READ | KEYCTL_INSTANTIATE
        | KEYCTL_GET_SECURITY | KEYCTL_INSTANTIATE_IOV | KEYCTL_DH_COMPUTE => Kind::ULONG,
    KEYCTL_REJECT => Kind::Special(Special::Errno),
    KEYCTL_CHOWN => Kind::Id,
    KEYCTL_PKEY_ENCRYPT | KEYCTL_PKEY_DECRYPT | KEYCTL_PKEY_SIGN | KEYCTL_PKEY_VERIFY
        => Kind::Ptr(Dir::In, &GIVEN),
    KEYCTL_SEARCH | KEYCTL_RESTRICT_KEYRING | KEYCTL_PKEY_QUERY => Kind::CSTR,
    KEYCTL_NEGATE | KEYCTL_MOVE => KEY,
);
const FIFTH: Kind = by_operation!(Kind::HEX64;
    KEYCTL_GET_KEYRING_ID | KEYCTL_JOIN_SESSION_KEYRING | KEYCTL_UPDATE | KEYCTL_REVOKE
        | KEYCTL_CHOWN | KEYCTL_SETPERM | KEYCTL_DESCRIBE | KEYCTL_CLEAR | KEYCTL_LINK
        | KEYCTL_UNLINK | KEYCTL_READ | KEYCTL_NEGATE | KEYCTL_SET_REQKEY_KEYRING
        | KEYCTL_SET_TIMEOUT | KEYCTL_ASSUME_AUTHORITY | KEYCTL_GET_SECURITY
        | KEYCTL_SESSION_TO_PARENT | KEYCTL_INVALIDATE | KEYCTL_GET_PERSISTENT
        | KEYCTL_RESTRICT_KEYRING | KEYCTL_CAPABILITIES => ABSENT,
    KEYCTL_SEARCH | KEYCTL_INSTANTIATE | KEYCTL_REJECT | KEYCTL_INSTANTIATE_IOV => KEY,
    KEYCTL_MOVE => Kind::flags(&flags::KEY_MOVE),
    KEYCTL_DH_COMPUTE => struct_in!(KEY_DERIVATION),
    KEYCTL_PKEY_QUERY => struct_out!(KEY_ABILITIES),
    KEYCTL_PKEY_ENCRYPT | KEYCTL_PKEY_DECRYPT | KEYCTL_PKEY_SIGN => Kind::Ptr(Dir::Out, &SECOND_DATA),
    KEYCTL_PKEY_VERIFY => Kind::Ptr(Dir::In, &SECOND_DATA),
);

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::ADD_KEY,
        NONE,
        &[
            arg("type", Kind::CSTR),
            arg("description", Kind::CSTR),
            arg("payload", Kind::Ptr(Dir::In, &Target::Bytes(Len::Arg(3)))),
            arg("plen", Kind::ULONG),
            arg("ringid", KEY),
        ],
        Ret::INT,
    ),
    call(
        id::REQUEST_KEY,
        NONE,
        &[
            arg("type", Kind::CSTR),
            arg("description", Kind::CSTR),
            arg("callout_info", Kind::CSTR),
            arg("destringid", KEY),
        ],
        Ret::INT,
    ),
    call(
        id::KEYCTL,
        NONE,
        &[
            arg("option", Kind::flags(&flags::KEYCTL)),
            arg("arg2", SECOND),
            arg("arg3", THIRD),
            arg("arg4", FOURTH),
            arg("arg5", FIFTH),
        ],
        Ret::INT,
    ),
];
