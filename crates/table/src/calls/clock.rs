//! Clocks, timers and sleep.

use crate::arch::x86_64 as id;
use crate::{
    Arg, Call, Classes, Dir, Kind, Note, Ret, Source, Special, Target, arg, call, flags, structs,
};

const CLOCK: Classes = Classes::CLOCK;
const DESC: Classes = Classes::DESC;
const NONE: Classes = Classes::NONE;

const WHICH_CLOCK: Arg = arg("which_clock", Kind::flags(&flags::CLOCK));
const TIMER_ID: Arg = arg("timer_id", Kind::INT);
const ITIMER: Arg = arg("which", Kind::flags(&flags::ITIMER));
const ZONE: &str = "tz";
const DATE: Kind = Kind::Special(Special::Date);
const LEFT: Kind = Kind::Ptr(Dir::Interrupted, &Target::One(&Kind::Struct(&structs::TIMESPEC)));
const PARAMETERS: Kind = struct_out!(TIMEX);
const STATE: Ret = Ret::INT.note(Note::MeaningOfRead("", Kind::flags(&flags::ADJTIMEX_STATE)));

/// What is left to sleep; nobody tells it where the time to wake was absolute.
const LEFT_UNLESS_ABSOLUTE: Kind =
    Kind::Select { on: Source::Arg(1), mask: 1, cases: &[(0, LEFT)], default: &Kind::Addr };

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(id::CLOCK_GETTIME, CLOCK, &[WHICH_CLOCK, arg("tp", struct_out!(TIMESPEC))], Ret::INT),
    call(id::CLOCK_GETRES, CLOCK, &[WHICH_CLOCK, arg("tp", struct_out!(TIMESPEC))], Ret::INT),
    call(id::CLOCK_SETTIME, CLOCK, &[WHICH_CLOCK, arg("tp", struct_in!(TIMESPEC))], Ret::INT),
    call(id::CLOCK_ADJTIME, CLOCK, &[WHICH_CLOCK, arg("utx", PARAMETERS)], STATE),
    call(id::ADJTIMEX, CLOCK, &[arg("txc_p", PARAMETERS)], STATE),
    call(
        id::GETTIMEOFDAY,
        CLOCK,
        &[arg("tv", struct_out!(TIMEVAL)), arg(ZONE, struct_out!(TIMEZONE))],
        Ret::INT,
    ),
    call(
        id::SETTIMEOFDAY,
        CLOCK,
        &[arg("tv", struct_in!(TIMEVAL)), arg(ZONE, struct_in!(TIMEZONE))],
        Ret::INT,
    ),
    call(
        id::TIME,
        CLOCK,
        &[arg("tloc", Kind::Ptr(Dir::Out, &Target::One(&DATE)))],
        Ret::INT.note(Note::Meaning("", DATE)),
    ),
    call(id::NANOSLEEP, NONE, &[arg("rqtp", struct_in!(TIMESPEC)), arg("rmtp", LEFT)], Ret::INT),
    call(
        id::CLOCK_NANOSLEEP,
        NONE,
        &[
            WHICH_CLOCK,
            arg("flags", Kind::flags(&flags::TIMER)),
            arg("rqtp", struct_in!(TIMESPEC)),
            arg("rmtp", LEFT_UNLESS_ABSOLUTE).late(),
        ],
        Ret::INT,
    ),
    call(id::ALARM, NONE, &[arg("seconds", Kind::UINT)], Ret::INT),
    call(id::TIMES, NONE, &[arg("tbuf", struct_out!(TMS))], Ret::INT),
    call(id::GETITIMER, NONE, &[ITIMER, arg("value", struct_out!(ITIMERVAL))], Ret::INT),
    call(
        id::SETITIMER,
        NONE,
        &[ITIMER, arg("value", struct_in!(ITIMERVAL)), arg("ovalue", struct_out!(ITIMERVAL))],
        Ret::INT,
    ),
    call(
        id::TIMER_CREATE,
        NONE,
        &[
            WHICH_CLOCK,
            arg("timer_event_spec", struct_in!(SIGEVENT)),
            arg("created_timer_id", Kind::Ptr(Dir::Out, &Target::One(&Kind::INT))),
        ],
        Ret::INT,
    ),
    call(
        id::TIMER_SETTIME,
        NONE,
        &[
            TIMER_ID,
            arg("flags", Kind::flags(&flags::TIMER)),
            arg("new_setting", struct_in!(ITIMERSPEC)),
            arg("old_setting", struct_out!(ITIMERSPEC)),
        ],
        Ret::INT,
    ),
    call(id::TIMER_GETTIME, NONE, &[TIMER_ID, arg("setting", struct_out!(ITIMERSPEC))], Ret::INT),
    call(id::TIMER_GETOVERRUN, NONE, &[TIMER_ID], Ret::INT),
    call(id::TIMER_DELETE, NONE, &[TIMER_ID], Ret::INT),
    call(
        id::TIMERFD_CREATE,
        DESC,
        &[arg("clockid", Kind::flags(&flags::CLOCK)), arg("flags", Kind::flags(&flags::TIMERFD))],
        Ret::FD,
    ),
    call(
        id::TIMERFD_SETTIME,
        DESC,
        &[
            arg("ufd", Kind::Fd),
            arg("flags", Kind::flags(&flags::TIMERFD)),
            arg("utmr", struct_in!(ITIMERSPEC)),
            arg("otmr", struct_out!(ITIMERSPEC)),
        ],
        Ret::INT,
    ),
    call(
        id::TIMERFD_GETTIME,
        DESC,
        &[arg("ufd", Kind::Fd), arg("otmr", struct_out!(ITIMERSPEC))],
        Ret::INT,
    ),
];
