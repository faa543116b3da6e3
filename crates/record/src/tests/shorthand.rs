//! A compact form of records, for tests only. Addresses have a mark: `&` is not followed, `!` is
//! unreadable, `?` is not written.

use std::fmt::Write as _;

use table::{Base, FlagSet};

use crate::{FdInfo, Fraction, Node, Nodes, NotRead, Result, Siblings, Value};

/// Nodes in a row.
pub fn shorthand(nodes: &Nodes<'_>) -> String {
    if nodes.is_empty() { String::new() } else { row(nodes.from(0)) }
}

/// What came of a call.
pub fn shorthand_result(result: &Result<'_>) -> String {
    if result.failed {
        return format!(" = E{}", -result.raw);
    }
    let mut text = format!(" = {}", value(&result.value, None));
    if !result.label.is_empty() || !result.note.is_empty() {
        let _ = write!(text, " ({}: {})", result.label, shorthand(&result.note));
    }
    text
}

fn row(nodes: Siblings<'_, '_>) -> String {
    let nodes: Vec<_> = nodes.map(|(node, children)| named(node, children)).collect();
    nodes.join(", ")
}

fn named(node: &Node<'_>, children: Siblings<'_, '_>) -> String {
    let value = value(&node.value, Some(children));
    if node.name.is_empty() { value } else { format!("{}={value}", node.name) }
}

