//! Numbers that stand for something with a name → text.

use record::{
    Base, FUTEX_WAKE_OP_ACTION, FUTEX_WAKE_OP_COMPARISON, FUTEX_WAKE_OP_SHIFT, FdInfo, FlagSet,
    IOPRIO_CLASS, QUOTA_COMMAND, QUOTA_TYPE, Tid, errno, request,
};

use super::color::{Role, paint};
use super::digits;
use super::flags::{self, Name, push};
use super::scalar::permissions;
use super::string::quote;
use super::style::{Constants, HexStrings};
use super::value::Look;
use crate::device::{hardware_address, major_minor};

impl Look<'_> {
    pub(super) fn fd(&self, out: &mut Vec<u8>, fd: i32, info: Option<&FdInfo>) {
        digits::signed(out, fd.into());
        info.iter().for_each(|info| self.descriptor(out, info));
    }

    pub(super) fn dir_fd(&self, out: &mut Vec<u8>, fd: i32, info: Option<&FdInfo>) {
        const AT_FDCWD: i32 = -100;
        let number = |out: &mut Vec<u8>| digits::signed(out, fd.into());
        self.constant(out, number, |out| name(out, (fd == AT_FDCWD).then_some("AT_FDCWD")));
        info.iter().for_each(|info| self.descriptor(out, info));
    }

    pub(super) fn pid(&self, out: &mut Vec<u8>, pid: i32) {
        digits::signed(out, pid.into());
        let outside = self.style.outside.as_ref().filter(|_| pid > 0);
        let outside = outside.and_then(|outside| outside(self.tid, pid));
        let command_of = self.style.command_of.as_ref().filter(|_| pid > 0);
        let known_as = outside.unwrap_or(pid);
        if let Some(command) = command_of.and_then(|command_of| command_of(Tid(known_as))) {
            self.bracketed(out, &command);
        }
        if pid > 0 {
            self.process_context(out, Tid(known_as));
        }
        if let Some(outside) = outside {
            self.comment(out, |out| push(out, format_args!("{outside} in strace's PID NS")));
        }
    }

    pub(super) fn signal(&self, out: &mut Vec<u8>, number: u32) {
        self.painted(out, |out| flags::signal(out, number, self.style.constants));
    }

    pub(super) fn signal_set(&self, out: &mut Vec<u8>, set: u64, count: u32) {
        self.painted(out, |out| flags::signal_set(out, set, count, self.style.constants));
    }

    pub(super) fn flags(&self, out: &mut Vec<u8>, value: u64, set: &FlagSet) {
        self.painted(out, |out| flags::flags(out, value, set, self.style.constants));
    }

    pub(super) fn clone_flags(&self, out: &mut Vec<u8>, value: u64, set: &FlagSet) {
        self.painted(out, |out| flags::clone_flags(out, value, set, self.style.constants));
    }

    pub(super) fn flags_and_permissions(&self, out: &mut Vec<u8>, bits: u32, set: &FlagSet) {
        const PERMISSIONS: u32 = 0o777;
        let numbers = set.numbers.iter().fold(0, |bits, number| bits | number.mask);
        let constants = self.style.constants;
        let flags = u64::from(bits & !PERMISSIONS) & !numbers;
        if flags != 0 {
            let set = FlagSet { numbers: &[], ..*set };
            self.painted(out, |out| flags::flags(out, flags, &set, constants));
            out.push(b'|');
        }
        for number in set.numbers {
            let place = number.mask.trailing_zeros();
            let value = (u64::from(bits) & number.mask) >> place;
            if value != 0 {
                push(out, format_args!("{value}<<"));
                let number_of = |out: &mut Vec<u8>| digits::decimal(out, place.into());
                self.constant(out, number_of, |out| name(out, number.shift));
                out.push(b'|');
            }
        }
        permissions(out, bits & PERMISSIONS);
    }

    pub(super) fn file_mode(&self, out: &mut Vec<u8>, mode: u32) {
        let number = |out: &mut Vec<u8>| permissions(out, mode);
        self.constant(out, number, |out| type_and_permissions(out, mode));
    }

    pub(super) fn device(&self, out: &mut Vec<u8>, device: u64) {
        let number = |out: &mut Vec<u8>| flags::number(out, device);
        self.constant(out, number, |out| makedev(out, device));
    }

    pub(super) fn hardware_address(&self, out: &mut Vec<u8>, bytes: &[u8], told: usize) {
        let number = |out: &mut Vec<u8>| {
            out.push(b'"');
            bytes.iter().for_each(|byte| push(out, format_args!("\\x{byte:02x}")));
            out.push(b'"');
        };
        self.constant(out, number, |out| {
            hardware_address(out, &bytes[..told.min(bytes.len())]);
            Name::Whole
        });
    }

    /// Appends an error's number or name, and before each this sign.
    pub(super) fn errno(&self, out: &mut Vec<u8>, error: u32, sign: &str) {
        let number = |out: &mut Vec<u8>| push(out, format_args!("{sign}{error}"));
        self.constant(out, number, |out| match errno::name(error) {
            Some(known) => {
                push(out, format_args!("{sign}{known}"));
                Name::Whole
            }
            None => Name::None,
        });
    }

    pub(super) fn call_number(&self, out: &mut Vec<u8>, call: u32, known: Option<&str>) {
        let Some(known) = known else { return digits::decimal(out, call.into()) };
        let number = |out: &mut Vec<u8>| digits::decimal(out, call.into());
        self.constant(out, number, |out| {
            push(out, format_args!("__NR_{known}"));
            Name::Whole
        });
    }

    pub(super) fn ioctl(&self, out: &mut Vec<u8>, request: u32, known: Option<request::Name>) {
        let number = |out: &mut Vec<u8>| flags::number(out, request.into());
        self.constant(out, number, |out| match known {
            Some(known) => {
                match self.style.constants {
                    Constants::Abbrev => push(out, format_args!("{known:#}")),
                    _ => push(out, format_args!("{known}")),
                }
                Name::Whole
            }
            None => ioctl_parts(out, request),
        });
    }

    pub(super) fn quota_command(&self, out: &mut Vec<u8>, command: u32) {
        let number = |out: &mut Vec<u8>| digits::decimal(out, command.into());
        self.constant(out, number, |out| {
            out.extend(b"QCMD(");
            flags::flags(out, (command >> 8).into(), &QUOTA_COMMAND, Constants::Abbrev);
            out.extend(b", ");
            flags::flags(out, (command & 0xff).into(), &QUOTA_TYPE, Constants::Abbrev);
            out.push(b')');
            Name::Whole
        });
    }

    pub(super) fn kernel_version(&self, out: &mut Vec<u8>, version: u32) {
        let number = |out: &mut Vec<u8>| flags::number(out, version.into());
        self.constant(out, number, |out| {
            let (major, minor, patch) = (version >> 16, version >> 8 & 0xff, version & 0xff);
            push(out, format_args!("KERNEL_VERSION({major}, {minor}, {patch})"));
            Name::Whole
        });
    }

    /// Appends bytes of a struct that nothing is known of.
    pub(super) fn extra(&self, out: &mut Vec<u8>, bytes: &[u8], first: u32) {
        quote(out, bytes, HexStrings::All);
        let last = (first as usize + bytes.len()).saturating_sub(1);
        self.comment(out, |out| push(out, format_args!("bytes {first}..{last}")));
    }

    /// Appends the bytes behind the known fields of a struct.
    pub(super) fn grown(&self, out: &mut Vec<u8>, bytes: &[u8], first: u32, end: u32) {
        let shown = &bytes[..bytes.len().min(self.style.string_limit)];
        paint(out, self.style.color, Role::Aside, |out| {
            push(out, format_args!("/* bytes {first}..{} */", end.saturating_sub(1)));
        });
        out.push(b' ');
        quote(out, shown, HexStrings::All);
        if shown.len() < end.saturating_sub(first) as usize {
            out.extend(b"...");
        }
    }

    pub(super) fn io_priority(&self, out: &mut Vec<u8>, priority: u32, base: Base) {
        let number = |out: &mut Vec<u8>| match base {
            Base::Hex => flags::number(out, priority.into()),
            _ => digits::signed(out, (priority as i32).into()),
        };
        self.constant(out, number, |out| {
            self.io_priority_parts(out, priority);
            Name::Whole
        });
    }

    pub(super) fn io_priority_parts(&self, out: &mut Vec<u8>, priority: u32) {
        const CLASS_SHIFT: u32 = 13;
        out.extend(b"IOPRIO_PRIO_VALUE(");
        let class = (priority >> CLASS_SHIFT).into();
        flags::flags(out, class, &IOPRIO_CLASS, self.style.constants);
        push(out, format_args!(", {})", priority & ((1 << CLASS_SHIFT) - 1)));
    }

    /// Appends the parts of the number by which `FUTEX_WAKE_OP` is told what to do: a nibble each for
    /// the operation and the comparison, and twelve bits for the operand of each.
    pub(super) fn futex_operation(&self, out: &mut Vec<u8>, number: u32) {
        const SHIFTS: u32 = 8;
        let is_raw = self.style.constants == Constants::Raw;
        let part = |out: &mut Vec<u8>, value: u32, shift: u32, set: &FlagSet| match set
            .name(value.into())
            .filter(|_| !is_raw)
        {
            Some(known) => {
                self.named(out, value.into(), Some(known));
                push(out, format_args!("<<{shift}|"));
            }
            None => {
                flags::number(out, value.into());
                push(out, format_args!("<<{shift} /* {} */|", set.unknown));
            }
        };
        let [action, comparison] = [number >> 28, number >> 24 & 0xf];
        if action & SHIFTS != 0 {
            self.flags(out, SHIFTS.into(), &FUTEX_WAKE_OP_SHIFT);
            out.extend(b"<<28|");
        }
        part(out, action & !SHIFTS, 28, &FUTEX_WAKE_OP_ACTION);
        flags::number(out, (number >> 12 & 0xfff).into());
        out.extend(b"<<12|");
        part(out, comparison, 24, &FUTEX_WAKE_OP_COMPARISON);
        flags::number(out, (number & 0xfff).into());
    }

    pub(super) fn limit(&self, out: &mut Vec<u8>, limit: u64, infinity: Option<&str>) {
        let number = |out: &mut Vec<u8>| digits::decimal(out, limit);
        self.constant(out, number, |out| match limit {
            _ if infinity.is_some() => name(out, infinity),
            1025.. if limit.is_multiple_of(1024) => {
                push(out, format_args!("{}*1024", limit / 1024));
                Name::Whole
            }
            _ => Name::None,
        });
    }

    /// Appends a number in hexadecimal, with its name behind it.
    pub(super) fn explained(&self, out: &mut Vec<u8>, value: u64, set: &FlagSet) {
        let constants = match self.style.constants {
            Constants::Abbrev => Constants::Verbose,
            other => other,
        };
        self.painted(out, |out| flags::flags(out, value, set, constants));
    }

    /// Appends the place of an element in an array, or its name.
    pub(super) fn index(&self, out: &mut Vec<u8>, index: u64, names: &FlagSet) {
        let number = |out: &mut Vec<u8>| digits::decimal(out, index);
        self.constant(out, number, |out| match names.name(index) {
            Some(_) => name(out, names.name(index)),
            None => {
                out.extend(names.unknown.as_bytes());
                Name::Unknown
            }
        });
    }

    /// Appends the number of a family of generic netlink, or its name.
    pub(super) fn generic_family(&self, out: &mut Vec<u8>, family: u16) {
        let known = self.style.generic_family_of.as_ref().and_then(|name_of| name_of(family));
        let number = |out: &mut Vec<u8>| flags::number(out, family.into());
        self.constant(out, number, |out| match known {
            Some(known) => {
                out.extend(known);
                Name::Whole
            }
            None => {
                out.extend(b"GENERIC_FAMILY_???");
                Name::Unknown
            }
        });
    }

    /// Appends the index of a network interface, or its name.
    pub(super) fn interface(&self, out: &mut Vec<u8>, index: u32) {
        let known = self.style.interface_of.as_ref().and_then(|name_of| name_of(index));
        let number = |out: &mut Vec<u8>| digits::decimal(out, index.into());
        self.constant(out, number, |out| {
            let Some(known) = known else { return Name::None };
            out.extend(b"if_nametoindex(");
            quote(out, &known, self.style.strings_in_hex);
            out.push(b')');
            Name::Whole
        });
    }

    /// Appends a number which is customarily hexadecimal, or its name.
    pub(super) fn named(&self, out: &mut Vec<u8>, value: u64, known: Option<&str>) {
        self.constant(out, |out| flags::number(out, value), |out| name(out, known));
    }

    fn constant(
        &self,
        out: &mut Vec<u8>,
        number: impl FnOnce(&mut Vec<u8>),
        name: impl FnOnce(&mut Vec<u8>) -> Name,
    ) {
        self.painted(out, |out| flags::constant(out, self.style.constants, number, name));
    }

    pub(super) fn painted(&self, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
        paint(out, self.style.color, Role::Constant, write);
    }
}

