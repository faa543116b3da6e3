//! Directory entries: `struct linux_dirent64` of `getdents64(2)`, and the older form of `getdents(2)`.

use table::{Base, DataModel, Width, flags};

use crate::place::Place;
use crate::walk::{Pointer, Walk};
use crate::{Node, Value};

/// How an entry is laid out: inode number and offset, the entry's length in two bytes, type and name.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    /// Size of the inode number and of the offset, in bytes.
    number: usize,
    /// The type is the last byte of the entry instead of the one before the name.
    type_is_last: bool,
}

impl Form {
    /// That of `getdents64(2)`.
    pub(crate) const NEW: Form = Form { number: 8, type_is_last: false };

    /// That of `getdents(2)`.
    pub(crate) fn old(model: DataModel) -> Form {
        Form { number: model.word() as usize, type_is_last: true }
    }

    /// Where the entry's length is.
    fn length(self) -> usize {
        2 * self.number
    }

    fn name(self) -> usize {
        self.length() + if self.type_is_last { 2 } else { 3 }
    }
}

/// Appends the entries in a buffer of this length: their number, with the entries as children.
pub(crate) fn decode<'a>(walk: &mut Walk<'a>, node: Node<'a>, at: Pointer, len: u64, form: Form) {
    let Some(buffer) = walk.up_to(at, len) else {
        return walk.leaf(node, at.unreadable());
    };
    let entries = || Entries { rest: buffer, form };
    let count = entries().count() as u64;
    walk.parent(node, Value::Counted(at.addr, count, "entries"), |walk| {
        for entry in entries() {
            if walk.is_full() {
                return walk.leaf(Node::default(), Value::More(None));
            }
            walk.parent(Node::default(), Value::Struct, |walk| show(walk, entry, form));
        }
    });
}

/// The bytes of each entry.
struct Entries<'a> {
    rest: &'a [u8],
    form: Form,
}

impl<'a> Iterator for Entries<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let at = self.form.length();
        let size = Place::Memory(self.rest.get(at..at + 2)?).number(Width::U16) as usize;
        let (entry, rest) = self.rest.split_at_checked(size)?;
        self.rest = rest;
        (size > self.form.name()).then_some(entry)
    }
}

fn show<'a>(walk: &mut Walk<'a>, entry: &'a [u8], form: Form) {
    let named = |name| Node { name, ..Node::default() };
    let number = |start: usize, size: usize| Place::Memory(&entry[start..start + size]);
    walk.leaf(named("d_ino"), Value::Unsigned(number(0, form.number).u64(), Base::Dec));
    walk.leaf(named("d_off"), Value::Signed(number(form.number, form.number).i64()));
    let length = number(form.length(), 2).number(Width::U16);
    walk.leaf(named("d_reclen"), Value::Unsigned(length, Base::Dec));
    let kind = |at: usize| Value::Flags(u64::from(entry[at]), &flags::DIRENT_TYPE);
    let text = &entry[form.name()..];
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    let name = Value::Path { bytes: &text[..end], cut: false, context: None };
    if form.type_is_last {
        walk.leaf(named("d_name"), name);
        walk.leaf(named("d_type"), kind(entry.len() - 1));
    } else {
        walk.leaf(named("d_type"), kind(form.name() - 1));
        walk.leaf(named("d_name"), name);
    }
}
