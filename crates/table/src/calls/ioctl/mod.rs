//! `ioctl(2)`: the argument, by request.
//!
//! One file a family of drivers, each a list of requests and of what their argument is. A request
//! that no list has is shown by its name with the argument as an address.

use crate::arch::x86_64 as id;
use crate::request::numbers as requests;
use crate::{
    Base, Call, Classes, Dir, Kind, Len, Note, Ret, Source, Special, Target, Width, arg, arg_in,
    call, returned_arg, sorted,
};

/// A list of requests, with the kind of the argument of each.
macro_rules! requests {
    ($($($request:ident)|+ => $kind:expr),* $(,)?) => {
        pub(super) const REQUESTS: &[(u64, crate::Kind)] =
            &[$($((crate::request::numbers::$request, $kind)),+),*];
    };
}

/// A pointer to what the kernel reads.
macro_rules! reads {
    ($target:expr) => {
        crate::Kind::Ptr(crate::Dir::In, &$target)
    };
}

/// A pointer to what the kernel writes.
macro_rules! writes {
    ($target:expr) => {
        crate::Kind::Ptr(crate::Dir::Out, &$target)
    };
}

/// A pointer to a struct that the kernel reads and fills.
macro_rules! struct_in_out {
    ($layout:ident) => {
        crate::Kind::Ptr(
            crate::Dir::InOut,
            &crate::Target::One(&crate::Kind::Struct(&crate::structs::$layout)),
        )
    };
}

/// A pointer to a struct that the kernel reads, and one that it puts in its place.
macro_rules! exchange {
    ($asked:ident, $answered:ident) => {
        crate::Kind::Ptr(
            crate::Dir::InOut,
            &crate::Target::Exchange(
                &crate::Kind::Struct(&crate::structs::$asked),
                &crate::Kind::Struct(&crate::structs::$answered),
            ),
        )
    };
}

mod block;
mod btrfs;
mod clock;
mod console;
mod descriptor;
mod device_mapper;
mod file_system;
mod gpio;
mod input;
mod kvm;
mod lirc;
mod mtd;
mod net_device;
mod scsi;
mod tee;
mod tty;
mod userfault;
mod video;
mod watchdog;

/// The lists.
const FAMILIES: &[&[(u64, Kind)]] = &[
    block::REQUESTS,
    btrfs::REQUESTS,
    clock::REQUESTS,
    console::REQUESTS,
    descriptor::REQUESTS,
    device_mapper::REQUESTS,
    file_system::REQUESTS,
    gpio::REQUESTS,
    input::REQUESTS,
    kvm::REQUESTS,
    lirc::REQUESTS,
    mtd::REQUESTS,
    net_device::REQUESTS,
    scsi::REQUESTS,
    tee::REQUESTS,
    tty::REQUESTS,
    userfault::REQUESTS,
    video::REQUESTS,
    watchdog::REQUESTS,
];

const INT_IN: Kind = reads!(Target::One(&Kind::INT));
const INT_OUT: Kind = writes!(Target::One(&Kind::INT));
const UINT_IN: Kind = reads!(Target::One(&Kind::UINT));
const UINT_OUT: Kind = writes!(Target::One(&Kind::UINT));
const LONG_OUT: Kind = writes!(Target::One(&Kind::LONG));
const ULONG_OUT: Kind = writes!(Target::One(&Kind::ULONG));
const U16_OUT: Kind = writes!(Target::One(&Kind::Int(Width::U16, Base::Dec)));
const S64_IN: Kind = reads!(Target::One(&Kind::S64));
const U64_IN: Kind = reads!(Target::One(&Kind::U64));
const U64_OUT: Kind = writes!(Target::One(&Kind::U64));
const HEX32_IN: Kind = reads!(Target::One(&Kind::HEX32));
const HEX64_IN: Kind = reads!(Target::One(&Kind::HEX64));

/// How many requests there are.
const COUNT: usize = {
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
};

/// All requests by number, which is how one is found.
static CASES: [(u64, Kind); COUNT] = {
    let mut cases = [(0, Kind::Absent); COUNT];
    let (mut next, mut family) = (0, 0);
    while family < FAMILIES.len() {
        let mut place = 0;
        while place < FAMILIES[family].len() {
            cases[next] = FAMILIES[family][place];
            next += 1;
            place += 1;
        }
        family += 1;
    }
    sorted(cases)
};

