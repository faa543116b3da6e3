//! Integers with names: one of several, or several or'ed.

use std::io::Write;

use record::{Base, FlagSet, Named, NumberBits, Numerals, signal};

use super::digits;
use super::style::Constants;

/// Appends the names of a value's bits, or its number, or both.
pub(super) fn flags(out: &mut Vec<u8>, value: u64, set: &FlagSet, constants: Constants) {
    let plain = set.numbers.iter().find(|number| number.shift.is_none());
    match plain {
        None => without_numbers(out, value, set, constants),
        // The whole is one constant.
        Some(plain) if plain.base == Base::Hex => {
            let number = |out: &mut Vec<u8>| number(out, value);
            constant(out, constants, number, |out| {
                with_number(out, value, set, plain, Constants::Abbrev);
                if value & !plain.mask == 0 { Name::None } else { Name::Whole }
            });
        }
        Some(plain) => with_number(out, value, set, plain, constants),
    }
}

/// Appends flags, and behind them a number that some of the bits hold.
fn with_number(
    out: &mut Vec<u8>,
    value: u64,
    set: &FlagSet,
    plain: &NumberBits,
    constants: Constants,
) {
    let bits = FlagSet { numbers: &[], ..*set };
    if value & !plain.mask != 0 {
        without_numbers(out, value & !plain.mask, &bits, constants);
        out.push(b'|');
    }
    match plain.base {
        Base::Dec => digits::decimal(out, value & plain.mask),
        Base::Hex => number(out, value & plain.mask),
        Base::Oct => push(out, format_args!("0{:02o}", value & plain.mask)),
    }
}

fn without_numbers(out: &mut Vec<u8>, value: u64, set: &FlagSet, constants: Constants) {
    let [field_value, bits_value] = [value & set.field_mask, value & !set.field_mask];
    let has_field = !set.field_unknown.is_empty() || find(set.field, field_value).is_some();
    if !set.apart || !has_field {
        let number = |out: &mut Vec<u8>| match set.numerals {
            Numerals::Signed if value <= u64::from(u32::MAX) => {
                digits::signed(out, i64::from(value as i32));
            }
            Numerals::Signed | Numerals::Unsigned => digits::decimal(out, value),
            Numerals::Hex => number(out, value),
        };
        return constant(out, constants, number, |out| names(out, value, set));
    }
    let field = FlagSet { unknown: set.field_unknown, ..*set };
    let bits = FlagSet { field_mask: 0, field: &[], field_unknown: "", ..*set };
    // A field that is 0 by default is no number of its own.
    if constants != Constants::Raw || field_value != 0 || !set.field_unknown.is_empty() {
        let number = |out: &mut Vec<u8>| number(out, field_value);
        constant(out, constants, number, |out| name(out, field_value, &field));
    }
    if bits_value != 0 {
        out.push(b'|');
        let names = |out: &mut Vec<u8>| names(out, bits_value, &bits);
        constant(out, constants, |out| number(out, bits_value), names);
    }
}

/// Appends the name of an enumerated value.
fn name(out: &mut Vec<u8>, value: u64, set: &FlagSet) -> Name {
    let (name, kind) = match find(set.field, value) {
        Some(named) => (named.name, Name::Whole),
        None if set.unknown.is_empty() => return Name::None,
        None => (set.unknown, Name::Unknown),
    };
    out.extend(name.as_bytes());
    kind
}

/// Appends a constant: its number, its name, or the name as a comment behind the number. `name`
/// returns whether it appended one; where it did not, the number stands for itself.
pub(super) fn constant(
    out: &mut Vec<u8>,
    constants: Constants,
    number: impl FnOnce(&mut Vec<u8>),
    name: impl FnOnce(&mut Vec<u8>) -> Name,
) {
    if constants == Constants::Raw {
        return number(out);
    }
    let start = out.len();
    let name = name(out);
    if name == Name::Whole && constants == Constants::Abbrev {
        return;
    }
    let comment = out.split_off(start);
    number(out);
    if name != Name::None {
        out.extend(b" /* ");
        out.extend(comment);
        out.extend(b" */");
    }
}

/// What was appended as a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Name {
    /// Nothing; there is none.
    None,
    /// A name that says everything.
    Whole,
    /// What stands for an unknown value; it says nothing without the number.
    Unknown,
}

/// Hexadecimal; zero is `0`.
pub(super) fn number(out: &mut Vec<u8>, value: u64) {
    match value {
        0 => out.push(b'0'),
        value => digits::hex(out, value),
    }
}

