//! A record's trees of values → text.

use std::net::{Ipv4Addr, Ipv6Addr};

use record::{Node, Nodes, Siblings, Tid, Value};

use super::color::{Role, paint};
use super::digits;
use super::flags::{self, push};
use super::string::quote;
use super::style::{Constants, HexStrings, ValueStyle};
use super::time;
use crate::WallClock;

/// How the values of one record look.
#[derive(Clone, Copy)]
pub(super) struct Look<'s> {
    pub style: &'s ValueStyle,
    pub clock: &'s WallClock,
    /// The thread that is told of.
    pub tid: Tid,
    /// Whether large structures and arrays are shortened.
    pub abbreviated: bool,
    /// Whether descriptors tell what they stand for, where that is known.
    pub targets: bool,
}

/// How far a call's arguments have been shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Shown {
    /// So many arguments.
    pub count: usize,
    /// A comma stands behind the last one.
    pub comma: bool,
    /// The last one was shown with its name.
    pub named: bool,
    /// Of the last one only what was given was shown.
    pub is_asked: bool,
}

impl Look<'_> {
    /// Appends the arguments behind those that have been shown already.
    pub fn args(&self, out: &mut Vec<u8>, args: &Nodes<'_>, shown: Shown) -> Shown {
        let mut shown = shown;
        let mut comma = shown.comma;
        if std::mem::take(&mut shown.is_asked)
            && let Some((node, children)) = args.from(0).present().nth(shown.count - 1)
            && matches!(node.value, Value::Change)
        {
            for (node, children) in children.present().skip(1) {
                out.extend(b" => ");
                self.value(out, node, children);
            }
        }
        for (node, children) in args.from(0).present().skip(shown.count) {
            if shown.count > 0 && !comma {
                out.extend(b", ");
            }
            comma = false;
            if node.named || self.style.argument_names && !node.name.is_empty() {
                name(out, node);
            }
            self.value(out, node, children);
            shown.count += 1;
            shown.named = node.named;
        }
        shown
    }

    /// Appends what a successful call returned.
    pub fn result(&self, out: &mut Vec<u8>, result: &record::Result<'_>) {
        match result.value {
            Value::Addr(addr, _) if addr.is_null() => out.push(b'0'),
            value => self.value(out, &Node { value, ..Node::default() }, Nodes::default().from(0)),
        }
        let is_number = self.style.constants == Constants::Raw;
        let is_quiet = |value| match value {
            Value::IoPriority(..) => is_number,
            Value::Flags(_, set) if set.field_mask == 0 => is_number,
            // One of several, and none of them.
            Value::Flags(value, set) => set.field_mask == u64::MAX && set.name(value).is_none(),
            Value::Parts(_, parts) => is_number && parts.is_one_number,
            _ => false,
        };
        if result.label.is_empty() && result.note.from(0).all(|(node, _)| is_quiet(node.value)) {
            return;
        }
        out.extend(b" (");
        out.extend(result.label.as_bytes());
        let mut first = result.label.is_empty() || result.label.ends_with('=');
        let look = Look { targets: false, ..*self };
        for (node, children) in result.note.from(0).present() {
            if !first {
                out.extend(if result.label.is_empty() { &b", "[..] } else { b" " });
            }
            first = false;
            if node.named {
                out.extend(node.name.as_bytes());
                out.push(b' ');
            }
            match node.value {
                Value::Flags(value, set) if !set.apart => {
                    flags::flags(out, value, set, Constants::Abbrev);
                }
                Value::Date(seconds, fraction) => time::date(out, self.clock, seconds, fraction),
                Value::Signal(number) => flags::signal(out, number, Constants::Abbrev),
                Value::IoPriority(priority, _) => look.io_priority_parts(out, priority),
                _ => look.value(out, node, children),
            }
        }
        out.push(b')');
    }

    /// Appends a value and its children.
    pub fn value(&self, out: &mut Vec<u8>, node: &Node<'_>, children: Siblings<'_, '_>) {
        match node.value {
            Value::InBrief(addr) if !self.abbreviated => digits::hex(out, addr.0),
            Value::Struct | Value::InBrief(_) => self.structure(out, children),
            Value::Instead(_, name) => match self.style.constants {
                Constants::Abbrev => out.extend(name.as_bytes()),
                Constants::Raw => self.structure(out, children),
                Constants::Verbose => {
                    self.structure(out, children);
                    self.comment(out, |out| out.extend(name.as_bytes()));
                }
            },
            Value::Reading(..) if self.style.constants == Constants::Raw => {
                self.structure(out, children);
            }
            Value::Instant(seconds, fraction) | Value::Reading(seconds, fraction) => {
                self.structure(out, children);
                self.date_comment(out, seconds, Some(fraction));
            }
            Value::InFull(addr) if self.abbreviated => digits::hex(out, addr.0),
            Value::InFull(_) => {
                children.for_each(|(node, children)| self.value(out, node, children));
            }
            Value::Brief(most) if self.abbreviated => self.array(out, children, most.into()),
            Value::Array | Value::Brief(_) => {
                let limit = if self.abbreviated { self.style.string_limit } else { usize::MAX };
                self.array(out, children, limit);
            }
            Value::Messages if self.abbreviated && self.style.string_limit == 0 => {
                out.extend(b"...");
            }
            Value::Messages if { children }.count() == 1 => self.separated(out, children, b""),
            Value::Messages => {
                let limit = if self.abbreviated { self.style.string_limit } else { usize::MAX };
                self.array(out, children, limit);
            }
            Value::List => self.array(out, children, usize::MAX),
            Value::Pointee => {
                out.push(b'[');
                children.for_each(|(node, children)| self.value(out, node, children));
                out.push(b']');
            }
            Value::Set | Value::AllBut => {
                let is_inverted = matches!(node.value, Value::AllBut);
                out.extend(if is_inverted { &b"~["[..] } else { b"[" });
                self.separated(out, children, b" ");
                out.push(b']');
            }
            Value::Remarked(remark) => {
                self.separated(out, children, b"");
                self.comment(out, |out| out.extend(remark.as_bytes()));
            }
            Value::Change => self.separated(out, children, b" => "),
            Value::OneOr(number) if self.style.constants == Constants::Raw => {
                flags::number(out, number);
            }
            Value::Or | Value::OneOr(_) => self.separated(out, children, b"|"),
            Value::Sum => self.separated(out, children, b"+"),
            Value::Shifted(bits) => {
                self.separated(out, children, b"");
                push(out, format_args!("<<{bits}"));
            }
            Value::At(index, names) => {
                out.push(b'[');
                self.index(out, index, names);
                out.extend(b"]=");
                self.separated(out, children, b"");
            }
            Value::Form(name) => self.form(out, name, children),
            Value::Network(name) => self.in_network_order(out, name, children),
            Value::Counted(addr, count, unit) => self.counted(out, (addr.0, count, unit), children),
            Value::Path { .. }
            | Value::Text { .. }
            | Value::Str { .. }
            | Value::Bytes { .. }
            | Value::HexBytes { .. }
            | Value::Terminated { .. }
            | Value::Opaque { .. }
            | Value::Abstract(_)
            | Value::Inet4(_)
            | Value::Inet6(_) => self.text(out, node),
            value => self.scalar(out, value),
        }
    }

    fn separated(&self, out: &mut Vec<u8>, children: Siblings<'_, '_>, by: &[u8]) {
        for (at, (node, children)) in children.present().enumerate() {
            if at > 0 {
                out.extend(by);
            }
            if !node.name.is_empty() {
                name(out, node);
            }
            self.value(out, node, children);
        }
    }

    fn structure(&self, out: &mut Vec<u8>, fields: Siblings<'_, '_>) {
        out.push(b'{');
        let mut first = true;
        let mut folded = false;
        for (node, children) in fields.present() {
            if node.verbose && self.abbreviated {
                folded = true;
                continue;
            }
            if self.abbreviated && matches!(node.value, Value::Bit(false) | Value::SpareBits(0, _))
            {
                continue;
            }
            if matches!(node.value, Value::Folded) {
                if folded {
                    out.extend(if first { &b"..."[..] } else { b", ..." });
                    (first, folded) = (false, false);
                }
                continue;
            }
            if !first {
                out.extend(b", ");
            }
            first = false;
            // Its form tells the name, and what is missing has none.
            if !matches!(node.value, Value::Inet6(_)) && !node.name.is_empty() {
                name(out, node);
            }
            match node.value {
                Value::MoreAt(_) => out.extend(b"???"),
                _ => self.value(out, node, children),
            }
        }
        if folded {
            out.extend(if first { &b"..."[..] } else { b", ..." });
        }
        out.push(b'}');
    }

    pub fn comment(&self, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
        out.push(b' ');
        paint(out, self.style.color, Role::Aside, |out| {
            out.extend(b"/* ");
            write(out);
            out.extend(b" */");
        });
    }

    /// Appends an array of which so many elements are told at most.
    fn array(&self, out: &mut Vec<u8>, elements: Siblings<'_, '_>, limit: usize) {
        out.push(b'[');
        for (at, (node, children)) in elements.enumerate() {
            if at > 0 {
                out.extend(b", ");
            }
            if node.verbose && self.abbreviated
                || at >= limit && !matches!(node.value, Value::More(_) | Value::MoreAt(_))
            {
                out.extend(b"...");
                break;
            }
            if !node.name.is_empty() {
                push(out, format_args!("[{}]=", node.name));
            }
            self.value(out, node, children);
        }
        out.push(b']');
    }

    fn counted(
        &self,
        out: &mut Vec<u8>,
        (addr, count, unit): (u64, u64, &str),
        elements: Siblings<'_, '_>,
    ) {
        let mut all = elements;
        if !self.abbreviated && (count == 0 || all.next().is_some()) {
            return self.array(out, elements, usize::MAX);
        }
        digits::hex(out, addr);
        self.comment(out, |out| match (count, unit) {
            (1, _) => push(out, format_args!("1 {}", unit.replacen("vars", "var", 1))),
            _ => push(out, format_args!("{count} {unit}")),
        });
    }

    fn text(&self, out: &mut Vec<u8>, node: &Node<'_>) {
        let hex = self.style.strings_in_hex;
        let limit = self.style.string_limit;
        match node.value {
            Value::Text { bytes, cut } => self.string(out, bytes, cut, hex),
            Value::Path { bytes, cut, context } => {
                self.string(out, bytes, cut, hex);
                self.file_context(out, context);
            }
            Value::Str { bytes, cut } | Value::Bytes { bytes, cut } => {
                let shown = &bytes[..bytes.len().min(limit)];
                self.string(out, shown, cut || shown.len() < bytes.len(), hex);
            }
            Value::HexBytes { bytes, cut } => {
                let shown = &bytes[..bytes.len().min(limit)];
                self.string(out, shown, cut || shown.len() < bytes.len(), HexStrings::All);
            }
            Value::Terminated { bytes, cut } => {
                let shown = &bytes[..bytes.len().min(limit)];
                match shown.strip_suffix(b"\0") {
                    Some(shown) if hex == HexStrings::None => self.string(out, shown, false, hex),
                    _ => self.string(out, shown, cut || shown.len() < bytes.len(), hex),
                }
            }
            Value::Opaque { bytes, cut } => self.string(out, bytes, cut, HexStrings::All),
            Value::Abstract(name) => {
                out.push(b'@');
                self.string(out, name, false, hex);
            }
            Value::Inet4(address) => self.network(out, &address, |out| {
                out.extend(b"inet_addr(");
                self.string(out, Ipv4Addr::from(address).to_string().as_bytes(), false, hex);
                out.push(b')');
            }),
            Value::Inet6(address) => {
                let abbrev = self.style.constants == Constants::Abbrev;
                if !abbrev && !node.name.is_empty() {
                    name(out, node);
                }
                self.network(out, &address, |out| {
                    out.extend(b"inet_pton(AF_INET6, ");
                    self.string(out, inet6(address).as_bytes(), false, hex);
                    if abbrev && !node.name.is_empty() {
                        push(out, format_args!(", &{}", node.name));
                    }
                    out.push(b')');
                });
            }
            _ => {}
        }
    }

    fn string(&self, out: &mut Vec<u8>, bytes: &[u8], cut: bool, hex: HexStrings) {
        paint(out, self.style.color, Role::Text, |out| quote(out, bytes, hex));
        if cut {
            out.extend(b"...");
        }
    }

    /// A call-like form. What `htons` and `htonl` take is shown as bytes where constants are.
    fn form(&self, out: &mut Vec<u8>, name: &str, operands: Siblings<'_, '_>) {
        match { operands }.next() {
            Some((Node { value: Value::Unsigned(..), .. }, _)) => {
                self.in_network_order(out, name, operands);
            }
            _ => self.call_like(out, name, operands),
        }
    }

    fn call_like(&self, out: &mut Vec<u8>, name: &str, operands: Siblings<'_, '_>) {
        out.extend(name.as_bytes());
        out.push(b'(');
        self.separated(out, operands, b", ");
        out.push(b')');
    }

    fn in_network_order(&self, out: &mut Vec<u8>, name: &str, operands: Siblings<'_, '_>) {
        let first = { operands }.next().map(|(node, _)| node.value);
        let call = |out: &mut Vec<u8>| match first {
            // Its bytes stand before it: what it means is told in words only.
            Some(Value::Flags(value, set)) => {
                push(out, format_args!("{name}("));
                self.painted(out, |out| flags::flags(out, value, set, Constants::Abbrev));
                out.push(b')');
            }
            _ => self.call_like(out, name, operands),
        };
        let number = match first {
            Some(Value::Unsigned(number, _) | Value::Flags(number, _)) => number.to_be_bytes(),
            _ => return call(out),
        };
        match name {
            "htons" => self.network(out, &number[6..], call),
            "htonl" => self.network(out, &number[4..], call),
            _ => call(out),
        }
    }

    /// Bytes in network order: as they are, as what they mean, or both.
    fn network(&self, out: &mut Vec<u8>, bytes: &[u8], meaning: impl FnOnce(&mut Vec<u8>)) {
        match self.style.constants {
            Constants::Abbrev => meaning(out),
            Constants::Raw => self.string(out, bytes, false, HexStrings::All),
            Constants::Verbose => {
                self.string(out, bytes, false, HexStrings::All);
                self.comment(out, meaning);
            }
        }
    }
}

/// Appends a node's name and what stands between it and the value.
fn name(out: &mut Vec<u8>, node: &Node<'_>) {
    out.extend(node.name.as_bytes());
    out.push(b'=');
}

/// An IPv6 address as the C library writes it: the last part of what begins with nothing but zeros is
/// taken for an IPv4 address.
fn inet6(address: [u8; 16]) -> String {
    match address {
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d] if [a, b] != [0, 0] => {
            format!("::{a}.{b}.{c}.{d}")
        }
        address => Ipv6Addr::from(address).to_string(),
    }
}
