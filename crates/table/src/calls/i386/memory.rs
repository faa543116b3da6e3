//! Mapping files by pages, and locks and commands of descriptors.

use super::renamed;
use crate::arch::{i386 as id, x86_64};
use crate::calls::desc::FCNTL_ARG;
use crate::{Call, Kind, Source, Special, flags};

const LOCK: Kind = struct_in!(FLOCK64);
const LOCK_FOUND: Kind = struct_out!(FLOCK64_FOUND);

/// The third argument of `fcntl(2)`, by its command: locks of files of any size have a struct of
/// their own, the rest is as by x86-64.
const COMMANDED: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: u32::MAX as u64,
    cases: &[
        (12, LOCK_FOUND),
        (13, LOCK),
        (14, LOCK),
        (flags::F_OFD_GETLK, LOCK_FOUND),
        (flags::F_OFD_SETLK, LOCK),
        (flags::F_OFD_SETLKW, LOCK),
    ],
    default: &FCNTL_ARG,
};
const COMMAND: Kind = Kind::flags(&flags::FCNTL_I386);

/// The family's entries.
pub static CALLS: &[Call] = &[
    changed!(id::MMAP2, MMAP, 5: Kind::Special(Special::Pages)),
    changed!(id::FCNTL, FCNTL, 1: COMMAND, 2: COMMANDED),
    changed!(id::FCNTL64, FCNTL, 1: COMMAND, 2: COMMANDED),
];
