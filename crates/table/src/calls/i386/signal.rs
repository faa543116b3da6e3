//! Signals, in sets of 32.

use crate::arch::i386 as id;
use crate::{
    Call, Classes, Dir, Kind, Note, Ret, Special, Target, arg, arg_in, call, flags, stack_arg,
    structs,
};

const SIGNAL: Classes = Classes::SIGNAL;

static SET: Target = Target::One(&Kind::SigSet32);
static ACTION: Target = Target::One(&Kind::Struct(&structs::OLD_SIGACTION));
static FRAME: Target = Target::One(&Kind::Struct(&structs::OLD_SIGNAL_FRAME));

const HANDLER: Kind = Kind::Special(Special::SigHandler);

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::SIGNAL,
        SIGNAL,
        &[arg("sig", Kind::Signal), arg("handler", HANDLER)],
        Ret::HEX.note(Note::Meaning("", HANDLER)),
    ),
    call(
        id::SIGACTION,
        SIGNAL,
        &[
            arg("sig", Kind::Signal),
            arg("act", Kind::Ptr(Dir::In, &ACTION)),
            arg("oact", Kind::Ptr(Dir::Out, &ACTION)),
        ],
        Ret::INT,
    ),
    call(
        id::SIGPROCMASK,
        SIGNAL,
        &[
            arg("how", Kind::flags(&flags::SIG_HOW)),
            arg("nset", Kind::Ptr(Dir::In, &SET)),
            arg("oset", Kind::Ptr(Dir::Out, &SET)),
        ],
        Ret::INT,
    ),
    call(id::SIGPENDING, SIGNAL, &[arg("uset", Kind::Ptr(Dir::Out, &SET))], Ret::INT),
    // The two arguments before it are for other ABIs.
    call(id::SIGSUSPEND, SIGNAL, &[arg_in("mask", 2, Kind::SigSet32)], Ret::INT),
    call(id::SGETMASK, SIGNAL, &[], Ret::HEX.note(Note::Meaning("mask", Kind::SigSet32))),
    call(
        id::SSETMASK,
        SIGNAL,
        &[arg("newmask", Kind::SigSet32)],
        Ret::HEX.note(Note::Meaning("old mask", Kind::SigSet32)),
    ),
    call(id::SIGRETURN, SIGNAL, &[stack_arg("frame", Kind::Ptr(Dir::In, &FRAME))], Ret::INT),
];
