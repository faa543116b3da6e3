//! What btrfs tells in one go: lists whose parts have no fixed place.

use contract::GuestAddr;
use table::{Kind, structs};

use crate::place::{Around, Place};
use crate::walk::{Found, Pointer, Walk};
use crate::{Node, NotRead, Value};

/// An offset has so many bytes.
const OFFSET: usize = 8;

impl<'a> Walk<'a> {
    /// So many offsets, each of a string that lies so far behind the first of them.
    pub(crate) fn offset_strings(&mut self, node: Node<'a>, count: u64, at: Pointer) {
        if count == 0 {
            return self.leaf(node, Value::Array);
        }
        let Some(Found { bytes, fault }) = self.found(at).filter(|at| at.bytes.len() >= OFFSET)
        else {
            return self.leaf(node, at.unreadable());
        };
        self.parent(node, Value::Array, |walk| {
            let mut told = 0;
            for offset in bytes.chunks_exact(OFFSET) {
                if told == count || walk.is_full() {
                    break;
                }
                let value = string_at(Place::Memory(offset).u64(), bytes, at);
                walk.leaf(Node::default(), value);
                told += 1;
            }
            if told < count {
                walk.unread_rest(at, told * OFFSET as u64, fault);
            }
        });
    }

    /// So many headers, each with its data behind it, in `room` bytes.
    pub(crate) fn search_items(&mut self, node: Node<'a>, room: u64, count: u64, at: Pointer) {
        let item = &structs::BTRFS_SEARCH_ITEM;
        let size = u64::from(item.size(self.model));
        let found = self.found(at);
        let bytes = found.map_or(&[][..], |found| found.bytes);
        self.parent(node, Value::Array, |walk| {
            let mut begin = 0_u64;
            for _ in 0..count {
                if begin.checked_add(size).is_none_or(|end| end > room) || walk.is_full() {
                    return walk.leaf(Node::default(), Value::More(None));
                }
                let header = usize::try_from(begin).ok().and_then(|begin| bytes.get(begin..));
                let Some(header) = header.filter(|header| header.len() as u64 >= size) else {
                    return walk.unread_rest(at, begin, true);
                };
                walk.kind(
                    Node::default(),
                    &Kind::Struct(item),
                    Place::Memory(header),
                    &Around::NOTHING,
                );
                begin += size + u64::from(Place::Memory(&header[size as usize - 4..]).u32());
            }
        });
    }

    /// That there is more from so many bytes on, which could not be read if there was a fault.
    fn unread_rest(&mut self, at: Pointer, offset: u64, fault: bool) {
        let value = match at.addr.checked_add(offset) {
            Some(addr) if fault => Value::MoreAt(addr),
            _ => Value::More(None),
        };
        self.leaf(Node::default(), value);
    }
}

/// The string so far into these bytes, or its address.
fn string_at(offset: u64, bytes: &[u8], at: Pointer) -> Value<'_> {
    let begin = usize::try_from(offset).ok();
    let there = begin.and_then(|begin| bytes.get(begin..)).unwrap_or_default();
    match there.iter().position(|byte| *byte == 0) {
        Some(end) => Value::Path { bytes: &there[..end], cut: false, context: None },
        None => Value::Addr(GuestAddr(at.addr.0.wrapping_add(offset)), NotRead::Unreadable),
    }
}
