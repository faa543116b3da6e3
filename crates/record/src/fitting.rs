//! Values that are given room: the options of sockets.

use table::{Dir, Fit, Kind, Layout, Special, flags};

use crate::place::{Around, Place};
use crate::walk::{Pointer, Walk};
use crate::{Node, Value};

impl<'a> Walk<'a> {
    /// A value for which there are so many bytes, a `socklen_t`.
    pub(crate) fn fitting(&mut self, node: Node<'a>, kind: &Kind, len: u64, fit: Fit, at: Pointer) {
        let size = kind.size(self.model);
        let room = match i32::try_from(len as u32) {
            Ok(room) => room as u32,
            Err(_) => 0,
        };
        match fit {
            Fit::AtLeast if room >= size => self.one(node, kind, at),
            Fit::Exactly if room == size => self.one(node, kind, at),
            Fit::Partly if room == 0 && matches!(kind, Kind::Row(_)) => {
                self.leaf(node, Value::Array);
            }
            Fit::Partly if room > 0 => match self.up_to(at, room.min(size).into()) {
                Some(bytes) => self.part(node, kind, bytes),
                None => self.leaf(node, at.unreadable()),
            },
            _ => self.leaf(node, at.unreadable()),
        }
    }

    /// A value of so many bytes of which nothing is known. Of what the kernel reads any length is
    /// taken for one without a sign.
    pub(crate) fn int_or_bytes(&mut self, node: Node<'a>, len: u64, at: Pointer) {
        let is_stored = at.dir != Dir::In;
        let value = match len as u32 {
            4 => return self.one(node, &Kind::INT, at),
            0 if is_stored => at.unreadable(),
            len if is_stored && len > i32::MAX as u32 => at.unreadable(),
            len => self.data(at, len.into()),
        };
        self.leaf(node, value);
    }

    /// As many values as so many bytes hold.
    pub(crate) fn packed(&mut self, node: Node<'a>, kind: &Kind, len: u64, at: Pointer) {
        match i32::try_from(len as u32) {
            Ok(len @ 1..) => {
                let count = len as u64 / u64::from(kind.size(self.model).max(1));
                self.array(node, kind, count, at);
            }
            Ok(0) if matches!(kind, Kind::Struct(_)) => self.leaf(node, Value::Array),
            _ => self.leaf(node, at.unreadable()),
        }
    }

    /// As much of a value as these bytes hold.
    fn part(&mut self, node: Node<'a>, kind: &Kind, bytes: &'a [u8]) {
        match kind {
            Kind::Struct(layout) => self.first_fields(node, Value::Struct, layout, bytes),
            Kind::Row(layout) => self.first_fields(node, Value::Array, layout, bytes),
            Kind::Special(Special::IcmpFilter) => self.icmp_filter(node, bytes),
            kind if bytes.len() < kind.size(self.model) as usize => {
                self.leaf(node, Value::HexBytes { bytes, cut: false });
            }
            kind => self.single(node, kind, bytes),
        }
    }

    /// The fields that these bytes hold, in a struct or, without names, in a list.
    fn first_fields(
        &mut self,
        node: Node<'a>,
        form: Value<'a>,
        layout: &'static Layout,
        bytes: &'a [u8],
    ) {
        let around = Around { fields: layout.fields, bytes, before: None, model: self.model };
        let is_named = matches!(form, Value::Struct);
        self.parent(node, form, |walk| {
            for field in layout.fields {
                let begin = field.offset(walk.model) as usize;
                let Some(there) = bytes.get(begin..).filter(|there| !there.is_empty()) else {
                    return;
                };
                let name = if is_named { field.name } else { "" };
                let node = Node { name, ..Node::default() };
                if there.len() < field.size(walk.model) as usize {
                    return walk.leaf(node, Value::HexBytes { bytes: there, cut: false });
                }
                walk.kind(node, &field.kind, Place::Memory(there), &around);
            }
        });
    }

    /// The types of messages in a `struct icmp_filter`, or if these are most of them, the others.
    /// The kernel leaves ones where less is given.
    pub(crate) fn icmp_filter(&mut self, node: Node<'a>, bytes: &[u8]) {
        let mut whole = [0xff; 4];
        for (into, from) in whole.iter_mut().zip(bytes) {
            *into = *from;
        }
        let set = u32::from_le_bytes(whole);
        let (value, members) = match set.count_ones() {
            17.. => (Value::AllBut, !set),
            _ => (Value::Set, set),
        };
        self.parent(node, value, |walk| {
            for kind in (0..u32::BITS).filter(|bit| members >> bit & 1 == 1) {
                walk.leaf(Node::default(), Value::Flags(kind.into(), &flags::ICMP_TYPE));
            }
        });
    }
}
