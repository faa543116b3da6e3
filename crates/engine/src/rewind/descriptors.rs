//! The descriptors of a program, and how they are put back.
//!
//! The supervisor holds a copy of each: so it can tell whether the guest's still is the same, and set
//! where in the file it is. The guest holds a copy too, a *keeper*, with a high number: from there a
//! descriptor that the program has closed comes back.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::fd::AsRawFd;

use kernel::pidfd;
use kernel::proc::DescriptorCount;
use kernel::remote::{Call, OnFailure, RemoteCalls};
use kernel::{kcmp, limits, proc};

use super::kernel_state::{KernelState, Named, Watch};
use super::{Error, Irreversible, Obstacle};
use crate::memory::annex::Annex;

/// Keepers lie below this number, and below the limit of the process.
const KEEPERS_BELOW: u64 = 1024;

/// Where in the annex lies what epolls are to wait for.
const EVENTS: std::ops::Range<usize> = Annex::ROOM / 2..Annex::ROOM / 8 * 7;

/// The descriptors at the moment of the snapshot.
#[derive(Debug)]
pub struct Descriptors {
    /// By their numbers.
    held: BTreeMap<i32, Held>,
    /// How many the guest has, keepers included, and who tells that.
    count: u64,
    counter: DescriptorCount,
    /// We.
    own: i32,
    /// Where keepers begin.
    keepers: i32,
}

#[derive(Debug)]
struct Held {
    copy: File,
    keeper: i32,
    /// The guest's is closed by an exec.
    close_on_exec: bool,
    /// Where in its file it is, if it is anywhere.
    offset: Option<u64>,
    /// What the kernel holds behind it else.
    state: KernelState,
}

impl Descriptors {
    /// Takes copies of all descriptors, and has the guest keep copies too.
    pub fn capture(
        pid: i32,
        annex: &Annex,
        calls: &mut RemoteCalls,
        obstacles: &mut Vec<Obstacle>,
    ) -> Result<Descriptors, Error> {
        let list =
            proc::descriptors(pid).map_err(Error::proc("its descriptors cannot be listed"))?;
        let limit = limits::descriptors(pid).map_err(Error::request("its limits are not known"))?;
        let keepers = limit.min(KEEPERS_BELOW) as i32 - list.len() as i32 - 1;
        let mut held = BTreeMap::new();
        let name = |fd: i32| proc::descriptor(pid, fd).unwrap_or_default().display().to_string();
        let all: Vec<Named> = list.into_iter().map(|fd| (fd, name(fd))).collect();
        for (named, keeper) in all.iter().zip(keepers..) {
            let fd = named.0;
            let copy = pidfd::copy_descriptor(pid, pid, fd)
                .map_err(Error::request("a descriptor cannot be copied"))?;
            let flags = proc::descriptor_number(pid, fd, "flags", 8).unwrap_or_default();
            let close_on_exec = flags & libc::O_CLOEXEC as u64 != 0;
            let mut copy = File::from(copy);
            let offset = copy.stream_position().ok();
            let state = KernelState::of(pid, named, &all, &copy);
            if state.is_none() {
                obstacles.extend(obstacle(pid, named));
            }
            let state = state.unwrap_or(KernelState::None);
            held.insert(fd, Held { copy, keeper, close_on_exec, offset, state });
        }
        let keep = |(fd, held): (&i32, &Held)| dup3(*fd, held.keeper, true);
        let keep: Vec<Call> = held.iter().map(keep).collect();
        let kept = annex.make(calls, &keep, OnFailure::Stop);
        if kept.map_err(Error::remote("a descriptor cannot be kept"))?.iter().any(Result::is_err) {
            return Err(Error::Obstacles(vec![Obstacle::Descriptor(keepers, "taken".to_owned())]));
        }
        let uncounted = || Error::proc("its descriptors cannot be counted");
        let counter = DescriptorCount::open(pid).map_err(uncounted())?;
        let count = counter.now().map_err(uncounted())?;
        Ok(Descriptors { held, count, counter, own: std::process::id() as i32, keepers })
    }

