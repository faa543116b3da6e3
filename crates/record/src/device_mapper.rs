//! Requests to the device mapper: a struct, and what it says that there is behind it.

use contract::{GuestAddr, Phase};
use table::structs::DEVICE_MAPPER;
use table::{Dir, Field, Given, Kind, MapperRequest, Payload, Width};

use crate::place::{Around, Place};
use crate::walk::{Pointer, Walk};
use crate::{Base, Node, NotRead, Value};

/// The fields of [`DEVICE_MAPPER`], by index.
const VERSION: u8 = 0;
const DATA_SIZE: u8 = 1;
const DATA_START: u8 = 2;
const DEV: u8 = 3;
const NAME: u8 = 4;
const UUID: u8 = 5;
const TARGET_COUNT: u8 = 6;
const OPEN_COUNT: u8 = 7;
const EVENT_NR: u8 = 8;
const FLAGS: u8 = 9;

/// The struct without its last bytes, which only fill it up.
const HEADER: usize = 305;
/// The interface that is known.
const KNOWN_VERSION: u32 = 4;
/// From this version on names come with events.
const EVENTS_SINCE: u32 = 37;
const DM_SUSPEND_FLAG: u64 = 2;
const DM_DATA_OUT_FLAG: u64 = 0x1_0000;

/// `struct dm_target_spec`, and the fixed parts of the others.
const TARGET: u64 = 40;
const NAMED: u64 = 12;
const VERSIONED: u64 = 16;
const DEPENDENCIES: u64 = 8;
const MESSAGE: u64 = 8;

/// Appends what was asked and, where the call succeeded, what it answered.
pub(crate) fn decode<'a>(
    walk: &mut Walk<'a>,
    node: Node<'a>,
    request: &MapperRequest,
    at: Pointer,
) {
    let asked = Pointer { dir: Dir::In, phase: Phase::Entry, ..at };
    let Some(request_made) = Request::read(walk, request, asked, false) else {
        return walk.leaf(node, at.unreadable());
    };
    let answered = Pointer { dir: Dir::Out, phase: Phase::Exit, ..at };
    let answer = Request::read(walk, request, answered, true).filter(|_| walk.written);
    let Some(answer) = answer else { return request_made.show(walk, node) };
    walk.parent(node, Value::Change, |walk| {
        request_made.show(walk, Node::default());
        answer.show(walk, Node::default());
    });
}

/// One side of a request: what is asked, or what is answered.
struct Request<'r, 'a> {
    description: &'r MapperRequest,
    is_answer: bool,
    at: Pointer,
    header: Around<'a>,
    /// All that was copied of it, payload included.
    bytes: &'a [u8],
}

impl<'r, 'a> Request<'r, 'a> {
    /// What is there; `None` where nothing can be read, or it says that it has no bytes.
    fn read(
        walk: &Walk<'a>,
        description: &'r MapperRequest,
        at: Pointer,
        is_answer: bool,
    ) -> Option<Request<'r, 'a>> {
        let bytes = walk.found(at)?.bytes;
        let known = bytes.get(..HEADER)?;
        let header =
            Around { fields: DEVICE_MAPPER.fields, bytes: known, before: None, model: walk.model };
        let request = Request { description, is_answer, at, header, bytes };
        (request.size() != 0).then_some(request)
    }

    fn size(&self) -> u64 {
        self.header.number(DATA_SIZE)
    }

