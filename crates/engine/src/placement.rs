//! Where guests run: one that makes all the stops shares the supervisor's processor.
//!
//! The two never run at the same time, and yet the kernel keeps them apart while another processor
//! is idle; to wake that one up at each stop costs several times what the stop costs. So a guest
//! thread that has made many stops in a row is bound to the supervisor's processor, until another
//! one stops, it makes few stops, it makes a call by which it or its children could notice, or
//! either of the two ends. Where a filter lets no such call pass, all guests are bound together as
//! long as they run in turn. See docs/decisions/0006.

mod binding;
mod serial;
mod session;
mod together;
mod turns;
mod watch;

use std::collections::HashSet;

use contract::{Arch, CallSet, Pid, Tid};
use kernel::clock;
use table::Id;
use table::arch::x86_64;

use binding::Answer;
use serial::{Serial, Step};
pub use together::Together;
use turns::Turns;
use watch::Watch;

/// So many stops in a row bind a thread.
const STREAK: u32 = 8;
/// If they took longer, in nanoseconds, the wake-ups are not what the guest waits for.
const STREAK_TIME: u64 = 100_000_000;
/// The calls that tell a thread on which processors it may run, or that change it, and those after which
/// it may go by another id, or may not be ours to move.
const REVEALING: [Id; 6] = [
    x86_64::SCHED_GETAFFINITY,
    x86_64::SCHED_SETAFFINITY,
    x86_64::SCHED_SETATTR,
    x86_64::SETUID,
    x86_64::SETREUID,
    x86_64::SETRESUID,
];
/// The calls that give it to a new thread, or to another program.
const HANDING_ON: [Id; 6] =
    [x86_64::FORK, x86_64::VFORK, x86_64::CLONE, x86_64::CLONE3, x86_64::EXECVE, x86_64::EXECVEAT];
/// The call behind which a process opens files by requests that are no calls.
const RING: Id = x86_64::IO_URING_SETUP;

/// The calls that open files, and which argument is the path.
const OPENING: [(u16, usize); 3] =
    [(x86_64::OPEN.number, 0), (x86_64::OPENAT.number, 1), (x86_64::OPENAT2.number, 1)];

/// Decides where guests run.
#[derive(Debug, Default)]
pub struct Placement {
    /// Decides about all guests together, where that is possible.
    serial: Option<Serial>,
    /// The thread that stopped last.
    last: Option<Tid>,
    /// How many stops it made since it was considered last, no other one between them.
    streak: u32,
    /// When those began: `CLOCK_MONOTONIC`, nanoseconds.
    since: u64,
    /// Somebody may be bound.
    bound: bool,
    /// Processes that can read at any time where they may run, or that are not ours to move.
    aware: HashSet<Pid>,
    /// How many times a thread was bound.
    bindings: u64,
    binder: Binder,
}

/// What can bind, if anything can.
#[derive(Debug, Default)]
enum Binder {
    /// Nobody has been bound yet.
    #[default]
    Unknown,
    /// That is not possible here.
    None,
    /// One guest at a time.
    Alone(Watch),
    /// All guests.
    All(Box<Turns>),
}

impl Placement {
    /// Leaves everything to the kernel.
    pub fn free() -> Placement {
        Placement { binder: Binder::None, ..Placement::default() }
    }

    /// Binds all guests together, of which the calls that open files stop, and those that are to
    /// [stop](Placement::stopping).
    pub fn serial() -> Placement {
        Placement { serial: Some(Serial::default()), ..Placement::default() }
    }

    /// How many times a thread was bound, or all of them.
    pub fn bindings(&self) -> u64 {
        self.bindings
    }

    /// A thread has stopped. Whether it is to be [looked](Placement::looked) if others run.
    pub fn stopped(&mut self, tid: Tid) -> bool {
        if self.serial.is_none() {
            self.stopped_alone(tid);
        }
        match &mut self.binder {
            Binder::Alone(watch) if self.bound => watch.stopped(),
            Binder::All(turns) if self.bound => turns.stopped(),
            _ => {}
        }
        self.serial.as_mut().is_some_and(|serial| serial.stopped(clock::monotonic))
    }

    fn stopped_alone(&mut self, tid: Tid) {
        if self.last != Some(tid) {
            self.release();
            self.last = Some(tid);
            self.streak = 0;
        }
        self.streak += 1;
        if self.streak == 1 {
            self.since = clock::monotonic();
        }
    }

    /// The first guest is about to be started, where all are bound together: it stops some times before
    /// long.
    pub fn begin(&mut self, guest: Pid) {
        self.bind(&[guest]);
    }

    /// It was looked whether others run than the guest that has stopped; `guests` are all of them.
    pub fn looked(&mut self, others_run: bool, guests: &[Tid]) {
        let is_bound = self.is_bound();
        let Some(serial) = &mut self.serial else { return };
        match serial.looked(is_bound, others_run) {
            Step::Stay => {}
            Step::Bind => drop(self.bind(guests)),
            Step::Release => self.release(),
        }
    }

    /// Binds a thread of this process that stands between two calls, if that will pay and if the
    /// calls of all its threads stop, which `all_stop` says.
    pub fn consider(&mut self, tid: Tid, process: Pid, all_stop: impl FnOnce() -> bool) {
        if self.streak < STREAK {
            return;
        }
        self.streak = 0;
        if clock::monotonic() - self.since > STREAK_TIME || self.aware.contains(&process) {
            return;
        }
        if self.is_bound() || !all_stop() {
            return;
        }
        if self.bind(&[tid]) == Answer::Never {
            self.aware.insert(process);
        }
    }

