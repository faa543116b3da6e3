//! Paths of calls, replaced by rules: what the kernel finds then is what the guest is to see.
//!
//! Only what is certain is decided here, and all else is left to the net. A path is certain if its
//! text shows which place it leads to, and the kernel meets no symbolic link on its way: that it is
//! asked, by a call that opens nothing.

use super::Machine;
use super::capture::string;
use super::slot::Slot;
use super::tables::{Paths, Tables};
use crate::abi::{Call, PATHS_OF_CALL, PathArgument, PathRules, Place, When, slot, when};

/// `AT_FDCWD`, as a register has it.
const WORKING: u64 = -100i64 as u64;
/// `openat2(2)`.
const OPENAT2: u64 = 437;
/// Flags of `open(2)`, of `asm-generic/fcntl.h`.
const O_ACCMODE: u64 = 3;
const O_CREAT: u64 = 0o100;
const O_EXCL: u64 = 0o200;
const O_TRUNC: u64 = 0o1000;
const O_NOFOLLOW: u64 = 0o400_000;
const O_CLOEXEC: u64 = 0o2_000_000;
const O_PATH: u64 = 0o10_000_000;
const TMPFILE: u64 = 0o20_000_000;
/// `RESOLVE_NO_SYMLINKS` of `linux/openat2.h`.
const NO_SYMLINKS: u64 = 4;
/// What the kernel is asked by: to make `.` in a directory, which is there already. It looks for the
/// directory, and then fails, whatever it has found.
static HOW: [u64; 3] = [O_CREAT | O_EXCL | O_CLOEXEC, 0, NO_SYMLINKS];

/// So many bytes before a path are free for the beginning that takes the place of its own.
const ROOM_BEFORE: u64 = 0x100;
/// How long a path can be, with its NUL: behind it there is room for two bytes more.
const PATH_MOST: u64 = slot::PATH_ROOM - ROOM_BEFORE - 8;

/// What becomes of the paths of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// They are what the kernel is to get.
    Kept,
    /// The kernel is to get other arguments, which are in the slot.
    Changed,
    /// The supervisor knows.
    Asked,
}

/// What becomes of the paths of the call that its slot tells of.
pub fn decide(machine: &impl Machine, slot: Slot, tables: Tables<'_>, call: &Call) -> Way {
    if slot.asks_paths() {
        return Way::Asked;
    }
    let mut changed = false;
    let arguments = tables.paths.arguments.iter().skip(call.paths.into());
    for (nth, argument) in (0..PATHS_OF_CALL).zip(arguments) {
        let mut path = Path {
            machine,
            slot,
            rules: tables.paths,
            flags: tables.head.paths.flags,
            argument,
            start: slot::PATHS + nth * slot::PATH_ROOM + ROOM_BEFORE,
            end: 0,
        };
        match path.decide() {
            Seen::Asked => return Way::Asked,
            Seen::Kept => {}
            Seen::At(address) => {
                if !changed {
                    (0..6).for_each(|index| slot.set_argument(index, slot.register(index)));
                }
                changed = true;
                slot.set_argument(argument.register, address);
            }
        }
        if argument.flags & PathArgument::MORE == 0 {
            break;
        }
    }
    if changed { Way::Changed } else { Way::Kept }
}

/// What becomes of one path.
enum Seen {
    Kept,
    /// It is to be what lies at this address.
    At(u64),
    Asked,
}

/// A path, copied to the slot.
struct Path<'t, M> {
    machine: &'t M,
    slot: Slot,
    rules: &'t Paths<'t>,
    flags: u32,
    argument: &'t PathArgument,
    /// Where in the slot it begins, and where its NUL is.
    start: u64,
    end: u64,
}

/// What the text of a path shows.
struct Shape {
    /// How many names it has, `.` left out.
    names: u32,
    /// Where the first one of them begins and ends.
    first: (u64, u64),
    /// Where the last one begins.
    last: u64,
    /// It is only names with one slash between them, and perhaps one at the end.
    is_plain: bool,
    /// It goes up.
    has_parent: bool,
    /// It can only mean a directory.
    is_directory: bool,
}

