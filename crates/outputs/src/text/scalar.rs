//! Values without children, other than text → text.

use record::{Base, CAPABILITY, CAPABILITY_UPPER, FlagSet, Fraction, GuestAddr, Parts, Value};

use super::digits;
use super::flags::{self, push};
use super::style::Constants;
use super::time;
use super::value::Look;
use crate::bits;
use crate::device::uuid;

/// How many members of a bit set are told customarily.
const MOST_BITS: usize = 4;

impl Look<'_> {
    /// Appends a number or what it means.
    pub fn scalar(&self, out: &mut Vec<u8>, value: Value<'_>) {
        match value {
            Value::Absent => out.push(b'?'),
            Value::TooShort => out.extend(b"???"),
            Value::Signed(number) => digits::signed(out, number),
            Value::Unsigned(number, base) => unsigned(out, number, base),
            Value::Mask(mask, width) => padded_mask(out, mask, width.into()),
            Value::Addr(addr, _) => address(out, addr),
            Value::Id(id) => user_or_group(out, id),
            Value::Perm(bits) => permissions(out, bits),
            Value::WaitStatus(status) => wait_status(out, status),
            Value::Resumed(call) => resumed(out, call),
            Value::More(_) => out.extend(b"..."),
            Value::MoreAt(addr) => self.more_at(out, addr),
            Value::Annotated(number, set) => self.annotated(out, number, set),
            Value::Ticks(ticks) => self.ticks(out, ticks),
            Value::Date(seconds, fraction) => self.date(out, seconds, fraction),
            Value::SinceBoot { nanos, started } => self.since_boot(out, nanos, started),
            Value::Fd(fd, info) | Value::OthersFd(fd, info) => self.fd(out, fd, info),
            Value::DirFd(fd, info) => self.dir_fd(out, fd, info),
            Value::Pid(pid) => self.pid(out, pid),
            Value::Signal(number) => self.signal(out, number),
            Value::SigSet(set) => self.signal_set(out, set, record::signal::COUNT),
            Value::SigSet32(set) => self.signal_set(out, set.into(), 32),
            Value::Flags(value, set) => self.flags(out, value, set),
            Value::CloneFlags(value, set) => self.clone_flags(out, value, set),
            Value::FlagsPerm(bits, set) => self.flags_and_permissions(out, bits, set),
            Value::FileMode(mode) => self.file_mode(out, mode),
            Value::Dev(device) => self.device(out, device),
            Value::Name(value, name) => self.named(out, value, Some(name)),
            Value::QuotaCommand(command) => self.quota_command(out, command),
            Value::KernelVersion(version) => self.kernel_version(out, version),
            Value::Extra(bytes, first) => self.extra(out, bytes, first),
            Value::HardwareAddress { bytes, told } => self.hardware_address(out, bytes, told),
            Value::Bits(bytes, names) => self.bits(out, bytes, names),
            Value::Capabilities(set) => self.capabilities(out, set),
            Value::Parts(value, parts) => self.parts(out, value, parts),
            Value::Offset(value, name, offset) => self.offset(out, value, name, offset),
            Value::Place(offset, name, rest) => self.place(out, offset, name, rest),
            Value::KeySymbol(symbol) => self.key_symbol(out, symbol),
            Value::Tone(tone, lasts) => self.tone(out, tone, lasts),
            Value::Uuid(bytes) => uuid(out, &bytes),
            Value::Character(byte) => character(out, byte),
            Value::FourCc(code, names) => self.four_characters(out, code, names),
            Value::HighBits(bits, first) => {
                digits::hex(out, bits);
                self.comment(out, |out| push(out, format_args!("Bits 63..{first}")));
            }
            Value::Bit(is_set) => out.push(b'0' + u8::from(is_set)),
            Value::SpareBits(bits, first) => {
                flags::number(out, bits);
                self.comment(out, |out| push(out, format_args!("bits {first}..8")));
            }
            Value::Multiple(number, unit, name) => self.multiple(out, number, (unit, name)),
            Value::Ratio(numerator, denominator) => {
                push(out, format_args!("{numerator}/{denominator}"));
            }
            Value::Octets(bytes, is_cut) => octets(out, bytes, is_cut),
            Value::Above { number, first, names } => self.above(out, number, (first, names)),
            Value::CallSign(bytes) => self.call_sign(out, bytes),
            Value::Grown(bytes, first, end) => self.grown(out, bytes, first, end),
            Value::IoPriority(priority, base) => self.io_priority(out, priority, base),
            Value::FutexOperation(operation) => self.futex_operation(out, operation),
            Value::ShortResult(result) => {
                push(out, format_args!("{result}"));
                super::line::error_beside(out, self, result.wrapping_neg());
            }
            Value::NegatedErrno(error) => self.errno(out, error, "-"),
            Value::Errno(error) => self.errno(out, error, ""),
            Value::GenericFamily(number) => self.generic_family(out, number),
            Value::CallNumber(call, name) => self.call_number(out, call, name),
            Value::Ioctl(request, name) => self.ioctl(out, request, name),
            Value::Limit(limit, infinity) => self.limit(out, limit, infinity),
            Value::Namespace(kind, inode) => push(out, format_args!("{kind}:[{inode}]")),
            Value::Interface(index) => self.interface(out, index),
            Value::Explained(number, set) => self.explained(out, number, set),
            // These have children or are text.
            Value::Path { .. }
            | Value::Text { .. }
            | Value::Abstract(_)
            | Value::Str { .. }
            | Value::Bytes { .. }
            | Value::HexBytes { .. }
            | Value::Terminated { .. }
            | Value::Opaque { .. }
            | Value::Inet4(_)
            | Value::Inet6(_)
            | Value::Struct
            | Value::Instant(..)
            | Value::Reading(..)
            | Value::Instead(..)
            | Value::Array
            | Value::List
            | Value::Messages
            | Value::Brief(_)
            | Value::Folded
            | Value::Remarked(_)
            | Value::Pointee
            | Value::InFull(_)
            | Value::InBrief(_)
            | Value::Set
            | Value::AllBut
            | Value::Change
            | Value::Or
            | Value::OneOr(_)
            | Value::Sum
            | Value::Shifted(_)
            | Value::At(..)
            | Value::Form(_)
            | Value::Network(_)
            | Value::Counted(..) => {}
        }
    }

    fn more_at(&self, out: &mut Vec<u8>, addr: GuestAddr) {
        out.extend(b"...");
        self.comment(out, |out| digits::hex(out, addr.0));
    }

    fn annotated(&self, out: &mut Vec<u8>, number: i32, set: &FlagSet) {
        digits::signed(out, number.into());
        let name = set.name(u64::from(number as u32)).unwrap_or(set.unknown);
        self.comment(out, |out| out.extend(name.as_bytes()));
    }

    fn four_characters(&self, out: &mut Vec<u8>, code: u32, names: &FlagSet) {
        if self.style.constants == Constants::Raw {
            return flags::number(out, code.into());
        }
        out.extend(b"v4l2_fourcc(");
        for (at, byte) in code.to_le_bytes().into_iter().enumerate() {
            out.extend(if at > 0 { &b", "[..] } else { b"" });
            match byte {
                b'\'' | b'\\' | b' '..=b'~' => character(out, byte),
                byte => push(out, format_args!("'\\x{byte:02x}'")),
            }
        }
        out.push(b')');
        if let Some(name) = names.name(code.into()) {
            self.comment(out, |out| out.extend(name.as_bytes()));
        }
    }

    /// A number's parts.
    fn parts(&self, out: &mut Vec<u8>, value: u64, parts: &Parts) {
        if parts.is_one_number && self.style.constants == Constants::Raw {
            return flags::number(out, value);
        }
        let mut is_told = false;
        for part in parts.parts {
            let bits = value & part.mask;
            let is_enumerated = part.names.field_mask != 0;
            let may_be_missing = part.shift.is_some() || parts.is_one_number && !is_enumerated;
            if may_be_missing && bits == 0 && !part.always {
                continue;
            }
            if is_told {
                out.push(b'|');
            }
            is_told = is_enumerated || bits != 0;
            let Some((shift, name)) = part.shift else {
                if is_told {
                    self.flags(out, bits, part.names);
                }
                continue;
            };
            self.flags(out, bits >> shift, part.names);
            out.extend(b"<<");
            match name {
                "" => digits::decimal(out, shift.into()),
                name => self.named(out, shift.into(), Some(name)),
            }
        }
    }

    fn capabilities(&self, out: &mut Vec<u8>, set: u64) {
        let [lower, upper] = [set & u64::from(u32::MAX), set >> 32];
        if lower != 0 || upper == 0 {
            self.flags(out, lower, &CAPABILITY);
        }
        if lower != 0 && upper != 0 {
            out.push(b'|');
        }
        if upper != 0 {
            self.flags(out, upper, &CAPABILITY_UPPER);
        }
    }

    fn offset(&self, out: &mut Vec<u8>, value: u64, name: &str, offset: u64) {
        let number = |out: &mut Vec<u8>| flags::number(out, value);
        flags::constant(out, self.style.constants, number, |out| {
            push(out, format_args!("{name}+"));
            flags::number(out, offset);
            flags::Name::Whole
        });
    }

    /// A bit set's members, beside or instead of which its words may be told.
    fn bits(&self, out: &mut Vec<u8>, bytes: &[u8], names: &FlagSet) {
        let words = |out: &mut Vec<u8>| {
            out.push(b'[');
            for (place, word) in bytes.chunks(8).enumerate() {
                let mut whole = [0; 8];
                whole[..word.len()].copy_from_slice(word);
                out.extend(if place > 0 { &b", "[..] } else { b"" });
                flags::number(out, u64::from_le_bytes(whole));
            }
            out.push(b']');
        };
        if self.style.constants == Constants::Raw {
            return words(out);
        }
        let most = if self.abbreviated { MOST_BITS } else { usize::MAX };
        out.push(b'[');
        for (place, bit) in bits::members(bytes).enumerate() {
            out.extend(if place > 0 { &b" "[..] } else { b"" });
            if place == most {
                out.extend(b"...");
                break;
            }
            self.flags(out, bit, names);
        }
        out.push(b']');
        if self.style.constants == Constants::Verbose {
            self.comment(out, words);
        }
    }

    fn above(&self, out: &mut Vec<u8>, number: u64, (first, names): (u64, &FlagSet)) {
        let sum = |out: &mut Vec<u8>| {
            self.flags(out, first, names);
            push(out, format_args!("+{}", number - first));
        };
        match self.style.constants {
            Constants::Abbrev => sum(out),
            Constants::Raw => flags::number(out, number),
            Constants::Verbose => {
                flags::number(out, number);
                self.comment(out, sum);
            }
        }
    }

    fn multiple(&self, out: &mut Vec<u8>, number: i32, (unit, name): (u32, &str)) {
        digits::signed(out, number.into());
        let unit = unit as i32;
        if number > 0 && number % unit == 0 {
            self.comment(out, |out| push(out, format_args!("{} * sizeof({name})", number / unit)));
        }
    }

    fn ticks(&self, out: &mut Vec<u8>, ticks: u64) {
        digits::decimal(out, ticks);
        if ticks != 0 && self.style.constants != Constants::Raw {
            let [seconds, rest] = [ticks / 100, ticks % 100];
            self.comment(out, |out| push(out, format_args!("{seconds}.{rest:02} s")));
        }
    }

    fn date(&self, out: &mut Vec<u8>, seconds: i64, fraction: Option<Fraction>) {
        digits::signed(out, seconds);
        self.date_comment(out, seconds, fraction);
    }

    fn since_boot(&self, out: &mut Vec<u8>, nanos: u64, started: Option<u64>) {
        digits::decimal(out, nanos);
        if let Some(started) = started {
            let seconds = started.saturating_add(nanos) / 1_000_000_000;
            self.date_comment(out, seconds as i64, None);
        }
    }

    /// Appends the date of a point in time, unless it is the zero that stands for none.
    pub(super) fn date_comment(&self, out: &mut Vec<u8>, seconds: i64, fraction: Option<Fraction>) {
        let is_some = seconds != 0 || fraction.is_some_and(|fraction| fraction.value != 0);
        if is_some && time::has_date(seconds) {
            self.comment(out, |out| time::date(out, self.clock, seconds, fraction));
        }
    }
}

