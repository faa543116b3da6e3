//! `map`: guests see files and directories of the host at other paths, as bind mounts would show them.
//!
//! The module changes the paths in calls and nothing else: what a guest opens are the host's own files, and
//! reads and writes go there without it. `unreal` and `--root` are places in the same map.

mod as_given;
mod caller;
mod exec;
mod file_system;
mod files;
mod guard;
mod message;
mod processes;
mod program;
mod redirect;
mod socket;
mod told;

use std::collections::HashMap;
use std::rc::Rc;

use contract::{
    About, Answer, Arch, Argument, Birth, CallSet, Capture, Failure, Guest, GuestAddr, Module,
    Narrowing, Redirection, Reply, Tid, Verdict,
};
use table::Id;
use table::arch::{i386, x86_64 as id};

use crate::paths::{
    Access, Does, Errno, Follows, HostTree, Links, Map, Met, PATH_MAX, PathArg, Plain, Seen, Tree,
    Writes, name_of, path_calls, see,
};
use caller::OfCall;
pub use files::{File, Files};
pub use processes::Running;
use processes::{Known, Processes};

/// Where the flags are in the struct of `openat2(2)`, and how it is to be resolved.
const HOW_FLAGS: u64 = 0;
const HOW_RESOLVE: u64 = 16;
/// `RESOLVE_BENEATH` and `RESOLVE_IN_ROOT`: such a path leads to no other place.
const RESOLVE_CONFINED: u64 = 0x18;
const RESOLVE_NO_MAGICLINKS: u64 = 2;
const RESOLVE_NO_SYMLINKS: u64 = 4;

/// The argument of `sendto(2)` and `recvfrom(2)` that points to an address.
const ADDRESS_OF_SENDTO: u8 = 4;
/// The same of calls that name the socket of a descriptor.
const ADDRESS_BEHIND_SOCKET: u8 = 1;

/// Calls about which is asked only where an argument leads to an address: then it may have a path.
const WITH_ADDRESS: [(Id, u8); 4] = [
    (id::SENDTO, ADDRESS_OF_SENDTO),
    (id::RECVFROM, ADDRESS_OF_SENDTO),
    (id::ACCEPT, ADDRESS_BEHIND_SOCKET),
    (id::ACCEPT4, ADDRESS_BEHIND_SOCKET),
];

/// The argument of `sendmsg(2)` and `recvmsg(2)` that points to a message, which begins with a pointer to
/// an address.
const MESSAGE: u8 = 1;
/// The family of addresses that may have a path.
const AF_UNIX: u16 = 1;

/// The bit of `CAP_SYS_CHROOT`.
const CAP_SYS_CHROOT: u32 = 18;

/// The calls beside those with paths among their arguments.
const ALSO: [Id; 9] = [
    id::GETCWD,
    id::BIND,
    id::CONNECT,
    id::SENDMSG,
    id::SENDMMSG,
    id::RECVMSG,
    id::RECVMMSG,
    id::GETSOCKNAME,
    id::GETPEERNAME,
];

/// The module.
#[derive(Debug)]
pub struct MapModule {
    map: Rc<Map>,
    processes: Processes,
    sockets: socket::Directories,
    /// Of threads that receive messages: how much room each has for the name of who has sent it.
    rooms: HashMap<Tid, Vec<u32>>,
    programs: program::Programs,
    /// No path outside of places leads into one.
    links_stay: bool,
    /// The directory in which the first program begins.
    beginning: Plain,
}

/// A path of a call, as far as it is known what it leads to.
struct Named<'a> {
    arg: PathArg,
    text: &'a [u8],
    seen: Seen,
    /// What the call writes to it.
    writes: Writes,
}

impl MapModule {
    /// One that shows guests this map, the first of which begins in this directory by its own name.
    pub fn new(map: Rc<Map>, beginning: Plain) -> MapModule {
        MapModule {
            links_stay: map.links_stay(&HostTree::NOBODY),
            map,
            processes: Processes::default(),
            sockets: socket::Directories::default(),
            rooms: HashMap::new(),
            programs: program::Programs::default(),
            beginning,
        }
    }

