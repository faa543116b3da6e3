//! Asynchronous I/O of the older kind (`io_setup(2)`).

use crate::arch::x86_64 as id;
use crate::{Arg, Call, Classes, Dir, Kind, Len, Ret, Target, arg, call, structs};

const MEMORY: Classes = Classes::MEMORY;
const NONE: Classes = Classes::NONE;

const CONTEXT: Arg = arg("ctx_id", Kind::Addr);
const MIN: Arg = arg("min_nr", Kind::LONG);
const COUNT: Arg = arg("nr", Kind::LONG);
const EVENTS: Kind =
    Kind::Ptr(Dir::Out, &Target::Array(&Kind::Struct(&structs::IO_EVENT), Len::Ret));
const TIMEOUT: Kind = struct_in!(TIMESPEC);

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::IO_SETUP,
        MEMORY,
        &[
            arg("nr_events", Kind::UINT),
            arg("ctxp", Kind::Ptr(Dir::Out, &Target::One(&Kind::Addr))),
        ],
        Ret::INT,
    ),
    call(id::IO_DESTROY, MEMORY, &[CONTEXT], Ret::INT),
    call(
        id::IO_SUBMIT,
        NONE,
        &[
            CONTEXT,
            COUNT,
            arg("iocbpp", Kind::Ptr(Dir::In, &Target::Array(&struct_in!(IOCB), Len::Arg(1)))),
        ],
        Ret::INT,
    ),
    call(
        id::IO_CANCEL,
        NONE,
        &[CONTEXT, arg("iocb", struct_in!(IOCB_GIVEN_UP)), arg("result", struct_out!(IO_EVENT))],
        Ret::INT,
    ),
    call(
        id::IO_GETEVENTS,
        NONE,
        &[CONTEXT, MIN, COUNT, arg("events", EVENTS), arg("timeout", TIMEOUT)],
        Ret::INT,
    ),
    call(
        id::IO_PGETEVENTS,
        NONE,
        &[
            CONTEXT,
            MIN,
            COUNT,
            arg("events", EVENTS),
            arg("timeout", TIMEOUT),
            arg("usig", struct_in!(AIO_SIGSET)),
        ],
        Ret::INT,
    ),
];