fn unsigned(out: &mut Vec<u8>, number: u64, base: Base) {
    match (base, number) {
        (Base::Dec, _) => digits::decimal(out, number),
        (Base::Hex, _) => flags::number(out, number),
        (Base::Oct, 0) => out.push(b'0'),
        (Base::Oct, _) => digits::octal(out, number),
    }
}

fn padded_mask(out: &mut Vec<u8>, mask: u64, width: usize) {
    match mask {
        0 => push(out, format_args!("{:0>width$}", 0)),
        mask => push(out, format_args!("{mask:#0width$x}")),
    }
}

/// A byte in single quotes, as the C language writes it.
pub(super) fn character(out: &mut Vec<u8>, byte: u8) {
    out.push(b'\'');
    match byte {
        b'\'' | b'\\' => out.extend([b'\\', byte]),
        b' '..=b'~' => out.push(byte),
        b'\t' => out.extend(b"\\t"),
        b'\n' => out.extend(b"\\n"),
        0x0b => out.extend(b"\\v"),
        0x0c => out.extend(b"\\f"),
        b'\r' => out.extend(b"\\r"),
        _ => push(out, format_args!("\\x{byte:02x}")),
    }
    out.push(b'\'');
}

fn octets(out: &mut Vec<u8>, bytes: &[u8], is_cut: bool) {
    out.push(b'[');
    for (place, byte) in bytes.iter().enumerate() {
        out.extend(if place > 0 { &b", "[..] } else { b"" });
        padded_mask(out, u64::from(*byte), 2);
    }
    out.extend(if is_cut { &b", ...]"[..] } else { b"]" });
}

