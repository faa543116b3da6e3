//! The descriptors of a program, and how they are put back.
//!
//! The supervisor holds a copy of each: so it can tell whether the guest's still is the same, and set
//! where in the file it is. The guest holds a copy too, a *keeper*, with a high number: from there a
//! descriptor that the program has closed comes back. Of pipes and pairs of sockets both hold none, but
//! what brings it back ([`super::pipe`], [`super::pair`]).

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, Seek, SeekFrom};
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::MetadataExt;

use kernel::pidfd;
use kernel::proc::{DescriptorCount, DescriptorText};
use kernel::remote::{Call, Failure, OnFailure, RemoteCalls};
use kernel::{kcmp, limits, proc, status_flags};

use super::kernel_state::KernelState;
use super::marks::{self, Marks};
use super::named::Named;
use super::nameless::Copied;
use super::obstacle::obstacle;
use super::pipe::Pipe;
use super::watches::Watch;
use super::{Error, Irreversible, Obstacle, pair};
use crate::memory::annex::Annex;
use crate::memory::batch::Space;

/// Keepers lie below this number, and below the limit of the process.
const KEEPERS_BELOW: u64 = 1024;

/// Where in the annex lies what epolls are to wait for.
const EVENTS: Range<usize> = Annex::ROOM / 2..LOCK_AT;
/// What is locked no more.
const LOCK_AT: usize = Annex::ROOM / 8 * 7 - 64;

/// The descriptors at the moment of the snapshot.
#[derive(Debug)]
pub struct Descriptors {
    /// By their numbers.
    held: BTreeMap<i32, Held>,
    /// How many the guest has, keepers included, and who tells that.
    count: u64,
    counter: DescriptorCount,
    /// Where keepers begin.
    keepers: i32,
}

#[derive(Debug)]
struct Held {
    /// Our copy; none of what is the program's own only.
    copy: Option<File>,
    /// We.
    own: i32,
    keeper: i32,
    /// Whether the guest's is closed by an exec, and holds locks.
    marks: Marks,
    /// Who tells that.
    text: DescriptorText,
    /// It is a file or folder of the program's own: programs lock such.
    may_be_locked: bool,
    /// How many names that has, if it is a file.
    names: u64,
    /// Where in its file it is, if it is anywhere.
    offset: Option<u64>,
    /// What the kernel holds behind it else.
    state: KernelState,
}

impl Descriptors {
    /// Takes copies of all descriptors of a process, and has it keep copies too. `all` are those of all
    /// processes, whose files without a name are copied once.
    pub fn capture(
        pid: i32,
        annex: &Annex,
        calls: &mut RemoteCalls,
        all: &[Named],
        copied: &mut Copied,
        obstacles: &mut Vec<Obstacle>,
    ) -> Result<Descriptors, Error> {
        let limit = limits::descriptors(pid).map_err(Error::request("its limits are not known"))?;
        let own = || all.iter().filter(|named| named.pid == pid);
        let keepers = limit.min(KEEPERS_BELOW) as i32 - own().count() as i32 - 1;
        let mut held = BTreeMap::new();
        for (named, keeper) in own().zip(keepers..) {
            let fd = named.fd;
            let copy = pidfd::copy_descriptor(pid, pid, fd)
                .map_err(Error::request("a descriptor cannot be copied"))?;
            let told = || Error::proc("a descriptor is lost");
            let text = DescriptorText::open(pid, fd).map_err(told())?;
            let marks = Marks::told_by(&text).map_err(told())?;
            let mut copy = File::from(copy);
            let data = copy.metadata().ok().filter(|_| !named.is_ours);
            let may_be_locked = data.as_ref().is_some_and(|data| data.is_file() || data.is_dir());
            // A folder has as many as it has folders.
            let names = data.filter(Metadata::is_file).map_or(0, |data| data.nlink());
            let offset = copy.stream_position().ok();
            let state = KernelState::of(named, all, &copy, copied);
            if state.is_none() {
                obstacles.extend(obstacle(named, &copy, copied));
            }
            let state = state.unwrap_or(KernelState::None);
            let copy = (!state.is_programs_own()).then_some(copy);
            let own = std::process::id() as i32;
            let one = Held { copy, own, keeper, marks, text, may_be_locked, names, offset, state };
            held.insert(fd, one);
        }
        keep(&held, annex, calls)?;
        let watches = held.iter().filter_map(|(fd, held)| Some((*fd, held.state.watches()?)));
        let untold = watches.flat_map(|(fd, watches)| {
            watches.untold().map(move |watch| (fd, libc::EPOLL_CTL_MOD, watch))
        });
        let arm = watch_again(untold, annex)?;
        let armed = annex.make(calls, &arm, OnFailure::GoOn);
        armed.map_err(Error::remote("an epoll cannot be put back"))?;
        let uncounted = || Error::proc("its descriptors cannot be counted");
        let counter = DescriptorCount::open(pid).map_err(uncounted())?;
        let count = counter.now().map_err(uncounted())?;
        Ok(Descriptors { held, count, counter, keepers })
    }

