//! Paths of calls, replaced by rules: what the kernel finds then is what the guest is to see.
//!
//! Only what is certain is decided here, and all else is left to the net. A path is certain if its
//! text shows which place it leads to, and the kernel meets no symbolic link on its way: that it is
//! asked, by a call that opens nothing.

use super::capture::string;
use super::names;
use super::slot::Slot;
use super::tables::Paths;
use super::{Machine, is_error};
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
const O_DIRECTORY: u64 = 0o200_000;
const O_NOFOLLOW: u64 = 0o400_000;
const O_CLOEXEC: u64 = 0o2_000_000;
const O_PATH: u64 = 0o10_000_000;
const TMPFILE: u64 = 0o20_000_000;
/// `RESOLVE_NO_MAGICLINKS` and `RESOLVE_NO_SYMLINKS` of `linux/openat2.h`.
const NO_MAGIC_LINKS: u64 = 2;
const NO_LINKS: u64 = 4;
/// Errors, as calls return them, of `asm-generic/errno-base.h` and `errno.h`. The path leads to a
/// directory:
const EISDIR: i64 = -21;
/// To something else.
const ENOTDIR: i64 = -20;
/// The guest's own call would come no further either.
const ENOENT: i64 = -2;
const EACCES: i64 = -13;
/// A symbolic link is on its way.
const ELOOP: i64 = -40;

/// The name of the files of `/proc` that tell on which processors a thread may run: whoever binds
/// guests has to know who opens them.
const STATUS: &[u8] = b"status";

/// A `struct open_how`: flags, mode, how paths are resolved.
type How = [u64; 3];
/// What the kernel is asked by: to make a file whose name has a slash behind it. It looks for the
/// directory, and then fails, without a look for the file.
static STRAIGHT: How = [O_CREAT | O_EXCL | O_CLOEXEC, 0, NO_LINKS];
/// The same, along symbolic links.
static BY_LINKS: How = [O_CREAT | O_EXCL | O_CLOEXEC, 0, NO_MAGIC_LINKS];

/// So many bytes before a path are free for the beginning that takes the place of its own.
const ROOM_BEFORE: u64 = 0x100;
/// How long a path can be, with its NUL: behind it there is room for three bytes more.
const PATH_MOST: u64 = slot::PATH_ROOM - ROOM_BEFORE - 8;

/// Where in the slot there is room for a call's second path.
const OTHER_PATH: u64 = slot::PATHS + slot::PATH_ROOM;

/// What becomes of the paths of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// They are what the kernel is to get.
    Kept,
    /// The kernel is to get other arguments, which are in the slot.
    Changed,
    /// The call has been made, and has returned this; or it is known what it would.
    Made(u64),
    /// The supervisor knows.
    Asked,
}

/// What becomes of the paths of the call that its slot tells of.
#[inline(never)]
pub fn decide(machine: &impl Machine, slot: Slot, rules: &Paths<'_>, call: &Call) -> Way {
    if slot.asks_paths() {
        return Way::Asked;
    }
    let mut changed = false;
    let arguments = rules.arguments.iter().skip(call.paths.into());
    for (nth, argument) in (0..PATHS_OF_CALL).zip(arguments) {
        let mut path = Path {
            machine,
            slot,
            rules,
            argument,
            may_be_made: call.flags & Call::RECORDED == 0,
            start: slot::PATHS + nth * slot::PATH_ROOM + ROOM_BEFORE,
            end: 0,
        };
        match path.decide() {
            Seen::Asked => return Way::Asked,
            Seen::Made(result) => return Way::Made(result),
            _ if argument.flags & PathArgument::UNLESS_MISSING != 0 => return Way::Asked,
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
    /// The call has been made with it.
    Made(u64),
    Asked,
}

/// What the kernel meets on the way of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    /// No symbolic link.
    NoLink,
    /// Symbolic links that do no harm.
    Links,
    /// What the guest's call has returned, which was made with it.
    Made(u64),
    /// It is not certain that it finds what the guest is to find.
    Other,
}

/// A path, copied to the slot.
struct Path<'t, M> {
    machine: &'t M,
    slot: Slot,
    rules: &'t Paths<'t>,
    argument: &'t PathArgument,
    /// Nobody wants to know of the call.
    may_be_made: bool,
    /// Where in the slot it begins, and where its NUL is.
    start: u64,
    end: u64,
}

