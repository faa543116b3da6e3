//! Calls that are x86-64 calls by another name: ids of 32 bits, and times of 64 bits.

use super::renamed;
use crate::Call;
use crate::arch::i386 as id;
use crate::arch::x86_64::{self, described};

/// The family's entries.
pub static CALLS: &[Call] = &[
    renamed(id::GETUID32, described(x86_64::GETUID)),
    renamed(id::GETGID32, described(x86_64::GETGID)),
    renamed(id::GETEUID32, described(x86_64::GETEUID)),
    renamed(id::GETEGID32, described(x86_64::GETEGID)),
    renamed(id::SETREUID32, described(x86_64::SETREUID)),
    renamed(id::SETREGID32, described(x86_64::SETREGID)),
    renamed(id::GETGROUPS32, described(x86_64::GETGROUPS)),
    renamed(id::SETGROUPS32, described(x86_64::SETGROUPS)),
    renamed(id::FCHOWN32, described(x86_64::FCHOWN)),
    renamed(id::SETRESUID32, described(x86_64::SETRESUID)),
    renamed(id::GETRESUID32, described(x86_64::GETRESUID)),
    renamed(id::SETRESGID32, described(x86_64::SETRESGID)),
    renamed(id::GETRESGID32, described(x86_64::GETRESGID)),
    renamed(id::CHOWN32, described(x86_64::CHOWN)),
    renamed(id::LCHOWN32, described(x86_64::LCHOWN)),
    renamed(id::SETUID32, described(x86_64::SETUID)),
    renamed(id::SETGID32, described(x86_64::SETGID)),
    renamed(id::SETFSUID32, described(x86_64::SETFSUID)),
    renamed(id::SETFSGID32, described(x86_64::SETFSGID)),
    renamed(id::NEWSELECT, described(x86_64::SELECT)),
    renamed(id::CLOCK_GETTIME64, described(x86_64::CLOCK_GETTIME)),
    renamed(id::CLOCK_SETTIME64, described(x86_64::CLOCK_SETTIME)),
    renamed(id::CLOCK_ADJTIME64, described(x86_64::CLOCK_ADJTIME)),
    renamed(id::CLOCK_GETRES_TIME64, described(x86_64::CLOCK_GETRES)),
    renamed(id::CLOCK_NANOSLEEP_TIME64, described(x86_64::CLOCK_NANOSLEEP)),
    renamed(id::TIMER_GETTIME64, described(x86_64::TIMER_GETTIME)),
    renamed(id::TIMER_SETTIME64, described(x86_64::TIMER_SETTIME)),
    renamed(id::TIMERFD_GETTIME64, described(x86_64::TIMERFD_GETTIME)),
    renamed(id::TIMERFD_SETTIME64, described(x86_64::TIMERFD_SETTIME)),
    renamed(id::UTIMENSAT_TIME64, described(x86_64::UTIMENSAT)),
    renamed(id::PSELECT6_TIME64, described(x86_64::PSELECT6)),
    renamed(id::PPOLL_TIME64, described(x86_64::PPOLL)),
    renamed(id::IO_PGETEVENTS_TIME64, described(x86_64::IO_PGETEVENTS)),
    renamed(id::RECVMMSG_TIME64, described(x86_64::RECVMMSG)),
    renamed(id::MQ_TIMEDSEND_TIME64, described(x86_64::MQ_TIMEDSEND)),
    renamed(id::MQ_TIMEDRECEIVE_TIME64, described(x86_64::MQ_TIMEDRECEIVE)),
    renamed(id::SEMTIMEDOP_TIME64, described(x86_64::SEMTIMEDOP)),
    renamed(id::RT_SIGTIMEDWAIT_TIME64, described(x86_64::RT_SIGTIMEDWAIT)),
    renamed(id::FUTEX_TIME64, described(x86_64::FUTEX)),
    renamed(id::SCHED_RR_GET_INTERVAL_TIME64, described(x86_64::SCHED_RR_GET_INTERVAL)),
];
