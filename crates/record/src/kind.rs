//! The values that there are: [`Kind`] → nodes.

use contract::GuestAddr;
use table::{Base, Kind, Special, Width, structs};

use crate::place::{Around, Place, number_at};
use crate::walk::Walk;
use crate::{Node, Value, filter, siginfo, sockaddr, special};

impl<'a> Walk<'a> {
    /// Appends the value of this kind at this place; nothing if it is absent.
    pub(crate) fn kind(
        &mut self,
        node: Node<'a>,
        kind: &Kind,
        place: Place<'a>,
        around: &Around<'a>,
    ) {
        match (kind, place) {
            (Kind::Absent | Kind::Hidden(_), _) => {}
            (Kind::Int(Width::Net16, base), _) => {
                let operand = Value::Unsigned(place.number(Width::Net16), *base);
                self.form(node, "htons", operand);
            }
            (Kind::Int(Width::Net32, base), _) => {
                let operand = Value::Unsigned(place.number(Width::Net32), *base);
                self.form(node, "htonl", operand);
            }
            (Kind::Int(Width::Net64, base), _) => {
                let operand = Value::Unsigned(place.number(Width::Net64), *base);
                self.form(node, "htobe64", operand);
            }
            (Kind::Flags(Width::Net16, set), _) => {
                self.form(node, "htons", Value::Flags(place.number(Width::Net16), set));
            }
            (Kind::Ptr(dir, target), _) => {
                self.pointer(node, *dir, target, GuestAddr(place.u64()), around);
            }
            (Kind::Struct(layout), Place::Memory(bytes)) => {
                self.structure(node, layout, bytes, None);
            }
            (Kind::Row(layout), Place::Memory(bytes)) => {
                let around =
                    Around { fields: layout.fields, bytes, before: None, model: self.model };
                self.parent(node, Value::Array, |walk| {
                    for field in layout.fields {
                        let place = around.place(field);
                        walk.kind(Node::default(), &field.kind, place, &around);
                    }
                });
            }
            (Kind::Instant(layout, unit), Place::Memory(bytes)) => {
                self.instant(node, layout, *unit, bytes);
            }
            (Kind::Array(of, count), _) => self.fixed_array(node, of, *count, place),
            (Kind::Leading(of, room, len), _) => {
                let count = match self.length(*len, around) {
                    negative if (negative as i64) < 0 => 0,
                    count => u32::try_from(count).unwrap_or(u32::MAX),
                };
                self.fixed_array(node, of, count.min(*room), place);
            }
            (Kind::Indexed(of, room, len, names), _) => {
                let all = place.bytes(kind.size(self.model) as usize).unwrap_or_default();
                let wanted = self.length(*len, around);
                let count = wanted.min((*room).into()) as usize;
                let bytes = &all[..all.len().min(count * of.size(self.model) as usize)];
                self.indexed(node, of, names, bytes, wanted.saturating_sub((*room).into()));
            }
            (Kind::Exchanged(before, after), _) => {
                self.exchanged_data(node, [before, after], place, around);
            }
            (Kind::Needed(kind), _) => {
                let first = self.nodes.len();
                self.kind(node, kind, place, around);
                self.is_refused |= !self.nodes.is_whole_list(first);
            }
            (Kind::Remarked(kind, remark), _) => {
                self.parent(node, Value::Remarked(remark), |walk| {
                    walk.kind(Node::default(), kind, place, around);
                });
            }
            (Kind::Supplied(kind), _) => self.kind(node, kind, place, around),
            (Kind::UnlessZero(kind), _) => {
                let bytes = place.bytes(kind.size(self.model) as usize).unwrap_or_default();
                if bytes.iter().any(|byte| *byte != 0) {
                    self.kind(node, kind, place, around);
                }
            }
            (Kind::Written(kind), _) => {
                if self.written {
                    self.kind(node, kind, place, around);
                }
            }
            (Kind::Refused(kind), _) => {
                if !self.written {
                    self.kind(node, kind, place, around);
                }
            }
            (Kind::Replaced(kind, _) | Kind::Along(kind), _) => {
                self.kind(node, kind, place, around)
            }
            (Kind::Rest, _) => self.leaf(node, Value::More(None)),
            (Kind::Null, _) => self.leaf(node, Value::not_followed(0)),
            (Kind::Folded, _) => self.leaf(node, Value::Folded),
            (Kind::Brief(kind, most), _) => {
                let first = self.nodes.len();
                self.kind(node, kind, place, around);
                self.nodes.fold(first, Value::Brief(*most));
            }
            (Kind::Labelled(of, labels), _) => self.labelled(node, of, labels, place),
            (Kind::Behind(target), _) => self.behind(node, target, around),
            (Kind::Following(of, len), _) => self.following(node, of, *len, around),
            (Kind::Select { .. } | Kind::IfBits { .. }, _) => {
                if let Some(kind) = self.resolve(kind, around) {
                    self.kind(node, kind, place, around);
                }
            }
            (Kind::Special(Special::QueriedControl), _) => self.queried_control(node, place.u32()),
            (Kind::SigInfo, Place::Memory(bytes)) => {
                siginfo::decode(&mut self.nodes, node, bytes, self.model);
            }
            (Kind::Special(Special::Bit(bit)), _) => {
                let is_set = place.u64() >> bit & 1 == 1;
                let node = Node { verbose: node.verbose || !is_set, ..node };
                self.leaf(node, self.scalar(kind, place, around));
            }
            (Kind::Special(Special::ShortBit(_) | Special::SpareBits(_)), _) => {
                self.leaf(node, self.scalar(kind, place, around));
            }
            (Kind::Special(Special::HighBits(_)), _) => match self.scalar(kind, place, around) {
                Value::HighBits(0, _) => {}
                set => self.leaf(node, set),
            },
            (Kind::Special(Special::Sent), _) => {
                if self.written && self.unspent > 0 {
                    self.unspent -= 1;
                    self.leaf(node, self.scalar(kind, place, around));
                }
            }
            (Kind::Special(Special::FilterInstruction), Place::Memory(bytes)) => {
                filter::instruction(self, node, bytes, false);
            }
            (Kind::Special(Special::SeccompInstruction), Place::Memory(bytes)) => {
                filter::instruction(self, node, bytes, true);
            }
            (Kind::Special(Special::SocketAddress(size)), Place::Memory(bytes)) => {
                sockaddr::value(self, node, bytes.get(..*size as usize).unwrap_or(bytes));
            }
            (Kind::Special(Special::IcmpFilter), Place::Memory(bytes)) => {
                self.icmp_filter(node, bytes);
            }
            _ => self.leaf(node, self.scalar(kind, place, around)),
        }
    }