    /// Whether the guest has the same descriptors of the same files, and waits for the same by them.
    pub fn are_unchanged(&self, pid: i32) -> bool {
        self.counter.now().is_ok_and(|count| count == self.count)
            && self.held.iter().all(|(fd, held)| {
                self.is_of(held, pid, *fd) && held.state.lost_watches(&held.copy).is_empty()
            })
    }

    /// Whether the guest's descriptor is of the same open file.
    fn is_of(&self, held: &Held, pid: i32, fd: i32) -> bool {
        kcmp::share_file((self.own, held.copy.as_raw_fd()), (pid, fd)).unwrap_or(false)
    }

    /// The calls by which the guest puts its descriptors back.
    pub fn put_back(&self, pid: i32, annex: &Annex) -> Result<Vec<Call>, Error> {
        let same = |held: &Held, fd: i32| self.is_of(held, pid, fd);
        let list =
            proc::descriptors(pid).map_err(Error::proc("its descriptors cannot be listed"))?;
        let is_kept = |fd: &i32| {
            self.held.contains_key(fd)
                || *fd >= self.keepers && self.held.values().any(|held| held.keeper == *fd)
        };
        let extra = list.into_iter().filter(|fd| !is_kept(fd)).map(Call::close);
        let mut calls: Vec<Call> = extra.collect();
        for (fd, held) in &self.held {
            if !same(held, held.keeper) {
                return Err(Error::Irreversible(Irreversible::Keeper));
            }
            if !same(held, *fd) {
                calls.push(dup3(held.keeper, *fd, held.close_on_exec));
            }
        }
        calls.extend(self.watch_again(annex)?);
        Ok(calls)
    }

    /// The calls by which the guest waits for the same as before.
    fn watch_again(&self, annex: &Annex) -> Result<Vec<Call>, Error> {
        let mut places = EVENTS.step_by(Watch::EVENT_LEN.next_multiple_of(8));
        let mut calls = Vec::new();
        for (fd, held) in &self.held {
            for (operation, watch) in held.state.lost_watches(&held.copy) {
                let lost = || Error::Irreversible(Irreversible::Descriptor);
                let place = places.next().ok_or_else(lost)?;
                annex.put(place, &watch.event());
                let (event, operation) = (Annex::address(place), operation as u64);
                let args = [*fd as u64, operation, watch.fd as u64, event, 0, 0];
                calls.push(Call { number: libc::SYS_epoll_ctl, args });
            }
        }
        Ok(calls)
    }

    /// Sets where in their files they are, and what the kernel holds behind them else.
    pub fn put_back_state(&mut self) -> Result<(), Error> {
        for held in self.held.values_mut() {
            if let Some(offset) = held.offset {
                let sought = held.copy.seek(SeekFrom::Start(offset));
                sought.map_err(Error::request("a file cannot be sought"))?;
            }
            held.state.put_back(&mut held.copy)?;
        }
        Ok(())
    }
}

/// `dup3(2)`.
fn dup3(from: i32, to: i32, close_on_exec: bool) -> Call {
    let flags = if close_on_exec { libc::O_CLOEXEC } else { 0 };
    Call { number: libc::SYS_dup3, args: [from as u64, to as u64, flags as u64, 0, 0, 0] }
}

/// What stands in the way of a snapshot, of what this descriptor is of. What the program has
/// inherited from us is not its own.
fn obstacle(pid: i32, (fd, name): &Named) -> Option<Obstacle> {
    let (own, fd) = (std::process::id() as i32, *fd);
    if kcmp::share_file((own, fd), (pid, fd)).unwrap_or(false) {
        return None;
    }
    let what = match name.as_str() {
        socket if socket.starts_with("socket:") => "a socket".to_owned(),
        pipe if pipe.starts_with("pipe:") => "a pipe".to_owned(),
        other => match other.strip_prefix("anon_inode:") {
            Some(kind) => format!("of the kind {}", kind.trim_matches(['[', ']'])),
            None => {
                let locked = proc::descriptor_field(pid, fd, "lock").is_ok();
                return locked.then(|| Obstacle::Lock(fd, name.clone()));
            }
        },
    };
    Some(Obstacle::Descriptor(fd, what))
}