fn name(out: &mut Vec<u8>, name: Option<&str>) -> Name {
    let Some(name) = name else {
        return Name::None;
    };
    out.extend(name.as_bytes());
    Name::Whole
}

fn type_and_permissions(out: &mut Vec<u8>, mode: u32) -> Name {
    const TYPE: u32 = 0o170_000;
    const SPECIAL: u32 = 0o7000;
    let kind = match mode & TYPE {
        0o010_000 => "S_IFIFO",
        0o020_000 => "S_IFCHR",
        0o040_000 => "S_IFDIR",
        0o060_000 => "S_IFBLK",
        0o100_000 => "S_IFREG",
        0o120_000 => "S_IFLNK",
        0o140_000 => "S_IFSOCK",
        0 => "",
        _ => return Name::None,
    };
    let start = out.len();
    out.extend(kind.as_bytes());
    for (bit, name) in [(0o4000, "S_ISUID"), (0o2000, "S_ISGID"), (0o1000, "S_ISVTX")] {
        if mode & bit != 0 {
            out.extend(if out.len() > start { &b"|"[..] } else { b"" });
            out.extend(name.as_bytes());
        }
    }
    out.extend(if out.len() > start { &b"|"[..] } else { b"" });
    permissions(out, mode & !(TYPE | SPECIAL));
    Name::Whole
}

fn makedev(out: &mut Vec<u8>, device: u64) -> Name {
    let (major, minor) = major_minor(device);
    out.extend(b"makedev(");
    flags::number(out, major);
    out.extend(b", ");
    flags::number(out, minor);
    out.push(b')');
    Name::Whole
}

/// Direction, type, number and size: `_IOC(_IOC_READ, 0x54, 0x1, 0x4)`.
fn ioctl_parts(out: &mut Vec<u8>, request: u32) -> Name {
    let direction = ["_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE"];
    push(out, format_args!("_IOC({}", direction[(request >> 30) as usize]));
    for part in [request >> 8 & 0xff, request & 0xff, request >> 16 & 0x3fff] {
        out.extend(b", ");
        flags::number(out, part.into());
    }
    out.push(b')');
    Name::Whole
}