    /// What processes run, now and later.
    pub fn running(&self) -> Running {
        self.processes.running()
    }

    /// The paths of a call as the kernel is to have them.
    fn paths(&mut self, guest: &mut dyn Guest, call: &Capture) -> Verdict {
        let args = path_calls::of(call.arch, call.number);
        let texts: Vec<_> = args
            .iter()
            .map(|arg| read_path(guest, call, call.args[usize::from(arg.register)]))
            .collect();
        let (flags, resolve) = how(guest, call, args);
        if resolve & RESOLVE_CONFINED != 0 {
            return Verdict::pass();
        }
        let tree = HostTree::of(guest.process(), guest.tid());
        let mut all = Vec::new();
        for (arg, text) in args.iter().zip(&texts) {
            // The kernel finds out itself that it cannot read a path.
            let Some(text) = text.as_ref().filter(|text| arg.is_path(&call.args, text)) else {
                continue;
            };
            let caller = self.caller(guest, call, arg).resolving(follows(resolve));
            let last = arg.links.last(&call.args, flags);
            if self.is_found_as_given(guest, text, last) {
                continue;
            }
            match see(&self.map, &tree, &caller, text, last) {
                Err(errno) => return Verdict::error(errno.0),
                Ok(seen) => {
                    let writes = arg.writes(&call.args, flags);
                    all.push(Named { arg: *arg, text, seen, writes });
                }
            }
        }
        if let Err(errno) = self.guard(guest, call, &tree, &all) {
            return Verdict::error(errno.0);
        }
        let opened = all.first().filter(|named| named.arg.does == Does::Opens);
        if let Some(guest) = opened.and_then(|named| named.seen.guest.clone()) {
            self.note_opened(guest);
        }
        let changed = |named: Named| Some(Argument::path(named.arg.register, named.seen.path?));
        Verdict::with(all.into_iter().filter_map(changed).collect())
    }

    /// Who gives this path of a call.
    fn caller<'a>(&'a self, guest: &'a dyn Guest, call: &Capture, arg: &PathArg) -> OfCall<'a> {
        let caller = OfCall::new(&self.map, guest, &self.processes);
        match arg.dirfd {
            Some(register) => caller.at(call.args[usize::from(register)]),
            None => caller,
        }
    }

    /// What the first path of a call leads to: the guest's name for it, and the host's.
    fn file(&self, guest: &dyn Guest, call: &Capture, text: &[u8]) -> Option<(Plain, Plain)> {
        let arg = path_calls::of(call.arch, call.number).first()?;
        let tree = HostTree::of(guest.process(), guest.tid());
        let caller = self.caller(guest, call, arg);
        let seen = see(&self.map, &tree, &caller, text, arg.links.last(&call.args, 0)).ok()?;
        let name = name_of(&seen, &caller, text)?;
        let host = self.map.host(&name);
        Some((name, host))
    }

    /// `chdir(2)`: the name by which the guest goes there is what `getcwd(2)` tells it.
    fn chdir(&mut self, guest: &mut dyn Guest, call: &Capture) -> Verdict {
        if let Some(text) = read_path(guest, call, call.args[0])
            && let Some((name, host)) = self.file(guest, call, &text)
        {
            self.go_to(guest.tid(), host, name);
        }
        self.paths(guest, call)
    }

    /// A thread asks for this working directory.
    fn go_to(&mut self, tid: Tid, host: Plain, guest: Plain) {
        let known =
            self.needs_keeping(&guest, &host).then_some(Known { host, guest: guest.clone() });
        self.processes.change_working(tid, known);
        self.note_opened(guest);
    }

    /// Whether the map would tell another name for a file than this one. Where `/` has several names, one
    /// that was used long ago may be known.
    fn needs_keeping(&self, name: &Plain, host: &Plain) -> bool {
        !self.map.aliases().is_empty() || self.map.guest(host).as_ref() != Some(name)
    }