    /// Whether the guest has the same descriptors of the same files, and waits for the same by them.
    /// `untouched`: those that it had are the same.
    pub fn are_unchanged(&mut self, pid: i32, untouched: bool) -> bool {
        let is_same = |(fd, held): (&i32, &mut Held)| {
            // What waits in a pair is thrown away by looking.
            let is_known = untouched && !matches!(held.state, KernelState::Pair(_));
            (is_known || held.is(pid, *fd))
                && (untouched && !held.may_be_locked || !held.has_other_marks())
                && held.lost_watches().is_empty()
                && held.find_other_watches().is_empty()
        };
        self.counter.now().is_ok_and(|count| count == self.count)
            && self.held.iter_mut().all(is_same)
    }

    /// Whether the program has this one.
    pub fn has(&self, fd: i32) -> bool {
        self.held.contains_key(&fd)
    }

    /// Whether this one is an end of a pair of datagram sockets.
    pub fn has_datagrams(&self, fd: i32) -> bool {
        let state = self.held.get(&fd).map(|held| &held.state);
        matches!(state, Some(KernelState::Pair(pair)) if pair.kind == libc::SOCK_DGRAM)
    }

    /// The numbers of those of the program, and of the keepers.
    pub fn numbers(&self) -> Vec<u32> {
        self.held.keys().copied().chain(self.keepers()).map(|fd| fd as u32).collect()
    }

    /// The numbers of the keepers.
    pub fn keepers(&self) -> Range<i32> {
        self.keepers..self.keepers + self.held.len() as i32
    }

    /// The calls by which the guest puts its descriptors back. Pipes are opened and pairs of sockets made
    /// at once.
    pub fn put_back(&mut self, pid: i32, space: &mut Space) -> Result<Vec<Call>, Error> {
        let list =
            proc::descriptors(pid).map_err(Error::proc("its descriptors cannot be listed"))?;
        let is_kept = |fd: &i32| self.held.contains_key(fd) || self.keepers().contains(fd);
        let extra = list.into_iter().filter(|fd| !is_kept(fd)).map(Call::close);
        let mut calls: Vec<Call> = extra.collect();
        let forget = self.forget_other_watches();
        if !forget.is_empty() {
            carry_out(&forget, space)?;
        }
        let (mut pipes, mut pairs) = (Vec::new(), Vec::new());
        for (fd, held) in &self.held {
            if !held.is_keeper(pid, held.keeper) {
                return Err(Error::Irreversible(Irreversible::Keeper));
            }
            if !held.is(pid, *fd) {
                calls.push(Call::dup3(held.keeper, *fd, held.marks.close_on_exec));
                match &held.state {
                    KernelState::Pipe(pipe) => pipes.push((*fd, held, pipe)),
                    // Both ends of it are lost, also where only one is.
                    KernelState::Pair(pair) => {
                        let lost = Error::Irreversible(Irreversible::Socket);
                        pairs.push((*fd).min(pair.other.ok_or(lost)?));
                    }
                    // Its file may be locked still, by what is kept of it.
                    _ if held.may_be_locked && !held.marks.locked => {
                        calls.extend(marks::unlock(*fd, space.annex(), LOCK_AT));
                    }
                    _ => {}
                }
            }
        }
        if !pipes.is_empty() {
            calls = open_pipes(&pipes, &calls, space)?;
        }
        if !pairs.is_empty() {
            carry_out(&std::mem::take(&mut calls), space)?;
            pairs.dedup();
            pairs.into_iter().try_for_each(|fd| self.make_pair(fd, pid, space))?;
        }
        if !forget.is_empty() {
            // Of what it has closed the file is kept, and so is the watch: it takes the descriptor to forget that.
            carry_out(&std::mem::take(&mut calls), space)?;
            carry_out(&self.forget_other_watches(), space)?;
        }
        calls.extend(self.mark_again(space.annex()));
        let lost = self.held.iter().flat_map(|(fd, held)| {
            let lost = held.lost_watches().into_iter();
            lost.map(|(operation, watch)| (*fd, operation, watch))
        });
        calls.extend(watch_again(lost, space.annex())?);
        Ok(calls)
    }

