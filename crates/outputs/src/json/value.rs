//! A record's trees of values → JSON.

use std::fmt::Display;
use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr};

use record::{
    CAPABILITY, FUTEX_WAKE_OP_ACTION, FlagSet, GuestAddr, IOPRIO_CLASS, KEY_SYMBOL, Node, Parts,
    QUOTA_COMMAND, Siblings, Value, errno, signal as signals,
};

use super::descriptor::{context, descriptor};
use crate::device::{hardware_address, uuid};

/// Appends an object with the fields that `fields` appends.
pub(super) fn object(out: &mut Vec<u8>, fields: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'{');
    fields(out);
    out.push(b'}');
}

/// Appends a field. The name is one of ours or the kernel's: nothing in it needs an escape.
pub(super) fn field(out: &mut Vec<u8>, name: &str, value: impl FnOnce(&mut Vec<u8>)) {
    if out.last().is_some_and(|byte| *byte != b'{') {
        out.push(b',');
    }
    push(out, format_args!("\"{name}\":"));
    value(out);
}

/// Appends a field that is a number, `true` or `false`.
pub(super) fn number(out: &mut Vec<u8>, name: &str, number: impl Display) {
    field(out, name, |out| push(out, format_args!("{number}")));
}

/// Appends an array.
pub(super) fn array<I: IntoIterator>(
    out: &mut Vec<u8>,
    items: I,
    mut item: impl FnMut(&mut Vec<u8>, I::Item),
) {
    out.push(b'[');
    for (place, each) in items.into_iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        item(out, each);
    }
    out.push(b']');
}

/// Appends bytes: as a string where it is exact, else as an object with the readable form and, if
/// that has replacements, the bytes in hexadecimal.
pub(super) fn text(out: &mut Vec<u8>, bytes: &[u8], cut: bool) {
    let readable = String::from_utf8_lossy(bytes);
    let exact = matches!(readable, std::borrow::Cow::Borrowed(_));
    if exact && !cut {
        return string(out, &readable);
    }
    object(out, |out| {
        field(out, "text", |out| string(out, &readable));
        if !exact {
            field(out, "hex", |out| hex(out, bytes));
        }
        if cut {
            field(out, "cut", |out| out.extend(b"true"));
        }
    });
}

pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    // Writing to a vector does not fail.
    let _ = serde_json::to_writer(out, text);
}

fn hex(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    bytes.iter().for_each(|byte| push(out, format_args!("{byte:02x}")));
    out.push(b'"');
}

/// Appends an address: null, or an object that cannot be taken for what is found there.
pub(super) fn address(out: &mut Vec<u8>, addr: GuestAddr) {
    match addr {
        GuestAddr::NULL => out.extend(b"null"),
        GuestAddr(addr) => push(out, format_args!("{{\"address\":\"{addr:#x}\"}}")),
    }
}

/// Appends a signal's number and name.
pub(super) fn signal(out: &mut Vec<u8>, number: u32) {
    raw(out, number, signals::name(number));
}

