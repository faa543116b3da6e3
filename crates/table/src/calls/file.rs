//! Files and directories by name.

use crate::arch::x86_64 as id;
use crate::{Call, Classes, Kind, Ret, Source, arg, call, flags};

const FILE: Classes = Classes::FILE;
const DESC: Classes = Classes::DESC;

/// The permissions of a file to be created, which `open(2)` takes only with these flags.
const fn mode_if_created(flags: u8) -> Kind {
    const O_CREAT: u64 = 0x40;
    const O_TMPFILE: u64 = 0x40_0000;
    Kind::IfBits { on: Source::Arg(flags), mask: O_CREAT | O_TMPFILE, then: &Kind::Perm }
}

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::OPEN,
        FILE.or(DESC),
        &[
            arg("filename", Kind::PATH),
            arg("flags", Kind::flags(&flags::OPEN)),
            arg("mode", mode_if_created(1)),
        ],
        Ret::FD,
    ),
    call(
        id::OPENAT,
        FILE.or(DESC),
        &[
            arg("dfd", Kind::DirFd),
            arg("filename", Kind::PATH),
            arg("flags", Kind::flags(&flags::OPEN)),
            arg("mode", mode_if_created(2)),
        ],
        Ret::FD,
    ),
];
