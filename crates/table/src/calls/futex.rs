//! Futexes and what threads register with the kernel.

use crate::arch::x86_64 as id;
use crate::{
    Call, Classes, Dir, Kind, Len, Ret, Source, Special, Target, arg, call, flags, structs,
};

const NONE: Classes = Classes::NONE;
const SIZE: Kind = Kind::ULONG;
const TIMEOUT: Kind = struct_in!(TIMESPEC);
const BITSET: Kind = Kind::flags(&flags::FUTEX_BITSET);

/// An argument of `futex(2)`, by its operation.
macro_rules! by_operation {
    ($default:expr; $($($operation:ident)|+ => $kind:expr),*) => {
        Kind::Select {
            on: Source::Arg(1),
            mask: OPERATION,
            cases: const { &crate::sorted([$($((flags::$operation, $kind)),+),*]) },
            default: &$default,
        }
    };
}

/// The bits that say which operation it is; others say how it is done.
const OPERATION: u64 = 0x7f;

const VAL: Kind = by_operation!(Kind::UINT;
    FUTEX_LOCK_PI | FUTEX_LOCK_PI2 | FUTEX_UNLOCK_PI | FUTEX_TRYLOCK_PI => Kind::Absent);
const UTIME: Kind = by_operation!(Kind::Addr;
    FUTEX_WAIT | FUTEX_WAIT_BITSET | FUTEX_LOCK_PI | FUTEX_LOCK_PI2 | FUTEX_WAIT_REQUEUE_PI
        => TIMEOUT,
    FUTEX_REQUEUE | FUTEX_CMP_REQUEUE | FUTEX_CMP_REQUEUE_PI | FUTEX_WAKE_OP => Kind::UINT,
    FUTEX_WAKE | FUTEX_WAKE_BITSET | FUTEX_FD | FUTEX_UNLOCK_PI | FUTEX_TRYLOCK_PI
        => Kind::Absent);
/// The same in 32-bit programs, whose times are smaller.
pub(super) const OLD_UTIME: Kind = by_operation!(UTIME;
    FUTEX_WAIT | FUTEX_WAIT_BITSET | FUTEX_LOCK_PI | FUTEX_LOCK_PI2 | FUTEX_WAIT_REQUEUE_PI
        => struct_in!(OLD_TIMESPEC));
const UADDR2: Kind = by_operation!(Kind::Addr;
    FUTEX_REQUEUE | FUTEX_CMP_REQUEUE | FUTEX_CMP_REQUEUE_PI | FUTEX_WAKE_OP
        | FUTEX_WAIT_REQUEUE_PI => Kind::Addr,
    FUTEX_WAIT | FUTEX_WAKE | FUTEX_WAIT_BITSET | FUTEX_WAKE_BITSET | FUTEX_FD | FUTEX_LOCK_PI
        | FUTEX_LOCK_PI2 | FUTEX_UNLOCK_PI | FUTEX_TRYLOCK_PI => Kind::Absent);
const VAL3: Kind = by_operation!(Kind::HEX32;
    FUTEX_WAIT_BITSET | FUTEX_WAKE_BITSET => BITSET,
    FUTEX_CMP_REQUEUE | FUTEX_CMP_REQUEUE_PI => Kind::UINT,
    FUTEX_WAKE_OP => Kind::Special(Special::FutexOperation),
    FUTEX_WAIT | FUTEX_WAKE | FUTEX_FD | FUTEX_REQUEUE | FUTEX_LOCK_PI | FUTEX_LOCK_PI2
        | FUTEX_UNLOCK_PI | FUTEX_TRYLOCK_PI | FUTEX_WAIT_REQUEUE_PI => Kind::Absent);

const WAITERS: Kind =
    Kind::Ptr(Dir::In, &Target::Array(&Kind::Struct(&structs::FUTEX_WAITV), Len::IntArg(1)));
/// The futex to requeue from and the one to requeue to.
const WAITERS_TWO: Kind =
    Kind::Ptr(Dir::In, &Target::Array(&Kind::Struct(&structs::FUTEX_WAITV), Len::Const(2)));

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::FUTEX,
        NONE,
        &[
            arg("uaddr", Kind::Addr),
            arg("op", Kind::flags(&flags::FUTEX)),
            arg("val", VAL),
            arg("utime", UTIME),
            arg("uaddr2", UADDR2),
            arg("val3", VAL3),
        ],
        Ret::INT,
    ),
    call(
        id::FUTEX_WAITV,
        NONE,
        &[
            arg("waiters", WAITERS),
            arg("nr_futexes", Kind::UINT),
            arg("flags", Kind::HEX32),
            arg("timeout", TIMEOUT),
            arg("clockid", Kind::flags(&flags::CLOCK)),
        ],
        Ret::INT,
    ),
    call(
        id::FUTEX_WAKE,
        NONE,
        &[
            arg("uaddr", Kind::Addr),
            arg("mask", Kind::HEX64),
            arg("nr", Kind::INT),
            arg("flags", Kind::flags(&flags::FUTEX2)),
        ],
        Ret::INT,
    ),
    call(
        id::FUTEX_WAIT,
        NONE,
        &[
            arg("uaddr", Kind::Addr),
            arg("val", Kind::HEX64),
            arg("mask", Kind::HEX64),
            arg("flags", Kind::flags(&flags::FUTEX2)),
            arg("timeout", TIMEOUT),
            arg("clockid", Kind::flags(&flags::CLOCK)),
        ],
        Ret::INT,
    ),
    call(
        id::FUTEX_REQUEUE,
        NONE,
        &[
            arg("waiters", WAITERS_TWO),
            arg("flags", Kind::HEX32),
            arg("nr_wake", Kind::INT),
            arg("nr_requeue", Kind::INT),
        ],
        Ret::INT,
    ),
    call(id::SET_ROBUST_LIST, NONE, &[arg("head", Kind::Addr), arg("len", SIZE)], Ret::INT),
    call(
        id::GET_ROBUST_LIST,
        NONE,
        &[
            arg("pid", Kind::Pid),
            arg("head_ptr", Kind::Ptr(Dir::Out, &Target::One(&Kind::Addr))),
            arg("len_ptr", Kind::Ptr(Dir::Out, &Target::One(&SIZE))),
        ],
        Ret::INT,
    ),
    call(
        id::RSEQ,
        NONE,
        &[
            arg("rseq", Kind::HEX),
            arg("rseq_len", Kind::HEX),
            arg("flags", Kind::HEX),
            arg("sig", Kind::HEX),
        ],
        Ret::INT,
    ),
    call(id::RSEQ_SLICE_YIELD, NONE, &[], Ret::INT),
];
