//! One decoded call.

use crate::dump::Part;
use crate::{Arch, Changes, GuestAddr, Stack, Stamp, Value};

/// A node of a record's tree.
#[derive(Clone, Copy, Debug, Default)]
pub struct Node<'a> {
    /// The argument's or field's name; empty for elements.
    pub name: &'static str,
    /// What it is.
    pub value: Value<'a>,
    /// Customarily shown with its name even among arguments.
    pub named: bool,
    /// Shown only where nothing is abbreviated.
    pub verbose: bool,
    /// How many nodes behind this one belong to it.
    pub descendants: u32,
}

/// Trees of values, in one row: each node is followed by its descendants, so that a record costs
/// one allocation however many values it has.
#[derive(Clone, Debug, Default)]
pub struct Nodes<'a> {
    row: Vec<Node<'a>>,
}

impl<'a> Nodes<'a> {
    /// Makes room for so many more nodes.
    pub fn reserve(&mut self, nodes: usize) {
        self.row.reserve(nodes);
    }

    /// Appends a node without children; returns its place.
    pub fn push(&mut self, node: Node<'a>) -> usize {
        self.row.push(node);
        self.row.len() - 1
    }

    /// Makes all nodes appended since the one at `place` its descendants.
    pub fn close(&mut self, place: usize) {
        self.row[place].descendants = (self.row.len() - place - 1) as u32;
    }

    /// Makes an array one that is customarily told as this address.
    pub(crate) fn fold(&mut self, place: usize, value: Value<'a>) {
        if let Some(node) =
            self.row.get_mut(place).filter(|node| matches!(node.value, Value::Array))
        {
            node.value = value;
        }
    }

    /// Whether the node at `place` is a list of some elements, all of which are there.
    pub(crate) fn is_whole_list(&self, place: usize) -> bool {
        let Some((node, elements)) = self.from(place).next() else { return false };
        let is_list = matches!(node.value, Value::Array | Value::Brief(_));
        let last = elements.last();
        is_list && last.is_some_and(|(last, _)| !matches!(last.value, Value::MoreAt(_)))
    }

    /// Whether the node at `place` is a struct without fields.
    pub(crate) fn is_empty_struct(&self, place: usize) -> bool {
        let node = self.row.get(place);
        node.is_some_and(|node| matches!(node.value, Value::Struct) && node.descendants == 0)
    }

    /// Puts the first child of the node at `place`, its only one, in its place and under its name.
    pub(crate) fn unwrap(&mut self, place: usize) {
        if place + 1 < self.row.len() {
            let outer = self.row.remove(place);
            let node = &mut self.row[place];
            (node.name, node.named, node.verbose) = (outer.name, outer.named, outer.verbose);
        }
    }

    /// Forgets the nodes from `place` on.
    pub fn truncate(&mut self, place: usize) {
        self.row.truncate(place);
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.row.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.row.is_empty()
    }

    /// Every node, also those deep in the trees.
    pub fn all(&self) -> impl Iterator<Item = &Node<'a>> {
        self.row.iter()
    }

    /// The topmost nodes from `place` on, each with its descendants.
    pub fn from(&self, place: usize) -> Siblings<'_, 'a> {
        Siblings { row: &self.row[place..] }
    }
}

/// Nodes side by side: arguments, fields, elements.
#[derive(Clone, Copy, Debug)]
pub struct Siblings<'n, 'a> {
    row: &'n [Node<'a>],
}

impl<'n, 'a> Siblings<'n, 'a> {
    /// Those that are there: not [`Value::Absent`].
    pub fn present(self) -> impl Iterator<Item = (&'n Node<'a>, Siblings<'n, 'a>)> {
        self.filter(|(node, _)| !matches!(node.value, Value::Absent))
    }
}

impl<'n, 'a> Iterator for Siblings<'n, 'a> {
    /// A node and its children.
    type Item = (&'n Node<'a>, Siblings<'n, 'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (node, rest) = self.row.split_first()?;
        let (children, rest) = rest.split_at(node.descendants as usize);
        self.row = rest;
        Some((node, Siblings { row: children }))
    }
}

/// What the end of a call adds to the arguments that are known at its entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum More {
    /// Nothing.
    #[default]
    Nothing,
    /// Arguments behind them.
    Arguments,
    /// What the call has made of the last one of them ([`Value::Change`]), and arguments behind it.
    Answer,
}

/// A decoded call: what was asked and what came of it.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The call's name, as the kernel's list has it; `None` where no such number is known.
    pub name: Option<&'static str>,
    /// Its number.
    pub number: u64,
    /// The number that the guest gave: see [`contract::Capture::raw_number`].
    pub raw_number: u64,
    /// The ABI.
    pub arch: Arch,
    /// Behind the system call instruction.
    pub ip: GuestAddr,
    /// When it was entered.
    pub entered: Stamp,
    /// The arguments known so far, in the customary order. Before the call has returned, the row
    /// ends before the first one that the call is to write.
    pub args: Nodes<'a>,
    /// What the call's end adds to that row.
    pub more: More,
    /// Whether the call has been entered and does not return if it succeeds (`exit_group(2)`).
    pub never_returns: bool,
    /// What a verdict has changed of it.
    pub changes: Changes,
    /// What came of it, once it has returned.
    pub result: Option<Result<'a>>,
    /// The stack of the call, where asked for.
    pub stack: Option<&'a Stack>,
    /// The data that it has read or written, where asked for.
    pub dump: Vec<Part<'a>>,
}

/// What came of a call.
#[derive(Clone, Debug)]
pub struct Result<'a> {
    /// When the return was seen.
    pub time: Stamp,
    /// System CPU time spent in the call, in nanoseconds, where asked for.
    pub cpu: u64,
    /// The raw value: an error is `-errno`.
    pub raw: i64,
    /// Whether it is an error.
    pub failed: bool,
    /// What a successful value is. `Absent` for a call that does not return.
    pub value: Value<'a>,
    /// A word told beside it: `Timeout`, `flags`.
    pub label: &'static str,
    /// Values told beside it, in parentheses.
    pub note: Nodes<'a>,
}
