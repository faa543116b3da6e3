//! Decides about calls, and makes those that are permitted in the guests' places.
//!
//! It serves one call after the other: what one guest changes of names another one cannot use to change
//! what was decided meanwhile. Only what may wait for others goes to a thread of its own. Calls come by the
//! listener, and those that only name files as wishes of the tracer's.

use std::env;
use std::fs::{self, File};
use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::thread;

use contract::{Arch, Enforcement, ForbiddenCalls, ForbiddenFiles, Refusal, Refusals, shown};
use kernel::behalf::{self, Arg, Kind};
use kernel::credentials;
use kernel::proc::{self, Identity};
use kernel::seccomp::{Listener, Pending};
use kernel::spawn::Promised;

use super::caller::Caller;
use super::calls::{self, Links, Performed, Use};
use super::devices;
use super::naming::{Granted, Wish};
use super::opening::{Opening, Ready};
use super::places::{Places, name_in, name_of};
use super::sockets;
use super::taken::{Path, Taken};
use super::walk::{Found, Walker, errno, is_of_proc, path_of, process_of};
use crate::calls::abi;

/// Decides about calls.
#[derive(Debug)]
struct Broker {
    listener: Arc<Listener>,
    places: Places,
    /// What fails whatever its arguments are.
    forbidden: Vec<ForbiddenCalls>,
    refusals: Refusals,
    root: OwnedFd,
    /// Who we are; `None` where guests cannot be anybody else.
    ourselves: Option<Identity>,
    us: libc::pid_t,
    /// How many filters guests start under.
    filters: u32,
    /// Whose turn it is: two of our threads serve guests.
    turn: Mutex<()>,
}

/// What becomes of a call.
enum Outcome {
    /// It returns this.
    Returns(u64),
    /// The guest gets a descriptor.
    Gives(OwnedFd, bool),
    /// Somebody else answers it.
    Later,
}

/// Decides about the calls of the guest that promises this listener, and of all that it makes, and about
/// these wishes. It starts under so many filters of its mechanism's.
pub fn begin(
    enforcement: Enforcement,
    listener: Promised,
    wishes: Option<Receiver<Wish>>,
    filters: u32,
) -> io::Result<()> {
    let serve = move || {
        kernel::interrupts::leave_to_others();
        // Without a broker each call that it would decide about fails.
        let Ok(Some(listener)) = listener.wait() else { return };
        let broker = Broker::new(enforcement, listener, filters);
        let Ok(broker) = broker.map(Arc::new) else { return };
        if let Some(wishes) = wishes {
            let other = Arc::clone(&broker);
            let names = thread::Builder::new().name("enforce-names".into());
            // The same of wishes.
            let _ = names.spawn(move || other.name_files(&wishes));
        }
        broker.serve();
    };
    thread::Builder::new().name("enforce".into()).spawn(serve).map(drop)
}

impl Broker {
    fn new(enforcement: Enforcement, listener: Listener, filters: u32) -> io::Result<Broker> {
        credentials::leave_directory()?;
        let us = std::process::id() as libc::pid_t;
        let ourselves = proc::identity(us).map_err(io::Error::other)?;
        let is_privileged = ourselves.rights.uid == 0 || ourselves.rights.capabilities != 0;
        Ok(Broker {
            listener: Arc::new(listener),
            places: Places(enforcement.files),
            forbidden: enforcement.calls,
            // Ours are under those of whoever has started us, and guests under the listener's.
            filters: ourselves.filters + 1 + filters,
            refusals: enforcement.refusals,
            root: behalf::open(b"/\0", libc::O_PATH, 0)?,
            ourselves: is_privileged.then_some(ourselves),
            us,
            turn: Mutex::default(),
        })
    }

    fn serve(&self) {
        while let Ok(Some(call)) = self.listener.next() {
            let turn = self.turn.lock();
            let outcome = self.decide(&call);
            drop(turn);
            // Who is gone needs no answer.
            let _ = answer(&self.listener, &call, outcome);
        }
    }