fn names(out: &mut Vec<u8>, value: u64, set: &FlagSet) -> Name {
    let mut pieces = Pieces { start: out.len(), out };
    let numbers = set.numbers.iter().fold(0, |bits, number| bits | number.mask);
    let mut rest = value & !set.field_mask & !numbers;
    match find(set.field, value & set.field_mask) {
        Some(named) => pieces.push(named.name),
        None if set.field_unknown.is_empty() => rest = value & !numbers,
        None => push(
            pieces.out,
            format_args!("{:#x} /* {} */", value & set.field_mask, set.field_unknown),
        ),
    }
    for named in set.bits.iter().filter(|named| named.value != 0) {
        if rest & named.value == named.value {
            pieces.push(named.name);
            rest &= !named.value;
        }
    }
    if rest != 0 && !pieces.is_empty() {
        pieces.separate();
        number(pieces.out, rest);
    } else if rest != 0 && !set.numbers.is_empty() {
        push(pieces.out, format_args!("{rest:#x} /* {} */", set.unknown));
    }
    set.numbers.iter().for_each(|bits| pieces.number(value & bits.mask, bits));
    if !pieces.is_empty() {
        return Name::Whole;
    }
    let (stand_in, name) = match find(set.bits, value) {
        Some(zero) => (zero.name, Name::Whole),
        None if value == 0 && set.field_mask != u64::MAX => return Name::None,
        None if set.unknown.is_empty() => return Name::None,
        None => (set.unknown, Name::Unknown),
    };
    pieces.push(stand_in);
    name
}

fn find(names: &[Named], value: u64) -> Option<&Named> {
    names.iter().find(|named| named.value == value)
}

/// Names with `|` between them.
struct Pieces<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
}

impl Pieces<'_> {
    fn is_empty(&self) -> bool {
        self.out.len() == self.start
    }

    fn separate(&mut self) {
        if !self.is_empty() {
            self.out.push(b'|');
        }
    }

    /// A number that is told as shifted, unless it is 0.
    fn number(&mut self, value: u64, bits: &NumberBits) {
        let number = value >> bits.mask.trailing_zeros();
        if let (Some(shift), 1..) = (bits.shift, number) {
            self.separate();
            push(self.out, format_args!("{number}<<{shift}"));
        }
    }

    fn push(&mut self, name: &str) {
        self.separate();
        self.out.extend(name.as_bytes());
    }
}

/// Appends a signal's name: `SIGINT`; of an unknown one, the number.
pub(super) fn signal(out: &mut Vec<u8>, value: u32, constants: Constants) {
    let name = |out: &mut Vec<u8>| match signal::name(value) {
        Some(name) => {
            out.extend(name.as_bytes());
            Name::Whole
        }
        None => Name::None,
    };
    constant(out, constants, |out| digits::signed(out, (value as i32).into()), name);
}

/// Appends `clone(2)`'s flags and the signal in their low byte.
pub(super) fn clone_flags(out: &mut Vec<u8>, value: u64, set: &FlagSet, constants: Constants) {
    const SIGNAL: u64 = 0xff;
    let [bits, exit_signal] = [value & !SIGNAL, value & SIGNAL];
    if bits != 0 || exit_signal == 0 {
        flags(out, bits, set, constants);
    }
    if exit_signal != 0 {
        out.extend(if bits != 0 { &b"|"[..] } else { b"" });
        signal(out, exit_signal as u32, constants);
    }
}

/// Appends a set of signals: `[INT CHLD]`, or what is missing if that is less: `~[KILL STOP]`.
pub(super) fn signal_set(out: &mut Vec<u8>, set: u64, count: u32, constants: Constants) {
    // From so many members on, those that are missing are told.
    let inverted = set.count_ones() >= count * 2 / 3;
    let shown = if inverted { !set } else { set };
    out.extend(if inverted { &b"~["[..] } else { b"[" });
    let mut first = true;
    for member in (1..=count).filter(|member| shown >> (member - 1) & 1 == 1) {
        if !first {
            out.push(b' ');
        }
        first = false;
        let name = |out: &mut Vec<u8>| {
            out.extend(signal::name(member).unwrap_or_default().trim_start_matches("SIG").bytes());
            Name::Whole
        };
        constant(out, constants, |out| digits::decimal(out, member.into()), name);
    }
    out.push(b']');
}

