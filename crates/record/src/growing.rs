//! Structs that grow from one kernel to the next, of which some bytes are there.

use contract::Phase;
use table::{DataModel, Dir, Kind, Retold, Short};

use crate::place::{Around, Place, field_place};
use crate::walk::{Found, Pointer, Walk};
use crate::{Node, Value};

/// The kernel takes no larger struct that grows.
const MOST_OF_A_STRUCT: u64 = 4096;

/// Where the fields end that are not told in full only.
fn brief_end(layout: &table::Layout, model: DataModel) -> usize {
    let brief = layout.fields.iter().filter(|field| !field.verbose);
    brief.map(|field| field.offset(model) + field.size(model)).max().unwrap_or(0) as usize
}

impl<'a> Walk<'a> {
    /// A struct of which so many bytes are there. What is behind the fields that are known is told
    /// in full only, and only where it is not zero.
    pub(crate) fn sized(
        &mut self,
        node: Node<'a>,
        layout: &table::Layout,
        len: u64,
        always: u32,
        at: Pointer,
    ) {
        let Some(bytes) = self.up_to(at, len).filter(|_| len > 0) else {
            return self.leaf(node, at.unreadable());
        };
        let told = len.max(always.into());
        let before = match at.phase {
            Phase::Exit => self.exactly(Pointer { phase: Phase::Entry, ..at }, bytes.len()),
            Phase::Entry => None,
        };
        let before = before.unwrap_or(bytes);
        self.origin = Some(at);
        let whole = self.push(Node { value: Value::Change, ..node });
        self.parent(Node::default(), Value::Struct, |walk| {
            let known = walk.begun(layout, [bytes, before], told, None);
            let extra = bytes.get(known as usize..).unwrap_or_default();
            if extra.iter().any(|byte| *byte != 0) {
                let node = Node { name: "extra_data", verbose: true, ..Node::default() };
                walk.leaf(node, Value::Extra(extra, known));
            }
        });
        match self.behind_all(Node::default(), layout, [bytes, before]) {
            true => self.nodes.close(whole),
            false => self.nodes.unwrap(whole),
        }
    }

    /// A struct of those fields that are told behind the whole one, which were others before the call;
    /// nothing if there are none.
    fn behind_all(
        &mut self,
        node: Node<'a>,
        layout: &table::Layout,
        [bytes, before]: [&'a [u8]; 2],
    ) -> bool {
        let place = self.push(Node { value: Value::Struct, ..node });
        for field in layout.fields {
            let node = Node { name: field.name, ..Node::default() };
            let here = [bytes, before].map(|all| field_place(field, all, self.model));
            match (&field.kind, here) {
                (Kind::Struct(inner), [Place::Memory(bytes), Place::Memory(before)]) => {
                    self.behind_all(node, inner, [bytes, before]);
                }
                (Kind::Replaced(kind, Retold::BehindAll), [after, before])
                    if after.u32() != before.u32() =>
                {
                    self.kind(node, kind, after, &Around::NOTHING);
                }
                _ => {}
            }
        }
        self.nodes.close(place);
        let is_told = !self.nodes.is_empty_struct(place);
        if !is_told {
            self.nodes.truncate(place);
        }
        is_told
    }

    /// A struct of which so many bytes are there. Of the fields behind them nothing is told, but of those
    /// that stand beside the last.
    pub(crate) fn extensible(
        &mut self,
        node: Node<'a>,
        layout: &table::Layout,
        len: u64,
        least: u32,
        at: Pointer,
    ) {
        let size = u64::from(layout.size(self.model));
        let known = size.min(len) as usize;
        let found = self.found(at).filter(|found| found.bytes.len() >= known);
        let Some(found) = found.filter(|_| len >= least.into()) else {
            return self.leaf(node, at.unreadable());
        };
        let bytes = &found.bytes[..known];
        self.origin = Some(at);
        if self.written {
            return self.answered(node, layout, bytes);
        }
        let end = len.min(MOST_OF_A_STRUCT);
        let there =
            |field: &&table::Field| field.beside || (field.offset(self.model) as usize) < known;
        let fields = &layout.fields[..layout.fields.iter().take_while(there).count()];
        let around = Around { fields, bytes, before: None, model: self.model };
        self.has_asked |= self.asks(&around);
        self.parent(node, Value::Struct, |walk| {
            walk.fields(&around);
            if let Some(addr) = at.addr.checked_add(size).filter(|_| end > size) {
                walk.grown(Pointer { addr, ..at }, size as u32, end as u32);
            }
        });
    }

    /// What is behind the known fields of a struct, from the byte `first` on and up to `end`.
    fn grown(&mut self, at: Pointer, first: u32, end: u32) {
        let wanted = (end - first) as usize;
        match self.found(at) {
            Some(found) if found.bytes.len() >= wanted || !found.fault => {
                let bytes = &found.bytes[..found.bytes.len().min(wanted)];
                if bytes.iter().any(|byte| *byte != 0) {
                    self.leaf(Node::default(), Value::Grown(bytes, first, end));
                }
            }
            _ => self.leaf(Node::default(), Value::MoreAt(at.addr)),
        }
    }

    /// A struct that says itself how large it is. A call that has failed may have said how large it would
    /// take it.
    pub(crate) fn self_sized(
        &mut self,
        node: Node<'a>,
        layout: &'static table::Layout,
        size: u8,
        (least, short): (u32, Short),
        at: Pointer,
    ) {
        let given = match at.dir {
            Dir::Answered => Pointer { phase: Phase::Entry, ..at },
            _ => at,
        };
        let Some(Found { bytes, fault }) = self.found(given) else {
            return self.leaf(node, at.unreadable());
        };
        let around = Around { fields: layout.fields, bytes, before: None, model: self.model };
        let told = match around.number(size) {
            0 => u64::from(least),
            told => told,
        };
        let size_there = layout.fields.get(usize::from(size)).is_some_and(|field| {
            (field.offset(self.model) + field.size(self.model)) as usize <= bytes.len()
        });
        let is_short = told < least.into() && short == Short::FirstField;
        let wanted = told.min(layout.size(self.model).into()) as usize;
        let needed = match short {
            Short::FirstField => wanted.max(least as usize),
            Short::Address => brief_end(layout, self.model),
        };
        if !size_there || !is_short && fault && bytes.len() < needed {
            return self.leaf(node, at.unreadable());
        }
        if told < least.into() && short == Short::Address {
            return self.leaf(node, at.unreadable());
        }
        let is_larger = told > layout.size(self.model).into();
        let told = match short {
            Short::FirstField if told < least.into() => 1,
            // It grows by whole words.
            Short::FirstField => told & !7,
            Short::Address => told,
        };
        let size = &layout.fields[usize::from(size)];
        let answer =
            self.answer(size, at).filter(|answer| answer.u32() != around.place(size).u32());
        match (short, answer) {
            (Short::FirstField, None) => self.up_to_word(node, layout, bytes, told, is_larger),
            (Short::FirstField, Some(answer)) => self.parent(node, Value::Change, |walk| {
                walk.up_to_word(Node::default(), layout, bytes, told, is_larger);
                walk.parent(Node::default(), Value::Struct, |walk| {
                    let node = Node { name: size.name, ..Node::default() };
                    walk.kind(node, &size.kind, answer, &around);
                });
            }),
            (Short::Address, _) if fault && bytes.len() < wanted => {
                self.parent(node, Value::InBrief(at.addr), |walk| {
                    walk.begun(layout, [bytes; 2], bytes.len() as u64, None);
                });
            }
            (Short::Address, answer) => self.parent(node, Value::Struct, |walk| {
                walk.begun(layout, [bytes; 2], told, answer.map(|answer| (size.name, answer)));
            }),
        }
    }

    /// What a call that has failed has put in place of a struct's size.
    fn answer(&self, size: &table::Field, at: Pointer) -> Option<Place<'a>> {
        if at.dir != Dir::Answered || self.written {
            return None;
        }
        let addr = at.addr.checked_add(size.offset(self.model).into())?;
        self.capture.bytes(Phase::Exit, addr, 4).map(Place::Memory)
    }

