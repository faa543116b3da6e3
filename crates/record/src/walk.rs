//! The walk over one call's values: [`Kind`] → nodes.

use contract::{Capture, FdInfo, GuestAddr, Phase};
use table::{Base, DataModel, Kind, Layout, Len, Special, Target, Width, structs};

use crate::decoder::opaque;
use crate::place::{Around, Place, field_place, number_at};
use crate::target::Pointer;
use crate::{Fraction, Node, Nodes, Value, filter, siginfo, sockaddr, special};

/// How many nodes a record may have: what a guest puts behind its pointers must not make a record
/// arbitrarily large.
const MOST_NODES: usize = 1 << 16;

/// One pass over values of one call, which appends nodes.
pub(crate) struct Walk<'a> {
    pub(crate) capture: &'a Capture,
    /// How the guest's structs are laid out.
    pub(crate) model: DataModel,
    pub(crate) nodes: Nodes<'a>,
    /// Whether what the call wrote can be read.
    pub(crate) written: bool,
    /// How much of the result is not yet accounted for, in bytes ([`table::Len::FieldWithinRet`]).
    pub(crate) unspent: u64,
    /// How much of the buffers in this struct was filled, in bytes ([`Special::Filled`]).
    pub(crate) filled: u64,
    /// In a message: the family of the address that it comes with, 0 if there is none.
    pub(crate) peer: Option<u64>,
    /// Where the struct is that is being told, if it is behind a pointer by itself.
    pub(crate) origin: Option<Pointer>,
    /// A struct has been told that the call is to answer ([`Walk::answered`]).
    pub(crate) has_asked: bool,
    /// A list without which nothing is answered is not there.
    pub(crate) is_refused: bool,
    /// Leave out elements that tell nothing (`poll(2)`'s without events).
    pub(crate) only_telling: bool,
    /// The value is what the call returned.
    pub(crate) is_result: bool,
    /// Structures and lists are read, not only strings and data.
    pub(crate) is_verbose: bool,
}