    /// Decides about a call, and makes it where that is right.
    fn decide(&self, call: &Pending) -> io::Result<Outcome> {
        if let Some(error) = self.refused(call) {
            return Err(error);
        }
        let identity = proc::identity(call.tid).map_err(|_| errno(libc::ESRCH))?;
        let caller = self.caller(call, &identity);
        if let Some(flags) = calls::flags_at_listener(call.number, &call.args) {
            return self.open(&caller, flags);
        }
        let number = call.number as libc::c_long;
        if [libc::SYS_bind, libc::SYS_connect].contains(&number) {
            return self.socket(&caller);
        }
        let performed = calls::performed(call.number).ok_or_else(|| errno(libc::ENOSYS))?;
        self.perform(&caller, performed)
    }

    fn caller<'a>(&'a self, call: &'a Pending, identity: &'a Identity) -> Caller<'a> {
        let walker = Walker { root: &self.root, tid: call.tid, tgid: identity.tgid };
        Caller { call, identity, walker }
    }

    /// The error of a call that is not made by anybody.
    fn refused(&self, call: &Pending) -> Option<io::Error> {
        let forbidden = self.forbidden.iter().find(|calls| calls.calls.contains(call.number));
        let (error, why) = if abi(call.arch, call.number).0 != Arch::X86_64 {
            (libc::ENOSYS, calls::OTHER_ABI)
        } else if call.number > calls::LAST_KNOWN as u64 {
            (libc::ENOSYS, calls::UNKNOWN)
        } else if let Some(forbidden) = forbidden {
            (forbidden.errno.into(), forbidden.rule.as_str())
        } else {
            calls::refused(call.number, &call.args)?
        };
        self.note(call, why, None);
        Some(errno(error))
    }

    fn note(&self, call: &Pending, rule: &str, path: Option<&[u8]>) {
        let (arch, number) = abi(call.arch, call.number);
        let name = arch.call(number).map_or("a call", |call| call.name);
        self.refusals.note(Refusal { rule: rule.into(), call: name, path: path.map(shown) });
    }

    fn forbid(&self, call: &Pending, files: &ForbiddenFiles, path: &[u8]) -> io::Error {
        self.note(call, &files.rule, Some(path));
        errno(files.errno.into())
    }

    /// Fails if this must not be done with a file that was found.
    fn check(&self, call: &Pending, found: &Found, does: Use) -> io::Result<()> {
        if let Some(file) = &found.file {
            self.check_file(call, file, does)?;
        }
        if let Some((directory, name)) = &found.entry {
            let name = name_in(directory, name)?;
            if let Some(files) = self.places.of_name(&name, does) {
                return Err(self.forbid(call, files, &name));
            }
        }
        Ok(())
    }

    /// The same of a file that is open.
    fn check_file(&self, call: &Pending, file: &OwnedFd, does: Use) -> io::Result<()> {
        match self.places.of_file(file, does)? {
            Some(files) => Err(self.forbid(call, files, &name_of(file)?)),
            None => Ok(()),
        }
    }

    /// Nobody reaches into the supervisor, but to look at what it is.
    fn spare_us(&self, found: &Found, does: Use) -> io::Result<()> {
        let Some(file) = found.file.as_ref().filter(|file| is_of_proc(file)) else { return Ok(()) };
        if does == Use::Looked {
            return Ok(());
        }
        match process_of(&name_of(file)?) {
            Some(task) if self.is_us(task) => Err(errno(libc::EACCES)),
            _ => Ok(()),
        }
    }

    /// Whether this is a task of ours: each thread has a directory in `/proc`, listed or not.
    fn is_us(&self, task: libc::pid_t) -> bool {
        task == self.us || fs::exists(format!("/proc/self/task/{task}")).unwrap_or(true)
    }

    fn open(&self, caller: &Caller<'_>, flags: i32) -> io::Result<Outcome> {
        let args = &caller.call.args;
        let is_at = caller.call.number == libc::SYS_openat as u64;
        let mode = if caller.call.number == libc::SYS_creat as u64 { 1 } else { 2 };
        let mode = args[mode + usize::from(is_at)] as u32;
        let opening = Opening { flags, mode };
        let path = caller.string(args[usize::from(is_at)])?;
        let start = caller.start(is_at.then_some(args[0]), &path)?;
        caller.pending(&self.listener)?;
        let close_on_exec = flags & libc::O_CLOEXEC != 0;
        let ready = self.as_guest(caller, || {
            let found = self.find_to_open(caller, &start, &path, opening)?;
            let found = self.with_own_terminal(caller, found, opening)?;
            opening.open(found, &caller.walker)
        })?;
        match ready {
            Ready::Open(file) => Ok(Outcome::Gives(file, close_on_exec)),
            Ready::Waits(file, flags) => {
                let open = move || {
                    let file = behalf::open(&path_of(&file), flags, 0)?;
                    Ok(Outcome::Gives(file, close_on_exec))
                };
                self.later(caller, open)
            }
        }
    }

    /// The file that an open leads to, where that is permitted.
    fn find_to_open(
        &self,
        caller: &Caller<'_>,
        start: &OwnedFd,
        path: &[u8],
        opening: Opening,
    ) -> io::Result<Found> {
        let found = caller.walk(start, path, opening.follows(), opening.creates())?;
        let does = match found.file {
            None if opening.creates() => Use::Named,
            _ => opening.does(),
        };
        self.check(caller.call, &found, does)?;
        self.spare_us(&found, Use::Changed)?;
        Ok(found)
    }

    /// Fulfils wishes for descriptors that only name files, until nobody is left who could have any.
    fn name_files(&self, wishes: &Receiver<Wish>) -> io::Result<()> {
        credentials::leave_directory()?;
        for wish in wishes {
            let turn = self.turn.lock();
            let named = self.name_file(&wish.call, &wish.path);
            drop(turn);
            wish.fulfil(named);
        }
        Ok(())
    }

    /// The file that a thread names, which is stopped.
    fn name_file(&self, call: &Pending, path: &[u8]) -> io::Result<Granted> {
        let identity = proc::identity(call.tid).map_err(|_| errno(libc::ESRCH))?;
        if identity.filters > self.filters {
            return Ok(Granted::ReadsInstead);
        }
        let caller = self.caller(call, &identity);
        let flags = calls::flags_of(call.number, &call.args).unwrap_or_default();
        let opening = Opening { flags, mode: 0 };
        let is_at = call.number == libc::SYS_openat as u64;
        let start = caller.start(is_at.then_some(call.args[0]), path)?;
        let found = || opening.name(self.find_to_open(&caller, &start, path, opening)?);
        self.as_guest(&caller, found).map(Granted::Named)
    }

    /// What was found; of `/dev/tty` the terminal that it is for this thread.
    fn with_own_terminal(
        &self,
        caller: &Caller<'_>,
        found: Found,
        opening: Opening,
    ) -> io::Result<Found> {
        if opening.only_names() {
            return Ok(found);
        }
        let Some(terminal) = devices::own_terminal(&found, caller.call.tid)? else {
            return Ok(found);
        };
        self.check_file(caller.call, &terminal, opening.does())?;
        Ok(Found { file: Some(terminal), ..found })
    }

    fn socket(&self, caller: &Caller<'_>) -> io::Result<Outcome> {
        let call = caller.call;
        let socket = caller.descriptor(call.args[0])?;
        if call.args[2] > sockets::LONGEST {
            return Err(errno(libc::EINVAL));
        }
        let address = caller.bytes(call.args[1], call.args[2] as usize)?;
        if call.number == libc::SYS_bind as u64 {
            self.bind(caller, &socket, address)
        } else {
            self.connect(caller, socket, address)
        }
    }

    fn bind(
        &self,
        caller: &Caller<'_>,
        socket: &OwnedFd,
        mut address: Vec<u8>,
    ) -> io::Result<Outcome> {
        // It holds where the address leads to until the call is made.
        let mut held = None;
        if let Some(path) = sockets::path(&address).map(<[u8]>::to_vec) {
            let start = caller.start(None, &path)?;
            caller.pending(&self.listener)?;
            let found = self.as_guest(caller, || find_name(caller, &start, &path))?;
            self.check(caller.call, &found, Use::Named)?;
            if found.file.is_some() {
                return Err(errno(libc::EADDRINUSE));
            }
            if found.as_directory {
                return Err(errno(libc::ENOENT));
            }
            // Others are told this name. One that is relative is looked for where it begins.
            if !path.starts_with(b"/") {
                env::set_current_dir(format!("/proc/self/fd/{}", start.as_raw_fd()))?;
            }
            if path.contains(&b'/') && !caller.walker.is_plain(&start, &path, &found)? {
                let kernels = sockets::address(&found.kernels_name()?);
                address = kernels.or_else(|_| sockets::address(&found.name()?))?;
            }
            held = Some(found);
        }
        let len = Arg::Value(address.len() as u64);
        let mut args = [Arg::Descriptor(socket.as_fd()), Arg::In(&address), len];
        let made = self.as_guest(caller, || behalf::make(caller.call.number, &mut args));
        drop(held);
        made.map(Outcome::Returns)
    }

    fn connect(
        &self,
        caller: &Caller<'_>,
        socket: OwnedFd,
        mut address: Vec<u8>,
    ) -> io::Result<Outcome> {
        let mut held = None;
        if let Some(path) = sockets::path(&address).map(<[u8]>::to_vec) {
            let start = caller.start(None, &path)?;
            caller.pending(&self.listener)?;
            let found = self.as_guest(caller, || caller.walk(&start, &path, true, false))?;
            self.check(caller.call, &found, Use::Looked)?;
            address = sockets::address(&found.path()?)?;
            held = Some(found);
        }
        let number = caller.call.number;
        self.later(caller, move || {
            let len = Arg::Value(address.len() as u64);
            let mut args = [Arg::Descriptor(socket.as_fd()), Arg::In(&address), len];
            let made = behalf::make(number, &mut args);
            drop(held);
            made.map(Outcome::Returns)
        })
    }

    fn perform(&self, caller: &Caller<'_>, performed: &Performed) -> io::Result<Outcome> {
        let kinds = behalf::shape(caller.call.number).ok_or_else(|| errno(libc::ENOSYS))?;
        refuse_devices(caller.call)?;
        let mut taken = Taken::of(caller, kinds)?;
        caller.pending(&self.listener)?;
        let result = self.as_guest(caller, || self.make(caller, performed, kinds, &mut taken))?;
        caller.pending(&self.listener)?;
        taken.hand_out(caller, kinds, result)?;
        Ok(Outcome::Returns(result))
    }

    /// Finds the files of a call, decides, and makes it.
    fn make(
        &self,
        caller: &Caller<'_>,
        performed: &Performed,
        kinds: &[Kind],
        taken: &mut Taken,
    ) -> io::Result<u64> {
        let call = caller.call;
        if let Some(file) = taken.descriptor().filter(|_| performed.files.is_empty()) {
            self.check_file(call, file, Use::Changed)?;
        }
        // What was found stays open until the call is made: its path says so by descriptors.
        let mut held = Vec::new();
        for ((index, path), (links, does)) in
            mem::take(&mut taken.paths).into_iter().zip(performed.files)
        {
            let found = find(caller, path, *links, *does)?;
            self.check(call, &found, *does)?;
            self.spare_us(&found, *does)?;
            if let Some(text) = own_link(caller, &found)? {
                return Ok(taken.fill(kinds, &text));
            }
            if found.entry.is_none() && call.number == libc::SYS_readlinkat as u64 {
                taken.use_file(index, found.there()?.try_clone()?);
                continue;
            }
            let (path, by_name) = path_to(&found, *does, links.are_followed(&call.args))?;
            taken.use_path(call.number, index, path, by_name);
            held.push(found);
        }
        taken.make(call.number, kinds)
    }

    /// Does this with the rights and the umask of the guest.
    fn as_guest<T>(
        &self,
        caller: &Caller<'_>,
        work: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        credentials::set_umask(caller.identity.umask);
        let Some(ourselves) = &self.ourselves else { return work() };
        credentials::assume(&caller.identity.rights)?;
        let done = work();
        credentials::assume(&ourselves.rights)?;
        done
    }

    /// Does this with the rights of the guest on a thread of its own, which answers the call.
    fn later(
        &self,
        caller: &Caller<'_>,
        work: impl FnOnce() -> io::Result<Outcome> + Send + 'static,
    ) -> io::Result<Outcome> {
        let listener = Arc::clone(&self.listener);
        let call = *caller.call;
        let rights = self.ourselves.is_some().then(|| caller.identity.rights.clone());
        let serve = move || {
            let assumed = rights.map_or(Ok(()), |rights| credentials::assume(&rights));
            // Who is gone needs no answer.
            let _ = answer(&listener, &call, assumed.and_then(|()| work()));
        };
        thread::Builder::new().name("enforce-wait".into()).spawn(serve)?;
        Ok(Outcome::Later)
    }
}