    /// A guest opens a file by this name: that matters where `/` has several.
    fn note_opened(&mut self, guest: Plain) {
        if self.map.aliases().is_empty() {
            return;
        }
        let host = self.map.host(&guest);
        // A name that the map tells too only counts where it may take the place of another.
        if self.processes.has_opened() || self.map.guest(&host).as_ref() != Some(&guest) {
            self.processes.note_opened(Known { host, guest });
        }
    }

    /// `chroot(2)`: the kernel's own root stays, since the host's paths begin there.
    fn chroot(&mut self, guest: &mut dyn Guest, call: &Capture) -> Verdict {
        let Some(text) = read_path(guest, call, call.args[0]) else { return Verdict::pass() };
        let Some((name, host)) = self.file(guest, call, &text) else { return Verdict::pass() };
        match HostTree::of(guest.process(), guest.tid()).look(&host) {
            Ok(Met::Directory) if may_chroot(guest) => {
                self.processes.change_root(guest.tid(), name);
                Verdict::answer(Answer::of(Reply::Value(0)))
            }
            Ok(Met::Directory) => Verdict::error(Errno::EPERM.0),
            Ok(_) => Verdict::error(Errno::ENOTDIR.0),
            Err(errno) => Verdict::error(errno.0),
        }
    }
}

impl Module for MapModule {
    fn name(&self) -> &'static str {
        "map"
    }

    fn claims(&self) -> CallSet {
        let mut claims = path_calls::set();
        for arch in [Arch::X86_64, Arch::I386, Arch::X32] {
            let with_address = WITH_ADDRESS.into_iter().map(|(call, _)| call);
            let also = ALSO.into_iter().chain(with_address);
            for call in also.chain(guard::of_descriptors(&self.map)) {
                if let Some(number) = arch.number_of(call) {
                    claims.insert_of(arch, number & u64::from(u16::MAX));
                }
            }
        }
        claims.insert_of(Arch::I386, i386::RECVMMSG_TIME64.number.into());
        if self.map.has_read_only() {
            claims.insert_of(Arch::I386, i386::FSTATFS64.number.into());
        }
        claims
    }

    fn narrowed(&self) -> Vec<Narrowing> {
        let narrowing = |(call, about): (Id, About)| {
            let mut calls = CallSet::NONE;
            for arch in [Arch::X86_64, Arch::I386, Arch::X32] {
                if let Some(number) = arch.number_of(call) {
                    calls.insert_of(arch, number & u64::from(u16::MAX));
                }
            }
            Narrowing { calls, about: vec![about] }
        };
        let with_address = WITH_ADDRESS.into_iter().map(|(call, at)| (call, About::Pointer(at)));
        with_address.chain([guard::narrowed()]).map(narrowing).collect()
    }

    fn redirection(&self) -> Option<Redirection> {
        Some(self.rules_for_paths())
    }

    fn redirects(&self) -> bool {
        !self.processes.has_other_roots()
    }

    fn opened(&mut self, path: &[u8]) {
        if let Some(guest) = Plain::of(path) {
            self.note_opened(guest);
        }
    }

    fn explain(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.map.aliases().iter().map(|at| format!("{at} is /")).collect();
        for (guest, host, access) in self.map.places() {
            let note = if access == Access::ReadOnly { ", read-only" } else { "" };
            if guest != host || access == Access::ReadOnly {
                lines.push(format!("{guest} is {host} of the host{note}"));
            }
        }
        lines
    }

    fn decide(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        let native = call.arch.native_number(call.number);
        let is = |id: Id| u64::from(id.number) == native;
        if guest.is_starting() {
            self.processes.begin(guest.tid(), guest.process());
            self.go_to(guest.tid(), self.map.host(&self.beginning), self.beginning.clone());
        }
        Ok(if is(id::EXECVE) || is(id::EXECVEAT) {
            self.exec(guest, call)
        } else if is(id::CHDIR) {
            self.chdir(guest, call)
        } else if is(id::CHROOT) {
            self.chroot(guest, call)
        } else if is(id::GETCWD) {
            self.getcwd(guest, call)
        } else if is(id::READLINK) || is(id::READLINKAT) {
            self.readlink(guest, call)
        } else if is(id::BIND) || is(id::CONNECT) {
            self.name_socket(guest, call, ADDRESS_BEHIND_SOCKET)
        } else if is(id::SENDTO) {
            self.name_socket(guest, call, ADDRESS_OF_SENDTO)
        } else if is(id::SENDMSG) || is(id::SENDMMSG) {
            self.name_receiver(guest, call, is(id::SENDMMSG))
        } else if is(id::RECVMSG) || message::receives_several(call) {
            self.await_sender(guest, call, !is(id::RECVMSG))
        } else if tells_address(native).is_some() {
            Verdict::pass().and_behind()
        } else if let Some(verdict) = self.by_descriptor(guest, call) {
            verdict
        } else if let Some(verdict) = self.file_system(guest, call) {
            verdict
        } else {
            self.paths(guest, call)
        })
    }

    fn behind(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Option<Answer>, Failure> {
        let native = call.arch.native_number(call.number);
        let is = |id: Id| u64::from(id.number) == native;
        Ok(if is(id::RECVMSG) || message::receives_several(call) {
            self.name_sender(guest, call, !is(id::RECVMSG))
        } else if is(id::SENDMMSG) {
            self.note_sent(guest, call)
        } else if file_system::tells(call) {
            MapModule::tell_read_only(guest, call)
        } else {
            let register = tells_address(native);
            register.and_then(|register| self.socket_name(guest, call, register.into()))
        })
    }

    fn born(&mut self, birth: &Birth) {
        self.processes.born(birth);
    }

    fn executed(&mut self, from: Tid, to: Tid) {
        self.processes.executed(from, to);
    }

    fn ended(&mut self, tid: Tid) {
        self.processes.ended(tid);
        self.rooms.remove(&tid);
    }
}