/// Appends a value and its children.
pub(super) fn value(out: &mut Vec<u8>, node: &Node<'_>, children: Siblings<'_, '_>) {
    match node.value {
        Value::Struct | Value::Instant(..) | Value::Reading(..) => object(out, |out| {
            let told = |(node, _): &(&Node<'_>, _)| !matches!(node.value, Value::Folded);
            for (node, children) in children.present().filter(told) {
                let name = if node.name.is_empty() { "more" } else { node.name };
                field(out, name, |out| value(out, node, children));
            }
        }),
        Value::Array | Value::List | Value::Brief(_) | Value::Pointee | Value::Set => {
            elements(out, children)
        }
        Value::Messages if { children }.count() != 1 => elements(out, children),
        Value::Messages | Value::Remarked(_) | Value::InFull(_) => {
            children.for_each(|(node, children)| value(out, node, children))
        }
        Value::Change => object(out, |out| {
            for (name, (node, children)) in ["before", "after"].iter().zip(children.present()) {
                field(out, name, |out| value(out, node, children));
            }
        }),
        Value::AllBut => {
            object(out, |out| field(out, "all_but", |out| elements(out, children)));
        }
        Value::Or | Value::OneOr(_) | Value::Sum => elements(out, children),
        Value::Shifted(bits) => object(out, |out| {
            for (node, children) in children {
                field(out, "value", |out| value(out, node, children));
            }
            number(out, "shifted", bits);
        }),
        Value::At(index, names) => object(out, |out| {
            number(out, "index", index);
            if let Some(name) = names.name(index) {
                field(out, "name", |out| string(out, name));
            }
            for (node, children) in children {
                field(out, "value", |out| value(out, node, children));
            }
        }),
        Value::Form(_) | Value::Network(_) => match children.count() {
            1 => children.for_each(|(node, children)| value(out, node, children)),
            _ => elements(out, children),
        },
        Value::Counted(addr, count, _) => match { children }.next() {
            Some(_) => elements(out, children),
            None => object(out, |out| {
                push(out, format_args!("\"address\":\"{:#x}\",\"count\":{count}", addr.0));
            }),
        },
        value => scalar(out, value),
    }
}

fn elements(out: &mut Vec<u8>, children: Siblings<'_, '_>) {
    array(out, children.present(), |out, (node, children)| value(out, node, children));
}

fn scalar(out: &mut Vec<u8>, value: Value<'_>) {
    match value {
        Value::Absent | Value::TooShort => out.extend(b"null"),
        Value::Signed(number) => push(out, format_args!("{number}")),
        Value::Unsigned(number, _) | Value::Mask(number, _) => push(out, format_args!("{number}")),
        Value::Addr(addr, _) => address(out, addr),
        Value::Fd(fd, info) | Value::OthersFd(fd, info) => descriptor(out, fd, None, info),
        Value::DirFd(fd, info) => descriptor(out, fd, (fd == -100).then_some("AT_FDCWD"), info),
        Value::Pid(pid) => push(out, format_args!("{pid}")),
        Value::Id(u32::MAX) => out.extend(b"-1"),
        Value::Id(id) => push(out, format_args!("{id}")),
        Value::Signal(number) => signal(out, number),
        Value::SigSet(set) => signal_set(out, set),
        Value::SigSet32(set) => signal_set(out, set.into()),
        Value::Flags(bits, set) => object(out, |out| {
            push(out, format_args!("\"raw\":{bits}"));
            flags(out, bits, set);
        }),
        Value::Capabilities(bits) => object(out, |out| {
            push(out, format_args!("\"raw\":{bits}"));
            flags(out, bits, &CAPABILITY);
        }),
        Value::FlagsPerm(bits, set) => flags_and_permissions(out, bits, set),
        Value::CloneFlags(bits, set) => clone_flags(out, bits, set),
        Value::Perm(mode) | Value::FileMode(mode) => object(out, |out| {
            push(out, format_args!("\"raw\":{mode},\"octal\":\"0{mode:o}\""));
        }),
        Value::Dev(device) => object(out, |out| {
            let (major, minor) = crate::device::major_minor(device);
            push(out, format_args!("\"raw\":{device},\"major\":{major},\"minor\":{minor}"));
        }),
        Value::WaitStatus(status) => wait_status(out, status),
        Value::Text { bytes, cut }
        | Value::Str { bytes, cut }
        | Value::Bytes { bytes, cut }
        | Value::Opaque { bytes, cut }
        | Value::HexBytes { bytes, cut } => text(out, bytes, cut),
        Value::Path { bytes, cut, context: None } => text(out, bytes, cut),
        Value::Terminated { bytes, cut } => match bytes.strip_suffix(b"\0") {
            Some(bytes) => text(out, bytes, false),
            None => text(out, bytes, cut),
        },
        Value::Path { bytes, cut, context: Some(of) } => object(out, |out| {
            out.extend(b"\"path\":");
            text(out, bytes, cut);
            context(out, of);
        }),
        Value::Abstract(name) => object(out, |out| {
            field(out, "abstract", |out| text(out, name, false));
        }),
        Value::More(count) => object(out, |out| match count {
            Some(count) => push(out, format_args!("\"more\":{count}")),
            None => out.extend(b"\"more\":null"),
        }),
        Value::MoreAt(addr) => object(out, |out| {
            push(out, format_args!("\"more\":null,\"unreadable\":\"{:#x}\"", addr.0));
        }),
        Value::Name(number, name) | Value::Instead(number, name) => raw(out, number, Some(name)),
        Value::Resumed(Some(call)) => push(out, format_args!("\"{call}\"")),
        Value::Resumed(None) => out.extend(b"null"),
        Value::Inet4(address) => push(out, format_args!("\"{}\"", Ipv4Addr::from(address))),
        Value::Inet6(address) => push(out, format_args!("\"{}\"", Ipv6Addr::from(address))),
        Value::QuotaCommand(command) => {
            raw(out, command, QUOTA_COMMAND.name(u64::from(command >> 8)));
        }
        Value::KernelVersion(version) => push(out, format_args!("{version}")),
        Value::Extra(bytes, _) | Value::Grown(bytes, ..) => hex(out, bytes),
        Value::IoPriority(number, _) => {
            raw(out, number, IOPRIO_CLASS.name(u64::from(number >> 13)))
        }
        Value::FutexOperation(number) => {
            raw(out, number, FUTEX_WAKE_OP_ACTION.name(u64::from(number >> 28 & 7)));
        }
        Value::Octets(bytes, _) => {
            array(out, bytes, |out, byte| push(out, format_args!("{byte}")));
        }
        Value::Above { number, .. } => push(out, format_args!("{number}")),
        Value::CallSign(bytes) => hex(out, bytes),
        Value::HardwareAddress { bytes, told } => {
            out.push(b'"');
            hardware_address(out, &bytes[..told.min(bytes.len())]);
            out.push(b'"');
        }
        Value::ShortResult(result) => push(out, format_args!("{result}")),
        Value::NegatedErrno(error) => raw(out, -i64::from(error), errno::name(error)),
        Value::Errno(error) => raw(out, error, errno::name(error)),
        Value::GenericFamily(family) => push(out, format_args!("{family}")),
        Value::CallNumber(number, name) => raw(out, number, name),
        Value::Ioctl(request, name) => raw(out, request, name),
        Value::Namespace(kind, inode) => {
            push(out, format_args!("{{\"namespace\":\"{kind}\",\"inode\":{inode}}}"));
        }
        Value::SinceBoot { nanos, .. } => push(out, format_args!("{nanos}")),
        Value::Date(seconds, _) => push(out, format_args!("{seconds}")),
        Value::Annotated(number, set) => raw(out, number, set.name(u64::from(number as u32))),
        Value::Limit(number, Some(infinity)) => raw(out, number, Some(infinity)),
        Value::Limit(number, None) => push(out, format_args!("{number}")),
        Value::Bits(bytes, names) => bits(out, bytes, names),
        Value::Parts(value, parts) => object(out, |out| {
            push(out, format_args!("\"raw\":{value}"));
            field(out, "parts", |out| parts_of(out, value, parts));
        }),
        Value::Offset(value, name, offset) => {
            raw(out, value, Some(format_args!("{name}+{offset:#x}")))
        }
        Value::Place(offset, name, 0) => raw(out, offset, Some(name)),
        Value::Place(offset, name, rest) => raw(out, offset, Some(format_args!("{name}+{rest}"))),
        Value::KeySymbol(symbol) => raw(out, symbol, KEY_SYMBOL.name(symbol.into())),
        Value::Tone(tone, _) => push(out, format_args!("{tone}")),
        Value::Uuid(bytes) => {
            out.push(b'"');
            uuid(out, &bytes);
            out.push(b'"');
        }
        Value::Character(byte) => text(out, &[byte], false),
        Value::FourCc(code, names) => raw(out, code, names.name(code.into())),
        Value::Bit(is_set) => push(out, format_args!("{}", u8::from(is_set))),
        Value::HighBits(number, _) | Value::SpareBits(number, _) => {
            push(out, format_args!("{number}"))
        }
        Value::Multiple(number, ..) => push(out, format_args!("{number}")),
        Value::Ratio(numerator, denominator) => {
            push(out, format_args!("[{numerator},{denominator}]"));
        }
        Value::Ticks(ticks) => push(out, format_args!("{ticks}")),
        Value::Interface(index) => push(out, format_args!("{index}")),
        Value::Explained(bits, set) => object(out, |out| {
            push(out, format_args!("\"raw\":{bits}"));
            flags(out, bits, set);
        }),
        // Containers have been told before.
        Value::Struct
        | Value::Instant(..)
        | Value::Reading(..)
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
        | Value::Counted(..) => out.extend(b"null"),
    }
}

/// The parts of a number, each with its names.
fn parts_of(out: &mut Vec<u8>, value: u64, parts: &Parts) {
    out.push(b'[');
    for (place, part) in parts.parts.iter().enumerate() {
        let bits = (value & part.mask) >> part.shift.map_or(0, |(bits, _)| bits);
        out.extend(if place > 0 { &b","[..] } else { b"" });
        object(out, |out| {
            push(out, format_args!("\"raw\":{bits}"));
            flags(out, bits, part.names);
        });
    }
    out.push(b']');
}

/// The members of a bit set, each by its number and its name.
fn bits(out: &mut Vec<u8>, bytes: &[u8], names: &FlagSet) {
    out.push(b'[');
    for (place, bit) in crate::bits::members(bytes).enumerate() {
        out.extend(if place > 0 { &b","[..] } else { b"" });
        raw(out, bit, names.name(bit));
    }
    out.push(b']');
}

/// A number and its name, if it has one.
fn raw(out: &mut Vec<u8>, number: impl Display, name: Option<impl Display>) {
    object(out, |out| {
        push(out, format_args!("\"raw\":{number}"));
        if let Some(name) = name {
            push(out, format_args!(",\"name\":\"{name}\""));
        }
    });
}

pub(super) fn signal_set(out: &mut Vec<u8>, set: u64) {
    object(out, |out| {
        push(out, format_args!("\"raw\":{set}"));
        let members = (1..=signals::COUNT).filter(|number| set >> (number - 1) & 1 == 1);
        field(out, "signals", |out| {
            array(out, members.filter_map(signals::name), string);
        });
    });
}

/// The names of a value's parts, and the bits without a name if there are any.
fn flags(out: &mut Vec<u8>, bits: u64, set: &FlagSet) {
    let mut rest = bits;
    let field_name = set.field.iter().find(|named| named.value == bits & set.field_mask);
    if field_name.is_some() {
        rest &= !set.field_mask;
    }
    let mut names: Vec<&str> = field_name.map(|named| named.name).into_iter().collect();
    for named in set.bits {
        let is_set = named.value != 0 && rest & named.value == named.value;
        if is_set || bits == 0 && named.value == 0 {
            names.push(named.name);
            rest &= !named.value;
        }
    }
    field(out, "flags", |out| array(out, names, string));
    if rest != 0 {
        push(out, format_args!(",\"unnamed\":{rest}"));
    }
}

fn flags_and_permissions(out: &mut Vec<u8>, bits: u32, set: &FlagSet) {
    const PERMISSIONS: u32 = 0o777;
    object(out, |out| {
        push(out, format_args!("\"raw\":{bits}"));
        flags(out, u64::from(bits & !PERMISSIONS), set);
        push(out, format_args!(",\"octal\":\"0{:o}\"", bits & PERMISSIONS));
    });
}

fn clone_flags(out: &mut Vec<u8>, bits: u64, set: &FlagSet) {
    const SIGNAL: u64 = 0xff;
    object(out, |out| {
        push(out, format_args!("\"raw\":{bits}"));
        flags(out, bits & !SIGNAL, set);
        if bits & SIGNAL != 0 {
            field(out, "exit_signal", |out| signal(out, (bits & SIGNAL) as u32));
        }
    });
}

fn wait_status(out: &mut Vec<u8>, status: u32) {
    let low = status & 0x7f;
    object(out, |out| {
        push(out, format_args!("\"raw\":{status}"));
        if status == 0xffff {
            out.extend(b",\"continued\":true");
        } else if low == 0x7f {
            field(out, "stopped", |out| signal(out, status >> 8 & 0x7f));
        } else if low == 0 {
            push(out, format_args!(",\"exited\":{}", status >> 8 & 0xff));
        } else {
            field(out, "killed", |out| signal(out, low));
            push(out, format_args!(",\"core_dumped\":{}", status & 0x80 != 0));
        }
    });
}

pub(super) fn push(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to a vector does not fail.
    let _ = out.write_fmt(text);
}