    /// Has the guest make a pair of sockets anew, of which this is one end.
    fn make_pair(&mut self, fd: i32, pid: i32, space: &mut Space) -> Result<(), Error> {
        let lost = || Error::Irreversible(Irreversible::Descriptor);
        let end = |fd: i32| {
            let held = self.held.get(&fd).ok_or_else(lost)?;
            let KernelState::Pair(pair) = &held.state else { return Err(lost()) };
            let Marks { close_on_exec, flags, .. } = held.marks;
            Ok((pair, (fd, close_on_exec, flags, held.keeper)))
        };
        let (pair, one) = end(fd)?;
        let other = pair.other.ok_or_else(lost)?;
        pair::make(space, pair.kind, [one, end(other)?.1])?;
        for fd in [fd, other] {
            let held = self.held.get_mut(&fd).ok_or_else(lost)?;
            let KernelState::Pair(pair) = &mut held.state else { return Err(lost()) };
            let inode = pair.becomes(pid, fd).map_err(Error::request("a descriptor is lost"))?;
            let watches = self.held.values_mut().filter_map(|held| held.state.watches_mut());
            watches.for_each(|watches| watches.watch_file(fd, inode));
        }
        Ok(())
    }

    /// The calls by which an exec closes the same as before, and what was locked since is locked no more.
    fn mark_again(&self, annex: &Annex) -> Vec<Call> {
        let mut calls = Vec::new();
        for (fd, held) in self.held.iter().filter(|(_, held)| held.has_other_marks()) {
            calls.push(marks::close_on_exec(*fd, held.marks.close_on_exec));
            if !held.marks.locked {
                calls.extend(marks::unlock(*fd, annex, LOCK_AT));
            }
        }
        calls
    }

    /// The calls by which the guest waits no more for what it did not before.
    fn forget_other_watches(&mut self) -> Vec<Call> {
        let mut calls = Vec::new();
        for (fd, held) in &mut self.held {
            calls.extend(held.find_other_watches().iter().map(|other| {
                let args = [*fd as u64, libc::EPOLL_CTL_DEL as u64, *other as u64, 0, 0, 0];
                Call { number: libc::SYS_epoll_ctl, args }
            }));
        }
        calls
    }

    /// Sets where in their files they are, and what the kernel holds behind them else. `untouched`: no
    /// flags were set. Whether some were.
    pub fn put_back_state(&mut self, untouched: bool) -> Result<bool, Error> {
        let mut flags_were_set = false;
        for held in self.held.values_mut() {
            if held.was_removed() {
                return Err(Error::Irreversible(Irreversible::Removed));
            }
            if let (Some(offset), Some(copy)) = (held.offset, &mut held.copy) {
                let sought = copy.seek(SeekFrom::Start(offset));
                sought.map_err(Error::request("a file cannot be sought"))?;
            }
            if let Some(copy) = held.copy.as_ref().filter(|_| !untouched) {
                flags_were_set |= put_back_flags(copy, held.marks.flags)?;
            }
            held.state.put_back(held.copy.as_mut())?;
        }
        Ok(flags_were_set)
    }
}

impl Held {
    /// Whether this descriptor is the same.
    fn is(&self, pid: i32, fd: i32) -> bool {
        match (&self.state, &self.copy) {
            (KernelState::Pipe(pipe), _) => pipe.is(pid, fd),
            (KernelState::Pair(pair), _) => pair.is(pid, fd),
            (_, Some(copy)) => {
                kcmp::share_file((self.own, copy.as_raw_fd()), (pid, fd)).unwrap_or(false)
            }
            (_, None) => false,
        }
    }

    /// Whether this descriptor can bring it back.
    fn is_keeper(&self, pid: i32, fd: i32) -> bool {
        match &self.state {
            KernelState::Pipe(pipe) => pipe.is_kept(pid, fd),
            KernelState::Pair(pair) => pair.is_kept(pid, fd),
            _ => self.is(pid, fd),
        }
    }

    /// Whether an exec does something else to this descriptor than before, or it has locks that it had not.
    fn has_other_marks(&self) -> bool {
        Marks::told_by(&self.text).is_ok_and(|now| {
            now.close_on_exec != self.marks.close_on_exec || now.locked && !self.marks.locked
        })
    }

    fn lost_watches(&self) -> Vec<(i32, &Watch)> {
        let watches = self.state.watches().zip(self.copy.as_ref());
        watches.map_or(Vec::new(), |(watches, copy)| watches.lost(copy))
    }

    /// Whether its file has lost a name.
    fn was_removed(&self) -> bool {
        let now = || self.copy.as_ref()?.metadata().ok();
        self.names > 0 && now().is_some_and(|data| data.nlink() < self.names)
    }

    /// The descriptors for which its epoll waits besides.
    fn find_other_watches(&mut self) -> &[i32] {
        match (self.state.watches_mut(), &self.copy) {
            (Some(watches), Some(copy)) => watches.find_others(copy),
            _ => &[],
        }
    }
}

