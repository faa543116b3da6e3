//! Disk quotas: `quotactl(2)`, whose arguments depend on the command.

use crate::arch::x86_64 as id;
use crate::{
    Arg, Call, Classes, Dir, Kind, Ret, Source, Special, Target, arg, call, flags, sorted,
};

/// A command and the kind of quota below it make one number.
const fn command(command: u64) -> u64 {
    command << 8 & 0xffff_ffff
}

/// An argument, by the command in this register.
macro_rules! by_command {
    ($register:literal, $default:expr; $($($command:ident)|+ => $kind:expr),* $(,)?) => {
        Kind::Select {
            on: Source::Arg($register),
            mask: 0xffff_ff00,
            cases: const { &sorted([$($((command(flags::$command), $kind)),+),*]) },
            default: &$default,
        }
    };
}

const FORMAT: Kind = Kind::flags(&flags::QUOTA_FORMAT);
const ACCOUNT: Kind = Kind::Ptr(Dir::In, &Target::One(&Kind::flags(&flags::XFS_QUOTA)));
const TYPES: Kind = Kind::Ptr(Dir::In, &Target::One(&Kind::flags(&flags::XFS_QUOTA_TYPES)));
const FORMAT_OUT: Kind = Kind::Ptr(Dir::Out, &Target::One(&FORMAT));

/// Who is asked about; the format with `Q_QUOTAON`.
macro_rules! subject {
    ($register:literal) => {
        by_command!($register, Kind::Id;
            Q_QUOTAON => FORMAT,
            Q_SYNC | Q_QUOTAOFF | Q_GETFMT | Q_GETINFO | Q_SETINFO | Q_XQUOTAON | Q_XQUOTAOFF
                | Q_XGETQSTAT | Q_XQUOTARM | Q_XQUOTASYNC | Q_XGETQSTATV => Kind::Absent,
        )
    };
}

/// What is asked or told.
macro_rules! data {
    ($register:literal) => {
        by_command!($register, Kind::Addr;
            Q_SYNC | Q_QUOTAOFF | Q_XQUOTASYNC => Kind::Absent,
            Q_QUOTAON => Kind::PATH,
            Q_GETFMT => FORMAT_OUT,
            Q_GETINFO => struct_out!(QUOTA_INFO),
            Q_SETINFO => struct_in!(QUOTA_INFO),
            Q_GETQUOTA => struct_out!(QUOTA),
            Q_SETQUOTA => struct_in!(QUOTA),
            Q_GETNEXTQUOTA => struct_out!(QUOTA_NEXT),
            Q_XQUOTAON | Q_XQUOTAOFF => ACCOUNT,
            Q_XQUOTARM => TYPES,
            Q_XGETQUOTA | Q_XGETNEXTQUOTA => struct_out!(XFS_QUOTA),
            Q_XSETQLIM => struct_in!(XFS_QUOTA),
            Q_XGETQSTAT => struct_out!(XFS_STATE),
            Q_XGETQSTATV => struct_out!(XFS_STATE_V),
        )
    };
}

const COMMAND: Arg = arg("cmd", Kind::Special(Special::QuotaCommand));

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::QUOTACTL,
        Classes::FILE,
        &[COMMAND, arg("special", Kind::PATH), arg("id", subject!(0)), arg("addr", data!(0))],
        Ret::INT,
    ),
    call(
        id::QUOTACTL_FD,
        Classes::DESC,
        &[arg("fd", Kind::Fd), COMMAND, arg("id", subject!(1)), arg("addr", data!(1))],
        Ret::INT,
    ),
];