    /// The value of a kind that has no children. Of one that has, the bits as an address.
    pub(crate) fn scalar(&self, kind: &Kind, place: Place<'a>, around: &Around<'a>) -> Value<'a> {
        match kind {
            Kind::Absent => Value::Absent,
            Kind::Int(width, Base::Dec) if width.is_signed() => {
                Value::Signed(place.number(*width) as i64)
            }
            Kind::Int(width, base) => Value::Unsigned(place.unsigned(*width), *base),
            Kind::Fd => Value::Fd(place.i32(), self.fd_info(place.i32())),
            Kind::DirFd => Value::DirFd(place.i32(), self.fd_info(place.i32())),
            Kind::Pid => Value::Pid(place.i32()),
            Kind::Id => Value::Id(place.u32()),
            Kind::Id16 => Value::Id(match place.number(Width::U16) {
                0xffff => u32::MAX,
                id => id as u32,
            }),
            Kind::Signal => Value::Signal(place.u32()),
            Kind::SigSet => Value::SigSet(place.u64()),
            Kind::SigSet32 => Value::SigSet32(place.u32()),
            Kind::Flags(width, set) => Value::Flags(place.unsigned(*width), set),
            Kind::Parts(width, parts) => Value::Parts(place.unsigned(*width), parts),
            Kind::Annotated(set) => Value::Annotated(place.i32(), set),
            Kind::FlagsPerm(set) => Value::FlagsPerm(place.u32(), set),
            // `umode_t` has 16 bits.
            Kind::Perm => Value::Perm(place.number(Width::U16) as u32),
            Kind::FileMode(width) => Value::FileMode(place.number(*width) as u32),
            Kind::Dev(width) => Value::Dev(place.number(*width)),
            Kind::WaitStatus => Value::WaitStatus(place.u32()),
            // Of a struct that is cut short there may be fewer.
            Kind::CharArray(size) => match place {
                Place::Memory(bytes) => {
                    Value::fixed_text(&bytes[..bytes.len().min(*size as usize)])
                }
                Place::Register(_) | Place::Register32(_) => Value::fixed_text(&[]),
            },
            Kind::LeadingText(size, count) => {
                let bytes = place.bytes(*size as usize).unwrap_or_default();
                let most = bytes.len().saturating_sub(1) as i64;
                let count = (around.number(*count) as i64).clamp(0, most) as usize;
                Value::fixed_text(bytes.get(..count + 1).unwrap_or_default())
            }
            Kind::ByteArray(size) => {
                let bytes = place.bytes(*size as usize).unwrap_or_default();
                Value::Bytes { bytes, cut: false }
            }
            Kind::Prefix(size, count) => {
                let bytes = place.bytes(*size as usize).unwrap_or_default();
                let count = usize::try_from(around.number(*count)).unwrap_or(usize::MAX);
                Value::Bytes { bytes: &bytes[..bytes.len().min(count)], cut: false }
            }
            Kind::HexArray(size) => {
                let bytes = place.bytes(*size as usize).unwrap_or_default();
                Value::HexBytes { bytes, cut: false }
            }
            Kind::Explained(width, set) => Value::Explained(place.unsigned(*width), set),
            Kind::Special(Special::DevicesLength) => {
                let unit = structs::IFREQ_LISTED.size(self.model);
                Value::Multiple(place.i32(), unit, "struct ifreq")
            }
            Kind::Special(Special::ResumedCall) => {
                let call = self.capture.arch.call(place.u64());
                Value::Resumed(call.map(|call| call.name))
            }
            Kind::Special(Special::OthersFd) => {
                Value::OthersFd(place.i32(), self.capture.others_fd.as_ref())
            }
            Kind::Special(Special::SinceBoot) => {
                let started = self.capture.bpf_object.map(|object| object.started);
                Value::SinceBoot { nanos: place.u64(), started }
            }
            Kind::Special(special) => special::value(*special, place, around),
            Kind::Addr
            | Kind::Ptr(..)
            | Kind::SigInfo
            | Kind::Struct(_)
            | Kind::Row(_)
            | Kind::Instant(..)
            | Kind::Array(..)
            | Kind::Leading(..)
            | Kind::Indexed(..)
            | Kind::Labelled(..)
            | Kind::Following(..)
            | Kind::Behind(_)
            | Kind::Written(_)
            | Kind::Rest
            | Kind::Folded
            | Kind::Null
            | Kind::Brief(..)
            | Kind::Remarked(..)
            | Kind::Supplied(_)
            | Kind::Needed(_)
            | Kind::Exchanged(..)
            | Kind::Refused(_)
            | Kind::Replaced(..)
            | Kind::UnlessZero(_)
            | Kind::Hidden(_)
            | Kind::Along(_)
            | Kind::Select { .. }
            | Kind::IfBits { .. } => Value::not_followed(place.u64()),
        }
    }

    /// What a kind that depends on numbers stands for in this call; `None` if it is absent.
    pub(crate) fn resolve<'k>(&self, kind: &'k Kind, around: &Around<'_>) -> Option<&'k Kind> {
        match kind {
            Kind::Select { on, mask, cases, default } => {
                let number = number_at(*on, self.capture, around) & mask;
                self.resolve(table::case(cases, number).unwrap_or(default), around)
            }
            Kind::IfBits { on, mask, then } => {
                let is_set = number_at(*on, self.capture, around) & mask != 0;
                if is_set { self.resolve(then, around) } else { None }
            }
            kind => Some(kind),
        }
    }

    /// Appends as many values as these bytes hold, each with the name of its place, and that there are so
    /// many more.
    pub(crate) fn indexed(
        &mut self,
        node: Node<'a>,
        of: &Kind,
        names: &'static table::FlagSet,
        bytes: &'a [u8],
        more: u64,
    ) {
        let size = of.size(self.model).max(1) as usize;
        self.parent(node, Value::Array, |walk| {
            for (index, element) in bytes.chunks_exact(size).enumerate() {
                if walk.is_full() {
                    return walk.leaf(Node::default(), Value::More(None));
                }
                walk.parent(Node::default(), Value::At(index as u64, names), |walk| {
                    walk.kind(Node::default(), of, Place::Memory(element), &Around::NOTHING);
                });
            }
            if more > 0 {
                walk.leaf(Node::default(), Value::More(Some(more)));
            }
        });
    }

    fn labelled(
        &mut self,
        node: Node<'a>,
        of: &Kind,
        labels: &'static [&'static str],
        place: Place<'a>,
    ) {
        let size = of.size(self.model) as usize;
        let bytes = place.bytes(size * labels.len()).unwrap_or_default();
        self.parent(node, Value::Array, |walk| {
            for (name, element) in labels.iter().zip(bytes.chunks_exact(size.max(1))) {
                let node = Node { name, ..Node::default() };
                walk.kind(node, of, Place::Memory(element), &Around::NOTHING);
            }
        });
    }

    fn fixed_array(&mut self, node: Node<'a>, of: &Kind, count: u32, place: Place<'a>) {
        let size = of.size(self.model) as usize;
        let bytes = place.bytes(size * count as usize).unwrap_or_default();
        self.parent(node, Value::Array, |walk| {
            for element in bytes.chunks_exact(size.max(1)) {
                if walk.is_full() {
                    return walk.leaf(Node::default(), Value::More(None));
                }
                walk.kind(Node::default(), of, Place::Memory(element), &Around::NOTHING);
            }
        });
    }
}
