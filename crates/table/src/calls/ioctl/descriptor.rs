//! Requests of descriptors that are no devices: performance events, seccomp's listeners, name
//! spaces, inotify, epoll; and the source of random numbers.

use super::*;
use crate::{flags, structs};

const NOTICE: Kind = Kind::Ptr(
    Dir::InOut,
    &Target::Answer(
        &Kind::UnlessZero(&Kind::Struct(&structs::SECCOMP_NOTICE)),
        &Kind::Struct(&structs::SECCOMP_NOTICE),
    ),
);
const GROUP: Kind = Kind::Flags(Width::U32, &flags::PERF_IOC);

requests! {
    PERF_EVENT_IOC_ENABLE | PERF_EVENT_IOC_DISABLE | PERF_EVENT_IOC_RESET => GROUP,
    PERF_EVENT_IOC_REFRESH => Kind::INT,
    PERF_EVENT_IOC_SET_OUTPUT | PERF_EVENT_IOC_SET_BPF => Kind::Fd,
    PERF_EVENT_IOC_PAUSE_OUTPUT => Kind::ULONG,
    PERF_EVENT_IOC_PERIOD => U64_IN,
    PERF_EVENT_IOC_ID => U64_OUT,
    PERF_EVENT_IOC_QUERY_BPF => struct_in_out!(PERF_PROGRAMS),
    PERF_EVENT_IOC_MODIFY_ATTRIBUTES => crate::calls::system::PERF_EVENT,
    PERF_EVENT_IOC_SET_FILTER => Kind::CSTR,
    SECCOMP_IOCTL_NOTIF_RECV => NOTICE,
    SECCOMP_IOCTL_NOTIF_SEND => struct_in!(SECCOMP_ANSWER),
    SECCOMP_IOCTL_NOTIF_ID_VALID | SECCOMP_IOCTL_NOTIF_ID_VALID_WRONG_DIR => HEX64_IN,
    SECCOMP_IOCTL_NOTIF_ADDFD => struct_in!(SECCOMP_ADDFD),
    NS_GET_USERNS | NS_GET_PARENT | NS_GET_NSTYPE => Kind::Absent,
    NS_GET_OWNER_UID => writes!(Target::One(&Kind::Id)),
    EPIOCSPARAMS => struct_in!(EPOLL_PARAMETERS),
    EPIOCGPARAMS => struct_out!(EPOLL_PARAMETERS),
    INOTIFY_IOC_SETNEXTWD => Kind::INT,
    RNDZAPENTCNT | RNDCLEARPOOL | RNDRESEEDCRNG => Kind::Absent,
    RNDADDENTROPY => struct_in!(RANDOM_POOL),
    RNDGETENTCNT => INT_OUT,
    RNDADDTOENTCNT => INT_IN,
    COUNTER_ADD_WATCH_IOCTL => struct_in!(COUNTER_WATCH),
    COUNTER_ENABLE_EVENTS_IOCTL | COUNTER_DISABLE_EVENTS_IOCTL => Kind::Absent,
}
