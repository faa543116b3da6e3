//! Calls that no current kernel makes: their arguments are bare numbers.

use crate::arch::i386 as id;
use crate::{Arg, Call, Classes, Kind, Ret, arg, call};

const NONE: Classes = Classes::NONE;

const fn number(name: &'static str) -> Arg {
    arg(name, Kind::HEX64)
}

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(id::BREAK, Classes::MEMORY, &[], Ret::INT),
    call(id::STTY, NONE, &[number("fd"), number("params")], Ret::INT),
    call(id::GTTY, NONE, &[number("fd"), number("params")], Ret::INT),
    call(id::FTIME, NONE, &[], Ret::INT),
    call(id::PROF, NONE, &[], Ret::INT),
    call(id::LOCK, NONE, &[], Ret::INT),
    call(id::MPX, NONE, &[], Ret::INT),
    call(id::ULIMIT, NONE, &[number("cmd"), number("newlimit")], Ret::INT),
    call(
        id::PROFIL,
        NONE,
        &[number("buf"), number("bufsiz"), number("offset"), number("scale")],
        Ret::INT,
    ),
    call(id::IDLE, NONE, &[], Ret::INT),
    call(id::BDFLUSH, NONE, &[number("func"), number("data")], Ret::INT),
    call(id::VM86OLD, NONE, &[number("info")], Ret::INT),
    call(
        id::VM86,
        NONE,
        &[number("fn"), number("v86"), number("a2"), number("a3"), number("a4")],
        Ret::INT,
    ),
];
