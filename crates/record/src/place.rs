//! Integers out of registers and out of guest memory.

use contract::Capture;
use table::{Field, Kind, Source, Width};

/// Where a value lies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// In a register: in its low bytes.
    Register(u64),
    /// At the beginning of these bytes. Bytes that are missing count as zeros.
    Memory(&'a [u8]),
}

impl<'a> Place<'a> {
    /// The integer of this width; a signed one is extended to 64 bits.
    pub(crate) fn number(self, width: Width) -> u64 {
        let raw = self.raw(width.bytes() as usize);
        match width {
            Width::S8 => raw as i8 as u64,
            Width::S16 => raw as i16 as u64,
            Width::S32 => raw as i32 as u64,
            Width::U8 => u64::from(raw as u8),
            Width::U16 => u64::from(raw as u16),
            Width::U32 => u64::from(raw as u32),
            Width::S64 | Width::U64 => raw,
            Width::Net16 => u64::from((raw as u16).swap_bytes()),
            Width::Net32 => u64::from((raw as u32).swap_bytes()),
        }
    }

    /// 32 bits, unsigned.
    pub(crate) fn u32(self) -> u32 {
        self.raw(4) as u32
    }

    /// 32 bits, signed.
    pub(crate) fn i32(self) -> i32 {
        self.raw(4) as i32
    }

    /// 64 bits.
    pub(crate) fn u64(self) -> u64 {
        self.raw(8)
    }

    /// The first bytes, where they lie in memory.
    pub(crate) fn bytes(self, len: usize) -> Option<&'a [u8]> {
        match self {
            Place::Register(_) => None,
            Place::Memory(bytes) => bytes.get(..len),
        }
    }

    fn raw(self, size: usize) -> u64 {
        match self {
            Place::Register(value) => value,
            Place::Memory(bytes) => {
                let mut whole = [0; 8];
                let size = size.min(bytes.len());
                whole[..size].copy_from_slice(&bytes[..size]);
                u64::from_le_bytes(whole)
            }
        }
    }
}

/// The struct around a field, in which lengths and selectors are looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around<'a> {
    /// Its fields.
    pub(crate) fields: &'static [Field],
    /// Its bytes.
    pub(crate) bytes: &'a [u8],
    /// Its bytes before the call, where these are the ones after it.
    pub(crate) before: Option<&'a [u8]>,
}

impl<'a> Around<'a> {
    /// No struct: an argument.
    pub(crate) const NOTHING: Around<'static> = Around { fields: &[], bytes: &[], before: None };

    /// The integer in the field of this index; 0 if there is no such field.
    pub(crate) fn number(&self, index: u8) -> u64 {
        self.fields
            .get(usize::from(index))
            .map_or(0, |field| field_place(field, self.bytes).number(width(&field.kind)))
    }
}

/// Where a field lies in the bytes of its struct.
pub(crate) fn field_place<'a>(field: &Field, bytes: &'a [u8]) -> Place<'a> {
    Place::Memory(bytes.get(field.offset as usize..).unwrap_or_default())
}

/// The number on which a kind depends.
pub(crate) fn number_at(source: Source, capture: &Capture, around: &Around<'_>) -> u64 {
    match source {
        Source::Arg(register) => capture.register(register),
        Source::Field(index) => around.number(index),
    }
}

/// How wide a number of this kind is.
fn width(kind: &Kind) -> Width {
    match kind {
        Kind::Int(width, _) | Kind::Flags(width, _) => *width,
        kind if kind.size() == 8 => Width::U64,
        _ => Width::S32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_cut_extended_and_swapped_by_their_width() {
        let register = Place::Register(0xffff_ffff_1234_80fe);
        let memory = Place::Memory(&[0xfe, 0x80, 0x34, 0x12, 0xff, 0xff, 0xff, 0xff, 0x77]);
        for place in [register, memory] {
            assert_eq!(place.number(Width::S8), -2_i64 as u64);
            assert_eq!(place.number(Width::S16), 0xffff_ffff_ffff_80fe);
            assert_eq!(place.number(Width::S32), 0x1234_80fe);
            assert_eq!(place.number(Width::U8), 0xfe);
            assert_eq!(place.number(Width::U16), 0x80fe);
            assert_eq!(place.number(Width::U32), 0x1234_80fe);
            assert_eq!(place.number(Width::U64), 0xffff_ffff_1234_80fe);
            assert_eq!(place.number(Width::Net16), 0xfe80);
            assert_eq!(place.number(Width::Net32), 0xfe80_3412);
        }
        assert_eq!(Place::Memory(&[0xfe]).number(Width::S32), 0xfe);
    }
}
