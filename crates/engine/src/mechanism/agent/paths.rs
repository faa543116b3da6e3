//! Rules for paths, as bytes that the agent reads.

use std::ops::BitOr;

use agent::abi::{self, PATHS_OF_CALL, PathArgument, PathRules, Place, Text, when};
use contract::{AskedWhere, Redirection, Tid, When};

use crate::session::Session;

impl Session {
    /// Modules have been asked about a call. If they do no longer what their rules say, agents do not
    /// either.
    pub(crate) fn heed_redirection(&mut self) {
        let Some(agent) = &mut self.agent else { return };
        if agent.asks_paths || self.chain.redirects() {
            return;
        }
        agent.asks_paths = true;
        for (_, tracee) in self.tracees.iter_mut() {
            tracee.seat.iter().for_each(|seat| seat.slot.ask_about_paths(true));
            tracee.heir.iter().for_each(|heir| heir.ask_about_paths(true));
        }
    }

    /// Tells modules what guests have opened by absolute paths, without stops.
    pub(crate) fn tell_opened(&mut self) {
        if self.agent.as_ref().is_some_and(|agent| agent.notes_opened) {
            for (_, tracee) in self.tracees.iter_mut() {
                if let Some(seat) = &mut tracee.seat {
                    seat.take_opened(|path| self.chain.opened(path));
                }
            }
        }
    }

    /// The same of a thread whose slot may soon be another's.
    pub(crate) fn tell_opened_by(&mut self, tid: Tid) {
        if self.agent.as_ref().is_some_and(|agent| agent.notes_opened)
            && let Some(seat) = self.tracees.get_mut(tid).and_then(|tracee| tracee.seat.as_mut())
        {
            seat.take_opened(|path| self.chain.opened(path));
        }
    }
}

/// Rules for paths.
#[derive(Clone, Debug, Default)]
pub struct PathTables {
    counts: PathRules,
    /// What lies behind the ops.
    bytes: Vec<u8>,
}

/// What texts refer to, while it is put together.
#[derive(Default)]
struct Texts(Vec<u8>);

impl PathTables {
    /// These rules, and the calls that they are about with the indices of their first arguments. `None`
    /// where they do not fit into so many bytes.
    pub fn of(rules: &Redirection, room: usize) -> Option<(PathTables, Vec<(u64, u16)>)> {
        let mut texts = Texts::default();
        let mut words: Vec<u32> = Vec::new();
        let mut firsts = Vec::new();
        let mut argument_count = 0u16;
        for (number, arguments) in &rules.calls {
            let count = arguments.len();
            if count == 0 || count as u64 > PATHS_OF_CALL {
                continue;
            }
            firsts.push((*number, argument_count));
            for (nth, argument) in arguments.iter().enumerate() {
                words.extend(path_argument(argument, nth + 1 < count).words());
                argument_count += 1;
            }
        }
        for (number, asked) in &rules.asked {
            firsts.push((*number, argument_count));
            words.extend(asked_argument(*asked).words());
            argument_count += 1;
        }
        for place in &rules.places {
            let (guest, host) = (texts.add(&place.guest), texts.add(&place.host));
            let flags = [
                (place.read_only, Place::READ_ONLY),
                (place.parent_stays, Place::PARENT_STAYS),
                (place.asked, Place::ASKED),
            ];
            words.extend(Place { guest, host, flags: set(flags) }.words());
        }
        for text in rules.aliases.iter().chain(&rules.names) {
            words.extend(texts.add(text).words());
        }
        let read_only = rules.places.iter().any(|place| place.read_only);
        let flags = [(read_only, PathRules::READ_ONLY), (rules.links_stay, PathRules::LINKS_STAY)];
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend_from_slice(&texts.0);
        let counts = PathRules {
            argument_count: argument_count.into(),
            place_count: rules.places.len() as u32,
            alias_count: rules.aliases.len() as u32,
            name_count: rules.names.len() as u32,
            byte_count: texts.0.len() as u32,
            flags: set(flags),
        };
        (bytes.len() <= room).then_some((PathTables { counts, bytes }, firsts))
    }

    /// As they stand in the head of the tables.
    pub fn counts(&self) -> [u32; 6] {
        self.counts.words()
    }

    /// What lies behind the ops.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Texts {
    fn add(&mut self, text: &[u8]) -> Text {
        let at = self.0.len() as u32;
        self.0.extend_from_slice(text);
        Text { at, len: text.len() as u32 }
    }
}

fn path_argument(argument: &contract::PathArgument, more: bool) -> PathArgument {
    let flags = [
        (more, PathArgument::MORE),
        (argument.opens, PathArgument::OPENS),
        (argument.reads_link, PathArgument::READS_LINK),
        (argument.looks, PathArgument::LOOKS),
        (argument.unless_missing, PathArgument::UNLESS_MISSING),
    ];
    PathArgument {
        register: argument.register,
        directory: argument.directory.unwrap_or(PathArgument::WORKING),
        flags: set(flags),
        follows: of(argument.follows),
        writes: of(argument.writes),
        ..PathArgument::default()
    }
}

/// The flags that are set.
fn set<F: BitOr<Output = F> + Default, const N: usize>(flags: [(bool, F); N]) -> F {
    let all = flags.into_iter().filter(|(is, _)| *is);
    all.fold(F::default(), |all, (_, flag)| all | flag)
}

fn asked_argument(asked: AskedWhere) -> PathArgument {
    let (register, more, bits) = match asked {
        AskedWhere::Pointer(register) => (register, 0, 0),
        AskedWhere::LeadsToPointer(register) => (register, PathArgument::BY_POINTER, 0),
        AskedWhere::Family { register, family } => {
            (register, PathArgument::BY_FAMILY, family.into())
        }
    };
    let follows = abi::When { bits, ..abi::When::default() };
    let flags = PathArgument::ASKED | more;
    PathArgument { register, flags, follows, ..PathArgument::default() }
}

fn of(condition: When) -> abi::When {
    let (kind, register, bits) = match condition {
        When::Never => (when::NEVER, 0, 0),
        When::Always => (when::ALWAYS, 0, 0),
        When::IfBits(register, bits) => (when::IF_BITS, register, bits),
        When::UnlessBits(register, bits) => (when::UNLESS_BITS, register, bits),
        When::AsOpen(register) => (when::AS_OPEN, register, 0),
    };
    abi::When { kind, register, bits, ..abi::When::default() }
}
