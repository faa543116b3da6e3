//! A capture and its call's description → a record.

use contract::{Arch, CallSet, Capture, Outcome, SigInfo};
use table::{Arg, Base, Call, DataModel, FlagSet, Kind, Note};

use crate::place::{Around, Place, number_at};
use crate::walk::Walk;
use crate::{More, Node, Nodes, Record, Result, Value, aside, siginfo};

/// Decodes captures. Total: any bytes, numbers and arguments give a record.
#[derive(Clone, Debug)]
pub struct Decoder {
    /// Calls whose arguments and results stay numbers.
    pub raw: CallSet,
    /// Calls whose structures and lists are read. Of others only strings and data are.
    pub verbose: CallSet,
}

/// Everything is decoded and read.
impl Default for Decoder {
    fn default() -> Decoder {
        Decoder { raw: CallSet::NONE, verbose: CallSet::ALL }
    }
}

impl Decoder {
    /// The record of a call that has been entered: the arguments before the first one of which
    /// the call is to write something.
    pub fn entry<'a>(&self, capture: &'a Capture) -> Record<'a> {
        entry(self.walk(Walk::before(capture)), self.description(capture))
    }

    /// The record of a call that has returned: all arguments and the result. Of a capture without
    /// an outcome, the record has no result and pointees that were to be written stay addresses.
    pub fn exit<'a>(&self, capture: &'a Capture) -> Record<'a> {
        let mut record = exit(self.walk(Walk::after(capture)), self.description(capture));
        if let Some(result) = &mut record.result
            && picks(&self.raw, capture)
        {
            result.value = Value::Unsigned(result.raw as u64, Base::Hex);
        }
        record
    }

    /// A `siginfo_t` as one node, a struct with the fields that the signal and its code fill.
    pub fn signal<'a>(&self, info: &'a SigInfo) -> Nodes<'a> {
        let mut nodes = Nodes::default();
        // A tracer is told in its own layout.
        siginfo::decode(&mut nodes, Node::default(), info, DataModel::Lp64);
        nodes
    }

    fn walk<'a>(&self, walk: Walk<'a>) -> Walk<'a> {
        Walk { is_verbose: picks(&self.verbose, walk.capture), ..walk }
    }

    /// The description of the captured call, if it is to be decoded by one.
    fn description(&self, capture: &Capture) -> Option<&'static Call> {
        if picks(&self.raw, capture) { None } else { capture.arch.call(capture.number) }
    }
}

fn picks(calls: &CallSet, capture: &Capture) -> bool {
    calls.contains_of(capture.arch, capture.number)
}

/// [`Decoder::entry`] of the call with this description.
pub(crate) fn entry<'a>(mut walk: Walk<'a>, call: Option<&Call>) -> Record<'a> {
    let capture = walk.capture;
    let mut more = More::Nothing;
    match call {
        Some(call) => {
            walk.nodes.reserve(call.args.len());
            for (place, arg) in call.args.iter().enumerate() {
                more = match arg.late || walk.awaits_exit(&arg.kind) {
                    true if !arg.late && walk.is_answered(&arg.kind) => More::Answer,
                    true => More::Arguments,
                    false => More::Nothing,
                };
                if more == More::Arguments {
                    break;
                }
                argument(&mut walk, arg, call.register(place));
                if more == More::Answer && walk.has_asked {
                    break;
                }
                more = More::Nothing;
            }
        }
        None => undecoded(&mut walk),
    }
    let never_returns = call.is_some_and(|call| call.ret.never) && !capture.changes.result;
    Record { more, never_returns, ..record(capture, walk.finish(), None) }
}