/// Whether it only says which paths the supervisor has to see.
fn is_asked(place: &Place) -> bool {
    place.flags & Place::ASKED != 0
}

/// A name of a path.
enum Name {
    /// It is empty, or `.`.
    Nothing,
    /// It is `..`.
    Parent,
    /// It is the name of something.
    Other,
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
        if self.argument.flags & PathArgument::ASKED != 0 {
            return if self.is_asked(address) { Seen::Asked } else { Seen::Kept };
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
        // A link of `/proc` may lead to what is not to be changed.
        self.may_be_made &= !(writes && self.rules.flags & PathRules::READ_ONLY != 0);
        if self.end == self.start {
            let may = !writes || self.rules.flags & PathRules::READ_ONLY == 0;
            return if may { Seen::Kept } else { Seen::Asked };
        }
        let shape = self.shape();
        let is_status =
            shape.last + STATUS.len() as u64 == self.end && self.has(shape.last, STATUS);
        if is_status && self.opens_file() {
            return Seen::Asked;
        }
        let follows = shape.is_directory || self.holds(&self.argument.follows, true);
        if self.slot.byte(self.start) == b'/' {
            self.absolute(&shape, follows, writes)
        } else {
            self.relative(&shape, follows, writes)
        }
    }

    /// Whether the call opens what may be no directory.
    fn opens_file(&self) -> bool {
        let When { kind, register, .. } = self.argument.writes;
        let is_directory = kind == when::AS_OPEN && self.slot.register(register) & O_DIRECTORY != 0;
        self.argument.flags & PathArgument::OPENS != 0 && !is_directory
    }

    /// Whether the supervisor has to see the call, which has this address among its arguments.
    fn is_asked(&self, address: u64) -> bool {
        let Some(word) = self.machine.word(address & !7) else { return true };
        let (flags, offset) = (self.argument.flags, address % 8);
        if flags & PathArgument::BY_POINTER != 0 {
            offset != 0 || word != 0
        } else if flags & PathArgument::BY_FAMILY != 0 {
            offset > 6 || (word >> (8 * offset)) as u16 == self.argument.follows.bits as u16
        } else {
            true
        }
    }

    /// A path that begins at a directory of the host, and stays where it begins.
    fn relative(&self, shape: &Shape, follows: bool, writes: bool) -> Seen {
        let is_read = self.argument.flags & PathArgument::READS_LINK != 0;
        if is_read || writes && self.rules.flags & PathRules::READ_ONLY != 0 {
            return Seen::Asked;
        }
        let directory = match self.argument.directory {
            PathArgument::WORKING => WORKING,
            register => self.slot.register(register),
        };
        let leads_on = match shape.has_parent {
            true => !self.rises(self.start).is_some_and(|up| self.may_rise(directory, up)),
            false => self.is_on_way(shape.first),
        };
        if leads_on {
            return Seen::Asked;
        }
        let is_name = !follows && shape.names == 1 && !shape.has_parent;
        if shape.names == 0 || is_name {
            return Seen::Kept;
        }
        let last = if follows { None } else { Some(shape.last) };
        // It begins in the root for certain where there is nothing else.
        let in_root = matches!(self.rules.places, [others @ .., place]
            if place.host.len == 0 && others.iter().all(is_asked));
        match self.met(directory, last, in_root) {
            Met::NoLink | Met::Links => Seen::Kept,
            Met::Made(result) => Seen::Made(result),
            Met::Other => Seen::Asked,
        }
    }

    /// Whether this name is one on the way to a place.
    fn is_on_way(&self, (start, end): (u64, u64)) -> bool {
        self.rules.names.iter().any(|name| {
            let name = self.rules.text(name);
            name.len() as u64 == end - start && self.has(start, name)
        })
    }

    /// How many directories a path from there on goes above where it begins. `None`: it comes near a place.
    fn rises(&self, start: u64) -> Option<u32> {
        let (mut depth, mut up) = (0u32, 0u32);
        let mut name = start;
        for at in self.ends(start) {
            match self.kind((name, at)) {
                Name::Nothing => {}
                Name::Parent if depth == 0 => up += 1,
                Name::Parent => depth -= 1,
                Name::Other if self.is_on_way((name, at)) => return None,
                Name::Other => depth += 1,
            }
            name = at + 1;
        }
        Some(up)
    }

