//! A record's trees of values → JSON.

use std::net::{Ipv4Addr, Ipv6Addr};

use record::{
    CAPABILITY, FUTEX_WAKE_OP_ACTION, IOPRIO_CLASS, KEY_SYMBOL, Node, QUOTA_COMMAND, Siblings,
    Value, errno,
};

use super::descriptor::{context, descriptor};
use super::named::{
    bits, clone_flags, flags, flags_and_permissions, parts_of, raw, signal, signal_set, wait_status,
};
use super::syntax::{address, array, field, hex, number, object, push, string, text};
use crate::device::{hardware_address, uuid};

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
