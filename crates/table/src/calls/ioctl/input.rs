//! Input devices.

use super::*;
use crate::{FlagSet, flags, structs};

const PLACE: Kind = Kind::Row(&structs::INPUT_PLACE);

requests! {
    EVIOCGRAB | EVIOCREVOKE => Kind::ULONG,
    EVIOCRMFF => Kind::INT,
    EVIOCSCLOCKID => UINT_IN,
    EVIOCGVERSION => writes!(Target::One(&Kind::HEX32)),
    EVIOCGEFFECTS => UINT_OUT,
    EVIOCGREP => writes!(Target::One(&Kind::Array(&Kind::UINT, 2))),
    EVIOCSREP => reads!(Target::One(&Kind::Array(&Kind::UINT, 2))),
    EVIOCGID => struct_out!(INPUT_ID),
    EVIOCGKEYCODE => writes!(Target::One(&PLACE)),
    EVIOCSKEYCODE => reads!(Target::One(&PLACE)),
    EVIOCGKEYCODE_V2 => struct_out!(INPUT_KEY_ENTRY),
    EVIOCSKEYCODE_V2 => struct_in!(INPUT_KEY_ENTRY),
    EVIOCSFF => struct_in!(INPUT_EFFECT),
    EVIOCGMASK | EVIOCSMASK => Kind::Addr,
}

/// As many bytes as the result says.
const TEXT: Kind = writes!(Target::Bytes(Len::Ret));

/// A bit set of so many bytes.
macro_rules! bits {
    ($names:ident) => {
        crate::Kind::Ptr(crate::Dir::Out, {
            const NAMES: &FlagSet = &flags::$names;
            &crate::Target::NamedBits(NAMES, crate::Len::Ret)
        })
    };
}

/// Requests that read, with this number, whatever the size.
const fn reading(number: u64) -> u64 {
    0x8000_4500 | number
}

/// Requests that one macro makes for many sizes: by direction, type and number.
pub(super) static OF_ANY_SIZE: [(u64, Kind); 21] = sorted([
    (reading(0x06), TEXT),
    (reading(0x07), TEXT),
    (reading(0x08), TEXT),
    (reading(0x09), bits!(INPUT_PROPERTY)),
    (reading(0x0a), Kind::Addr),
    (reading(0x18), bits!(INPUT_KEY)),
    (reading(0x19), bits!(INPUT_LED)),
    (reading(0x1a), bits!(INPUT_SOUND)),
    (reading(0x1b), bits!(INPUT_SWITCH)),
    (reading(0x20), bits!(INPUT_EVENT)),
    (reading(0x21), bits!(INPUT_KEY)),
    (reading(0x22), bits!(INPUT_RELATIVE)),
    (reading(0x23), bits!(INPUT_AXIS)),
    (reading(0x24), bits!(INPUT_MISCELLANEOUS)),
    (reading(0x25), bits!(INPUT_SWITCH)),
    (reading(0x31), bits!(INPUT_LED)),
    (reading(0x32), bits!(INPUT_SOUND)),
    (reading(0x34), bits!(INPUT_REPEAT)),
    (reading(0x35), bits!(INPUT_FORCE)),
    (reading(0x36), INT_OUT),
    (reading(0x37), bits!(INPUT_FORCE_STATUS)),
]);

/// What is told of an axis.
pub(super) const AXIS_OUT: Kind = struct_out!(INPUT_AXIS);
/// What an axis is to be.
pub(super) const AXIS_IN: Kind = struct_in!(INPUT_AXIS);
