//! What a call writes, and what was there before.

use table::{Dir, Kind, Retold, Target};

use crate::place::{Around, Place};
use crate::walk::Walk;
use crate::{Node, Value};

impl<'a> Walk<'a> {
    /// Appends a number that the call may have changed: both values if it did.
    pub(crate) fn changed(&mut self, node: Node<'a>, kind: &Kind, places: [Place<'a>; 2]) {
        let [before, after] = places;
        if before.u32() == after.u32() {
            return self.kind(node, kind, after, &Around::NOTHING);
        }
        self.parent(node, Value::Change, |walk| {
            for place in [before, after] {
                walk.kind(Node::default(), kind, place, &Around::NOTHING);
            }
        });
    }

    /// Appends a value that the call has replaced, and what it was before.
    pub(crate) fn replaced(
        &mut self,
        node: Node<'a>,
        kind: &Kind,
        retold: Retold,
        places: [Place<'a>; 2],
    ) {
        if retold == Retold::ChangedNumber {
            return self.changed(node, kind, places);
        }
        let [before, after] = places;
        if matches!(retold, Retold::BehindAll | Retold::Never) {
            return self.kind(node, kind, before, &Around::NOTHING);
        }
        let size = kind.size(self.model) as usize;
        if retold == Retold::Changed && before.bytes(size) == after.bytes(size) {
            return self.kind(node, kind, after, &Around::NOTHING);
        }
        let name = if retold == Retold::Changed { node.name } else { "" };
        self.parent(node, Value::Change, |walk| {
            walk.kind(Node::default(), kind, before, &Around::NOTHING);
            walk.kind(Node { name, ..Node::default() }, kind, after, &Around::NOTHING);
        });
    }

    /// Appends what a pointer leads to before the call and, unless that is nothing, afterwards.
    pub(crate) fn exchanged_data(
        &mut self,
        node: Node<'a>,
        [before, after]: [&Kind; 2],
        place: Place<'a>,
        around: &Around<'a>,
    ) {
        let len = match after {
            Kind::Ptr(_, Target::Buffers(_, _, total)) => self.length(*total, around),
            Kind::Ptr(_, target) => target.len().map_or(0, |len| self.length(len, around)),
            _ => 0,
        };
        if len == 0 {
            return self.kind(node, before, place, around);
        }
        self.parent(node, Value::Change, |walk| {
            walk.kind(Node::default(), before, place, around);
            walk.kind(Node { name: node.name, ..Node::default() }, after, place, around);
        });
    }

    /// Whether the call is to write something of a value of this kind.
    pub(crate) fn awaits_exit(&self, kind: &Kind) -> bool {
        match self.resolve(kind, &Around::NOTHING) {
            Some(kind) => leads_to_output(kind),
            None => false,
        }
    }

    /// Whether a value of this kind is told as it is given, and what the call writes beside it:
    /// [`Walk::answered`].
    pub(crate) fn is_answered(&self, kind: &Kind) -> bool {
        let layout = match self.resolve(kind, &Around::NOTHING) {
            Some(Kind::Ptr(Dir::In, Target::Extensible(layout, ..))) => layout,
            Some(Kind::Ptr(Dir::In, Target::One(Kind::Struct(layout)))) => layout,
            _ => return false,
        };
        let is_single = |kind: &Kind| {
            let then = if let Kind::IfBits { then, .. } = kind { then } else { kind };
            matches!(then, Kind::Ptr(_, Target::One(_)))
        };
        layout.fields.iter().all(|field| !leads_to_output(&field.kind) || is_single(&field.kind))
    }
}

/// Whether a value of this kind is or contains a pointer to what the call is to write.
fn leads_to_output(kind: &Kind) -> bool {
    match kind {
        Kind::Ptr(Dir::In, Target::One(kind) | Target::Array(kind, _)) => leads_to_output(kind),
        Kind::Ptr(Dir::In, Target::Extensible(layout, ..) | Target::Sized(layout, ..)) => {
            layout.fields.iter().any(|field| leads_to_output(&field.kind))
        }
        Kind::Ptr(dir, _) => *dir != Dir::In,
        Kind::Struct(layout) => layout.fields.iter().any(|field| leads_to_output(&field.kind)),
        Kind::Array(kind, _) | Kind::Following(kind, _) => leads_to_output(kind),
        Kind::Select { cases, default, .. } => {
            leads_to_output(default) || cases.iter().any(|(_, kind)| leads_to_output(kind))
        }
        Kind::IfBits { then: kind, .. }
        | Kind::Written(kind)
        | Kind::Brief(kind, _)
        | Kind::Remarked(kind, _)
        | Kind::Supplied(kind)
        | Kind::Needed(kind)
        | Kind::Along(kind)
        | Kind::Replaced(kind, _) => leads_to_output(kind),
        _ => false,
    }
}
