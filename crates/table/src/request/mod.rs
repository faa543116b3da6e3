//! The names of `ioctl(2)`'s requests.

pub mod changing;
pub mod ilp32;
mod list;
pub mod numbers;

use core::fmt;

use crate::{DataModel, FlagSet, flags};

/// Where in a request its type is, its size and its direction; its number comes first.
const TYPE: u32 = 8;
const SIZE: u32 = 16;
const DIRECTION: u32 = 30;
/// Directions: the kernel reads what the argument leads to, or writes it.
const WRITE: u32 = 1;
const READ: u32 = 2;

/// What a request is called: as the macro that makes it of numbers, by the names of requests that
/// are listed (`A or B` where several have one number), or both.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    made: Option<Made>,
    listed: Option<&'static str>,
}

/// A request that is made of numbers: `EVIOCGBIT(EV_KEY, 96)`.
#[derive(Clone, Copy, Debug)]
struct Made {
    family: &'static Family,
    request: u32,
}

/// Requests that one macro makes.
#[derive(Debug)]
struct Family {
    name: &'static str,
    /// The directions, a bit for each.
    directions: u8,
    /// The type, a letter by custom.
    letter: u8,
    /// The first number and the last.
    numbers: (u8, u8),
    operands: Operands,
}

/// Of what a macro makes a request.
#[derive(Debug)]
enum Operands {
    /// Of a size.
    Size,
    /// Of a number.
    Number,
    /// Of a number with names, counted from the family's first.
    Code(&'static FlagSet),
    /// Of such a number and a size.
    CodeAndSize(&'static FlagSet),
}

const fn family(
    name: &'static str,
    directions: u8,
    letter: u8,
    numbers: (u8, u8),
    operands: Operands,
) -> Family {
    Family { name, directions, letter, numbers, operands }
}

const ONLY_READ: u8 = 1 << READ;
const ONLY_WRITE: u8 = 1 << WRITE;
const BOTH: u8 = 1 << (READ | WRITE);

static FAMILIES: &[Family] = &[
    family("EVIOCGNAME", ONLY_READ, b'E', (0x06, 0x06), Operands::Size),
    family("EVIOCGPHYS", ONLY_READ, b'E', (0x07, 0x07), Operands::Size),
    family("EVIOCGUNIQ", ONLY_READ, b'E', (0x08, 0x08), Operands::Size),
    family("EVIOCGPROP", ONLY_READ, b'E', (0x09, 0x09), Operands::Size),
    family("EVIOCGMTSLOTS", ONLY_READ, b'E', (0x0a, 0x0a), Operands::Size),
    family("EVIOCGKEY", ONLY_READ, b'E', (0x18, 0x18), Operands::Size),
    family("EVIOCGLED", ONLY_READ, b'E', (0x19, 0x19), Operands::Size),
    family("EVIOCGSND", ONLY_READ, b'E', (0x1a, 0x1a), Operands::Size),
    family("EVIOCGSW", ONLY_READ, b'E', (0x1b, 0x1b), Operands::Size),
    family("EVIOCGBIT", ONLY_READ, b'E', (0x20, 0x3f), Operands::CodeAndSize(&flags::INPUT_EVENT)),
    family("EVIOCGABS", ONLY_READ, b'E', (0x40, 0x7f), Operands::Code(&flags::INPUT_AXIS)),
    family("EVIOCSABS", ONLY_WRITE, b'E', (0xc0, 0xff), Operands::Code(&flags::INPUT_AXIS)),
    family("HIDIOCGRAWNAME", ONLY_READ, b'H', (0x04, 0x04), Operands::Size),
    family("HIDIOCGRAWPHYS", ONLY_READ, b'H', (0x05, 0x05), Operands::Size),
    family("HIDIOCSFEATURE", ONLY_READ | BOTH, b'H', (0x06, 0x06), Operands::Size),
    family("HIDIOCGFEATURE", BOTH, b'H', (0x07, 0x07), Operands::Size),
    family("HIDIOCGRAWUNIQ", ONLY_READ, b'H', (0x08, 0x08), Operands::Size),
    family("HIDIOCGPHYS", ONLY_READ, b'H', (0x12, 0x12), Operands::Size),
    family("JSIOCGNAME", ONLY_READ, b'j', (0x13, 0x13), Operands::Size),
    family("MIXER_READ", ONLY_READ, b'M', (0x00, 0xff), Operands::Number),
    family("MIXER_WRITE", ONLY_WRITE, b'M', (0x00, 0xff), Operands::Number),
    family("SPI_IOC_MESSAGE", ONLY_WRITE, b'k', (0x00, 0x00), Operands::Size),
    family("UI_GET_SYSNAME", ONLY_READ, b'U', (0x2c, 0x2c), Operands::Size),
];

/// What a request is called; `None` if nobody knows.
pub fn name(request: u32) -> Option<Name> {
    named(request, listed(list::REQUESTS, request))
}

/// The same of a 32-bit program's request, in which the size of its argument may be another.
pub fn name_by(model: DataModel, request: u32) -> Option<Name> {
    let differing = match model {
        DataModel::Lp64 => None,
        DataModel::Ilp32 => listed(ilp32::REQUESTS, request),
    };
    named(request, differing.or_else(|| listed(list::REQUESTS, request)))
}

fn listed(list: &'static [(u32, &'static str)], request: u32) -> Option<&'static str> {
    let place = list.binary_search_by_key(&request, |(number, _)| *number).ok()?;
    Some(list[place].1)
}

