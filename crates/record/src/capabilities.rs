//! Sets of capabilities, whose halves are told as one: `capget(2)`.

use contract::{GuestAddr, Phase};
use table::Layout;

use crate::place::Place;
use crate::walk::{Pointer, Walk};
use crate::{Node, Value};

impl<'a> Walk<'a> {
    /// Whether this is `capget(2)` or its like in its first version, whose sets have 32 bits, or in
    /// one that there is not.
    fn has_short_capabilities(&self) -> bool {
        const WIDE: [u32; 2] = [0x2007_1026, 0x2008_0522];
        let header = GuestAddr(self.capture.register(0));
        let version = self.capture.bytes(Phase::Entry, header, 4);
        version.is_some_and(|version| !WIDE.contains(&Place::Memory(version).u32()))
    }

    /// Sets of capabilities; of a form that nobody has said, the address.
    pub(crate) fn capabilities(
        &mut self,
        node: Node<'a>,
        layout: &Layout,
        short: u32,
        at: Pointer,
    ) {
        const HEADER: usize = 8;
        let header = GuestAddr(self.capture.register(0));
        let is_known = self.capture.bytes(Phase::Entry, header, HEADER).is_some();
        let size = if self.has_short_capabilities() { short } else { layout.size(self.model) };
        let Some(bytes) = self.exactly(at, size as usize).filter(|_| is_known) else {
            return self.leaf(node, at.unreadable());
        };
        self.parent(node, Value::Struct, |walk| {
            for field in layout.fields {
                let lower = field.offset(walk.model) as usize;
                let upper = bytes.get(lower + short as usize..).unwrap_or_default();
                let [lower, upper] =
                    [&bytes[lower..], upper].map(|half| u64::from(Place::Memory(half).u32()));
                let node = Node { name: field.name, ..Node::default() };
                walk.leaf(node, Value::Capabilities(lower | upper << 32));
            }
        });
    }
}