    fn field(&self, index: u8) -> &'static Field {
        &DEVICE_MAPPER.fields[usize::from(index)]
    }

    /// The struct, and what is behind it.
    fn show(&self, walk: &mut Walk<'a>, node: Node<'a>) {
        walk.parent(node, Value::List, |walk| {
            let mut is_known = false;
            walk.parent(Node::default(), Value::Struct, |walk| is_known = self.header(walk));
            if is_known {
                self.payload(walk);
            }
        });
    }

    fn tell(&self, walk: &mut Walk<'a>, index: u8) {
        let field = self.field(index);
        let node = Node { name: field.name, ..Node::default() };
        walk.kind(node, &field.kind, self.header.place(field), &self.header);
    }

    /// The fields that count; whether there is more to be told.
    fn header(&self, walk: &mut Walk<'a>) -> bool {
        let version = self.header.place(self.field(VERSION));
        if version.u32() != KNOWN_VERSION {
            self.remarked(walk, VERSION, "unsupported device mapper ABI version");
            return false;
        }
        self.tell(walk, VERSION);
        if self.size() < HEADER as u64 {
            self.remarked(walk, DATA_SIZE, "data_size too small");
            return false;
        }
        self.tell(walk, DATA_SIZE);
        let MapperRequest { has_device, given, tells_state, reads, writes } = *self.description;
        if (reads, writes) != (Payload::Nothing, Payload::Nothing) {
            self.tell(walk, DATA_START);
        }
        if has_device {
            let is_there =
                |index: &u8| self.header.place(self.field(*index)).number(Width::U8) != 0;
            if self.header.number(DEV) != 0 {
                self.tell(walk, DEV);
            }
            [NAME, UUID].into_iter().filter(is_there).for_each(|index| self.tell(walk, index));
        }
        let is_suspended = self.header.number(FLAGS) & DM_SUSPEND_FLAG != 0;
        match given {
            _ if self.is_answer && tells_state => {
                [TARGET_COUNT, OPEN_COUNT, EVENT_NR]
                    .into_iter()
                    .for_each(|index| self.tell(walk, index));
            }
            _ if self.is_answer => {}
            Given::Targets => self.tell(walk, TARGET_COUNT),
            Given::Event => self.tell(walk, EVENT_NR),
            Given::EventIfResumed if !is_suspended => self.tell(walk, EVENT_NR),
            Given::EventIfResumed | Given::Nothing => {}
        }
        self.tell(walk, FLAGS);
        true
    }

    fn remarked(&self, walk: &mut Walk<'a>, index: u8, remark: &'static str) {
        let field = self.field(index);
        let node = Node { name: field.name, ..Node::default() };
        walk.parent(node, Value::Remarked(remark), |walk| {
            walk.kind(Node::default(), &field.kind, self.header.place(field), &self.header);
        });
    }

    fn payload(&self, walk: &mut Walk<'a>) {
        let MapperRequest { reads, writes, .. } = *self.description;
        let start = self.header.number(DATA_START);
        let is_empty = start == self.size();
        match if self.is_answer { writes } else { reads } {
            Payload::Nothing => {}
            Payload::Reply if self.header.number(FLAGS) & DM_DATA_OUT_FLAG == 0 => {}
            Payload::Targets => self.targets(walk, false),
            Payload::States => self.targets(walk, true),
            Payload::Text | Payload::Reply if start > self.size() => {
                misplaced(walk, "misplaced string")
            }
            Payload::Text | Payload::Reply => walk.parent(ELEMENT, Value::Struct, |walk| {
                walk.leaf(named("string"), self.text(start, self.size() - start));
            }),
            _ if is_empty => {}
            Payload::Names => self.names(walk, start),
            Payload::Versions => self.versions(walk, start),
            Payload::Dependencies => self.dependencies(walk, start),
            Payload::Message => self.message(walk, start),
        }
    }

    /// So many bytes from this place on, if they are said to be there; else what stands for them
    /// is appended.
    fn part(
        &self,
        walk: &mut Walk<'a>,
        offset: u64,
        len: u64,
        misplacement: &'static str,
    ) -> Option<&'a [u8]> {
        if offset + len > self.size() {
            misplaced(walk, misplacement);
            return None;
        }
        let part = self.bytes.get(offset as usize..(offset + len) as usize);
        if part.is_none() {
            walk.leaf(ELEMENT, self.missing(offset));
        }
        part
    }

    fn missing(&self, offset: u64) -> Value<'a> {
        Value::Addr(GuestAddr(self.at.addr.0.wrapping_add(offset)), NotRead::Unreadable)
    }

    /// The string at this place, for which there is room of so many bytes.
    fn text(&self, offset: u64, room: u64) -> Value<'a> {
        let there = self.bytes.get(offset as usize..).unwrap_or_default();
        if there.is_empty() && room > 0 {
            return self.missing(offset);
        }
        let there = &there[..there.len().min(usize::try_from(room).unwrap_or(usize::MAX))];
        match there.iter().position(|byte| *byte == 0) {
            Some(end) => Value::Str { bytes: &there[..end], cut: false },
            None => Value::Str { bytes: there, cut: room > 0 },
        }
    }

    /// As many targets as the struct says. States tell where the next one is by its distance from
    /// the first one.
    fn targets(&self, walk: &mut Walk<'a>, have_states: bool) {
        const NAME_OF_KIND: usize = 24;
        let start = self.header.number(DATA_START);
        let (mut offset, mut least) = (start, 0);
        for _ in 0..self.header.number(TARGET_COUNT) {
            if walk.is_full() {
                return walk.leaf(ELEMENT, Value::More(None));
            }
            let at = if offset < least { u64::from(u32::MAX) } else { offset };
            let part = self.part(walk, at, TARGET, "misplaced struct dm_target_spec");
            let Some(target) = part else { return };
            walk.parent(ELEMENT, Value::Struct, |walk| {
                let number =
                    |at: usize| Value::Unsigned(Place::Memory(&target[at..]).u64(), Base::Dec);
                walk.leaf(named("sector_start"), number(0));
                walk.leaf(named("length"), number(8));
                if have_states {
                    let status = Place::Memory(&target[16..]).i32();
                    walk.leaf(named("status"), Value::Signed(status.into()));
                }
                let kind = Place::Memory(&target[NAME_OF_KIND..]);
                walk.kind(named("target_type"), &Kind::CharArray(16), kind, &Around::NOTHING);
                let room = self.size() - offset - TARGET;
                walk.leaf(named("string"), self.text(offset + TARGET, room));
            });
            // A string of no bytes has one.
            least = offset + TARGET + 1;
            let next = u64::from(Place::Memory(&target[20..]).u32());
            offset = next + if have_states { start } else { offset };
        }
    }

    /// Names of devices, each with where the next one is: counted from itself; the last one says 0.
    fn names(&self, walk: &mut Walk<'a>, start: u64) {
        self.list(walk, start, NAMED, "misplaced struct dm_name_list", |walk, entry, offset| {
            let next = u64::from(Place::Memory(&entry[8..]).u32());
            walk.leaf(named("dev"), Value::Dev(Place::Memory(entry).u64()));
            let name = self.text(offset + NAMED, self.size() - offset - NAMED);
            walk.leaf(named("name"), name);
            if let Some(event) = self.event(name, offset, next) {
                walk.leaf(named("event_nr"), Value::Unsigned(event.into(), Base::Dec));
            }
            next
        });
    }

    /// The number of the last event of a device with this name, which stands behind it.
    fn event(&self, name: Value<'_>, offset: u64, next: u64) -> Option<u32> {
        let Value::Str { bytes, cut: false } = name else { return None };
        let minor = Place::Memory(&self.header.bytes[4..]).u32();
        let at = (offset + NAMED + bytes.len() as u64 + 1).next_multiple_of(8);
        if minor < EVENTS_SINCE || at + 4 > offset + next {
            return None;
        }
        let event = self.bytes.get(at as usize..at as usize + 4)?;
        Some(Place::Memory(event).u32())
    }

    fn versions(&self, walk: &mut Walk<'a>, start: u64) {
        let misplacement = "misplaced struct dm_target_versions";
        self.list(walk, start, VERSIONED, misplacement, |walk, entry, offset| {
            let room = self.size() - offset - VERSIONED;
            walk.leaf(named("name"), self.text(offset + VERSIONED, room));
            let version = Place::Memory(&entry[4..]);
            let kind = Kind::Array(&Kind::UINT, 3);
            walk.kind(named("version"), &kind, version, &Around::NOTHING);
            Place::Memory(entry).u32().into()
        });
    }

    /// Entries of which each says where the next one is; 0 ends them.
    fn list(
        &self,
        walk: &mut Walk<'a>,
        start: u64,
        size: u64,
        misplacement: &'static str,
        entry: impl Fn(&mut Walk<'a>, &'a [u8], u64) -> u64,
    ) {
        let mut offset = start;
        loop {
            if walk.is_full() {
                return walk.leaf(ELEMENT, Value::More(None));
            }
            let Some(bytes) = self.part(walk, offset, size, misplacement) else { return };
            let mut next = 0;
            walk.parent(ELEMENT, Value::Struct, |walk| next = entry(walk, bytes, offset));
            match next {
                0 => return,
                next if next <= size => return misplaced(walk, misplacement),
                next => offset += next,
            }
        }
    }

    fn dependencies(&self, walk: &mut Walk<'a>, start: u64) {
        const MISPLACEMENT: &str = "misplaced struct dm_target_deps";
        let Some(head) = self.part(walk, start, DEPENDENCIES, MISPLACEMENT) else { return };
        let count = Place::Memory(head).u32();
        let len = u64::from(count) * 8;
        if start + DEPENDENCIES + len > self.size() {
            return misplaced(walk, MISPLACEMENT);
        }
        let first = (start + DEPENDENCIES) as usize;
        walk.parent(ELEMENT, Value::Struct, |walk| {
            walk.leaf(named("count"), Value::Unsigned(count.into(), Base::Dec));
            let devices = self.bytes.get(first..first + len as usize);
            let Some(devices) = devices else {
                return walk.leaf(named("deps"), self.missing(first as u64));
            };
            let kind = Kind::Array(&Kind::Dev(Width::U64), count);
            walk.kind(named("deps"), &kind, Place::Memory(devices), &Around::NOTHING);
        });
    }

    fn message(&self, walk: &mut Walk<'a>, start: u64) {
        let misplacement = "misplaced struct dm_target_msg";
        let Some(head) = self.part(walk, start, MESSAGE, misplacement) else { return };
        walk.parent(ELEMENT, Value::Struct, |walk| {
            let sector = Place::Memory(head).u64();
            walk.leaf(named("sector"), Value::Unsigned(sector, Base::Dec));
            let room = self.size() - start - MESSAGE;
            walk.leaf(named("message"), self.text(start + MESSAGE, room));
        });
    }
}

/// What is behind the struct is told in full only.
const ELEMENT: Node<'static> =
    Node { name: "", value: Value::Absent, named: false, verbose: true, descendants: 0 };

fn named<'a>(name: &'static str) -> Node<'a> {
    Node { name, ..Node::default() }
}

fn misplaced(walk: &mut Walk<'_>, remark: &'static str) {
    walk.parent(ELEMENT, Value::Remarked(remark), |walk| {
        walk.leaf(Node::default(), Value::TooShort);
    });
}
