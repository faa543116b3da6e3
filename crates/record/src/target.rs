//! What lies behind pointers: [`Target`] → nodes.

use contract::{GuestAddr, NetlinkSocket, Phase, SecurityContext};
use table::{Dir, Kind, Len, Special, Target};

use crate::decoder::opaque;
use crate::dirents::Form;
use crate::place::{Around, Place};
use crate::walk::{Walk, is_address_length, phase};
use crate::{
    Node, NotRead, Value, control, device_mapper, dirents, netlink, siginfo, sockaddr, vector,
};

/// What a capture holds from an address on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    /// The bytes.
    pub(crate) bytes: &'a [u8],
    /// Whether more was wanted but unreadable.
    pub(crate) fault: bool,
}

/// A pointer that is being followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointer {
    pub(crate) addr: GuestAddr,
    pub(crate) dir: Dir,
    /// Which copy to look at.
    pub(crate) phase: Phase,
}

impl Pointer {
    /// Its address instead of what could not be read there.
    pub(crate) fn unreadable<'a>(self) -> Value<'a> {
        Value::Addr(self.addr, NotRead::Unreadable)
    }
}

impl<'a> Walk<'a> {
    /// Appends what a pointer leads to, or its address.
    pub(crate) fn pointer(
        &mut self,
        node: Node<'a>,
        dir: Dir,
        target: &Target,
        addr: GuestAddr,
        around: &Around<'a>,
    ) {
        if let Target::Control(len) = target
            && self.length(*len, around) == 0
        {
            return;
        }
        if !addr.is_null() && self.is_known_to_be_empty(dir, target) {
            return self.leaf(node, Value::Array);
        }
        let is_structure = !matches!(
            target,
            Target::Path
                | Target::CStr
                | Target::ShortStr(_)
                | Target::Bytes(_)
                | Target::HexBytes(_)
                | Target::Terminated(_)
                | Target::DeviceMapper(_)
        );
        if addr.is_null() || is_structure && !self.is_verbose {
            return self.leaf(node, opaque(addr.0));
        }
        let is_written = match dir {
            Dir::In | Dir::InOut | Dir::Answered => true,
            Dir::Out | Dir::Refilled => self.written,
            Dir::Interrupted => self.capture.was_interrupted(),
        };
        if !is_written {
            return self.leaf(node, Value::Addr(addr, NotRead::NotWritten));
        }
        let phase = match dir {
            Dir::In => Phase::Entry,
            Dir::Out | Dir::InOut | Dir::Refilled => phase(self.written),
            Dir::Answered => phase(self.capture.outcome.is_some()),
            Dir::Interrupted => Phase::Exit,
        };
        self.pointee(node, target, Pointer { addr, dir, phase }, around);
    }