impl<'a> Walk<'a> {
    /// A walk over what is known before the call runs.
    pub(crate) fn before(capture: &'a Capture) -> Walk<'a> {
        let nodes = Nodes::default();
        Walk {
            capture,
            model: capture.model(),
            nodes,
            written: false,
            unspent: 0,
            filled: u64::MAX,
            peer: None,
            origin: None,
            has_asked: false,
            is_refused: false,
            only_telling: false,
            is_result: false,
            is_verbose: true,
        }
    }

    /// A walk over what is known once the call has returned.
    pub(crate) fn after(capture: &'a Capture) -> Walk<'a> {
        let result = capture.success();
        let unspent = result.and_then(|value| u64::try_from(value).ok()).unwrap_or(0);
        Walk { written: result.is_some(), unspent, ..Walk::before(capture) }
    }

    /// The nodes.
    pub(crate) fn finish(self) -> Nodes<'a> {
        self.nodes
    }

    /// Appends a node without children.
    pub(crate) fn push(&mut self, node: Node<'a>) -> usize {
        self.nodes.push(node)
    }

    /// Appends a node with this value.
    pub(crate) fn leaf(&mut self, node: Node<'a>, value: Value<'a>) {
        self.nodes.push(Node { value, ..node });
    }

    /// Appends a node with this value and what `children` appends as its descendants.
    pub(crate) fn parent(
        &mut self,
        node: Node<'a>,
        value: Value<'a>,
        children: impl FnOnce(&mut Walk<'a>),
    ) {
        let place = self.nodes.push(Node { value, ..node });
        children(self);
        self.nodes.close(place);
    }

    /// Whether no more nodes should be appended.
    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() >= MOST_NODES
    }

    /// What a descriptor stands for, where the capture says so: by the entry made first, of the
    /// call's result by the last.
    pub(crate) fn fd_info(&self, fd: i32) -> Option<&'a FdInfo> {
        let mut all = self.capture.fds.iter().filter(|info| info.fd == fd);
        if self.is_result { all.next_back() } else { all.next() }
    }

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
            (Kind::Null, _) => self.leaf(node, opaque(0)),
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
            Kind::Int(width, base) => Value::Unsigned(unsigned(*width, place), *base),
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
            Kind::Flags(width, set) => Value::Flags(unsigned(*width, place), set),
            Kind::Parts(width, parts) => Value::Parts(unsigned(*width, place), parts),
            Kind::Annotated(set) => Value::Annotated(place.i32(), set),
            Kind::FlagsPerm(set) => Value::FlagsPerm(place.u32(), set),
            // `umode_t` has 16 bits.
            Kind::Perm => Value::Perm(place.number(Width::U16) as u32),
            Kind::FileMode(width) => Value::FileMode(place.number(*width) as u32),
            Kind::Dev(width) => Value::Dev(place.number(*width)),
            Kind::WaitStatus => Value::WaitStatus(place.u32()),
            // Of a struct that is cut short there may be fewer.
            Kind::CharArray(size) => match place {
                Place::Memory(bytes) => text(&bytes[..bytes.len().min(*size as usize)]),
                Place::Register(_) | Place::Register32(_) => text(&[]),
            },
            Kind::LeadingText(size, count) => {
                let bytes = place.bytes(*size as usize).unwrap_or_default();
                let most = bytes.len().saturating_sub(1) as i64;
                let count = (around.number(*count) as i64).clamp(0, most) as usize;
                text(bytes.get(..count + 1).unwrap_or_default())
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
            Kind::Explained(width, set) => Value::Explained(unsigned(*width, place), set),
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
            | Kind::IfBits { .. } => opaque(place.u64()),
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

    /// Appends a call-like form with one operand.
    pub(crate) fn form(&mut self, node: Node<'a>, form: &'static str, operand: Value<'a>) {
        self.parent(node, Value::Form(form), |walk| walk.leaf(Node::default(), operand));
    }

    /// Appends a struct whose bytes are these.
    pub(crate) fn structure(
        &mut self,
        node: Node<'a>,
        layout: &Layout,
        bytes: &'a [u8],
        before: Option<&'a [u8]>,
    ) {
        let around = Around { fields: layout.fields, bytes, before, model: self.model };
        self.parent(node, Value::Struct, |walk| walk.fields(&around));
    }

    /// Appends the fields of a struct.
    pub(crate) fn fields(&mut self, around: &Around<'a>) {
        let is_filled =
            |field: &&table::Field| matches!(field.kind, Kind::Special(Special::Filled));
        if let Some(field) = around.fields.iter().find(is_filled) {
            self.filled = around.place(field).u32().into();
        }
        if around.fields.iter().any(|field| is_address(&field.kind)) {
            self.peer = Some(0);
        }
        for (index, field) in around.fields.iter().enumerate() {
            let node = Node { name: field.name, verbose: field.verbose, ..Node::default() };
            let place = around.place(field);
            let before = around.before.map(|before| field_place(field, before, around.model));
            let kind = match before {
                Some(_) => self.resolve(&field.kind, around).unwrap_or(&field.kind),
                None => &field.kind,
            };
            match (before, kind) {
                (Some(before), Kind::Replaced(kind, retold)) => {
                    self.replaced(node, kind, *retold, [before, place]);
                }
                (Some(before), Kind::Supplied(kind))
                    if before.number(field.width(around.model)) == 0 =>
                {
                    self.kind(node, kind, place, around);
                }
                (Some(_), Kind::Supplied(_)) => {}
                (Some(before), Kind::Struct(inner)) => {
                    let [before, bytes] = [before, place].map(|place| {
                        place.bytes(inner.size(around.model) as usize).unwrap_or_default()
                    });
                    self.structure(node, inner, bytes, Some(before));
                }
                (Some(before), kind) if is_address_length(around, index) => {
                    self.changed(node, kind, [before, place]);
                }
                _ => self.kind(node, &field.kind, place, around),
            }
        }
    }

    /// Appends a point in time.
    fn instant(&mut self, node: Node<'a>, layout: &Layout, unit: table::Fraction, bytes: &'a [u8]) {
        let around = Around { fields: layout.fields, bytes, before: None, model: self.model };
        let [seconds, fraction] = [0, 1].map(|index| around.place(&layout.fields[index]));
        let special = match layout.fields[1].kind {
            Kind::Special(special) => special::value(special, fraction, &around),
            _ => Value::Absent,
        };
        let fraction = Place::Register(around.number(1));
        if let Value::Name(number, name) = special {
            let named = |place: usize| Node { name: layout.fields[place].name, ..Node::default() };
            return self.parent(node, Value::Instead(number, name), |walk| {
                walk.leaf(named(0), Value::Signed(seconds.i64()));
                walk.leaf(named(1), Value::Unsigned(fraction.u64(), Base::Dec));
            });
        }
        let digits = match unit {
            table::Fraction::Micros => 6,
            table::Fraction::Nanos | table::Fraction::DeviceNanos => 9,
        };
        let value = match u32::try_from(fraction.u64()) {
            Ok(value) if value < 10_u32.pow(digits.into()) => {
                let fraction = Fraction { value, digits };
                match unit {
                    table::Fraction::DeviceNanos => Value::Reading(seconds.i64(), fraction),
                    _ => Value::Instant(seconds.i64(), fraction),
                }
            }
            // The call refuses it.
            _ => Value::Struct,
        };
        self.parent(node, value, |walk| walk.fields(&around));
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

/// Whether it leads to a socket address.
fn is_address(kind: &Kind) -> bool {
    matches!(kind, Kind::Ptr(_, Target::SockAddr(_)))
}

/// Whether the field of this index is the length of a socket address beside it.
pub(crate) fn is_address_length(around: &Around<'_>, index: usize) -> bool {
    around.fields.iter().any(|field| match &field.kind {
        Kind::Ptr(_, Target::SockAddr(Len::Field(length))) => usize::from(*length) == index,
        _ => false,
    })
}

/// An integer's bits without extension of the sign.
pub(crate) fn unsigned(width: Width, place: Place<'_>) -> u64 {
    let number = place.number(width);
    match width.bytes(DataModel::Lp64) {
        8 => number,
        bytes => number & ((1 << (bytes * 8)) - 1),
    }
}

/// A fixed field that holds a string; its last byte is there for the NUL.
pub(crate) fn text(bytes: &[u8]) -> Value<'_> {
    let end = bytes.iter().position(|byte| *byte == 0);
    let whole = bytes.len().saturating_sub(1);
    Value::Text { bytes: &bytes[..end.unwrap_or(whole)], cut: end.is_none() }
}

/// The phase whose copy shows what the call was given or what it left.
pub(crate) fn phase(written: bool) -> Phase {
    if written { Phase::Exit } else { Phase::Entry }
}
