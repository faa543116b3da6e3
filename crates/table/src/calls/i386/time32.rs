//! Times whose seconds have 32 bits.

use super::renamed;
use crate::arch::{i386 as id, x86_64};
use crate::calls::futex::OLD_UTIME;
use crate::{
    Call, Dir, Fraction, Kind, Len, Note, Ret, Source, Target, arg_in, named_arg, structs,
};

const TIME_IN: Kind = struct_in!(OLD_TIMESPEC);
const TIME_OUT: Kind = struct_out!(OLD_TIMESPEC);
const TIMER_IN: Kind = struct_in!(OLD_ITIMERSPEC);
const TIMER_OUT: Kind = struct_out!(OLD_ITIMERSPEC);
const LEFT: Kind = Kind::Ptr(Dir::Interrupted, &Target::One(&Kind::Struct(&structs::OLD_TIMESPEC)));
const LEFT_UNLESS_ABSOLUTE: Kind =
    Kind::Select { on: Source::Arg(1), mask: 1, cases: &[(0, LEFT)], default: &Kind::Addr };
const PARAMETERS: Kind = struct_out!(OLD_TIMEX);
const NANO_TIMES: Kind = Kind::Ptr(
    Dir::In,
    &Target::Array(&Kind::Instant(&structs::OLD_UTIMESPEC, Fraction::Nanos), Len::Const(2)),
);
const SET_LEFT: Kind = Kind::Ptr(Dir::Out, &Target::BitSet(Len::BitsOfArg(0)));
const POLLED_READY: Kind =
    Kind::Ptr(Dir::Out, &Target::Array(&Kind::Struct(&structs::POLLFD_READY), Len::Arg(1)));

/// A call whose result tells what is left of the time, too.
const fn telling(call: Call, note: Note) -> Call {
    Call { ret: Ret::INT.note(note), ..call }
}

/// The family's entries.
pub static CALLS: &[Call] = &[
    changed!(id::CLOCK_GETTIME, CLOCK_GETTIME, 1: TIME_OUT),
    changed!(id::CLOCK_GETRES, CLOCK_GETRES, 1: TIME_OUT),
    changed!(id::CLOCK_SETTIME, CLOCK_SETTIME, 1: TIME_IN),
    changed!(id::CLOCK_ADJTIME, CLOCK_ADJTIME, 1: PARAMETERS),
    changed!(id::ADJTIMEX, ADJTIMEX, 0: PARAMETERS),
    changed!(id::NANOSLEEP, NANOSLEEP, 0: TIME_IN, 1: LEFT),
    changed!(id::CLOCK_NANOSLEEP, CLOCK_NANOSLEEP, 2: TIME_IN, 3: LEFT_UNLESS_ABSOLUTE),
    changed!(id::TIMER_SETTIME, TIMER_SETTIME, 2: TIMER_IN, 3: TIMER_OUT),
    changed!(id::TIMER_GETTIME, TIMER_GETTIME, 1: TIMER_OUT),
    changed!(id::TIMERFD_SETTIME, TIMERFD_SETTIME, 2: TIMER_IN, 3: TIMER_OUT),
    changed!(id::TIMERFD_GETTIME, TIMERFD_GETTIME, 1: TIMER_OUT),
    changed!(id::UTIMENSAT, UTIMENSAT, 2: NANO_TIMES),
    changed!(id::SCHED_RR_GET_INTERVAL, SCHED_RR_GET_INTERVAL, 1: TIME_OUT),
    changed!(id::RT_SIGTIMEDWAIT, RT_SIGTIMEDWAIT, 2: TIME_IN),
    changed!(id::FUTEX, FUTEX, 3: OLD_UTIME),
    changed!(id::IO_GETEVENTS, IO_GETEVENTS, 4: TIME_IN),
    changed!(id::IO_PGETEVENTS, IO_PGETEVENTS, 4: TIME_IN),
    changed!(id::MQ_TIMEDSEND, MQ_TIMEDSEND, 4: TIME_IN),
    changed!(id::MQ_TIMEDRECEIVE, MQ_TIMEDRECEIVE, 4: TIME_IN),
    telling(
        changed!(id::PPOLL, PPOLL, 2: TIME_IN),
        Note::After(&[arg_in("ufds", 0, POLLED_READY), named_arg("left", 2, TIME_OUT)]),
    ),
    telling(
        changed!(id::PSELECT6, PSELECT6, 4: TIME_IN),
        Note::After(&[
            named_arg("in", 1, SET_LEFT),
            named_arg("out", 2, SET_LEFT),
            named_arg("except", 3, SET_LEFT),
            named_arg("left", 4, TIME_OUT),
        ]),
    ),
    telling(
        changed!(id::RECVMMSG, RECVMMSG, 4: TIME_IN),
        Note::After(&[named_arg("left", 4, TIME_OUT)]),
    ),
];
