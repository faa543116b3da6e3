//! `ioctl(2)`, by request.

use crate::arch::x86_64 as id;
use crate::{Call, Classes, Dir, Kind, Ret, Source, Special, Target, arg, call, flags};

const INT_IN: Kind = Kind::Ptr(Dir::In, &Target::One(&Kind::INT));
const INT_OUT: Kind = Kind::Ptr(Dir::Out, &Target::One(&Kind::INT));
const TERMIOS_IN: Kind = struct_in!(TERMIOS);
const TERMIOS2_IN: Kind = struct_in!(TERMIOS2);
const FILE_FLAGS: Target = Target::One(&Kind::flags(&flags::FS_FLAGS));

/// The argument, by the request.
const ARG: Kind = Kind::Select {
    on: Source::Arg(1),
    mask: 0xffff_ffff,
    cases: &[
        (flags::TCGETS, struct_out!(TERMIOS)),
        (flags::TCSETS, TERMIOS_IN),
        (flags::TCSETSW, TERMIOS_IN),
        (flags::TCSETSF, TERMIOS_IN),
        (flags::TCGETS2, struct_out!(TERMIOS2)),
        (flags::TCSETS2, TERMIOS2_IN),
        (flags::TCSETSW2, TERMIOS2_IN),
        (flags::TCSETSF2, TERMIOS2_IN),
        (flags::TIOCGWINSZ, struct_out!(WINSIZE)),
        (flags::TIOCSWINSZ, struct_in!(WINSIZE)),
        (flags::TCSBRK, Kind::INT),
        (flags::TCSBRKP, Kind::INT),
        (flags::TCFLSH, Kind::flags(&flags::TERMINAL_QUEUE)),
        (flags::TCXONC, Kind::flags(&flags::TERMINAL_FLOW)),
        (flags::TIOCGPGRP, INT_OUT),
        (flags::TIOCSPGRP, INT_IN),
        (flags::TIOCGSID, INT_OUT),
        (flags::TIOCGPTN, INT_OUT),
        (flags::TIOCSPTLCK, INT_IN),
        (flags::TIOCGPTLCK, INT_OUT),
        (flags::TIOCPKT, INT_IN),
        (flags::TIOCGPKT, INT_OUT),
        (flags::TIOCGPTPEER, Kind::HEX64),
        (flags::TIOCINQ, INT_OUT),
        (flags::TIOCOUTQ, INT_OUT),
        (flags::TIOCGETD, INT_OUT),
        (flags::TIOCSETD, INT_IN),
        (flags::TIOCSCTTY, Kind::INT),
        (flags::TIOCSTI, Kind::Ptr(Dir::In, &Target::Bytes(crate::Len::Const(1)))),
        (flags::TIOCNOTTY, Kind::Absent),
        (flags::TIOCEXCL, Kind::Absent),
        (flags::TIOCNXCL, Kind::Absent),
        (flags::TIOCSBRK, Kind::Absent),
        (flags::TIOCCBRK, Kind::Absent),
        (flags::TIOCCONS, Kind::Absent),
        (flags::TIOCVHANGUP, Kind::Absent),
        (flags::FIOCLEX, Kind::Absent),
        (flags::FIONCLEX, Kind::Absent),
        (flags::FIONBIO, INT_IN),
        (flags::FIOASYNC, INT_IN),
        (flags::FS_IOC_GETFLAGS, Kind::Ptr(Dir::Out, &FILE_FLAGS)),
        (flags::FS_IOC_SETFLAGS, Kind::Ptr(Dir::In, &FILE_FLAGS)),
        (flags::FICLONE, Kind::Fd),
        (flags::FIFREEZE, Kind::Absent),
        (flags::FITHAW, Kind::Absent),
        (flags::BLKFLSBUF, Kind::Absent),
        (flags::BLKRRPART, Kind::Absent),
    ],
    default: &Kind::HEX64,
};

/// The family's entries.
pub static CALLS: &[Call] = &[call(
    id::IOCTL,
    Classes::DESC,
    &[arg("fd", Kind::Fd), arg("cmd", Kind::Special(Special::IoctlRequest)), arg("arg", ARG)],
    Ret::INT,
)];