fn named(request: u32, listed: Option<&'static str>) -> Option<Name> {
    let family = FAMILIES.iter().find(|family| family.makes(request));
    let made = family.map(|family| Made { family, request });
    (made.is_some() || listed.is_some()).then_some(Name { made, listed })
}

/// The size that a request says, in bytes.
pub const fn size(request: u32) -> u32 {
    request >> SIZE & 0x3fff
}

impl Family {
    fn makes(&self, request: u32) -> bool {
        let number = request as u8;
        (request >> TYPE) as u8 == self.letter
            && self.directions >> (request >> DIRECTION) & 1 == 1
            && (self.numbers.0..=self.numbers.1).contains(&number)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(made) = &self.made {
            made.fmt(to)?;
        }
        if self.made.is_some() && self.listed.is_some() {
            to.write_str(" or ")?;
        }
        to.write_str(self.listed.unwrap_or_default())
    }
}

impl fmt::Display for Made {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Family { name, numbers, operands, .. } = self.family;
        let number = self.request as u8 - numbers.0;
        let size = size(self.request);
        match operands {
            Operands::Size => write!(to, "{name}({size})"),
            Operands::Number => write!(to, "{name}({number})"),
            Operands::Code(set) => {
                write!(to, "{name}(")?;
                Code(number, set).fmt(to)?;
                to.write_str(")")
            }
            Operands::CodeAndSize(set) => {
                write!(to, "{name}(")?;
                Code(number, set).fmt(to)?;
                write!(to, ", {size})")
            }
        }
    }
}

/// A number by its name if it has one; else, in the alternate form, with a comment that says so.
struct Code(u8, &'static FlagSet);

impl fmt::Display for Code {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.1.name(self.0.into()), self.0) {
            (Some(name), _) => to.write_str(name),
            (None, 0) => to.write_str("0"),
            (None, code) if to.alternate() => write!(to, "{code:#x} /* {} */", self.1.unknown),
            (None, code) => write!(to, "{code:#x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::string::ToString;

    use super::*;

    #[test]
    fn requests_are_listed_once_and_by_number() {
        assert!(list::REQUESTS.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn names_are_told_as_users_know_them() {
        let told = |request| name(request).map(|name| name.to_string());
        for (request, expected) in [
            (0x5401, "TCGETS"),
            (0x5402, "SNDCTL_TMR_START or TCSETS"),
            (0x8060_4521, "EVIOCGBIT(EV_KEY, 96)"),
            (0x8008_4520, "EVIOCGBIT(0, 8)"),
            (0x8008_453e, "EVIOCGBIT(0x1e, 8)"),
            (0x8018_4541, "EVIOCGABS(ABS_Y)"),
            (0x4018_45cb, "EVIOCSABS(0xb)"),
            (0x8004_4d0d, "MIXER_READ(13) or OTPSELECT"),
            (0x8104_4804, "HIDIOCGRAWNAME(260) or HIDIOCGSTRING"),
            (0x8010_6a13, "JSIOCGNAME(16)"),
        ] {
            assert_eq!(told(request).as_deref(), Some(expected));
        }
        assert_eq!(told(0x8004_1234), None);
    }
}
