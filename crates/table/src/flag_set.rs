//! Names of integers' values: one of several, several or'ed, parts of a number.

/// The base in which an integer is customarily written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// Decimal.
    Dec,
    /// Hexadecimal with `0x`; zero is `0`.
    Hex,
    /// Octal with a leading `0`.
    Oct,
}

/// One name in a [`FlagSet`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Named {
    /// The value, or the bits that must all be set.
    pub value: u64,
    /// The name in the UAPI headers.
    pub name: &'static str,
}

/// A value with its name.
pub const fn named(value: u64, name: &'static str) -> Named {
    Named { value, name }
}

/// The names of an integer's values: one of several (an enumeration), bits that are or'ed, or an
/// enumerated field beside bits, as in `open(2)`'s flags.
#[derive(Debug)]
pub struct FlagSet {
    /// What stands for an unknown value: `O_???`; empty if nothing does.
    pub unknown: &'static str,
    /// The bits of the enumerated field; 0 if there is none, all ones for a pure enumeration.
    pub field_mask: u64,
    /// Values of the enumerated field.
    pub field: &'static [Named],
    /// What stands for an unknown value of the field: `MAP_???`; if it is empty, such a value counts
    /// among the unknown bits.
    pub field_unknown: &'static str,
    /// Field and bits are two numbers, told with `|` between them: `SOCK_STREAM|0x100`.
    pub apart: bool,
    /// How numbers are told.
    pub numerals: Numerals,
    /// Bits to be or'ed, in the order in which they are tried: combined bits before single ones.
    /// A name whose value is 0 (`PROT_NONE`) stands for a value without any bit.
    pub bits: &'static [Named],
    /// Bits that hold numbers, told behind the names: `IPC_CREAT|0600`.
    pub numbers: &'static [NumberBits],
}

/// How a value without a name is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numerals {
    /// In hexadecimal.
    Hex,
    /// In decimal, as an `int`.
    Signed,
    /// In decimal.
    Unsigned,
}

/// Bits that hold a number beside flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NumberBits {
    /// The bits.
    pub mask: u64,
    /// The number's customary base; an octal one has three digits at least.
    pub base: Base,
    /// What the number is shifted by, if that is told: `21<<MAP_HUGE_SHIFT`. Such a number is left
    /// out where it is 0, any other never.
    pub shift: Option<&'static str>,
}

/// A number of several parts, told with `|` between them; a separator stands behind each one that
/// is told, but for the last.
#[derive(Debug)]
pub struct Parts {
    /// Where constants are told as numbers, the whole is one number.
    pub is_one_number: bool,
    /// The parts, in the order of telling.
    pub parts: &'static [Part],
}

/// A part of a number.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its bits, where they are told.
    pub mask: u64,
    /// Its names. If they are of bits and none is set, nothing is told.
    pub names: &'static FlagSet,
    /// How far it is shifted, and what that is called, if anything; such a part is told unless it is 0.
    pub shift: Option<(u8, &'static str)>,
    /// It is told even if it is 0.
    pub always: bool,
}

/// A part that is not shifted.
pub const fn part(mask: u64, names: &'static FlagSet) -> Part {
    Part { mask, names, shift: None, always: false }
}

impl FlagSet {
    /// A set without any name.
    pub const EMPTY: FlagSet = FlagSet {
        unknown: "",
        field_mask: 0,
        field: &[],
        field_unknown: "",
        apart: false,
        numerals: Numerals::Hex,
        bits: &[],
        numbers: &[],
    };

    /// The name of a value of the enumerated field.
    pub fn name(&self, value: u64) -> Option<&'static str> {
        self.field.iter().find(|named| named.value == value).map(|named| named.name)
    }
}
