//! Terminals and serial lines: `ioctl_tty(2)`.

use super::*;
use crate::flags;

const MODEM_LINES: Target = Target::One(&Kind::flags(&flags::MODEM_LINES));

requests! {
    TCGETS | TIOCGLCKTRMIOS => struct_out!(TERMIOS),
    TCSETS | TCSETSW | TCSETSF | TIOCSLCKTRMIOS => struct_in!(TERMIOS),
    TCGETS2 => struct_out!(TERMIOS2),
    TCSETS2 | TCSETSW2 | TCSETSF2 => struct_in!(TERMIOS2),
    TCGETA => struct_out!(TERMIO),
    TCSETA | TCSETAW | TCSETAF => struct_in!(TERMIO),
    TIOCGWINSZ => struct_out!(WINSIZE),
    TIOCSWINSZ => struct_in!(WINSIZE),
    TCSBRK | TCSBRKP | TIOCSCTTY => Kind::INT,
    TCFLSH => Kind::flags64(&flags::TERMINAL_QUEUE),
    TCXONC => Kind::flags64(&flags::TERMINAL_FLOW),
    TIOCGPGRP | TIOCGSID => writes!(Target::One(&Kind::Pid)),
    TIOCSPGRP => reads!(Target::One(&Kind::Pid)),
    TIOCOUTQ | TIOCGSOFTCAR | FIONREAD | TIOCGETD | TIOCGPTN | TIOCGDEV | TIOCGEXCL => INT_OUT,
    TIOCSSOFTCAR | TIOCPKT | TIOCSETD | TIOCSPTLCK => INT_IN,
    TIOCGPTPEER | TIOCGPTLCK | TIOCGPKT => Kind::HEX,
    TIOCMGET => Kind::Ptr(Dir::Out, &MODEM_LINES),
    TIOCMBIS | TIOCMBIC | TIOCMSET => Kind::Ptr(Dir::In, &MODEM_LINES),
    TIOCSTI => reads!(Target::Bytes(Len::Const(1))),
    TIOCEXCL | TIOCNXCL | TIOCCONS | TIOCSSERIAL | TIOCNOTTY | TIOCSBRK | TIOCCBRK | TIOCVHANGUP
        => Kind::Absent,
}