    /// Whether a path that goes so many directories above this one comes to what the guest sees there: to
    /// none but those which the guest sees above each other, too.
    fn may_rise(&self, directory: u64, up: u32) -> bool {
        let stays = |place: &Place| place.flags & Place::PARENT_STAYS != 0;
        let moved = || self.rules.places.iter().filter(|place| !stays(place));
        if up == 0 || moved().next().is_none() {
            return true;
        }
        // Where a second path of the call would lie.
        if self.start >= OTHER_PATH || self.argument.flags & PathArgument::MORE != 0 {
            return false;
        }
        let room = slot::PATH_ROOM;
        let link = names::link(self.machine, self.slot, directory as i32, OTHER_PATH, room);
        let Some(len) = link.filter(|len| *len < room) else { return false };
        if self.slot.byte(OTHER_PATH) != b'/' {
            return false;
        }
        // The root has no name.
        let mut len = if len == 1 { 0 } else { len };
        for _ in 0..up {
            let is_here = |place: &Place| {
                let host = self.rules.text(&place.host);
                host.len() as u64 == len && self.has(OTHER_PATH, host)
            };
            if moved().any(is_here) {
                return false;
            }
            let slash = (0..len).rev().find(|at| self.slot.byte(OTHER_PATH + at) == b'/');
            len = slash.unwrap_or(0);
        }
        true
    }

    /// A path that begins at the root.
    fn absolute(&mut self, shape: &Shape, follows: bool, writes: bool) -> Seen {
        let before = self.start;
        let is_below = |place: &Place| self.rest_below(self.rules.text(&place.guest)).is_some();
        if self.rules.places.iter().filter(|place| is_asked(place)).any(is_below) {
            return Seen::Asked;
        }
        while let Some(rest) = self.rest_of_alias() {
            self.start = rest;
        }
        let is_alias = self.start != before;
        // By which name a directory was opened counts for who later asks for that.
        let opens = self.argument.flags & PathArgument::OPENS != 0;
        let notes = opens && !self.rules.aliases.is_empty();
        let is_name = shape.is_plain && !shape.has_parent;
        let len = self.end - before;
        if notes && is_name {
            self.slot.add_opened(before, len);
        }
        let found = self.rules.places.iter().filter(|place| !is_asked(place)).find_map(|place| {
            let rest = self.rest_below(self.rules.text(&place.guest))?;
            Some((place, rest))
        });
        let Some((place, rest)) = found else { return Seen::Asked };
        if (shape.has_parent || !shape.is_plain) && self.rises(rest) != Some(0) {
            return Seen::Asked;
        }
        // The root of the host is no other than it was.
        let in_root = place.host.len == 0;
        let is_place = rest == self.end || rest + 1 == self.end;
        let is_kept = is_place || place.flags & Place::READ_ONLY != 0;
        let is_safe = self.replace(place, rest) && !(writes && is_kept);
        if !is_safe || self.is_link_of_process() {
            return Seen::Asked;
        }
        // The root has no way to it, nor have its own names.
        let slash = (self.start..self.end).rev().find(|at| self.slot.byte(*at) == b'/');
        let last = slash.filter(|_| !follows).map(|slash| slash + 1);
        let has_way = if follows { self.end > self.start + 1 } else { slash > Some(self.start) };
        let met = if has_way { self.met(WORKING, last, in_root) } else { Met::NoLink };
        if let Met::Made(result) = met {
            return Seen::Made(result);
        }
        let is_name = is_name && met == Met::NoLink;
        if met == Met::Other || notes && is_alias && !is_name {
            return Seen::Asked;
        }
        if notes && is_name {
            self.slot.publish_opened(len);
        }
        if in_root && self.start == before {
            Seen::Kept
        } else {
            Seen::At(self.slot.address(self.start))
        }
    }

