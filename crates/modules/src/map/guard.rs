//! What guests may not do to places: change what is read-only, remove a place itself.

use contract::{About, ByArgument, Capture, Guest, Tid, Verdict};
use table::Id;
use table::arch::x86_64 as id;
use table::request::changing::{ATTRIBUTES, SNAPSHOTS};

use super::caller::{flags_of, plain};
use super::{MapModule, Named};
use crate::paths::{
    Access, Does, Errno, HostTree, Links, Map, Met, PATH_MAX, PathArg, Plain, Seen, Tree, Writes,
    ends_with_dots, name_of, process_of,
};

/// Calls that change a file by its descriptor, opened for reading.
const BY_DESCRIPTOR: [Id; 4] = [id::FCHMOD, id::FCHOWN, id::FSETXATTR, id::FREMOVEXATTR];
/// The same where their path is NULL.
pub(super) const WITHOUT_PATH: [Id; 2] = [id::UTIMENSAT, id::FUTIMESAT];

/// The same with certain requests, and the argument that has them.
const BY_REQUEST: Id = id::IOCTL;
const REQUEST: u8 = 1;

/// The argument of `linkat(2)` with its flags, and `AT_EMPTY_PATH`.
const LINKAT_FLAGS: usize = 4;
const AT_EMPTY_PATH: u64 = 0x1000;

/// What has to be asked about where a place is read-only.
pub(super) fn of_descriptors(map: &Map) -> impl Iterator<Item = Id> {
    let all = BY_DESCRIPTOR.into_iter().chain([BY_REQUEST, id::FSTATFS]);
    all.filter(|_| map.has_read_only())
}

/// Of these calls one is asked about with certain arguments only.
pub(super) fn narrowed() -> (Id, About) {
    let values = [ATTRIBUTES, SNAPSHOTS].concat();
    (BY_REQUEST, About::Argument(ByArgument { index: REQUEST, values }))
}

impl MapModule {
    /// Whether a call may do to its files what it is about to do.
    pub(super) fn guard(
        &self,
        guest: &dyn Guest,
        call: &Capture,
        tree: &HostTree,
        all: &[Named],
    ) -> Result<(), Errno> {
        let mut places = Vec::new();
        let mut linked = None;
        for Named { arg, text, seen, writes } in all {
            if arg.does == Does::Links && self.map.has_read_only() {
                let name = self.linked(guest, call, tree, (arg, text, seen))?;
                linked = name.filter(|name| self.is_read_only(name));
            }
            if *writes == Writes::Never || seen.guest.is_none() && !self.map.has_read_only() {
                continue;
            }
            if arg.links == Links::Named && ends_with_dots(text) {
                // The kernel refuses it wherever that leads.
                continue;
            }
            let caller = self.caller(guest, call, arg);
            if text.is_empty() {
                // By its descriptor (`AT_EMPTY_PATH`).
                self.guard_descriptor(guest, arg.dirfd.map(|at| call.args[usize::from(at)]))?;
                continue;
            }
            let Some(name) = name_of(seen, &caller, text) else {
                if caller.is_too_deep(text) {
                    self.nameless(Errno::ENAMETOOLONG)?;
                }
                self.guard_link(guest, tree, seen)?;
                continue;
            };
            if arg.does == Does::Removes && self.map.is_place(&name) {
                return Err(Errno::EBUSY);
            }
            places.push((self.map.spot(&above(&name)).place, name, *writes, arg.does));
        }
        let crosses = places.windows(2).any(|pair| pair[0].0 != pair[1].0);
        for (_, name, writes, does) in &places {
            let error = self.writable(tree, name, *writes, *does);
            // The kernel looks at that first.
            error.map_err(|errno| if crosses { Errno::EXDEV } else { errno })?;
        }
        // By a name outside it could be changed.
        let place = linked.map(|name| self.map.spot(&name).place);
        let is_outside = |(new, name, ..): &(_, Plain, _, _)| {
            Some(*new) != place && self.can_be_made(tree, name)
        };
        if place.is_some() && places.iter().all(is_outside) {
            return Err(Errno::EXDEV);
        }
        Ok(())
    }

    /// The file to which a call gives another name, if it is there.
    fn linked(
        &self,
        guest: &dyn Guest,
        call: &Capture,
        tree: &HostTree,
        (arg, text, seen): (&PathArg, &[u8], &Seen),
    ) -> Result<Option<Plain>, Errno> {
        if text.is_empty() {
            let directory = arg.dirfd.filter(|_| call.args[LINKAT_FLAGS] & AT_EMPTY_PATH != 0);
            return self.name_of_descriptor(guest, directory.map(|at| call.args[usize::from(at)]));
        }
        let caller = self.caller(guest, call, arg);
        if let Some(name) = name_of(seen, &caller, text) {
            return Ok(tree.look(&self.map.host(&name)).is_ok().then_some(name));
        }
        if caller.is_too_deep(text) {
            return self.nameless(Errno::ENAMETOOLONG);
        }
        self.behind_link(tree, seen)
    }

    /// The guest's name for what a link of `/proc` leads to.
    pub(super) fn behind_link(&self, tree: &HostTree, seen: &Seen) -> Result<Option<Plain>, Errno> {
        let Some(link) = &seen.link else { return Ok(None) };
        match tree.look(link) {
            Ok(Met::Link(kernels)) => {
                Ok(Plain::of(&kernels).and_then(|kernels| self.map.guest(&kernels)))
            }
            Ok(_) => Ok(None),
            Err(errno) => self.nameless(errno),
        }
    }