/// Has the guest make its keepers.
fn keep(held: &BTreeMap<i32, Held>, annex: &Annex, calls: &mut RemoteCalls) -> Result<(), Error> {
    let is_own = |held: &Held| held.state.is_programs_own();
    let ends: Vec<(i32, i32)> =
        held.iter().filter(|(_, held)| is_own(held)).map(|(fd, _)| (*fd, libc::O_PATH)).collect();
    let open = open_again(&ends, annex);
    let opened = opened(annex.make(calls, &open, OnFailure::Stop))?;
    let keepers = held.values().filter(|held| is_own(held)).map(|held| held.keeper);
    let mut list: Vec<Call> = held
        .iter()
        .filter(|(_, held)| !is_own(held))
        .map(|(fd, held)| Call::dup3(*fd, held.keeper, true))
        .collect();
    for (fd, keeper) in opened.into_iter().zip(keepers) {
        list.extend([Call::dup3(fd, keeper, true), Call::close(fd)]);
    }
    let kept = annex.make(calls, &list, OnFailure::Stop);
    if kept.map_err(Error::remote("a descriptor cannot be kept"))?.iter().any(Result::is_err) {
        let taken = Obstacle::Descriptor(KEEPERS_BELOW as i32, "taken".to_owned());
        return Err(Error::Obstacles(vec![taken]));
    }
    Ok(())
}

/// Makes the first of these calls, by which all numbers are taken that are to be, and opens pipes.
/// The calls by which their ends come to their numbers.
fn open_pipes(
    pipes: &[(i32, &Held, &Pipe)],
    first: &[Call],
    space: &mut Space,
) -> Result<Vec<Call>, Error> {
    carry_out(first, space)?;
    let ends: Vec<(i32, i32)> =
        pipes.iter().map(|(_, held, pipe)| (held.keeper, pipe.flags())).collect();
    let open = open_again(&ends, space.annex());
    let opened = opened(space.calls(&open, OnFailure::Stop))?;
    let places = pipes.iter().zip(opened);
    let to_place = places.flat_map(|((fd, held, _), opened)| {
        [Call::dup3(opened, *fd, held.marks.close_on_exec), Call::close(opened)]
    });
    Ok(to_place.collect())
}

/// The calls by which the guest opens files anew that it has descriptors of, with these flags.
fn open_again(files: &[(i32, i32)], annex: &Annex) -> Vec<Call> {
    let mut at = EVENTS.start;
    let open = |(fd, flags): &(i32, i32)| {
        let path = format!("/proc/self/fd/{fd}\0");
        annex.put(at, path.as_bytes());
        let flags = (flags | libc::O_CLOEXEC) as u64;
        let args = [libc::AT_FDCWD as u64, Annex::address(at), flags, 0, 0, 0];
        at += path.len();
        Call { number: libc::SYS_openat, args }
    };
    files.iter().map(open).collect()
}

/// The calls by which the guest waits for something: by which epoll, and the operation of `epoll_ctl(2)`.
fn watch_again<'a>(
    watches: impl Iterator<Item = (i32, i32, &'a Watch)>,
    annex: &Annex,
) -> Result<Vec<Call>, Error> {
    let mut places = EVENTS.step_by(Watch::EVENT_LEN.next_multiple_of(8));
    let call = |(epoll, operation, watch): (i32, i32, &Watch)| {
        let place = places.next().ok_or(Error::Irreversible(Irreversible::Descriptor))?;
        annex.put(place, &watch.event());
        let (event, operation) = (Annex::address(place), operation as u64);
        let args = [epoll as u64, operation, watch.fd as u64, event, 0, 0];
        Ok(Call { number: libc::SYS_epoll_ctl, args })
    };
    watches.map(call).collect()
}

/// Has the guest make calls, whatever comes of them.
fn carry_out(list: &[Call], space: &mut Space) -> Result<(), Error> {
    let what = "a descriptor cannot be put back";
    space.calls(list, OnFailure::GoOn).map(drop).map_err(Error::remote(what))
}

/// The descriptors that these calls have returned.
fn opened(made: Result<Vec<io::Result<u64>>, Failure>) -> Result<Vec<i32>, Error> {
    let what = "a pipe cannot be opened again";
    let made = made.map_err(Error::remote(what))?;
    made.into_iter().map(|fd| fd.map(|fd| fd as i32).map_err(Error::request(what))).collect()
}

/// Sets the flags of a file, if they have changed. Whether they have.
fn put_back_flags(copy: &File, flags: i32) -> Result<bool, Error> {
    /// Those that can be set, as far as a program sets them.
    const SET: i32 = libc::O_APPEND | libc::O_NONBLOCK | libc::O_DIRECT;
    let failed = Error::request("the flags of a file cannot be put back");
    let now = status_flags::of(copy.as_fd()).map_err(&failed)?;
    if now & SET == flags & SET {
        return Ok(false);
    }
    status_flags::set(copy.as_fd(), now & !SET | flags & SET).map_err(&failed).map(|()| true)
}