/// The register that points to where a call tells the address of a socket.
fn tells_address(native: u64) -> Option<u8> {
    let is = |id: Id| u64::from(id.number) == native;
    let behind_socket = [id::GETSOCKNAME, id::GETPEERNAME, id::ACCEPT, id::ACCEPT4];
    match native {
        _ if is(id::RECVFROM) => Some(ADDRESS_OF_SENDTO),
        _ if behind_socket.into_iter().any(is) => Some(ADDRESS_BEHIND_SOCKET),
        _ => None,
    }
}

/// The path at an address; `None`: the kernel cannot read it either, or it is too long.
fn read_path(guest: &mut dyn Guest, call: &Capture, at: u64) -> Option<Vec<u8>> {
    match call.string(GuestAddr(at)) {
        Some(text) => Some(text.to_vec()),
        None => guest.read_string(GuestAddr(at), PATH_MAX).ok(),
    }
}

/// The flags of `openat2(2)`, and how it resolves paths; 0 for other calls.
fn how(guest: &mut dyn Guest, call: &Capture, args: &[PathArg]) -> (u64, u64) {
    let Some(Links::OpenedAs(register)) = args.first().map(|arg| arg.links) else { return (0, 0) };
    let at = call.args[usize::from(register)];
    let mut field = |offset: u64| {
        let mut bytes = [0; 8];
        let at = GuestAddr(at.wrapping_add(offset));
        guest.read(at, &mut bytes).map_or(0, |()| u64::from_le_bytes(bytes))
    };
    (field(HOW_FLAGS), field(HOW_RESOLVE))
}

/// Which links are followed of a path that is resolved so.
fn follows(resolve: u64) -> Follows {
    match resolve {
        _ if resolve & RESOLVE_NO_SYMLINKS != 0 => Follows::None,
        _ if resolve & RESOLVE_NO_MAGICLINKS != 0 => Follows::Ordinary,
        _ => Follows::All,
    }
}

/// Whether a guest may call `chroot(2)`.
fn may_chroot(guest: &dyn Guest) -> bool {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", guest.tid().0)).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = line.and_then(|line| u64::from_str_radix(line.trim(), 16).ok());
    effective.is_some_and(|effective| effective >> CAP_SYS_CHROOT & 1 == 1)
}