    fn pointee(&mut self, node: Node<'a>, target: &Target, at: Pointer, around: &Around<'a>) {
        match target {
            Target::Path | Target::CStr => {
                let value = self.string(matches!(target, Target::Path), at);
                self.leaf(node, value);
            }
            Target::ShortStr(most) => {
                let value = match self.string(false, at) {
                    Value::Str { bytes, .. } if bytes.len() >= *most as usize => {
                        Value::Str { bytes: &bytes[..*most as usize], cut: true }
                    }
                    Value::Addr(..) => self.beginning(at, *most),
                    value => value,
                };
                self.leaf(node, value);
            }
            Target::Bytes(Len::DerefAt(register, offset))
                if !self.is_verbose || self.length_at(*register, *offset).is_none() =>
            {
                self.leaf(node, at.unreadable());
            }
            Target::Bytes(len) => {
                let mut len = self.length(*len, around);
                if at.dir == Dir::Out {
                    len = len.min(self.filled);
                    self.filled -= len;
                }
                self.buffer(node, at, len);
            }
            Target::Message(len) => {
                let len = self.length(*len, around);
                self.message(node, at, len);
            }
            Target::Terminated(len) => {
                let len = self.length(*len, around);
                let value = match self.data(at, len) {
                    Value::Bytes { bytes, cut } => Value::Terminated { bytes, cut },
                    unreadable => unreadable,
                };
                self.leaf(node, value);
            }
            Target::HexBytes(len) => {
                let len = self.length(*len, around);
                let value = match self.data(at, len) {
                    Value::Bytes { bytes, cut } => Value::HexBytes { bytes, cut },
                    unreadable => unreadable,
                };
                self.leaf(node, value);
            }
            Target::Opaque(len, most) => {
                let len = self.length(*len, around);
                let value = match self.up_to(at, len.min(u64::from(*most))) {
                    Some(bytes) => Value::Opaque { bytes, cut: len > u64::from(*most) },
                    None => Value::TooShort,
                };
                self.leaf(node, value);
            }
            Target::IntOrBytes(len) => {
                let len = self.length(*len, around);
                self.int_or_bytes(node, len, at);
            }
            Target::Fitting(kind, len, fit) => {
                let len = self.length(*len, around);
                self.fitting(node, kind, len, *fit, at);
            }
            Target::Packed(kind, len) => {
                let len = self.length(*len, around);
                self.packed(node, kind, len, at);
            }
            Target::One(kind) => self.one(node, kind, at),
            Target::Sized(layout, len, always) => {
                let len = self.length(*len, around);
                self.sized(node, layout, len, *always, at);
            }
            Target::Extensible(layout, len, least) => {
                let len = self.length(*len, around);
                self.extensible(node, layout, len, *least, at);
            }
            Target::InFull(kind, len) => {
                let count = self.length(*len, around);
                self.in_full(node, kind, count, at);
            }
            Target::SelfSized(layout, size, least, short) => {
                self.self_sized(node, layout, *size, (*least, *short), at);
            }
            Target::Bare(kind) => match self.exactly(at, kind.size(self.model) as usize) {
                Some(bytes) => self.kind(node, kind, Place::Memory(bytes), &Around::NOTHING),
                None => self.leaf(node, at.unreadable()),
            },
            Target::Exchange(asked, answered) => {
                self.exchange(node, [asked, answered], at, None);
            }
            Target::Exact(asked, answered, len) => {
                let len = self.length(*len, around);
                self.exact(node, [asked, answered], len, at);
            }
            Target::Answer(asked, answered) => {
                let missing = Value::Addr(at.addr, NotRead::NotWritten);
                self.exchange(node, [asked, answered], at, Some(missing));
            }
            Target::Array(kind, len) => {
                let count = self.length(*len, around);
                let size = count.saturating_mul(kind.size(self.model).into());
                let is_there = |found: Found<'_>| !found.fault || found.bytes.len() as u64 >= size;
                // A list of a fixed length is read as a whole.
                if matches!(len, Len::Const(_)) && !self.found(at).is_some_and(is_there) {
                    return self.leaf(node, at.unreadable());
                }
                self.array(node, kind, count, at);
            }
            Target::Strings => vector::strings(self, node, at),
            Target::Environment => vector::environment(self, node, at),
            Target::SockAddr(len) => {
                let len = self.length(*len, around);
                sockaddr::decode(self, node, at, len);
            }
            Target::Control(len) => {
                let len = self.length(*len, around);
                control::decode(self, node, at, len);
            }
            Target::Dirents(len) => {
                let len = self.length(*len, around);
                dirents::decode(self, node, at, len, Form::NEW);
            }
            Target::OldDirents(len) => {
                let len = self.length(*len, around);
                dirents::decode(self, node, at, len, Form::old(self.model));
            }
            Target::SigSet(len, least) => {
                let least = if *least == 0 { self.model.word() } else { *least };
                let len = self.length(*len, around);
                let fits = (u64::from(least)..=8).contains(&len);
                match self.up_to(at, len).filter(|_| fits) {
                    Some(bytes) if bytes.len() <= 4 => {
                        self.leaf(node, Value::SigSet32(Place::Memory(bytes).u32()));
                    }
                    Some(bytes) => self.leaf(node, Value::SigSet(Place::Memory(bytes).u64())),
                    None => self.leaf(node, at.unreadable()),
                }
            }
            Target::BitSet(len) => self.descriptor_set(node, *len, at, around),
            Target::BitSetBytes(len) => {
                let len = self.length(*len, around);
                self.cpu_set(node, len, at);
            }
            Target::NamedBits(names, len) => {
                let len = self.length(*len, around);
                match self.up_to(at, len).filter(|_| len > 0) {
                    Some(bytes) => self.leaf(node, Value::Bits(bytes, names)),
                    None => self.leaf(node, at.unreadable()),
                }
            }
            Target::Capabilities(layout, short) => self.capabilities(node, layout, *short, at),
            Target::DeviceMapper(request) => device_mapper::decode(self, node, request, at),
            Target::SigInfo => match self.exactly(at, size_of::<contract::SigInfo>()) {
                Some(info) => siginfo::decode(&mut self.nodes, node, info, self.model),
                None => self.leaf(node, at.unreadable()),
            },
        }
    }