    /// A struct that grows by whole words, of which so many bytes are told, and whether there are more.
    fn up_to_word(
        &mut self,
        node: Node<'a>,
        layout: &table::Layout,
        bytes: &'a [u8],
        told: u64,
        is_larger: bool,
    ) {
        self.parent(node, Value::Struct, |walk| {
            walk.begun(layout, [bytes; 2], told, None);
            if is_larger {
                walk.leaf(Node::default(), Value::More(None));
            }
        });
    }

    /// The fields that begin in the first so many bytes of a struct, which were others before the call, and
    /// one of which may have been answered; where the last field ends.
    fn begun(
        &mut self,
        layout: &table::Layout,
        [bytes, before]: [&'a [u8]; 2],
        told: u64,
        answer: Option<(&str, Place<'a>)>,
    ) -> u32 {
        let around = Around { fields: layout.fields, bytes, before: None, model: self.model };
        let (mut known, mut is_told) = (0, true);
        for field in layout.fields {
            let offset = field.offset(self.model);
            let node = Node { name: field.name, verbose: field.verbose, ..Node::default() };
            if !matches!(field.kind, Kind::Along(_)) {
                is_told = u64::from(offset) < told;
            }
            let kind = match &field.kind {
                Kind::Along(kind) => kind,
                kind => kind,
            };
            let end = match self.resolve(kind, &around).unwrap_or(&Kind::Absent) {
                // It is known even where it does not count.
                Kind::Absent if matches!(kind, Kind::IfBits { .. }) => {
                    offset + field.size(self.model)
                }
                Kind::Absent => continue,
                Kind::Struct(_) if !is_told => continue,
                Kind::Struct(inner) => {
                    let inside = |all: &'a [u8]| all.get(offset as usize..).unwrap_or_default();
                    let told = told.saturating_sub(offset.into());
                    let place = self.push(Node { value: Value::Struct, ..node });
                    let end = offset + self.begun(inner, [bytes, before].map(inside), told, None);
                    self.nodes.close(place);
                    end
                }
                kind => {
                    let place = around.place(field);
                    match answer {
                        _ if !is_told => {}
                        Some((name, answer)) if name == field.name => {
                            self.changed(node, kind, [place, answer]);
                        }
                        _ if let Kind::Replaced(kind, retold) = kind => {
                            let before = field_place(field, before, self.model);
                            self.replaced(node, kind, *retold, [before, place]);
                        }
                        _ => self.kind(node, kind, place, &around),
                    }
                    offset + field.size(self.model)
                }
            };
            known = known.max(end);
        }
        known
    }
}