/// How many numbers of these are others in 32-bit programs.
const MOVED: usize = {
    let (mut count, mut place) = (0, 0);
    while place < MOVES.len() {
        count += kind_of(MOVES[place].0).is_some() as usize;
        place += 1;
    }
    count
};
const MOVES: &[(u64, u64)] = crate::request::ilp32::MOVED;

/// What a request's argument is.
const fn kind_of(request: u64) -> Option<Kind> {
    let mut family = 0;
    while family < FAMILIES.len() {
        let mut place = 0;
        while place < FAMILIES[family].len() {
            if FAMILIES[family][place].0 == request {
                return Some(FAMILIES[family][place].1);
            }
            place += 1;
        }
        family += 1;
    }
    None
}

/// The requests of 32-bit programs that have other numbers there, by those.
static MOVED_CASES: [(u64, Kind); MOVED] = {
    let mut cases = [(0, Kind::Absent); MOVED];
    let (mut next, mut place) = (0, 0);
    while place < MOVES.len() {
        if let Some(kind) = kind_of(MOVES[place].0) {
            cases[next] = (MOVES[place].1, kind);
            next += 1;
        }
        place += 1;
    }
    sorted(cases)
};

/// The argument in 32-bit programs.
pub(super) const SHORT_ARG: Kind =
    Kind::Select { on: Source::Arg(1), mask: 0xffff_ffff, cases: &MOVED_CASES, default: &ARG };

/// The argument.
const ARG: Kind =
    Kind::Select { on: Source::Arg(1), mask: 0xffff_ffff, cases: &CASES, default: &OF_ANY_SIZE };

/// What it is of requests that say a size which the caller chooses.
static OF_ANY_SIZE: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: 0xc000_ffff,
    cases: &input::OF_ANY_SIZE,
    default: &OF_ANY_AXIS,
};

static OF_ANY_AXIS: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: 0xffff_ffc0,
    cases: &[(0x8018_4540, input::AXIS_OUT), (0x4018_45c0, input::AXIS_IN)],
    default: &OF_OTHER_BITS,
};

/// Of events that nobody knows, only the address is told.
static OF_OTHER_BITS: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: 0xc000_ffe0,
    cases: &[(0x8000_4520, Kind::Addr)],
    default: &Kind::HEX,
};

/// Requests whose result is a descriptor.
const RESULT: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: 0xffff_ffff,
    cases: &sorted([
        (requests::NS_GET_USERNS, Kind::Fd),
        (requests::NS_GET_PARENT, Kind::Fd),
        (requests::PIDFD_GET_CGROUP_NAMESPACE, Kind::Fd),
        (requests::PIDFD_GET_IPC_NAMESPACE, Kind::Fd),
        (requests::PIDFD_GET_MNT_NAMESPACE, Kind::Fd),
        (requests::PIDFD_GET_NET_NAMESPACE, Kind::Fd),
        (requests::PIDFD_GET_PID_NAMESPACE, Kind::Fd),
        (requests::PIDFD_GET_PID_FOR_CHILDREN_NAMESPACE, Kind::Fd),
        (requests::PIDFD_GET_TIME_NAMESPACE, Kind::Fd),
        (requests::PIDFD_GET_TIME_FOR_CHILDREN_NAMESPACE, Kind::Fd),
        (requests::PIDFD_GET_USER_NAMESPACE, Kind::Fd),
        (requests::PIDFD_GET_UTS_NAMESPACE, Kind::Fd),
    ]),
    default: &Kind::Int(Width::S64, Base::Dec),
};

/// What the result of some means.
const MEANING: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: 0xffff_ffff,
    cases: &[(requests::NS_GET_NSTYPE, Kind::flags(&crate::flags::NAMESPACE_KIND))],
    default: &Kind::Absent,
};

/// What is told behind the result.
const MADE: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: 0xffff_ffff,
    cases: &[(requests::VIDIOC_CREATE_BUFS, struct_out!(VIDEO_MADE))],
    default: &Kind::Absent,
};

/// The family's entries.
pub static CALLS: &[Call] = &[call(
    id::IOCTL,
    Classes::DESC,
    &[arg("fd", Kind::Fd), arg("cmd", Kind::Special(Special::IoctlRequest)), arg("arg", ARG)],
    Ret::of(RESULT).note(Note::Beside(&[returned_arg(MEANING), arg_in("", 2, MADE)])),
)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_a_request_has_a_name() {
        for (request, _) in &CASES {
            let request = u32::try_from(*request).expect("a request has 32 bits");
            assert!(crate::request::name(request).is_some(), "{request:#x}");
        }
    }
}