    /// The copies that begin where the pointer points: several if several pointers lead there.
    fn copies(&self, at: Pointer, phase: Phase) -> impl Iterator<Item = Found<'a>> {
        let here = self.capture.spans_at(phase, at.addr);
        here.map(|(span, bytes)| Found { bytes, fault: span.fault })
    }

    /// The longest copy that begins where the pointer points. What a call reads through a pointer
    /// in a struct that it wrote (`recvmmsg(2)`'s vectors) is copied after it.
    pub(crate) fn found(&self, at: Pointer) -> Option<Found<'a>> {
        let longest = |phase| self.copies(at, phase).max_by_key(|found| found.bytes.len());
        longest(at.phase).or_else(|| if at.dir == Dir::In { longest(Phase::Exit) } else { None })
    }

    /// Exactly `len` bytes where the pointer points.
    pub(crate) fn exactly(&self, at: Pointer, len: usize) -> Option<&'a [u8]> {
        let copied = |phase| self.capture.bytes(phase, at.addr, len);
        copied(at.phase).or_else(|| if at.dir == Dir::In { copied(Phase::Exit) } else { None })
    }

    /// As many bytes of `len` as were captured; `None` if some of them were unreadable.
    pub(crate) fn up_to(&self, at: Pointer, len: u64) -> Option<&'a [u8]> {
        if len == 0 {
            return Some(&[]);
        }
        let found = self.found(at)?;
        let wanted = usize::try_from(len).unwrap_or(usize::MAX);
        if found.fault && found.bytes.len() < wanted {
            return None;
        }
        Some(&found.bytes[..found.bytes.len().min(wanted)])
    }

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

    /// What the file at a path is labelled with, where the capture says so.
    fn path_context(&self, path: GuestAddr) -> Option<&'a SecurityContext> {
        let mut all = self.capture.path_contexts.iter();
        all.find(|known| known.path == path).map(|known| &known.context)
    }

    /// The first so many bytes of a string whose end cannot be read.
    fn beginning(&self, at: Pointer, most: u32) -> Value<'a> {
        match self.found(at).and_then(|found| found.bytes.get(..most as usize)) {
            Some(bytes) => Value::Str { bytes, cut: true },
            None => at.unreadable(),
        }
    }

    /// `struct msgbuf`: a type, and text of `len` bytes. The struct has room for some text itself.
    fn message(&mut self, node: Node<'a>, at: Pointer, len: u64) {
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
    fn buffer(&mut self, node: Node<'a>, at: Pointer, len: u64) {
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

    pub(crate) fn data(&self, at: Pointer, len: u64) -> Value<'a> {
        match self.up_to(at, len) {
            Some(bytes) => Value::Bytes { bytes, cut: (bytes.len() as u64) < len },
            None => at.unreadable(),
        }
    }

    /// One value: a struct stands for itself, a scalar is an array of one.
    pub(crate) fn one(&mut self, node: Node<'a>, kind: &Kind, at: Pointer) {
        let Some(bytes) = self.exactly(at, kind.size(self.model) as usize) else {
            return self.leaf(node, at.unreadable());
        };
        let place = Place::Memory(bytes);
        let before = Pointer { phase: Phase::Entry, ..at };
        let before = match at.dir {
            Dir::InOut | Dir::Answered if at.phase == Phase::Exit => {
                self.exactly(before, bytes.len())
            }
            _ => None,
        };
        self.origin = Some(at);
        match kind {
            Kind::Struct(layout) if at.dir == Dir::InOut && !self.written => {
                self.refused(node, layout, bytes);
            }
            Kind::Struct(layout) if at.dir == Dir::In && self.written => {
                self.answered(node, layout, bytes);
            }
            Kind::Struct(layout) => self.structure(node, layout, bytes, before),
            Kind::SigSet
            | Kind::SigSet32
            | Kind::Special(Special::IcmpFilter)
            | Kind::Array(..)
            | Kind::Row(_)
            | Kind::CharArray(_)
            | Kind::ByteArray(_) => {
                self.kind(node, kind, place, &Around::NOTHING);
            }
            _ => match before {
                Some(before) if before != bytes => self.scalar_changed(node, kind, [before, bytes]),
                _ => self.single(node, kind, bytes),
            },
        }
    }

    /// The values that follow the struct that is being told.
    pub(crate) fn following(&mut self, node: Node<'a>, kind: &Kind, len: Len, around: &Around<'a>) {
        let count = self.length(len, around);
        let end = |at: Pointer| at.addr.checked_add(around.bytes.len() as u64);
        if let Some((at, addr)) = self.origin.and_then(|at| Some((at, end(at)?))) {
            self.array(node, kind, count, Pointer { addr, ..at });
        }
    }

    /// What follows the struct that is being told.
    pub(crate) fn behind(&mut self, node: Node<'a>, target: &Target, around: &Around<'a>) {
        let end = |at: Pointer| at.addr.checked_add(around.bytes.len() as u64);
        if let Some((at, addr)) = self.origin.and_then(|at| Some((at, end(at)?))) {
            let at = Pointer { addr, ..at };
            match target {
                Target::CStr => match self.string(false, at) {
                    Value::Addr(..) => self.leaf(node, Value::TooShort),
                    value => self.leaf(node, value),
                },
                target => self.pointee(node, target, at, around),
            }
        }
    }

    /// A scalar behind a pointer.
    pub(crate) fn single(&mut self, node: Node<'a>, kind: &Kind, bytes: &'a [u8]) {
        self.parent(node, Value::Pointee, |walk| {
            walk.kind(Node::default(), kind, Place::Memory(bytes), &Around::NOTHING);
        });
    }

    /// A scalar that the call changed. Customarily a length, which is 32 bits wide, changes within
    /// the brackets (`[128 => 16]`) and an offset with them (`[0] => [11]`).
    fn scalar_changed(&mut self, node: Node<'a>, kind: &Kind, bytes: [&'a [u8]; 2]) {
        if kind.size(self.model) == 4 {
            return self.parent(node, Value::Pointee, |walk| {
                walk.changed(Node::default(), kind, bytes.map(Place::Memory));
            });
        }
        self.parent(node, Value::Change, |walk| {
            for bytes in bytes {
                walk.single(Node::default(), kind, bytes);
            }
        });
    }

    /// A struct that the call has read. If it holds pointers to single values that the call wrote
    /// (`clone3(2)`), it is told as it was given and, beside it, what those pointers lead to.
    pub(crate) fn answered(&mut self, node: Node<'a>, layout: &table::Layout, bytes: &'a [u8]) {
        let around = Around { fields: layout.fields, bytes, before: None, model: self.model };
        let leads = |walk: &Walk<'a>, field: &table::Field| {
            let kind = walk.resolve(&field.kind, &around);
            let to_answer = matches!(kind, Some(Kind::Ptr(Dir::Out, Target::One(_))));
            to_answer && around.place(field).u64() != 0
        };
        if !layout.fields.iter().any(|field| leads(self, field)) {
            return self.structure(node, layout, bytes, None);
        }
        self.parent(node, Value::Change, |walk| {
            walk.written = false;
            walk.structure(Node::default(), layout, bytes, None);
            walk.written = true;
            walk.parent(Node::default(), Value::Struct, |walk| {
                for field in layout.fields {
                    if leads(walk, field) {
                        let node = Node { name: field.name, ..Node::default() };
                        walk.kind(node, &field.kind, around.place(field), &around);
                    }
                }
            });
        });
    }

    /// A struct that a failed call was to fill: where it holds a socket address, only the
    /// address's length was given.
    fn refused(&mut self, node: Node<'a>, layout: &table::Layout, bytes: &'a [u8]) {
        let around = Around { fields: layout.fields, bytes, before: None, model: self.model };
        let lengths =
            || (0..layout.fields.len()).filter(|index| is_address_length(&around, *index));
        if lengths().next().is_none() {
            return self.structure(node, layout, bytes, None);
        }
        self.parent(node, Value::Struct, |walk| {
            for field in lengths().map(|index| &layout.fields[index]) {
                let node = Node { name: field.name, ..Node::default() };
                walk.kind(node, &field.kind, around.place(field), &around);
            }
        });
    }
}
