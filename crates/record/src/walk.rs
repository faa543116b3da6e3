//! A walk over one call's values: what it has come to, and what the capture holds for it.
//!
//! Each kind of value is told in a file of its own: `kind.rs` and `target.rs` say in which.

use contract::{Capture, FdInfo, GuestAddr, Phase};
use table::{DataModel, Dir};

use crate::{Node, Nodes, NotRead, Value};

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
    /// How much of the buffers in this struct was filled, in bytes ([`table::Special::Filled`]).
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

    /// Appends a call-like form with one operand.
    pub(crate) fn form(&mut self, node: Node<'a>, form: &'static str, operand: Value<'a>) {
        self.parent(node, Value::Form(form), |walk| walk.leaf(Node::default(), operand));
    }

    /// The copies that begin where the pointer points: several if several pointers lead there.
    pub(crate) fn copies(&self, at: Pointer, phase: Phase) -> impl Iterator<Item = Found<'a>> {
        let here = self.capture.spans_at(phase, at.addr);
        here.map(|(span, bytes)| Found { bytes, fault: span.fault })
    }

    /// The longest copy that begins where the pointer points. What a call reads through a pointer
    /// in a struct that it wrote (`recvmmsg(2)`'s vectors) is copied after it.
    pub(crate) fn found(&self, at: Pointer) -> Option<Found<'a>> {
        // Nothing, where nothing was wanted, says less than nothing where something was.
        let longest =
            |phase| self.copies(at, phase).max_by_key(|found| (found.bytes.len(), found.fault));
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
}
