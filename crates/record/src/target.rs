//! What lies behind pointers: [`Target`] → nodes.

use contract::{GuestAddr, Phase};
use table::{Dir, Kind, Len, Special, Target};

use crate::dirents::Form;
use crate::place::{Around, Place};
use crate::structure::is_address_length;
use crate::walk::{Pointer, Walk};
use crate::{Node, NotRead, Value, control, device_mapper, dirents, sockaddr, vector};

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
        // Which descriptors are ready is told in any case.
        let is_read = self.only_telling && matches!(target, Target::BitSet(_));
        if addr.is_null() || is_structure && !self.is_verbose && !is_read {
            return self.leaf(node, Value::not_followed(addr.0));
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
        if let Target::Bytes(Len::DerefAt(register, offset)) = target
            && (!self.is_verbose || self.length_at(*register, *offset).is_none())
        {
            return self.leaf(node, at.unreadable());
        }
        let len = target.len().map_or(0, |len| self.length(len, around));
        match target {
            Target::Path => self.leaf(node, self.string(true, at)),
            Target::CStr => self.leaf(node, self.string(false, at)),
            Target::ShortStr(_) => self.leaf(node, self.short_string(at, len)),
            Target::Bytes(_) => self.bytes(node, at, len),
            Target::HexBytes(_) => self.leaf(node, self.hex_bytes(at, len)),
            Target::Terminated(_) => self.leaf(node, self.terminated(at, len)),
            Target::Opaque(_, most) => self.leaf(node, self.opaque(at, len, (*most).into())),
            Target::IntOrBytes(_) => self.int_or_bytes(node, len, at),
            Target::Message(_) => self.message(node, at, len),
            Target::Strings => vector::strings(self, node, at),
            Target::Environment => vector::environment(self, node, at),

            Target::One(kind) => self.one(node, kind, at),
            Target::Bare(kind) => self.bare(node, kind, at),
            Target::OneOf(layouts, other) => self.one_of(node, layouts, other, at),
            Target::Buffers(layout, _, total) => {
                self.unspent = self.length(*total, around);
                self.array(node, &Kind::Struct(layout), len, at);
            }
            Target::Fitting(kind, _, fit) => self.fitting(node, kind, len, *fit, at),
            Target::Sized(layout, _, always) => self.sized(node, layout, len, *always, at),
            Target::Extensible(layout, _, least) => self.extensible(node, layout, len, *least, at),
            Target::SelfSized(layout, size, least, short) => {
                self.self_sized(node, layout, *size, (*least, *short), at);
            }
            Target::Exchange(asked, answered) => self.exchange(node, [asked, answered], at, None),
            Target::Exact(asked, answered, _) => self.exact(node, [asked, answered], len, at),
            Target::Answer(asked, answered) => {
                let missing = Value::Addr(at.addr, NotRead::NotWritten);
                self.exchange(node, [asked, answered], at, Some(missing));
            }
            Target::SockAddr(_) => sockaddr::decode(self, node, at, len),
            Target::Capabilities(layout, short) => self.capabilities(node, layout, *short, at),
            Target::DeviceMapper(request) => device_mapper::decode(self, node, request, at),

            // A list of a fixed length is read as a whole.
            Target::Array(kind, Len::Const(_)) if !self.is_whole(kind, len, at) => {
                self.leaf(node, at.unreadable());
            }
            Target::Array(kind, _) => self.array(node, kind, len, at),
            Target::InFull(_) if at.dir == Dir::Out && !(1..=i32::MAX as u64).contains(&len) => {
                self.leaf(node, at.unreadable());
            }
            Target::InFull(target) => self.parent(node, Value::InFull(at.addr), |walk| {
                walk.pointee(Node::default(), target, at, around);
            }),
            Target::Packed(kind, _) => self.packed(node, kind, len, at),
            Target::Offsets(_) => self.offset_strings(node, len, at),
            Target::SearchItems(_, count) => {
                self.search_items(node, len, around.number(*count), at);
            }
            Target::Control(_) => control::decode(self, node, at, len),
            Target::Dirents(_) => dirents::decode(self, node, at, len, Form::NEW),
            Target::OldDirents(_) => dirents::decode(self, node, at, len, Form::old(self.model)),

            Target::SigSet(_, least) => self.leaf(node, self.signal_set(at, len, *least)),
            Target::BitSet(told) => self.descriptor_set(node, *told, len, at),
            Target::BitSetBytes(_) => self.cpu_set(node, len, at),
            Target::NamedBits(names, _) => self.leaf(node, self.named_bits(at, len, names)),
        }
    }

    /// Whether a list of so many of these can be read to its end.
    fn is_whole(&self, kind: &Kind, count: u64, at: Pointer) -> bool {
        let size = count.saturating_mul(kind.size(self.model).into());
        self.found(at).is_some_and(|found| !found.fault || found.bytes.len() as u64 >= size)
    }

    /// A struct whose first number says which of these it is.
    fn one_of(
        &mut self,
        node: Node<'a>,
        layouts: &[(u64, &'static table::Layout)],
        other: &Kind,
        at: Pointer,
    ) {
        let Some(first) = self.exactly(at, other.size(self.model) as usize) else {
            return self.leaf(node, at.unreadable());
        };
        let number = Place::Memory(first).u32();
        let layout = match table::case(layouts, number.into()) {
            Some(layout) => *layout,
            None => return self.one(node, other, at),
        };
        if self.exactly(at, layout.size(self.model) as usize).is_some() {
            return self.one(node, &Kind::Struct(layout), at);
        }
        self.parent(node, Value::Struct, |walk| {
            let head = layout.fields.iter().take(1);
            head.for_each(|field| {
                let node = Node { name: field.name, ..Node::default() };
                walk.kind(node, &field.kind, Place::Memory(first), &Around::NOTHING);
            });
            let addr = GuestAddr(at.addr.0.wrapping_add(first.len() as u64));
            walk.leaf(Node::default(), Pointer { addr, ..at }.unreadable());
        });
    }

    fn bare(&mut self, node: Node<'a>, kind: &Kind, at: Pointer) {
        match self.exactly(at, kind.size(self.model) as usize) {
            Some(bytes) => self.kind(node, kind, Place::Memory(bytes), &Around::NOTHING),
            None => self.leaf(node, at.unreadable()),
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
            Dir::InOut | Dir::Answered | Dir::Refilled if at.phase == Phase::Exit => {
                self.exactly(before, bytes.len())
            }
            _ => None,
        };
        self.origin = Some(at);
        match kind {
            Kind::Struct(layout) if at.dir == Dir::InOut && !self.written => {
                self.refused(node, layout, bytes, at);
            }
            Kind::Struct(layout) if at.dir == Dir::In && self.written => {
                self.answered(node, layout, bytes);
            }
            Kind::Struct(layout) => {
                let around =
                    Around { fields: layout.fields, bytes, before: None, model: self.model };
                self.has_asked |= at.dir == Dir::In && self.asks(&around);
                self.structure(node, layout, bytes, before);
            }
            Kind::SigSet
            | Kind::SigSet32
            | Kind::SigInfo
            | Kind::Special(Special::IcmpFilter)
            | Kind::Array(..)
            | Kind::Indexed(..)
            | Kind::Labelled(..)
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

    /// Whether a struct holds pointers to single values that the call is to write.
    pub(crate) fn asks(&self, around: &Around<'a>) -> bool {
        around.fields.iter().any(|field| self.leads_to_answer(field, around))
    }

    fn leads_to_answer(&self, field: &table::Field, around: &Around<'a>) -> bool {
        let kind = self.resolve(&field.kind, around);
        let to_answer = matches!(kind, Some(Kind::Ptr(Dir::Out, Target::One(_))));
        to_answer && around.place(field).u64() != 0
    }

    /// A struct that the call has read. If it holds pointers to single values that the call wrote
    /// (`clone3(2)`), it is told as it was given and, beside it, what those pointers lead to.
    pub(crate) fn answered(&mut self, node: Node<'a>, layout: &table::Layout, bytes: &'a [u8]) {
        let around = Around { fields: layout.fields, bytes, before: None, model: self.model };
        if !self.asks(&around) {
            return self.structure(node, layout, bytes, None);
        }
        self.parent(node, Value::Change, |walk| {
            walk.written = false;
            walk.structure(Node::default(), layout, bytes, None);
            walk.written = true;
            walk.parent(Node::default(), Value::Struct, |walk| {
                for field in layout.fields {
                    if walk.leads_to_answer(field, &around) {
                        let node = Node { name: field.name, ..Node::default() };
                        walk.kind(node, &field.kind, around.place(field), &around);
                    }
                }
            });
        });
    }

    /// A struct that a failed call was to fill: where it holds a socket address, only the
    /// address's length was given; where a list of as many values as an argument says follows it, there
    /// may have been nothing in it.
    fn refused(&mut self, node: Node<'a>, layout: &table::Layout, bytes: &'a [u8], at: Pointer) {
        if let Some(Kind::Following(of, len @ Len::ArgOrFilled(..))) =
            layout.fields.last().map(|f| f.kind)
        {
            let end =
                Pointer { addr: at.addr.checked_add(bytes.len() as u64).unwrap_or(at.addr), ..at };
            let size =
                self.length(len, &Around::NOTHING).saturating_mul(of.size(self.model).into());
            let behind = self.up_to(end, size);
            if behind.is_none_or(|behind| bytes.iter().chain(behind).all(|byte| *byte == 0)) {
                return self.leaf(node, at.unreadable());
            }
        }
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

/// The phase whose copy shows what the call was given or what it left.
fn phase(written: bool) -> Phase {
    if written { Phase::Exit } else { Phase::Entry }
}
