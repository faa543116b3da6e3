//! Input devices.

use super::*;

requests! {
    EVIOCGRAB | EVIOCREVOKE => Kind::ULONG,
    EVIOCRMFF => Kind::INT,
    EVIOCSCLOCKID => UINT_IN,
    EVIOCGVERSION => writes!(Target::One(&Kind::HEX32)),
    EVIOCGEFFECTS => UINT_OUT,
    EVIOCGREP => writes!(Target::One(&Kind::Array(&Kind::UINT, 2))),
    EVIOCSREP => reads!(Target::One(&Kind::Array(&Kind::UINT, 2))),
    EVIOCGID => struct_out!(INPUT_ID),
}