impl<M: Machine> Path<'_, M> {
    fn decide(&mut self) -> Seen {
        let address = self.slot.register(self.argument.register);
        if address == 0 {
            return Seen::Kept;
        }
        let (len, fault) = string(self.machine, address, PATH_MOST);
        if fault || len == PATH_MOST {
            return Seen::Asked;
        }
        let (to, room) = self.slot.bytes(self.start, len);
        // SAFETY: so many bytes of the slot, which no reference points to.
        if unsafe { self.machine.copy(to, address, room.min(len)) } != len {
            return Seen::Asked;
        }
        self.end = self.start + len - 1;
        self.slot.set_byte(self.end, 0);
        let writes = self.holds(&self.argument.writes, false);
        if self.end == self.start {
            let may = !writes || self.flags & PathRules::READ_ONLY == 0;
            return if may { Seen::Kept } else { Seen::Asked };
        }
        let shape = self.shape();
        let follows = shape.is_directory || self.holds(&self.argument.follows, true);
        if shape.has_parent {
            return Seen::Asked;
        }
        if self.slot.byte(self.start) == b'/' {
            self.absolute(&shape, follows, writes)
        } else {
            self.relative(&shape, follows, writes)
        }
    }

    /// A path that begins at a directory of the host, and stays where it begins.
    fn relative(&self, shape: &Shape, follows: bool, writes: bool) -> Seen {
        let is_read = self.argument.flags & PathArgument::READS_LINK != 0;
        if is_read || writes && self.flags & PathRules::READ_ONLY != 0 {
            return Seen::Asked;
        }
        if shape.names == 0 || !follows && shape.names == 1 && !self.leads_into_place(shape) {
            return Seen::Kept;
        }
        let directory = match self.argument.directory {
            PathArgument::WORKING => WORKING,
            register => self.slot.register(register),
        };
        let last = if follows { None } else { Some(shape.last) };
        if !self.leads_into_place(shape) && self.is_straight(directory, last) {
            Seen::Kept
        } else {
            Seen::Asked
        }
    }

    /// Whether a relative path may lead into a place from above it.
    fn leads_into_place(&self, shape: &Shape) -> bool {
        let (start, end) = shape.first;
        self.rules.names.iter().any(|name| {
            let name = self.rules.text(name);
            name.len() as u64 == end - start && self.has(start, name)
        })
    }

    /// A path that begins at the root.
    fn absolute(&mut self, shape: &Shape, follows: bool, writes: bool) -> Seen {
        let opens = self.argument.flags & PathArgument::OPENS != 0;
        if !shape.is_plain || opens && self.flags & PathRules::NAMES_OPENED != 0 {
            return Seen::Asked;
        }
        let before = self.start;
        while let Some(rest) = self.rest_of_alias() {
            self.start = rest;
        }
        let found = self.rules.places.iter().find_map(|place| {
            let rest = self.rest_below(self.rules.text(&place.guest))?;
            Some((place, rest))
        });
        let Some((place, rest)) = found else { return Seen::Asked };
        // The root of the host is no other than it was.
        let is_same = self.start == before && place.host.len == 0;
        let is_place = rest == self.end || rest + 1 == self.end;
        let is_safe = self.replace(place, rest) && !(writes && (is_place || place.read_only != 0));
        if !is_safe || self.is_link_of_process() {
            return Seen::Asked;
        }
        // The root has no way to it, nor have its own names.
        let slash = (self.start..self.end).rev().find(|at| self.slot.byte(*at) == b'/');
        let last = slash.filter(|_| !follows).map(|slash| slash + 1);
        let has_way = if follows { self.end > self.start + 1 } else { slash > Some(self.start) };
        if has_way && !self.is_straight(WORKING, last) {
            return Seen::Asked;
        }
        if is_same { Seen::Kept } else { Seen::At(self.slot.address(self.start)) }
    }

    /// Where the rest of the path begins behind another name for the root.
    fn rest_of_alias(&self) -> Option<u64> {
        self.rules.aliases.iter().find_map(|alias| self.rest_below(self.rules.text(alias)))
    }

    /// Where the rest of the path begins behind this beginning.
    fn rest_below(&self, beginning: &[u8]) -> Option<u64> {
        let rest = self.start + beginning.len() as u64;
        let is_whole = rest == self.end || rest < self.end && self.slot.byte(rest) == b'/';
        (is_whole && self.has(self.start, beginning)).then_some(rest)
    }

    /// Puts what a place leads to before the rest of the path. Not where there is no room for it.
    fn replace(&mut self, place: &Place, rest: u64) -> bool {
        let host = self.rules.text(&place.host);
        if host.is_empty() && rest == self.end {
            // The root itself.
            self.start = self.end;
            self.slot.set_byte(self.end, b'/');
            self.end += 1;
            self.slot.set_byte(self.end, 0);
            return true;
        }
        let len = host.len() as u64;
        if len > ROOM_BEFORE {
            return false;
        }
        self.start = rest - len;
        (self.start..).zip(host).for_each(|(at, byte)| self.slot.set_byte(at, *byte));
        true
    }

    /// Whether a link is to be read that may be one of a process.
    fn is_link_of_process(&self) -> bool {
        self.argument.flags & PathArgument::READS_LINK != 0 && self.rest_below(b"/proc").is_some()
    }

    /// Whether these bytes lie there.
    fn has(&self, at: u64, bytes: &[u8]) -> bool {
        (at..).zip(bytes).all(|(at, byte)| self.slot.byte(at) == *byte)
    }

    /// Whether the kernel meets no symbolic link on the way of the path, or on that to its `last`
    /// name, if that begins somewhere. What is missing is none.
    fn is_straight(&self, directory: u64, last: Option<u64>) -> bool {
        let has_slash = last.is_some() || self.slot.byte(self.end - 1) == b'/';
        let at = last.unwrap_or(self.end);
        let saved = [0, 1, 2].map(|nth| self.slot.byte(at + nth));
        let asked = if has_slash { [b'.', 0, 0] } else { [b'/', b'.', 0] };
        (at..).zip(asked).for_each(|(at, byte)| self.slot.set_byte(at, byte));
        let how = (&raw const HOW).expose_provenance() as u64;
        let path = self.slot.address(self.start);
        let result = self.machine.make(OPENAT2, [directory, path, how, size_of_val(&HOW) as u64]);
        (at..).zip(saved).for_each(|(at, byte)| self.slot.set_byte(at, byte));
        const EEXIST: i64 = -17;
        // What older kernels say.
        const EISDIR: i64 = -21;
        // The guest's own call comes no further than this one.
        const ENOENT: i64 = -2;
        const EACCES: i64 = -13;
        const ENOTDIR: i64 = -20;
        matches!(result as i64, EEXIST | EISDIR | ENOENT | EACCES | ENOTDIR)
    }

    fn shape(&self) -> Shape {
        let mut shape = Shape {
            names: 0,
            first: (self.start, self.start),
            last: self.start,
            is_plain: true,
            has_parent: false,
            is_directory: false,
        };
        let mut name = self.start;
        for at in self.start..=self.end {
            if at < self.end && self.slot.byte(at) != b'/' {
                continue;
            }
            let is_dot = |at: u64| self.slot.byte(at) == b'.';
            match at - name {
                0 => {
                    shape.is_directory = at == self.end;
                    shape.is_plain &= at == self.start || at == self.end;
                }
                1 if is_dot(name) => {
                    shape.is_directory = at == self.end;
                    shape.is_plain = false;
                }
                2 if is_dot(name) && is_dot(name + 1) => shape.has_parent = true,
                _ => {
                    if shape.names == 0 {
                        shape.first = (name, at);
                    }
                    shape.names += 1;
                    shape.last = name;
                }
            }
            name = at + 1;
        }
        shape
    }

    /// Whether something holds for the call. Opening is asked whether it follows a last link, or else
    /// whether it may change anything.
    fn holds(&self, when: &When, follows: bool) -> bool {
        let register = self.slot.register(when.register);
        let bits = u64::from(when.bits);
        match when.kind {
            when::ALWAYS => true,
            when::IF_BITS => register & bits != 0,
            when::UNLESS_BITS => register & bits == 0,
            when::AS_OPEN if follows => {
                let has = |bits| register & bits == bits;
                !(has(O_NOFOLLOW) || has(O_CREAT | O_EXCL))
            }
            when::AS_OPEN => {
                let may = register & (O_ACCMODE | O_TRUNC | O_CREAT | TMPFILE) != 0;
                register & O_PATH == 0 && may
            }
            _ => false,
        }
    }
}