/// Appends formatted text. Writing to a vector does not fail.
pub(super) fn push(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn named(value: u64, name: &'static str) -> Named {
        Named { value, name }
    }

    static OPEN: FlagSet = FlagSet {
        unknown: "O_???",
        field_mask: 3,
        field: &[named(0, "O_RDONLY"), named(1, "O_WRONLY"), named(2, "O_RDWR")],
        numbers: &[],
        bits: &[named(0x40, "O_CREAT"), named(0x101000, "O_SYNC"), named(0x1000, "O_DSYNC")],
        ..FlagSet::EMPTY
    };
    static PROT: FlagSet = FlagSet {
        unknown: "PROT_???",
        numbers: &[],
        field_mask: 0,
        field: &[],
        bits: &[named(0, "PROT_NONE"), named(1, "PROT_READ"), named(2, "PROT_WRITE")],
        ..FlagSet::EMPTY
    };
    static AT: FlagSet = FlagSet {
        unknown: "AT_???",
        numbers: &[],
        field_mask: 0,
        field: &[],
        bits: &[named(0x100, "AT_SYMLINK_NOFOLLOW")],
        ..FlagSet::EMPTY
    };
    static WHENCE: FlagSet = FlagSet {
        unknown: "SEEK_???",
        numbers: &[],
        field_mask: u64::MAX,
        field: &[named(0, "SEEK_SET"), named(1, "SEEK_CUR")],
        bits: &[],
        ..FlagSet::EMPTY
    };

    fn shown(value: u64, set: &FlagSet) -> [String; 3] {
        [Constants::Abbrev, Constants::Raw, Constants::Verbose].map(|constants| {
            let mut out = Vec::new();
            flags(&mut out, value, set, constants);
            String::from_utf8(out).unwrap()
        })
    }

    #[test]
    fn a_field_stands_before_the_bits() {
        let all = ["O_RDWR|O_CREAT", "0x42", "0x42 /* O_RDWR|O_CREAT */"];
        assert_eq!(shown(0x42, &OPEN), all);
        assert_eq!(shown(0, &OPEN), ["O_RDONLY", "0", "0 /* O_RDONLY */"]);
        assert_eq!(shown(0x101000, &OPEN)[0], "O_RDONLY|O_SYNC");
        assert_eq!(shown(0x1001, &OPEN)[0], "O_WRONLY|O_DSYNC");
        assert_eq!(shown(0x20000000, &OPEN)[0], "O_RDONLY|0x20000000");
    }

    #[test]
    fn bits_without_a_name_are_left_as_a_number() {
        assert_eq!(shown(0, &PROT)[0], "PROT_NONE");
        assert_eq!(shown(3, &PROT)[0], "PROT_READ|PROT_WRITE");
        assert_eq!(shown(0x108, &AT)[0], "AT_SYMLINK_NOFOLLOW|0x8");
        assert_eq!(shown(8, &AT), ["0x8 /* AT_??? */", "0x8", "0x8 /* AT_??? */"]);
        assert_eq!(shown(0, &AT), ["0", "0", "0"]);
    }

    #[test]
    fn numbers_stand_behind_the_bits() {
        static MAP: FlagSet = FlagSet {
            unknown: "MAP_???",
            field_mask: 3,
            field: &[named(0, "MAP_FILE"), named(2, "MAP_PRIVATE")],
            bits: &[],
            numbers: &[NumberBits {
                mask: 0x3f << 26,
                base: Base::Dec,
                shift: Some("MAP_HUGE_SHIFT"),
            }],
            ..FlagSet::EMPTY
        };
        static IPC: FlagSet = FlagSet {
            unknown: "",
            field_mask: 0,
            field: &[],
            bits: &[named(0o1000, "IPC_CREAT")],
            numbers: &[NumberBits { mask: 0o777, base: Base::Oct, shift: None }],
            ..FlagSet::EMPTY
        };
        assert_eq!(shown(0x8000_0002, &MAP)[0], "MAP_PRIVATE|32<<MAP_HUGE_SHIFT");
        assert_eq!(shown(2, &MAP)[0], "MAP_PRIVATE");
        assert_eq!(shown(0o1600, &IPC)[0], "IPC_CREAT|0600");
        assert_eq!(shown(0, &IPC)[0], "000");
    }

    #[test]
    fn an_enumeration_has_one_name() {
        assert_eq!(shown(1, &WHENCE), ["SEEK_CUR", "0x1", "0x1 /* SEEK_CUR */"]);
        assert_eq!(shown(77, &WHENCE), ["0x4d /* SEEK_??? */", "0x4d", "0x4d /* SEEK_??? */"]);
    }

    #[test]
    fn signal_sets_are_shown_by_what_is_shorter() {
        let shown = |set, constants| {
            let mut out = Vec::new();
            signal_set(&mut out, set, signal::COUNT, constants);
            String::from_utf8(out).unwrap()
        };
        let plain = |set| shown(set, Constants::Abbrev);
        assert_eq!(plain(0), "[]");
        assert_eq!(plain(u64::MAX), "~[]");
        assert_eq!(plain(1 << 9 | 1 << 16 | 1 << 34 | 1 << 63), "[USR1 CHLD RT_3 RT_32]");
        assert_eq!(plain(!(1 << 8 | 1 << 18 | 3 << 31)), "~[KILL STOP RTMIN RT_1]");
        assert!(plain((1 << 41) - 1).starts_with("[HUP INT"));
        assert!(plain((1 << 42) - 1).starts_with("~[RT_11 "));
        assert_eq!(shown(1 << 9, Constants::Raw), "[10]");
        assert_eq!(shown(3 << 9, Constants::Verbose), "[10 /* USR1 */ 11 /* SEGV */]");
        assert_eq!(shown(!(1 << 63), Constants::Raw), "~[64]");
    }
}