/// Answers a call.
fn answer(listener: &Listener, call: &Pending, outcome: io::Result<Outcome>) -> io::Result<()> {
    let failed = |error: &io::Error| -i64::from(error.raw_os_error().unwrap_or(libc::EIO));
    match outcome {
        Ok(Outcome::Returns(value)) => listener.answer(call, value as i64),
        Ok(Outcome::Gives(file, close_on_exec)) => {
            match listener.give(call, file.as_fd(), close_on_exec) {
                Err(error) => listener.answer(call, failed(&error)),
                Ok(()) => Ok(()),
            }
        }
        Ok(Outcome::Later) => Ok(()),
        Err(error) => listener.answer(call, failed(&error)),
    }
}

/// The file of a call's path.
fn find(caller: &Caller<'_>, path: Path, links: Links, does: Use) -> io::Result<Found> {
    let entry = does >= Use::Named;
    match path {
        Path::Descriptor(_) if entry => Err(errno(libc::ENOENT)),
        Path::Descriptor(file) => Ok(Found { entry: None, file: Some(file), as_directory: false }),
        Path::Named(start, path) if entry => find_name(caller, &start, &path),
        Path::Named(start, path) => {
            let follow = links.are_followed(&caller.call.args);
            caller.walk(&start, &path, follow, !follow)
        }
    }
}