    /// What the kernel meets on its way. Symbolic links can do no harm if it begins in the root: what the
    /// kernel finds then is what the guest is to find. So a call that only looks can be made at once, and
    /// only if it finds nothing the kernel is asked.
    fn met(&self, directory: u64, last: Option<u64>, in_root: bool) -> Met {
        let has = |flag| self.argument.flags & flag != 0;
        if has(PathArgument::UNLESS_MISSING) {
            return match self.look(&STRAIGHT, directory, last) {
                ENOENT => Met::Made(ENOENT as u64),
                _ => Met::Other,
            };
        }
        let may = in_root
            && !has(PathArgument::READS_LINK)
            && self.rules.flags & PathRules::LINKS_STAY != 0;
        let result = if in_root && self.may_be_made { self.tried() } else { None };
        if let Some(result) = result
            && !matches!(result as i64, ENOENT | ENOTDIR | EACCES | ELOOP)
        {
            return Met::Made(result);
        }
        let met = match self.look(&STRAIGHT, directory, last) {
            EISDIR | ENOTDIR | ENOENT | EACCES => Met::NoLink,
            ELOOP if may => match self.look(&BY_LINKS, directory, last) {
                EISDIR | ENOTDIR => Met::Links,
                _ => Met::Other,
            },
            _ => Met::Other,
        };
        match (met, result) {
            (Met::NoLink | Met::Links, Some(result)) => Met::Made(result),
            (met, _) => met,
        }
    }

    /// What a call returns that looks, or that reads a link and fails. It has this one path.
    fn tried(&self) -> Option<u64> {
        let has = |flag| self.argument.flags & flag != 0;
        let may = has(PathArgument::READS_LINK) || has(PathArgument::LOOKS);
        if !may || self.rules.flags & PathRules::LINKS_STAY == 0 {
            return None;
        }
        (0..6).for_each(|index| self.slot.set_argument(index, self.slot.register(index)));
        self.slot.set_argument(self.argument.register, self.slot.address(self.start));
        if has(PathArgument::READS_LINK) {
            // Not into the guest's buffer, which is to be as it was if the supervisor is asked.
            let [buffer, size] = [1, 2].map(|behind| self.argument.register + behind);
            self.slot.set_argument(buffer, self.slot.address(OTHER_PATH));
            self.slot.set_argument(size, u64::from(self.slot.register(size) as i32 > 0));
            return Some(self.make()).filter(|result| is_error(*result));
        }
        Some(self.make())
    }

    /// Makes the guest's call with the arguments in the slot.
    fn make(&self) -> u64 {
        // SAFETY: they lie in the slot.
        unsafe { self.machine.make_guests(self.slot.number(), self.slot.address(slot::ARGS)) }
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

    /// What the kernel says of the way of the path, or of that to its `last` name, if that begins
    /// somewhere.
    fn look(&self, how: &'static How, directory: u64, last: Option<u64>) -> i64 {
        let has_slash = last.is_some() || self.slot.byte(self.end - 1) == b'/';
        let at = last.unwrap_or(self.end);
        let saved = [0, 1, 2, 3].map(|nth| self.slot.byte(at + nth));
        let asked = if has_slash { *b"x/\0\0" } else { *b"/x/\0" };
        (at..).zip(asked).for_each(|(at, byte)| self.slot.set_byte(at, byte));
        let len = size_of::<How>() as u64;
        let how = (&raw const *how).expose_provenance() as u64;
        let path = self.slot.address(self.start);
        let result = self.machine.make(OPENAT2, [directory, path, how, len]);
        (at..).zip(saved).for_each(|(at, byte)| self.slot.set_byte(at, byte));
        result as i64
    }

    /// Where names end from there on: at a slash, and at the end.
    fn ends(&self, start: u64) -> impl Iterator<Item = u64> {
        let mut word = 0;
        (start..=self.end).filter(move |at| {
            if at % 8 == 0 || *at == start {
                word = self.slot.word(*at);
            }
            let byte = (word >> (at % 8 * 8)) as u8;
            byte == b'/' || *at == self.end
        })
    }

    /// What a name means.
    fn kind(&self, (start, end): (u64, u64)) -> Name {
        let is_dot = |at: u64| self.slot.byte(at) == b'.';
        match end - start {
            0 => Name::Nothing,
            1 if is_dot(start) => Name::Nothing,
            2 if is_dot(start) && is_dot(start + 1) => Name::Parent,
            _ => Name::Other,
        }
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
        for at in self.ends(self.start) {
            match self.kind((name, at)) {
                Name::Nothing => {
                    shape.is_directory = at == self.end;
                    let is_edge = at == self.start || at == self.end;
                    shape.is_plain &= is_edge && at == name;
                }
                Name::Parent => {
                    shape.has_parent = true;
                    shape.is_directory = at == self.end;
                }
                Name::Other => {
                    if shape.names == 0 {
                        shape.first = (name, at);
                    }
                    shape.names += 1;
                    shape.last = name;
                    shape.is_directory = false;
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

#[cfg(test)]
mod tests;
