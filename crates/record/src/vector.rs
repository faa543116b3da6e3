//! NULL-terminated vectors of strings: `argv` and `envp`.

use contract::GuestAddr;

use crate::place::Place;
use crate::walk::{Found, Pointer, Walk};
use crate::{Node, Value};

/// A vector with its strings.
pub(crate) fn strings<'a>(walk: &mut Walk<'a>, node: Node<'a>, at: Pointer) {
    match vector(walk, at) {
        Some(found) => walk.parent(node, Value::Array, |walk| elements(walk, found, at)),
        None => walk.leaf(node, at.unreadable()),
    }
}

/// A vector that is customarily only counted; its strings are there if they were captured.
pub(crate) fn environment<'a>(walk: &mut Walk<'a>, node: Node<'a>, at: Pointer) {
    let Some(found) = vector(walk, at) else {
        return walk.leaf(node, at.unreadable());
    };
    let word = walk.model.word() as usize;
    let count = pointers(found, word).count() as u64;
    let captured = pointers(found, word)
        .next()
        .is_none_or(|addr| walk.found(Pointer { addr, ..at }).is_some());
    let is_whole = is_terminated(found, word) || !found.fault;
    let unit = if is_whole { "vars" } else { "vars, unterminated" };
    walk.parent(node, Value::Counted(at.addr, count, unit), |walk| {
        if captured {
            elements(walk, found, at);
        }
    });
}

fn vector<'a>(walk: &Walk<'a>, at: Pointer) -> Option<Found<'a>> {
    walk.found(at).filter(|found| found.bytes.len() >= walk.model.word() as usize)
}

/// The addresses in a vector of pointers of so many bytes, up to the null pointer.
fn pointers(found: Found<'_>, word: usize) -> impl Iterator<Item = GuestAddr> {
    let all = found.bytes.chunks_exact(word).map(|bytes| Place::Memory(bytes).u64());
    all.take_while(|addr| *addr != 0).map(GuestAddr)
}

fn is_terminated(found: Found<'_>, word: usize) -> bool {
    found.bytes.chunks_exact(word).any(|bytes| bytes.iter().all(|byte| *byte == 0))
}

fn elements<'a>(walk: &mut Walk<'a>, found: Found<'a>, at: Pointer) {
    let word = walk.model.word() as usize;
    let mut shown = 0;
    for addr in pointers(found, word) {
        let known = walk.found(Pointer { addr, ..at });
        if walk.is_full() || known.is_none() {
            break;
        }
        let value = walk.string(false, Pointer { addr, ..at });
        walk.leaf(Node::default(), value);
        shown += 1;
    }
    let next = at.addr.checked_add(shown * word as u64).unwrap_or(at.addr);
    if pointers(found, word).count() as u64 > shown {
        walk.leaf(Node::default(), Value::More(None));
    } else if !is_terminated(found, word) {
        let value = if found.fault { Value::MoreAt(next) } else { Value::More(None) };
        walk.leaf(Node::default(), value);
    }
}
