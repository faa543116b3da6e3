//! The ABIs of one kernel.

use table::arch::{i386, x32, x86_64};
use table::{Call, DataModel, Id};

/// The ABI through which a call entered the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Arch {
    /// The 64-bit ABI.
    #[default]
    X86_64,
    /// The 32-bit ABI, by `int 0x80` or from a 32-bit program.
    I386,
    /// The x32 ABI: 64-bit registers, 32-bit pointers. Numbers come without the x32 bit.
    X32,
}

impl Arch {
    /// Marks the x32 ABI in a call's number (`__X32_SYSCALL_BIT`).
    pub const X32_BIT: u64 = 0x4000_0000;

    /// How large C's types are in the structs of the call of this number. Most calls of x32 read and
    /// write those of the 64-bit ABI; the others have numbers of their own.
    pub fn model(self, number: u64) -> DataModel {
        match self {
            Arch::X86_64 => DataModel::Lp64,
            Arch::I386 => DataModel::Ilp32,
            Arch::X32 if x32::namesake(number).is_some() => DataModel::Ilp32,
            Arch::X32 => DataModel::Lp64,
        }
    }

    /// The description of the call of this number.
    pub const fn call(self, number: u64) -> Option<&'static Call> {
        match self {
            Arch::X86_64 => x86_64::call(number),
            Arch::I386 => i386::call(number),
            Arch::X32 => match x32::namesake(number) {
                Some(call) => Some(call),
                None => x86_64::call(number),
            },
        }
    }

    /// The number of the 64-bit ABI's call that has the name of this ABI's call of that number; one
    /// that no call has, if there is none.
    pub fn native_number(self, number: u64) -> u64 {
        match self {
            Arch::X86_64 => number,
            Arch::X32 => x32::namesake(number).map_or(number, |call| call.number.into()),
            Arch::I386 => i386::namesake(number).map_or(u64::MAX, |call| call.number.into()),
        }
    }

    /// The number by which programs of this ABI make the call; `None` if they cannot.
    pub fn number_of(self, call: Id) -> Option<u64> {
        match self {
            Arch::X86_64 => Some(call.number.into()),
            Arch::X32 => Some(Arch::X32_BIT | u64::from(call.number)),
            Arch::I386 => i386::number_of(call),
        }
    }
}