    /// A wait for guests was ended by something else than a guest.
    pub fn ticked(&mut self) {
        if let Binder::All(turns) = &mut self.binder
            && self.bound
        {
            turns.ticked();
        }
    }

    /// Whether anybody is bound.
    fn is_bound(&self) -> bool {
        self.bound
            && match &self.binder {
                Binder::Unknown | Binder::None => false,
                Binder::Alone(watch) => watch.is_bound(),
                Binder::All(turns) => turns.is_bound(),
            }
    }

    /// Binds these guests: one, or all where all are bound together.
    fn bind(&mut self, tids: &[Tid]) -> Answer {
        if matches!(self.binder, Binder::Unknown) {
            self.binder = match self.serial {
                Some(_) => Turns::new().map_or(Binder::None, |turns| Binder::All(Box::new(turns))),
                // Takes a while: the next time will find it ready.
                None => Watch::start().map_or(Binder::None, Binder::Alone),
            };
        }
        let answer = match (&mut self.binder, tids) {
            (Binder::Alone(watch), [tid]) => watch.bind(*tid),
            (Binder::All(turns), tids) => turns.bind(tids),
            _ => Answer::NotNow,
        };
        if answer == Answer::Bound {
            self.bound = true;
            self.bindings += 1;
        }
        answer
    }

    /// Whether this thread alone is bound, as far as is known: it may have been let go since.
    pub fn has_bound(&self, tid: Tid) -> bool {
        self.bound && self.last == Some(tid)
    }

    /// The calls that have to stop, where not every call does. Those of other ABIs do.
    pub fn stopping(&self) -> CallSet {
        let mut calls = CallSet::NONE;
        if self.is_serial() {
            REVEALING.iter().chain([&RING]).for_each(|id| calls.insert(id.number.into()));
        }
        calls
    }

    /// Whether the calls that open files have to be told of where not every call stops.
    pub fn is_serial(&self) -> bool {
        self.serial.is_some()
    }

    /// Which argument of a call is a path that [`Placement::calls`] wants to know, if any is.
    pub fn wanted_path(&self, arch: Arch, number: u64) -> Option<usize> {
        if matches!(self.binder, Binder::None) || arch != Arch::X86_64 {
            return None;
        }
        OPENING.iter().find(|(call, _)| u64::from(*call) == number).map(|(_, path)| *path)
    }

    /// A thread of this process is about to make a call. It must not learn by it that it has been
    /// bound, and its children must not inherit that. `path` is what [`Placement::wanted_path`]
    /// asked for, if it could be read.
    pub fn calls(&mut self, process: Pid, arch: Arch, number: u64, path: Option<&[u8]>) {
        let is_one_of = |calls: &[Id]| calls.iter().any(|id| u64::from(id.number) == number);
        let learns = is_one_of(&[RING]) || path.is_some_and(is_status);
        // Other architectures have other numbers.
        let is_other = arch != Arch::X86_64;
        if self.serial.is_some() {
            if learns || is_other {
                self.leave_alone();
            } else if is_one_of(&REVEALING) {
                self.release();
            }
            return;
        }
        if learns {
            self.aware.insert(process);
            self.release();
        }
        if is_other || is_one_of(&REVEALING) || is_one_of(&HANDING_ON) {
            self.release();
        }
    }

    /// Nobody is bound any more from now on.
    fn leave_alone(&mut self) {
        self.release();
        *self = Placement { bindings: self.bindings, ..Placement::free() };
    }

    /// A guest has made another.
    pub fn born(&mut self, maker: Tid, child: Tid) {
        if let Binder::All(turns) = &mut self.binder {
            turns.born(maker, child);
        }
    }

    /// A thread has ended.
    pub fn ended(&mut self, tid: Tid) {
        self.aware.remove(&tid);
        if let Binder::All(turns) = &mut self.binder {
            turns.ended(tid);
        }
    }

    /// Gives who is bound its processors back.
    pub fn release(&mut self) {
        self.streak = 0;
        if !self.bound {
            return;
        }
        self.bound = false;
        match &mut self.binder {
            Binder::Alone(watch) => watch.release(),
            Binder::All(turns) => turns.release(),
            Binder::Unknown | Binder::None => {}
        }
    }
}

/// Whether a path, with or without its NUL, may be that of `/proc/PID/status`, under whatever name
/// modules show `/proc`.
fn is_status(path: &[u8]) -> bool {
    let path = path.strip_suffix(b"\0").unwrap_or(path);
    let mut names = path.rsplit(|byte| *byte == b'/');
    let is_named_so = names.next() == Some(b"status");
    is_named_so
        && match names.next() {
            None | Some(b"" | b"." | b".." | b"self" | b"thread-self") => true,
            Some(directory) => directory.iter().all(u8::is_ascii_digit),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_tell_of_processors_are_known_by_name() {
        let told = ["/proc/self/status", "/proc/1/task/2/status\0", "status", "self/status"];
        for path in told.into_iter().chain(["/unreal/proc/7/status", "/p/thread-self/./status"]) {
            assert!(is_status(path.as_bytes()), "{path}");
        }
        for path in ["/var/lib/dpkg/status", "/proc/self/stat", "exit_status", "", "/"] {
            assert!(!is_status(path.as_bytes()), "{path}");
        }
    }
}