/// [`Decoder::exit`] of the call with this description.
pub(crate) fn exit<'a>(mut walk: Walk<'a>, call: Option<&Call>) -> Record<'a> {
    let capture = walk.capture;
    let is_verbose = walk.is_verbose;
    match call {
        Some(call) => {
            walk.nodes.reserve(call.args.len());
            walk.written &= !(call.ret.zero_writes_nothing && capture.success() == Some(0));
            for (place, arg) in call.args.iter().enumerate() {
                argument(&mut walk, arg, call.register(place));
            }
        }
        None => undecoded(&mut walk),
    }
    let result = capture.outcome.map(|outcome| {
        let walk = Walk { is_verbose, ..Walk::after(capture) };
        let mut result = result(walk, call, outcome);
        if let Some(aside) = &capture.aside {
            aside::note(&mut result.note, aside);
        }
        result
    });
    record(capture, walk.finish(), result)
}

fn record<'a>(capture: &'a Capture, args: Nodes<'a>, result: Option<Result<'a>>) -> Record<'a> {
    Record {
        name: capture.arch.call(capture.number).map(|call| call.name),
        number: capture.number,
        raw_number: capture.raw_number,
        arch: capture.arch,
        ip: capture.ip,
        entered: capture.entered,
        args,
        more: More::Nothing,
        never_returns: false,
        changes: capture.changes,
        result,
        stack: (!capture.stack.frames.is_empty()).then_some(&capture.stack),
        dump: Vec::new(),
    }
}

fn argument(walk: &mut Walk<'_>, arg: &Arg, register: usize) {
    let node = Node { name: arg.name, named: arg.named, ..Node::default() };
    let value = walk.capture.register(register as u8);
    let place = match arg.upper {
        None => in_register(walk.capture, value),
        Some(upper) => Place::Register(value | walk.capture.register(upper) << 32),
    };
    walk.kind(node, &arg.kind, place, &Around::NOTHING);
}

/// A register with this value.
fn in_register<'a>(capture: &Capture, value: u64) -> Place<'a> {
    match capture.arch {
        Arch::X86_64 | Arch::X32 => Place::Register(value),
        Arch::I386 => Place::Register32(value as u32),
    }
}

/// Arguments of which nothing is known, in the registers' order: as many as the ABI's call of that
/// name has, else six.
fn undecoded(walk: &mut Walk<'_>) {
    let known = walk.capture.arch.call(walk.capture.number);
    // Where numbers are in halves, each half is a number by itself.
    let halves = known.map_or(0, |call| call.args.iter().filter(|arg| arg.upper.is_some()).count());
    let known = known.filter(|_| halves == 0);
    let told = known.map_or(6, |call| {
        call.args
            .iter()
            .rposition(|arg| !matches!(arg.kind, Kind::Absent))
            .map_or(0, |last| last + 1)
    });
    for register in 0..6 {
        let name = match known {
            None => "",
            Some(call) => {
                let in_it = |place: &usize| call.register(*place) == usize::from(register);
                let Some(place) = (0..told).find(in_it) else { continue };
                call.args[place].name
            }
        };
        let value = Value::Unsigned(walk.capture.register(register), Base::Hex);
        walk.push(Node { name, value, ..Node::default() });
    }
}