fn address(out: &mut Vec<u8>, addr: GuestAddr) {
    if addr.is_null() {
        out.extend(b"NULL");
    } else {
        digits::hex(out, addr.0);
    }
}

fn user_or_group(out: &mut Vec<u8>, id: u32) {
    match id {
        u32::MAX => out.extend(b"-1"),
        id => digits::decimal(out, id.into()),
    }
}

pub(super) fn permissions(out: &mut Vec<u8>, bits: u32) {
    push(out, format_args!("0{bits:02o}"));
}

fn resumed(out: &mut Vec<u8>, call: Option<&str>) {
    push(out, format_args!("<... resuming interrupted {} ...>", call.unwrap_or("???")));
}

/// What `wait(2)`'s macros make of a status.
fn wait_status(out: &mut Vec<u8>, status: u32) {
    let signal = |out: &mut Vec<u8>, number| flags::signal(out, number, Constants::Abbrev);
    let low = status & 0x7f;
    if status == 0xffff {
        out.extend(b"{WIFCONTINUED(s)}");
    } else if low == 0x7f {
        out.extend(b"{WIFSTOPPED(s) && WSTOPSIG(s) == ");
        signal(out, status >> 8 & 0x7f);
        if status & 0x8000 != 0 {
            out.extend(b" | 0x80");
        }
        out.push(b'}');
    } else if low == 0 {
        push(out, format_args!("{{WIFEXITED(s) && WEXITSTATUS(s) == {}}}", status >> 8 & 0xff));
    } else {
        out.extend(b"{WIFSIGNALED(s) && WTERMSIG(s) == ");
        signal(out, low);
        out.extend(if status & 0x80 != 0 { &b" && WCOREDUMP(s)}"[..] } else { b"}" });
    }
}
