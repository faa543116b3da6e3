//! What only consoles have: keys and tones; and places in the user area.

use record::{KEY_KIND, KEY_SYMBOL};

use super::digits;
use super::flags::{self, Name, number, push};
use super::scalar::character;
use super::style::Constants;
use super::value::Look;

/// Ticks of the clock that makes tones, in a second.
const CLOCK: u64 = 1_193_180;

impl Look<'_> {
    /// What a key sends: its number, and what that means.
    pub(super) fn key_symbol(&self, out: &mut Vec<u8>, symbol: u16) {
        number(out, symbol.into());
        if self.style.constants == Constants::Raw {
            return;
        }
        self.comment(out, |out| {
            if let Some(name) = KEY_SYMBOL.name(symbol.into()) {
                return out.extend(name.as_bytes());
            }
            let [value, kind] = symbol.to_le_bytes();
            out.extend(b"K(");
            match KEY_KIND.name(kind.into()) {
                Some(name) => out.extend(name.as_bytes()),
                None => number(out, kind.into()),
            }
            out.extend(b", ");
            match KEY_KIND.name(kind.into()) {
                Some("KT_LATIN" | "KT_META" | "KT_LETTER" | "KT_DEAD2") => character(out, value),
                _ => number(out, value.into()),
            }
            out.push(b')');
        });
    }

    /// A tone, with its frequency.
    pub(super) fn tone(&self, out: &mut Vec<u8>, tone: u64, lasts: bool) {
        let (ticks, length) = if lasts { (tone & 0xffff, tone >> 16) } else { (tone, 0) };
        if length > 0 {
            push(out, format_args!("{length}<<16|"));
        }
        digits::decimal(out, ticks);
        if self.style.constants == Constants::Raw {
            return;
        }
        let hertz = CLOCK.checked_div(ticks).unwrap_or(0);
        self.comment(out, |out| match (hertz, length) {
            (0, _) => out.extend(b"off"),
            (_, 0) if lasts => out.extend(b"off"),
            (_, 0) => push(out, format_args!("{hertz} Hz")),
            _ => push(out, format_args!("{hertz} Hz, {length} ms")),
        });
    }

    /// A place in a struct, by the member before it.
    pub(super) fn place(&self, out: &mut Vec<u8>, offset: u64, name: &str, rest: u64) {
        let number = |out: &mut Vec<u8>| number(out, offset);
        flags::constant(out, self.style.constants, number, |out| {
            out.extend(name.as_bytes());
            if rest > 0 {
                push(out, format_args!("+{rest}"));
            }
            Name::Whole
        });
    }
}