/// The same of a name that is made or removed.
fn find_name(caller: &Caller<'_>, start: &OwnedFd, path: &[u8]) -> io::Result<Found> {
    // One with slashes behind it is a directory's, and no link is followed by them.
    let end = path.iter().rposition(|&byte| byte != b'/').map_or(1, |last| last + 1);
    let mut found = caller.walk(start, &path[..end], false, true)?;
    found.as_directory = end < path.len();
    Ok(found)
}

/// A path of ours to what was found, and whether it leads to its last name.
fn path_to(found: &Found, does: Use, follow: bool) -> io::Result<(Vec<u8>, bool)> {
    if does >= Use::Named {
        let mut path = found.name()?;
        if found.as_directory {
            // The kernel knows what each call says to slashes behind a name.
            path.pop();
            path.extend_from_slice(b"/\0");
        }
        return Ok((path, true));
    }
    if let Some(file) = found.file.as_ref().filter(|_| found.as_directory)
        && !File::from(file.try_clone()?).metadata()?.is_dir()
    {
        return Err(errno(libc::ENOTDIR));
    }
    let path = found.path()?;
    match &found.entry {
        Some(_) if !follow && found.as_directory => {
            // Slashes behind a link follow it.
            let mut path = path;
            path.pop();
            path.extend_from_slice(b"/.\0");
            Ok((path, true))
        }
        Some(_) if !follow => Ok((found.name()?, true)),
        _ => Ok((path, false)),
    }
}

/// What reading a link tells that leads each process elsewhere.
fn own_link(caller: &Caller<'_>, found: &Found) -> io::Result<Option<Vec<u8>>> {
    let reads = [libc::SYS_readlink as u64, libc::SYS_readlinkat as u64];
    if !reads.contains(&caller.call.number) {
        return Ok(None);
    }
    Ok(match &found.entry {
        Some((directory, name)) => caller.walker.own_link(&name_of(directory)?, name),
        None => {
            let path = name_of(found.there()?)?;
            let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
            let directory = &path[..path.len() - name.len()];
            caller.walker.own_link(directory.strip_suffix(b"/").unwrap_or_default(), name)
        }
    })
}

/// Devices are made by nobody: they lead past all files.
fn refuse_devices(call: &Pending) -> io::Result<()> {
    let mode = match call.number as libc::c_long {
        libc::SYS_mknod => call.args[1],
        libc::SYS_mknodat => call.args[2],
        _ => return Ok(()),
    };
    let kind = mode as u32 & libc::S_IFMT;
    if kind == libc::S_IFCHR || kind == libc::S_IFBLK { Err(errno(libc::EPERM)) } else { Ok(()) }
}
