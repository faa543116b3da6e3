//! Lists and sets behind pointers.

use contract::Phase;
use table::{Dir, FlagSet, Kind, Len, Target};

use crate::place::{Around, Place};
use crate::walk::{Pointer, Walk};
use crate::{Node, Value};

/// The kernel looks at no more bytes of a set of CPUs; if they have more than so many bits, it is
/// built for larger machines.
const MOST_OF_CPUS: u64 = 128;

impl<'a> Walk<'a> {
    /// Whether a list has no elements, whatever the call does.
    pub(crate) fn is_known_to_be_empty(&self, dir: Dir, target: &Target) -> bool {
        match target {
            Target::Array(_, Len::IntArg(count)) => {
                (dir != Dir::Out || self.written) && self.capture.register(*count) as u32 == 0
            }
            Target::Array(_, Len::Arg(count) | Len::PagesOfArg(count) | Len::NodesOfArg(count)) => {
                self.capture.register(*count) == 0
            }
            Target::Fitting(Kind::Row(_), Len::ArgWithinRet(room), _) => {
                self.written && self.capture.register(*room) == 0
            }
            Target::Array(_, Len::Ret) => self.written && self.returned() == 0,
            Target::Array(_, Len::DoneOfArg(_)) => {
                self.is_verbose && self.written && self.returned() == 0
            }
            _ => false,
        }
    }

    /// So many values in a row.
    pub(crate) fn array(&mut self, node: Node<'a>, kind: &Kind, count: u64, at: Pointer) {
        if count == 0 {
            return self.leaf(node, Value::Array);
        }
        let size = kind.size(self.model).max(1) as usize;
        let found = match self.found(at).filter(|_| count.checked_mul(size as u64).is_some()) {
            Some(found) if found.bytes.len() >= size => found,
            _ => return self.leaf(node, at.unreadable()),
        };
        let before = match at.dir {
            Dir::Refilled if at.phase == Phase::Exit => {
                self.found(Pointer { phase: Phase::Entry, ..at }).map(|found| found.bytes)
            }
            _ => None,
        };
        self.parent(node, Value::Array, |walk| {
            let mut shown = 0;
            for element in found.bytes.chunks_exact(size) {
                if shown == count || walk.is_full() {
                    break;
                }
                let place = shown as usize * size;
                let before = before.and_then(|all| all.get(place..place + size));
                walk.element(kind, element, before);
                shown += 1;
            }
            if shown == count {
                return;
            }
            let next = at.addr.checked_add(shown * size as u64);
            let value = match next {
                Some(next) if found.fault && !walk.is_full() => Value::MoreAt(next),
                _ => Value::More(Some(count - shown)),
            };
            walk.leaf(Node::default(), value);
        });
    }

    fn element(&mut self, kind: &Kind, bytes: &'a [u8], before: Option<&'a [u8]>) {
        let start = self.nodes.len();
        match kind {
            Kind::Struct(layout) => self.structure(Node::default(), layout, bytes, before),
            _ => self.kind(Node::default(), kind, Place::Memory(bytes), &Around::NOTHING),
        }
        let last = self.nodes.from(start).next().and_then(|(_, fields)| fields.last());
        let quiet = matches!(last, Some((node, _)) if matches!(node.value, Value::Flags(0, _)));
        if self.only_telling && quiet {
            self.nodes.truncate(start);
        }
    }

    /// A set of descriptors, in `words` words; `len` says how many bits of them count.
    pub(crate) fn descriptor_set(&mut self, node: Node<'a>, len: Len, words: u64, at: Pointer) {
        let word = u64::from(self.model.word());
        let bits = match len {
            Len::BitsOfArg(register) => match u64::try_from(self.capture.register(register) as i32)
            {
                Ok(bits) => bits,
                Err(_) => return self.leaf(node, at.unreadable()),
            },
            _ => words.saturating_mul(8 * word),
        };
        if bits == 0 {
            return self.leaf(node, at.unreadable());
        }
        let len = words.saturating_mul(word);
        self.set(node, at, [len, len], bits, |walk, fd| {
            Value::Fd(fd as i32, walk.fd_info(fd as i32))
        });
    }

    pub(crate) fn cpu_set(&mut self, node: Node<'a>, len: u64, at: Pointer) {
        if len == 0 && at.dir == Dir::In {
            return self.leaf(node, Value::Set);
        }
        let read = if at.dir == Dir::In { len.min(MOST_OF_CPUS) } else { len };
        self.set(node, at, [len, read], u64::MAX, |_, cpu| Value::Signed(cpu as i64));
    }

    /// A set of signals of `len` bytes; `least`: the smallest there are, 0 is a word's.
    pub(crate) fn signal_set(&self, at: Pointer, len: u64, least: u32) -> Value<'a> {
        let least = if least == 0 { self.model.word() } else { least };
        let fits = (u64::from(least)..=8).contains(&len);
        match self.up_to(at, len).filter(|_| fits) {
            Some(bytes) if bytes.len() <= 4 => Value::SigSet32(Place::Memory(bytes).u32()),
            Some(bytes) => Value::SigSet(Place::Memory(bytes).u64()),
            None => at.unreadable(),
        }
    }

    /// A set of `len` bytes whose bits have names.
    pub(crate) fn named_bits(&self, at: Pointer, len: u64, names: &'static FlagSet) -> Value<'a> {
        match self.up_to(at, len).filter(|_| len > 0) {
            Some(bytes) => Value::Bits(bytes, names),
            None => at.unreadable(),
        }
    }

    /// A set of `len` bytes, of which `read` are looked at.
    fn set(
        &mut self,
        node: Node<'a>,
        at: Pointer,
        [len, read]: [u64; 2],
        bits: u64,
        member: impl Fn(&Walk<'a>, u64) -> Value<'a>,
    ) {
        let Some(bytes) = self.up_to(at, read) else {
            return self.leaf(node, at.unreadable());
        };
        let holds = |bit: &u64| bytes[(bit / 8) as usize] >> (bit % 8) & 1 == 1;
        let captured = bytes.len() as u64 * 8;
        self.parent(node, Value::Set, |walk| {
            for bit in (0..captured.min(bits)).filter(holds) {
                if walk.is_full() {
                    return walk.leaf(Node::default(), Value::More(None));
                }
                let value = member(walk, bit);
                walk.leaf(Node::default(), value);
            }
            if captured < bits.min(len.saturating_mul(8)) {
                walk.leaf(Node::default(), Value::More(None));
            }
        });
    }
}
