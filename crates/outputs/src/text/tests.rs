//! What is expected here was seen from strace 6.1, run on programs that make these calls.

use std::sync::{Arc, Mutex};

use record::{
    Base, FdDetail, FdDetails, FdInfo, FlagSet, Fraction, GuestAddr, More, Named, Node, Nodes,
    NotRead, Origin, Result, SecurityContext, Socket, SocketName, Value,
};

use super::*;

mod lines;
mod looked_up;
mod results;
mod values;

/// A writer whose bytes can be looked at.
#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl io::Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A tree of values: what a record has in one row.
struct Tree(&'static str, Value<'static>, Vec<Tree>);

fn leaf(value: Value<'static>) -> Tree {
    Tree("", value, Vec::new())
}

fn field(name: &'static str, value: Value<'static>) -> Tree {
    Tree(name, value, Vec::new())
}

fn text(bytes: &'static str) -> Value<'static> {
    Value::Str { bytes: bytes.as_bytes(), cut: false }
}

fn number(number: i64) -> Value<'static> {
    Value::Signed(number)
}

fn nodes(trees: Vec<Tree>) -> Nodes<'static> {
    fn append(nodes: &mut Nodes<'static>, Tree(name, value, children): Tree) {
        let verbose = name.starts_with("verbose_");
        let place = nodes.push(Node { name, value, verbose, ..Node::default() });
        children.into_iter().for_each(|child| append(nodes, child));
        nodes.close(place);
    }
    let mut nodes = Nodes::default();
    trees.into_iter().for_each(|tree| append(&mut nodes, tree));
    nodes
}

fn record(name: &'static str, number: u64, args: Vec<Tree>) -> Record<'static> {
    Record {
        name: Some(name),
        number,
        raw_number: number,
        arch: record::Arch::X86_64,
        ip: GuestAddr(0x7fa6_f0a0_0b1d),
        entered: Stamp(1_000_000_000),
        args: nodes(args),
        more: More::Nothing,
        never_returns: false,
        stack: None,
        dump: Vec::new(),
        changes: record::Changes::default(),
        result: None,
    }
}

fn returned(raw: i64) -> Result<'static> {
    Result {
        time: Stamp(1_000_056_000),
        cpu: 0,
        raw,
        failed: (-4095..0).contains(&raw),
        value: Value::Signed(raw),
        label: "",
        note: Nodes::default(),
    }
}

fn call(name: &'static str, args: Vec<Tree>, raw: i64) -> Record<'static> {
    Record { result: Some(returned(raw)), ..record(name, 3, args) }
}

/// What an output with this look makes of these events.
fn shown_as(style: TextStyle, events: &[(i32, What<'_>)]) -> String {
    let page = Page::default();
    let mut text = Text::new(style, Sink::live(Box::new(page.clone())));
    for (tid, what) in events {
        text.event(&Event { tid: Tid(*tid), time: Stamp(2_000_000_000), what: *what }).unwrap();
    }
    text.finish().unwrap();
    let bytes = page.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

fn shown(events: &[(i32, What<'_>)]) -> String {
    shown_as(TextStyle::default(), events)
}

fn line(record: &Record<'_>) -> String {
    shown(&[(7, What::Exit(record))]).trim_end().to_owned()
}

/// How a value looks as an argument.
fn value_as(style: ValueStyle, tree: Tree) -> String {
    let style = TextStyle { values: style, ..TextStyle::default() };
    let record = call("f", vec![tree], 0);
    let line = shown_as(style, &[(7, What::Exit(&record))]);
    let end = line.rfind(')').unwrap();
    line[2..end].to_owned()
}

fn value(tree: Tree) -> String {
    value_as(ValueStyle::default(), tree)
}

fn verbose() -> ValueStyle {
    ValueStyle { abbreviated: Some(Box::new(|_| false)), ..ValueStyle::default() }
}

static OPEN: FlagSet = FlagSet {
    unknown: "O_???",
    numbers: &[],
    field_mask: 3,
    field: &[Named { value: 0, name: "O_RDONLY" }, Named { value: 2, name: "O_RDWR" }],
    bits: &[Named { value: 0x8000, name: "O_LARGEFILE" }],
    ..FlagSet::EMPTY
};

static CLONE: FlagSet = FlagSet {
    unknown: "CLONE_???",
    numbers: &[],
    field_mask: 0,
    field: &[],
    bits: &[Named { value: 0x20_0000, name: "CLONE_CHILD_CLEARTID" }],
    ..FlagSet::EMPTY
};
