//! Strings and data behind pointers.

use contract::{GuestAddr, NetlinkSocket, SecurityContext};
use table::Dir;

use crate::place::Place;
use crate::walk::{Found, Pointer, Walk};
use crate::{Node, NotRead, Value, netlink, sockaddr};

impl<'a> Walk<'a> {
    /// The NUL-terminated string where the pointer points. A copy without the NUL holds one byte
    /// more than is to be shown, which told the end of the string from a cut.
    pub(crate) fn string(&self, is_path: bool, at: Pointer) -> Value<'a> {
        let ended = |found: Found<'a>| {
            let end = found.bytes.iter().position(|byte| *byte == 0)?;
            Some((&found.bytes[..end], false))
        };
        let cut = |found: Found<'a>| match found.bytes {
            [shown @ .., _] if !found.fault => Some((shown, true)),
            _ => None,
        };
        let whole = self.copies(at, at.phase).find_map(ended);
        let Some((bytes, cut)) = whole.or_else(|| self.copies(at, at.phase).find_map(cut)) else {
            return at.unreadable();
        };
        match is_path {
            true => Value::Path { bytes, cut, context: self.path_context(at.addr) },
            false => Value::Str { bytes, cut },
        }
    }

    /// A string of which no more than so many bytes are looked at.
    pub(crate) fn short_string(&self, at: Pointer, most: u64) -> Value<'a> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        match self.string(false, at) {
            _ if most == 0 => Value::Str { bytes: &[], cut: false },
            Value::Str { bytes, .. } if bytes.len() >= most => {
                Value::Str { bytes: &bytes[..most], cut: true }
            }
            Value::Addr(..) => self.beginning(at, most),
            value => value,
        }
    }

    /// What the file at a path is labelled with, where the capture says so.
    fn path_context(&self, path: GuestAddr) -> Option<&'a SecurityContext> {
        let mut all = self.capture.path_contexts.iter();
        all.find(|known| known.path == path).map(|known| &known.context)
    }

    /// The first so many bytes of a string whose end cannot be read.
    fn beginning(&self, at: Pointer, most: usize) -> Value<'a> {
        match self.found(at).and_then(|found| found.bytes.get(..most)) {
            Some(bytes) => Value::Str { bytes, cut: true },
            None => at.unreadable(),
        }
    }

    /// `struct msgbuf`: a type, and text of `len` bytes. The struct has room for some text itself.
    pub(crate) fn message(&mut self, node: Node<'a>, at: Pointer, len: u64) {
        let word = self.model.word() as usize;
        let found = self.found(at).filter(|found| found.bytes.len() >= 2 * word);
        let Some((found, (head, text))) = found.map(|found| (found, found.bytes.split_at(word)))
        else {
            return self.leaf(node, at.unreadable());
        };
        let wanted = usize::try_from(len).unwrap_or(usize::MAX);
        let text = match &text[..text.len().min(wanted)] {
            text if found.fault && text.len() < wanted => Value::Addr(
                at.addr.checked_add(word as u64).unwrap_or(at.addr),
                NotRead::Unreadable,
            ),
            text => Value::Bytes { bytes: text, cut: text.len() < wanted },
        };
        let place = self.push(Node { value: Value::Struct, ..node });
        let kind = Value::Signed(Place::Memory(head).i64());
        self.leaf(Node { name: "mtype", ..Node::default() }, kind);
        self.leaf(Node { name: "mtext", ..Node::default() }, text);
        self.nodes.close(place);
    }

    /// Data; of a socket of netlink, the messages that it holds.
    pub(crate) fn bytes(&mut self, node: Node<'a>, at: Pointer, len: u64) {
        let len = if at.dir == Dir::Out { len.min(self.filled) } else { len };
        if at.dir == Dir::Out {
            self.filled -= len;
        }
        // Of `sendmsg(2)`'s messages, those have this form that come with an address of netlink.
        let has_peer = self.peer.is_none_or(|family| family == sockaddr::AF_NETLINK);
        let socket = self.capture.netlink.filter(|_| self.is_verbose && has_peer);
        match (self.data(at, len), socket) {
            (Value::Bytes { bytes, .. }, Some(socket)) if netlink::has_messages(socket) => {
                netlink::decode(self, node, socket, bytes, None);
            }
            (Value::Addr(..), Some(socket)) if netlink::has_messages(socket) => {
                self.cut_messages(node, socket, at);
            }
            (value, _) => self.leaf(node, value),
        }
    }

    /// Messages of netlink of which the first ones can be read.
    fn cut_messages(&mut self, node: Node<'a>, socket: NetlinkSocket, at: Pointer) {
        let bytes = self.found(at).map_or(&[][..], |found| found.bytes);
        match at.addr.checked_add(bytes.len() as u64) {
            Some(end) if netlink::are_whole(bytes) => {
                netlink::decode(self, node, socket, bytes, Some(end));
            }
            _ => self.leaf(node, at.unreadable()),
        }
    }

    /// As much of `len` bytes as was captured.
    pub(crate) fn data(&self, at: Pointer, len: u64) -> Value<'a> {
        match self.up_to(at, len) {
            Some(bytes) => Value::Bytes { bytes, cut: (bytes.len() as u64) < len },
            None => at.unreadable(),
        }
    }

    /// The same, with a NUL at its end.
    pub(crate) fn terminated(&self, at: Pointer, len: u64) -> Value<'a> {
        match self.data(at, len) {
            Value::Bytes { bytes, cut } => Value::Terminated { bytes, cut },
            unreadable => unreadable,
        }
    }

    /// The same, shown in hexadecimal.
    pub(crate) fn hex_bytes(&self, at: Pointer, len: u64) -> Value<'a> {
        match self.data(at, len) {
            Value::Bytes { bytes, cut } => Value::HexBytes { bytes, cut },
            unreadable => unreadable,
        }
    }

    /// The first `most` bytes of what has no form.
    pub(crate) fn opaque(&self, at: Pointer, len: u64, most: u64) -> Value<'a> {
        match self.up_to(at, len.min(most)) {
            Some(bytes) => Value::Opaque { bytes, cut: len > most },
            None => Value::TooShort,
        }
    }
}