fn value(value: &Value<'_>, children: Option<Siblings<'_, '_>>) -> String {
    let children = children.map(row).unwrap_or_default();
    match *value {
        Value::Absent => "absent".into(),
        Value::Resumed(call) => format!("resumed {call:?}"),
        Value::Signed(number) => number.to_string(),
        Value::Unsigned(number, Base::Dec) => number.to_string(),
        Value::Unsigned(number, Base::Hex) => format!("{number:#x}"),
        Value::Unsigned(number, Base::Oct) => format!("{number:#o}"),
        Value::Addr(addr, NotRead::Opaque) => format!("&{:x}", addr.0),
        Value::Addr(addr, NotRead::Unreadable) => format!("!{:x}", addr.0),
        Value::Addr(addr, NotRead::NotWritten) => format!("?{:x}", addr.0),
        Value::Fd(fd, info) => format!("fd {fd}{}", target(info)),
        Value::DirFd(fd, info) => format!("dir {fd}{}", target(info)),
        Value::Pid(pid) => format!("pid {pid}"),
        Value::Id(id) => format!("id {}", id as i32),
        Value::Signal(signal) => format!("sig {signal}"),
        Value::SigSet(set) => format!("sigset {set:x}"),
        Value::SigSet32(set) => format!("sigset {set:x} of 32"),
        Value::Flags(bits, set) => flags(bits, set),
        Value::FlagsPerm(bits, set) => {
            format!("{}|{:o}", flags((bits & !0o777).into(), set), bits & 0o777)
        }
        Value::Perm(mode) => format!("perm {mode:o}"),
        Value::FileMode(mode) => format!("mode {mode:o}"),
        Value::Dev(dev) => format!("dev {dev:x}"),
        Value::WaitStatus(status) => format!("status {status:x}"),
        Value::Path { bytes, cut, .. } => format!("path {}", text(bytes, cut)),
        Value::Abstract(name) => format!("@{}", text(name, false)),
        Value::Text { bytes, cut } | Value::Str { bytes, cut } => {
            format!("str {}", text(bytes, cut))
        }
        Value::Bytes { bytes, cut } => text(bytes, cut),
        Value::Opaque { bytes, cut } => format!("opaque {}", text(bytes, cut)),
        Value::Terminated { bytes, cut } => format!("terminated {}", text(bytes, cut)),
        Value::HexBytes { bytes, cut } => format!("hex {}", text(bytes, cut)),
        Value::Struct | Value::InBrief(_) => format!("{{{children}}}"),
        Value::Instead(_, name) => name.to_owned(),
        Value::Instant(seconds, fraction) | Value::Reading(seconds, fraction) => {
            format!("at {seconds}{} {{{children}}}", decimals(fraction))
        }
        Value::Messages => format!("messages[{children}]"),
        Value::InFull(_) => children.to_string(),
        Value::Array | Value::List | Value::Brief(_) | Value::Pointee => {
            format!("[{children}]")
        }
        Value::Set => format!("set[{children}]"),
        Value::Sum => format!("sum[{children}]"),
        Value::CallSign(bytes) => format!("call sign {bytes:02x?}"),
        Value::Network(name) => format!("{name}({children})"),
        Value::Octets(bytes, _) => format!("octets {bytes:02x?}"),
        Value::Above { number, first, .. } => format!("{first:x}+{}", number - first),
        Value::TooShort => "too short".to_owned(),
        Value::AllBut => format!("all but [{children}]"),
        Value::Change => format!("change({children})"),
        Value::Form(form) => format!("{form}({children})"),
        Value::More(Some(count)) => format!("...{count}"),
        Value::More(None) => "...".into(),
        Value::MoreAt(addr) => format!("...!{:x}", addr.0),
        Value::Counted(addr, count, unit) => format!("&{:x} {count} {unit} [{children}]", addr.0),
        Value::Name(_, name) => name.into(),
        Value::Inet4(address) => std::net::Ipv4Addr::from(address).to_string(),
        Value::Inet6(address) => std::net::Ipv6Addr::from(address).to_string(),
        Value::Mask(mask, digits) => format!("mask {mask:x}/{digits}"),
        Value::QuotaCommand(command) => format!("quota {command:#x}"),
        Value::KernelVersion(version) => format!("version {version:#x}"),
        Value::Extra(bytes, first) => format!("extra {first} {bytes:02x?}"),
        Value::HardwareAddress { bytes, .. } => format!("hardware {bytes:02x?}"),
        Value::Grown(bytes, first, end) => format!("grown {first}..{end} {bytes:02x?}"),
        Value::IoPriority(priority, _) => format!("priority {priority:#x}"),
        Value::FutexOperation(operation) => format!("operation {operation:#x}"),
        Value::ShortResult(result) => format!("result {result:#x}"),
        Value::NegatedErrno(error) => format!("errno -{error}"),
        Value::Errno(error) => format!("errno {error}"),
        Value::CallNumber(number, name) => format!("call {number} {}", name.unwrap_or("-")),
        Value::Namespace(kind, inode) => format!("{kind}:[{inode}]"),
        Value::Ioctl(request, name) => match name {
            Some(name) => format!("ioctl {request:x} {name}"),
            None => format!("ioctl {request:x} -"),
        },
        Value::Date(seconds, fraction) => {
            format!("date {seconds}{}", fraction.map(decimals).unwrap_or_default())
        }
        Value::Annotated(value, set) => format!("{value} {}", flags(value as u64, set)),
        Value::Limit(limit, infinity) => format!("limit {limit} {}", infinity.unwrap_or("finite")),
        Value::Bits(bytes, _) => format!("bits {bytes:02x?}"),
        Value::Capabilities(set) => format!("capabilities {set:x}"),
        Value::Parts(value, _) => format!("parts {value:x}"),
        Value::Offset(_, name, offset) => format!("{name}+{offset:x}"),
        Value::Remarked(remark) => format!("{children} ({remark})"),
        Value::Folded => "folded".to_owned(),
        Value::Place(_, name, rest) => format!("{name}+{rest}"),
        Value::KeySymbol(symbol) => format!("key {symbol:x}"),
        Value::Tone(tone, _) => format!("tone {tone:x}"),
        Value::Uuid(bytes) => format!("uuid {bytes:02x?}"),
        Value::Character(byte) => format!("'{}'", byte.escape_ascii()),
        Value::FourCc(code, _) => format!("code {code:x}"),
        Value::Bit(is_set) => format!("bit {is_set}"),
        Value::SpareBits(bits, first) => format!("bits from {first} of the second byte {bits:#x}"),
        Value::HighBits(bits, first) => format!("bits from {first} {bits:#x}"),
        Value::Multiple(number, unit, _) => format!("{number} by {unit}"),
        Value::Ratio(numerator, denominator) => format!("{numerator}/{denominator}"),
        Value::Ticks(ticks) => format!("ticks {ticks}"),
        Value::At(index, set) => format!("[{}]={children}", flags(index, set)),
        Value::Or | Value::OneOr(_) => format!("or({children})"),
        Value::Shifted(bits) => format!("({children})<<{bits}"),
        Value::Interface(index) => format!("interface {index}"),
        Value::GenericFamily(family) => format!("family {family}"),
        Value::Explained(bits, set) => format!("{bits:x} {}", flags(bits, set)),
        Value::OthersFd(fd, info) => format!("other's fd {fd}{}", target(info)),
        Value::SinceBoot { nanos, started } => format!("{nanos} since {started:?}"),
        Value::CloneFlags(bits, set) => format!("clone {}", flags(bits, set)),
    }
}

fn target(info: Option<&FdInfo>) -> String {
    info.map(|info| format!("<{}>", info.target.escape_ascii())).unwrap_or_default()
}

fn decimals(fraction: Fraction) -> String {
    format!(".{:0width$}", fraction.value, width = usize::from(fraction.digits))
}

fn text(bytes: &[u8], cut: bool) -> String {
    format!("\"{}\"{}", bytes.escape_ascii(), if cut { "+" } else { "" })
}

/// The name of the enumerated field, if there is one, and the other bits in hexadecimal.
fn flags(bits: u64, set: &FlagSet) -> String {
    let field = set.field.iter().find(|named| named.value == bits & set.field_mask);
    match field {
        Some(named) if bits & !set.field_mask == 0 => named.name.into(),
        Some(named) => format!("{}|{:x}", named.name, bits & !set.field_mask),
        None => format!("flags {bits:x}"),
    }
}
