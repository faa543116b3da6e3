//! What a call reads at a place and what it writes there instead.

use contract::Phase;
use table::{Dir, Kind};

use crate::place::Around;
use crate::walk::{Pointer, Walk};
use crate::{Node, Value};

/// The same before the call.
fn at_entry(at: Pointer) -> Pointer {
    Pointer { dir: Dir::In, phase: Phase::Entry, ..at }
}

impl<'a> Walk<'a> {
    /// What the kernel has read and, where the call succeeded, what it has put in its place; else
    /// what stands for that, if anything does. What tells nothing is left out.
    pub(crate) fn exchange(
        &mut self,
        node: Node<'a>,
        [asked, answered]: [&Kind; 2],
        at: Pointer,
        missing: Option<Value<'a>>,
    ) {
        if self.exactly(at_entry(at), asked.size(self.model) as usize).is_none() {
            return self.leaf(node, at.unreadable());
        }
        let before = at_entry(at);
        let dir = if matches!(answered, Kind::Struct(_)) { Dir::Refilled } else { Dir::Out };
        let after = Pointer { dir, phase: Phase::Exit, ..at };
        let answers = self.written || at.dir == Dir::Answered && self.capture.outcome.is_some();
        let written = std::mem::replace(&mut self.written, false);
        self.is_refused = false;
        let place = self.push(Node { value: Value::Change, ..node });
        self.exchanged(asked, before);
        let answer = self.nodes.len();
        let is_there = self.exactly(after, answered.size(self.model) as usize).is_some();
        match missing {
            _ if answers && is_there && !self.is_refused => {
                self.written = written;
                self.exchanged(answered, after);
            }
            Some(missing) => self.leaf(Node::default(), missing),
            None => {}
        }
        self.written = written;
        self.nodes.close(place);
        if self.nodes.len() == answer || answer == place + 1 {
            self.nodes.unwrap(place);
        }
    }

    /// As [`Walk::exchange`], if the struct that is asked and what follows it are of so many bytes.
    pub(crate) fn exact(&mut self, node: Node<'a>, kinds: [&Kind; 2], len: u64, at: Pointer) {
        let asked = self.exactly(at_entry(at), kinds[0].size(self.model) as usize);
        let is_whole = asked.is_some_and(|bytes| {
            let behind = self.size_behind(kinds[0], bytes);
            len.checked_sub(bytes.len() as u64) == Some(behind)
        });
        if !is_whole {
            return self.leaf(node, at.unreadable());
        }
        self.exchange(node, kinds, at, None);
    }

    /// How many bytes are to follow a struct.
    fn size_behind(&mut self, kind: &Kind, bytes: &'a [u8]) -> u64 {
        let Kind::Struct(layout) = kind else { return 0 };
        let around = Around { fields: layout.fields, bytes, before: None, model: self.model };
        match layout.fields.last().and_then(|last| self.resolve(&last.kind, &around)) {
            Some(Kind::Following(of, len)) => {
                self.length(*len, &around).saturating_mul(of.size(self.model).into())
            }
            _ => 0,
        }
    }

    /// A part of an exchange, unless it tells nothing.
    fn exchanged(&mut self, kind: &Kind, at: Pointer) {
        let place = self.nodes.len();
        match kind {
            Kind::UnlessZero(inner) => {
                let bytes = self.exactly(at, inner.size(self.model) as usize);
                if bytes.is_none_or(|bytes| bytes.iter().any(|byte| *byte != 0)) {
                    self.one(Node::default(), inner, at);
                }
            }
            kind => self.one(Node::default(), kind, at),
        }
        if self.nodes.len() == place + 1 && self.nodes.is_empty_struct(place) {
            self.nodes.truncate(place);
        }
    }
}
