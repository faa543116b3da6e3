//! The console: keyboards, fonts, virtual terminals.

use super::*;
use crate::{flags, structs};

const LED: Target = Target::One(&Kind::Flags(Width::U8, &flags::CONSOLE_LEDS));
const SCREEN_MAP: Target = Target::HexBytes(Len::Const(256));
const FONT: Target = Target::HexBytes(Len::Const(8192));
const COLORS: Target = Target::HexBytes(Len::Const(48));
const UNICODE_MAP: Target = Target::Packed(&Kind::Special(Special::Glyph), Len::Const(512));

/// The kernel says how many there are even where it has no room for them.
const UNICODE_MAPPED: Kind =
    Kind::Ptr(Dir::Answered, &Target::One(&Kind::Struct(&structs::UNICODE_ENTRIES)));

const SIGNAL: Kind = Kind::Select {
    on: Source::Arg(2),
    mask: !0x7fff_ffff,
    cases: &[(0, Kind::Signal)],
    default: &Kind::ULONG,
};

requests! {
    KDENABIO | KDDISABIO | KDMAPDISP | KDUNMAPDISP | PIO_FONTRESET => Kind::Absent,
    KDSIGACCEPT => SIGNAL,
    KDGETLED => Kind::Ptr(Dir::Out, &LED),
    KDSETLED => Kind::Flags(Width::U8, &flags::CONSOLE_LEDS),
    KDGKBLED => writes!(Target::One(&Kind::Flags(Width::U8, &flags::CONSOLE_LED_FLAGS))),
    KDSKBLED => Kind::Flags(Width::U8, &flags::CONSOLE_LED_FLAGS),
    KDGKBTYPE => writes!(Target::One(&Kind::Flags(Width::U8, &flags::KEYBOARD_TYPE))),
    KDGETMODE => writes!(Target::One(&Kind::flags(&flags::CONSOLE_MODE))),
    KDSETMODE => Kind::Flags(Width::U32, &flags::CONSOLE_MODE),
    KDGKBMETA => writes!(Target::One(&Kind::flags(&flags::KEYBOARD_META))),
    KDSKBMETA => Kind::Flags(Width::U32, &flags::KEYBOARD_META),
    KIOCSOUND => Kind::Special(Special::Tone),
    KDMKTONE => Kind::Special(Special::LongTone),
    KDSKBMODE => Kind::Flags(Width::U32, &flags::KEYBOARD_MODE),
    KDGKBENT => struct_in_out!(KEY_ENTRY),
    KDSKBENT => struct_in!(KEY_ENTRY_IN),
    KDGKBSENT => struct_in_out!(KEY_STRING),
    KDSKBSENT => struct_in!(KEY_STRING_IN),
    KDGKBDIACR => struct_out!(COMPOSITIONS),
    KDSKBDIACR => struct_in!(COMPOSITIONS),
    KDGKBDIACRUC => struct_out!(COMPOSITIONS_UNICODE),
    KDSKBDIACRUC => struct_in!(COMPOSITIONS_UNICODE),
    KDGKBMODE => writes!(Target::One(&Kind::flags(&flags::KEYBOARD_MODE))),
    GIO_SCRNMAP => Kind::Ptr(Dir::Out, &SCREEN_MAP),
    PIO_SCRNMAP => Kind::Ptr(Dir::In, &SCREEN_MAP),
    GIO_FONT => Kind::Ptr(Dir::Out, &FONT),
    PIO_FONT => Kind::Ptr(Dir::In, &FONT),
    GIO_CMAP => Kind::Ptr(Dir::Out, &COLORS),
    PIO_CMAP => Kind::Ptr(Dir::In, &COLORS),
    GIO_UNISCRNMAP => Kind::Ptr(Dir::Out, &UNICODE_MAP),
    PIO_UNISCRNMAP => Kind::Ptr(Dir::In, &UNICODE_MAP),
    KDGETKEYCODE => struct_in_out!(KEY_CODE),
    KDSETKEYCODE => struct_in!(KEY_CODE_IN),
    KDKBDREP => exchange!(KEY_REPEAT, KEY_REPEAT),
    GIO_UNIMAP => UNICODE_MAPPED,
    PIO_UNIMAP => struct_in!(UNICODE_ENTRIES_IN),
    PIO_UNIMAPCLR => struct_in!(UNICODE_CLEAR),
    GIO_FONTX => exchange!(CONSOLE_FONT_ASKED, CONSOLE_FONT),
    PIO_FONTX => struct_in!(CONSOLE_FONT_IN),
    KDFONTOP => exchange!(FONT_OPERATION, FONT_OPERATION_DONE),
}