    /// The name of a file that the kernel does not tell, for this reason. What lies so deep that it cannot may
    /// be in a place that is not to be changed.
    fn nameless(&self, errno: Errno) -> Result<Option<Plain>, Errno> {
        match errno == Errno::ENAMETOOLONG && self.map.has_read_only_files() {
            true => Err(errno),
            false => Ok(None),
        }
    }

    /// Whether a call may change what a link of `/proc` leads to.
    fn guard_link(&self, guest: &dyn Guest, tree: &HostTree, seen: &Seen) -> Result<(), Errno> {
        let Some(link) = &seen.link else { return Ok(()) };
        let of = process_of(link, guest.process().0, guest.tid().0);
        let descriptor = of.and_then(|(_, thread, rest)| {
            let number = std::str::from_utf8(rest.strip_prefix(b"/fd/")?).ok()?;
            Some((Tid(thread), number.parse().ok()?))
        });
        let writes = descriptor.and_then(|(thread, fd)| flags_of(thread, fd)).is_some_and(writes);
        self.may_be_changed(self.behind_link(tree, seen), || writes)
    }

    /// Whether what has this name may be changed by a descriptor. What is open for writing was opened by
    /// another name.
    fn may_be_changed(
        &self,
        name: Result<Option<Plain>, Errno>,
        writes: impl FnOnce() -> bool,
    ) -> Result<(), Errno> {
        let error = match name {
            Ok(Some(name)) if self.is_read_only(&name) => Errno::EROFS,
            Ok(_) => return Ok(()),
            Err(errno) => errno,
        };
        if writes() { Ok(()) } else { Err(error) }
    }

    /// Whether this name is free, in a directory that is there: else the kernel has another error.
    fn can_be_made(&self, tree: &HostTree, name: &Plain) -> bool {
        matches!(tree.look(&self.map.host(name)), Err(Errno::ENOENT))
            && matches!(tree.look(&self.map.host(&above(name))), Ok(Met::Directory))
    }

    /// A call that changes a file by its descriptor.
    pub(super) fn by_descriptor(&self, guest: &dyn Guest, call: &Capture) -> Option<Verdict> {
        let is = |id: &Id| u64::from(id.number) == call.arch.native_number(call.number);
        let is_changed = BY_DESCRIPTOR.iter().any(is)
            || is(&BY_REQUEST)
            || WITHOUT_PATH.iter().any(is) && call.args[1] == 0;
        if !self.map.has_read_only() || !is_changed {
            return None;
        }
        Some(match self.guard_descriptor(guest, Some(call.args[0])) {
            Ok(()) => Verdict::pass(),
            Err(errno) => Verdict::error(errno.0),
        })
    }

    pub(super) fn guard_descriptor(&self, guest: &dyn Guest, fd: Option<u64>) -> Result<(), Errno> {
        let is_open = || fd.and_then(|fd| flags_of(guest.tid(), fd as i32)).is_some_and(writes);
        self.may_be_changed(self.name_of_descriptor(guest, fd), is_open)
    }

    fn name_of_descriptor(
        &self,
        guest: &dyn Guest,
        fd: Option<u64>,
    ) -> Result<Option<Plain>, Errno> {
        match fd.map(|fd| guest.descriptor(fd as i32)) {
            Some(Ok(path)) => Ok(plain(&path).and_then(|path| self.map.guest(&path))),
            Some(Err(error)) => self.nameless(Errno::of(error)),
            None => Ok(None),
        }
    }

    /// Whether a file may be made by this name.
    pub(super) fn may_make(&self, tree: &HostTree, name: &Plain) -> Result<(), Errno> {
        self.writable(tree, name, Writes::UnlessThere, Does::Makes)
    }

    pub(super) fn is_read_only(&self, name: &Plain) -> bool {
        self.map.spot(name).access == Access::ReadOnly
    }

    /// As the kernel decides on a read-only file system: errors that come before `EROFS` are left to it.
    fn writable(
        &self,
        tree: &HostTree,
        name: &Plain,
        writes: Writes,
        does: Does,
    ) -> Result<(), Errno> {
        let directory = above(name);
        let host = self.map.host(name);
        let found = tree.look(&host);
        let is_directory_there =
            || matches!(tree.look(&self.map.host(&directory)), Ok(Met::Directory));
        let refused = match (writes, found) {
            (Writes::Never, _) => false,
            // Nobody can ask what lies so deep.
            (_, Err(Errno::ENAMETOOLONG)) if host.as_bytes().len() >= PATH_MAX => {
                self.is_read_only(name)
            }
            (Writes::Directory, _) | (Writes::UnlessThere | Writes::File, Err(Errno::ENOENT)) => {
                self.is_read_only(&directory) && is_directory_there()
            }
            (Writes::UnlessThere, _) => false,
            (Writes::Inside, found) => found == Ok(Met::Directory) && self.is_read_only(name),
            // Devices and pipes may be written to, and a directory has an error of its own.
            (Writes::File | Writes::IfThere, Ok(met)) => {
                let opens = matches!(does, Does::Opens | Does::Empties);
                let spared = match met {
                    Met::Special => !matches!(does, Does::Changes),
                    Met::Directory => opens,
                    Met::File | Met::Link(_) => false,
                };
                !spared && self.is_read_only(name)
            }
            (Writes::File | Writes::IfThere, Err(_)) => false,
        };
        if refused { Err(Errno::EROFS) } else { Ok(()) }
    }
}

/// Whether a file with these flags is open for writing.
fn writes(flags: i32) -> bool {
    flags & libc::O_PATH == 0 && flags & libc::O_ACCMODE != libc::O_RDONLY
}

fn above(name: &Plain) -> Plain {
    let mut directory = name.clone();
    directory.pop();
    directory
}
