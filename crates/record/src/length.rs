//! How much lies behind a pointer: [`Len`] → a number.

use contract::{GuestAddr, Phase};
use table::Len;

use crate::place::{Around, Place};
use crate::walk::Walk;

/// The console's fonts have room for so many rows of each character.
const ROWS: u64 = 32;

impl<'a> Walk<'a> {
    /// How many bytes or elements a length says.
    pub(crate) fn length(&mut self, len: Len, around: &Around<'a>) -> u64 {
        match len {
            Len::Const(count) => u64::from(count),
            Len::Arg(register) => self.capture.register(register),
            Len::IntArg(register) => u64::from(self.capture.register(register) as u32),
            Len::ArgOrFilled(_, index) if self.written => around.number(index),
            Len::ArgOrFilled(register, _) => self.capture.register(register),
            Len::ArgWithinRet(register) => self.capture.register(register).min(self.returned()),
            Len::Ret => self.returned(),
            Len::Deref(register) => self.length_behind(register),
            Len::DoneOfArg(register) => {
                u64::from(self.capture.register(register) as u32).min(self.returned())
            }
            Len::DerefAt(register, offset) => self.length_at(register, offset).unwrap_or(0),
            Len::Field(index) => around.number(index),
            Len::GroupsOfField(index, size) => around.number(index) / u64::from(size),
            Len::FieldLess(index, less) => {
                let all = around.number(index);
                all.checked_sub(around.number(less)).unwrap_or(all)
            }
            Len::TimesField(factor, index) => around.number(index).saturating_mul(factor.into()),
            Len::Font(width, count) => {
                let row = around.number(width).div_ceil(8);
                row.saturating_mul(ROWS).saturating_mul(around.number(count))
            }
            Len::TurnsOfField(index) => around.number(index).saturating_mul(2).saturating_add(1),
            Len::FieldWithinRet(index) | Len::FieldWithin(index) => {
                let len = around.number(index).min(self.unspent);
                self.unspent -= len;
                len
            }
            Len::NodesOfArg(register) => match self.capture.register(register) {
                0 => 0,
                // There is nothing to look at, as with more than any machine has: only the address
                // is told.
                1 => u64::MAX,
                count => {
                    let word = 8 * u64::from(self.model.word());
                    (count - 1).checked_add(word - 1).map_or(u64::MAX, |bits| bits / word)
                }
            },
            Len::PagesOfArg(register) => self.capture.register(register).div_ceil(4096),
            Len::BitsOfArg(register) => {
                let bits = self.capture.register(register) as i32;
                u64::try_from(bits).unwrap_or(0).div_ceil(8 * u64::from(self.model.word()))
            }
        }
    }

    /// The length that lies so far behind where this register points to.
    pub(crate) fn length_at(&self, register: u8, offset: u32) -> Option<u64> {
        let addr = self.capture.register(register).wrapping_add(offset.into());
        let bytes = self.capture.bytes(Phase::Entry, GuestAddr(addr), 4)?;
        Some(Place::Memory(bytes).u32().into())
    }

    pub(crate) fn returned(&self) -> u64 {
        self.capture.success().and_then(|value| u64::try_from(value).ok()).unwrap_or(0)
    }

    /// The length that the pointer in this register leads to: what there was room for, and no
    /// more than what was written.
    fn length_behind(&self, register: u8) -> u64 {
        let addr = GuestAddr(self.capture.register(register));
        let read = |phase| {
            let bytes = self.capture.bytes(phase, addr, 4)?;
            Some(u64::from(Place::Memory(bytes).u32()))
        };
        let [before, after] = [read(Phase::Entry), read(Phase::Exit)];
        match (before, after) {
            (Some(before), Some(after)) => before.min(after),
            (before, after) => before.or(after).unwrap_or(0),
        }
    }
}
