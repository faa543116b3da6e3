//! Directory entries: `struct linux_dirent64` of `getdents64(2)`.

use table::{Base, Width, flags};

use crate::place::Place;
use crate::target::Pointer;
use crate::walk::Walk;
use crate::{Node, Value};

/// The entry without its name.
const HEADER: usize = 19;

/// Appends the entries in a buffer of this length: their number, with the entries as children.
pub(crate) fn decode<'a>(walk: &mut Walk<'a>, node: Node<'a>, at: Pointer, len: u64) {
    let Some(buffer) = walk.up_to(at, len) else {
        return walk.leaf(node, at.unreadable());
    };
    let count = Entries(buffer).count() as u64;
    walk.parent(node, Value::Counted(at.addr, count, "entries"), |walk| {
        for entry in Entries(buffer) {
            if walk.is_full() {
                return walk.leaf(Node::default(), Value::More(None));
            }
            walk.parent(Node::default(), Value::Struct, |walk| show(walk, entry));
        }
    });
}

/// The bytes of each entry.
struct Entries<'a>(&'a [u8]);

impl<'a> Iterator for Entries<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let size = Place::Memory(self.0.get(16..18)?).number(Width::U16) as usize;
        let (entry, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        (size > HEADER).then_some(entry)
    }
}

fn show<'a>(walk: &mut Walk<'a>, entry: &'a [u8]) {
    let named = |name| Node { name, ..Node::default() };
    let number = |offset: usize, width| Place::Memory(&entry[offset..]).number(width);
    walk.leaf(named("d_ino"), Value::Unsigned(number(0, Width::U64), Base::Dec));
    walk.leaf(named("d_off"), Value::Signed(number(8, Width::S64) as i64));
    walk.leaf(named("d_reclen"), Value::Unsigned(number(16, Width::U16), Base::Dec));
    walk.leaf(named("d_type"), Value::Flags(u64::from(entry[18]), &flags::DIRENT_TYPE));
    let name = &entry[HEADER..];
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    walk.leaf(named("d_name"), Value::Path { bytes: &name[..end], cut: false });
}