fn result<'a>(walk: Walk<'a>, call: Option<&Call>, outcome: Outcome) -> Result<'a> {
    let capture = walk.capture;
    let mut result = Result {
        time: outcome.time,
        cpu: outcome.cpu.saturating_sub(capture.cpu),
        raw: outcome.value,
        failed: outcome.failed,
        value: Value::Absent,
        label: "",
        note: Nodes::default(),
    };
    if outcome.failed {
        return result;
    }
    let Some(call) = call else {
        result.value = Value::Signed(outcome.value);
        return result;
    };
    if call.ret.never && !capture.changes.result {
        return result;
    }
    let place = in_register(capture, outcome.value as u64);
    let walk = Walk { is_result: true, ..walk };
    if let Some(kind) = walk.resolve(&call.ret.kind, &Around::NOTHING) {
        result.value = walk.scalar(kind, place, &Around::NOTHING);
    }
    if capture.changes.result {
        result.value = chosen(result.value, capture.arch, outcome.value);
    }
    match &call.ret.note {
        Note::None => {}
        Note::MeaningOfRead(..) if !walk.is_verbose => {}
        Note::Meaning(label, kind) | Note::MeaningOfRead(label, kind) => {
            meaning(walk, label, kind, place, &mut result);
        }
        Note::MeaningBy { on, cases } => {
            let number = number_at(*on, capture, &Around::NOTHING);
            if let Some((_, label, kind)) = cases.iter().find(|(value, ..)| *value == number) {
                meaning(walk, label, kind, place, &mut result);
            }
        }
        Note::After(_) if outcome.value == 0 => result.label = "Timeout",
        Note::After(args) | Note::Beside(args) => {
            result.note = after(Walk { is_result: false, ..walk }, args);
        }
        Note::Labelled(label, args) => {
            result.note = after(Walk { is_result: false, ..walk }, args);
            result.label = if result.note.is_empty() { "" } else { label };
        }
    }
    result
}

/// A result that was chosen may be one that the call never has: all of it is told.
fn chosen<'a>(value: Value<'a>, arch: Arch, result: i64) -> Value<'a> {
    let whole = match arch {
        Arch::I386 => u64::from(result as u32),
        Arch::X86_64 | Arch::X32 => result as u64,
    };
    match value {
        Value::Signed(_) => Value::Unsigned(whole, Base::Dec),
        Value::Unsigned(_, base) => Value::Unsigned(whole, base),
        Value::Fd(..) if i32::try_from(result).is_err() => Value::Signed(result),
        Value::Perm(_) if whole > 0o777 => Value::Unsigned(whole, Base::Oct),
        other => other,
    }
}

/// Tells what a result means; nothing where that is absent, or has no name.
fn meaning<'a>(
    mut walk: Walk<'a>,
    label: &'static str,
    kind: &Kind,
    place: Place<'a>,
    result: &mut Result<'a>,
) {
    walk.kind(Node::default(), kind, place, &Around::NOTHING);
    let note = walk.finish();
    let tells = note.from(0).next().is_some_and(|(node, _)| match node.value {
        Value::Signal(number) => (1..=64).contains(&number),
        Value::Addr(..) | Value::Date(0, None) => false,
        Value::Parts(0, parts) => parts.parts.iter().any(|part| part.names.field_mask != 0),
        Value::Flags(value, set) => has_name(value, set),
        _ => true,
    });
    if tells {
        result.note = note;
        result.label = label;
    }
}

/// Whether anything of a result has a name, or stands above a number that has one of its own; of
/// one of several values that is said by a comment.
fn has_name(value: u64, set: &FlagSet) -> bool {
    let mut names = set.field.iter().chain(set.bits);
    if value == 0 || set.field_mask != 0 {
        return value != 0 || names.any(|named| named.value == 0);
    }
    let of_numbers = set.numbers.iter().fold(0, |bits, number| bits | number.mask);
    names.any(|name| name.value != 0 && value & name.value == name.value)
        || of_numbers != 0 && value & !of_numbers != 0
}

/// These arguments as they are after the call, without those that tell nothing: addresses and
/// empty sets. Where structures are not read, what is behind such sets is told by its address.
fn after<'a>(mut walk: Walk<'a>, args: &[Arg]) -> Nodes<'a> {
    walk.only_telling = true;
    for (place, arg) in args.iter().enumerate() {
        let start = walk.nodes.len();
        argument(&mut walk, arg, arg.register(place));
        let tells =
            walk.nodes.from(start).next().is_some_and(|(node, mut children)| match node.value {
                Value::Absent => false,
                Value::Addr(addr, _) => !walk.is_verbose && start > 0 && !addr.is_null(),
                Value::Set => children.next().is_some(),
                _ => true,
            });
        if !tells {
            walk.nodes.truncate(start);
        }
    }
    walk.finish()
}
