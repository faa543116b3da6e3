//! Integers out of registers and out of guest memory.

use contract::Capture;
use table::{DataModel, Field, Source, Width};

/// Where a value lies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// In a register: in its low bytes.
    Register(u64),
    /// In a register of 32 bits. What has more bits is extended from them.
    Register32(u32),
    /// At the beginning of these bytes. A number of more bytes than there are is extended from
    /// them: a `long` has fewer in 32-bit programs.
    Memory(&'a [u8]),
}

impl<'a> Place<'a> {
    /// The integer of this width; a signed one is extended to 64 bits.
    pub(crate) fn number(self, width: Width) -> u64 {
        let raw = self.raw(width.bytes(DataModel::Lp64) as usize);
        match width {
            Width::S8 => raw as i8 as u64,
            Width::S16 => self.extended(raw, 2) as i16 as u64,
            Width::S32 => self.extended(raw, 4) as i32 as u64,
            Width::S64 | Width::Long => self.extended(raw, 8) as u64,
            Width::U8 => u64::from(raw as u8),
            Width::U16 => u64::from(raw as u16),
            Width::U32 => u64::from(raw as u32),
            Width::U64 | Width::ULong => raw,
            Width::Net16 => u64::from((raw as u16).swap_bytes()),
            Width::Net32 => u64::from((raw as u32).swap_bytes()),
            Width::Net64 => raw.swap_bytes(),
        }
    }

    /// The bits of the integer of this width, without extension of its sign.
    pub(crate) fn unsigned(self, width: Width) -> u64 {
        let number = self.number(width);
        match width.bytes(DataModel::Lp64) {
            8 => number,
            bytes => number & ((1 << (bytes * 8)) - 1),
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

    /// 64 bits, unsigned.
    pub(crate) fn u64(self) -> u64 {
        self.raw(8)
    }

    /// 64 bits, signed.
    pub(crate) fn i64(self) -> i64 {
        self.extended(self.raw(8), 8)
    }

    /// Whether it is a number in memory of fewer than 64 bits.
    pub(crate) fn is_short(self) -> bool {
        matches!(self, Place::Memory(bytes) if bytes.len() < 8)
    }

    /// The data model of the program in whose register it is.
    pub(crate) fn model(self) -> DataModel {
        match self {
            Place::Register32(_) => DataModel::Ilp32,
            Place::Register(_) | Place::Memory(_) => DataModel::Lp64,
        }
    }

    /// The first bytes, where they lie in memory.
    pub(crate) fn bytes(self, len: usize) -> Option<&'a [u8]> {
        match self {
            Place::Register(_) | Place::Register32(_) => None,
            Place::Memory(bytes) => bytes.get(..len),
        }
    }

    /// What was read for a signed number of so many bytes, extended by its sign if it had fewer.
    fn extended(self, raw: u64, size: usize) -> i64 {
        let present = match self {
            Place::Register(_) => 8,
            Place::Register32(_) => 4,
            Place::Memory(bytes) => bytes.len(),
        };
        match present {
            4 if size > 4 => (raw as i32).into(),
            2 if size > 2 => (raw as i16).into(),
            _ => raw as i64,
        }
    }

    fn raw(self, size: usize) -> u64 {
        match self {
            Place::Register(value) => value,
            Place::Register32(value) => value.into(),
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
    /// How it is laid out.
    pub(crate) model: DataModel,
}

impl<'a> Around<'a> {
    /// No struct: an argument.
    pub(crate) const NOTHING: Around<'static> =
        Around { fields: &[], bytes: &[], before: None, model: DataModel::Lp64 };

    /// Where a field of the struct lies.
    pub(crate) fn place(&self, field: &Field) -> Place<'a> {
        field_place(field, self.bytes, self.model)
    }

    /// The integer in the field of this index; 0 if there is no such field.
    pub(crate) fn number(&self, index: u8) -> u64 {
        self.fields
            .get(usize::from(index))
            .map_or(0, |field| self.place(field).number(field.width(self.model)))
    }
}

/// Where a field lies in the bytes of its struct. They end with the field: one that is shorter than
/// its kind is extended.
pub(crate) fn field_place<'a>(field: &Field, bytes: &'a [u8], model: DataModel) -> Place<'a> {
    let start = field.offset(model) as usize;
    let here = match model {
        DataModel::Lp64 => bytes.get(start..),
        DataModel::Ilp32 => bytes.get(start..start + field.size(model) as usize),
    };
    Place::Memory(here.unwrap_or_default())
}

/// The number on which a kind depends.
pub(crate) fn number_at(source: Source, capture: &Capture, around: &Around<'_>) -> u64 {
    match source {
        Source::Arg(register) => capture.register(register),
        Source::Field(index) => around.number(index),
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
        assert_eq!(Place::Memory(&[0xfe]).number(Width::U32), 0xfe);
    }

    #[test]
    fn a_number_of_fewer_bytes_than_its_kind_is_extended() {
        let bytes = [0xfe, 0xff, 0xff, 0xff];
        for place in [Place::Register32(0xffff_fffe), Place::Memory(&bytes)] {
            assert_eq!(place.number(Width::Long), -2_i64 as u64);
            assert_eq!(place.i64(), -2);
            assert_eq!(place.number(Width::ULong), 0xffff_fffe);
            assert_eq!(place.u64(), 0xffff_fffe);
        }
        assert_eq!(Place::Memory(&bytes[..2]).number(Width::S32), -2_i64 as u64);
    }
}
