//! Where guests run: one that makes all the stops shares the supervisor's processor.
//!
//! The two never run at the same time, and yet the kernel keeps them apart while another processor
//! is idle; to wake that one up at each stop costs several times what the stop costs. So a guest
//! thread that has made many stops in a row is bound to the supervisor's processor, until another
//! one stops, it makes few stops, it makes a call by which it or its children could notice, or
//! either of the two ends. See docs/decisions/0006.

mod watch;

use std::collections::HashSet;

use contract::{Arch, Capture, GuestAddr, Phase, Tid};
use kernel::clock;
use table::arch::x86_64;

use watch::Watch;

/// So many stops in a row bind a thread.
const STREAK: u32 = 8;
/// If they took longer, in nanoseconds, the wake-ups are not what the guest waits for.
const STREAK_TIME: u64 = 100_000_000;
/// The calls that tell a thread, or give to a new one, on which processors it may run.
const REVEALING: [u16; 9] = [
    x86_64::SCHED_GETAFFINITY.number,
    x86_64::SCHED_SETAFFINITY.number,
    x86_64::SCHED_SETATTR.number,
    x86_64::FORK.number,
    x86_64::VFORK.number,
    x86_64::CLONE.number,
    x86_64::CLONE3.number,
    // They open files without a call of their own.
    x86_64::IO_URING_SETUP.number,
    x86_64::IO_URING_ENTER.number,
];

/// The calls after which this thread may go by another id, or may not be ours to move.
const CHANGING: [u16; 2] = [x86_64::EXECVE.number, x86_64::EXECVEAT.number];

/// The calls that open files, and which argument is the path.
const OPENING: [(u16, usize); 3] =
    [(x86_64::OPEN.number, 0), (x86_64::OPENAT.number, 1), (x86_64::OPENAT2.number, 1)];

/// Decides where guests run.
#[derive(Debug, Default)]
pub struct Placement {
    /// The thread that stopped last.
    last: Option<Tid>,
    /// How many stops it made since it was considered last, no other one between them.
    streak: u32,
    /// When those began: `CLOCK_MONOTONIC`, nanoseconds.
    since: u64,
    /// Somebody may be bound.
    bound: bool,
    /// Threads that have opened a file in which they can read at any time where they may run.
    aware: HashSet<Tid>,
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
    Some(Watch),
}

impl Placement {
    /// Leaves everything to the kernel.
    pub fn free() -> Placement {
        Placement { binder: Binder::None, ..Placement::default() }
    }

    /// How many times a thread was bound.
    pub fn bindings(&self) -> u64 {
        self.bindings
    }

    /// A thread has stopped.
    pub fn stopped(&mut self, tid: Tid) {
        if self.last != Some(tid) {
            self.release();
            self.last = Some(tid);
            self.streak = 0;
        }
        self.streak += 1;
        if self.bound
            && let Binder::Some(watch) = &self.binder
        {
            watch.stopped();
        }
        if self.streak == 1 {
            self.since = clock::monotonic();
        }
    }

    /// Binds a thread that stands between two calls, all of which must stop, if that will pay.
    pub fn consider(&mut self, tid: Tid) {
        if self.streak < STREAK || self.aware.contains(&tid) {
            return;
        }
        self.streak = 0;
        if clock::monotonic() - self.since > STREAK_TIME {
            return;
        }
        if matches!(self.binder, Binder::Unknown) {
            // Takes a while: the next streak will find it ready.
            self.binder = Watch::start().map_or(Binder::None, Binder::Some);
        }
        if let Binder::Some(watch) = &self.binder
            && watch.bind(tid)
        {
            self.bound = true;
            self.bindings += 1;
        }
    }

    /// A thread is about to make a call. It must not learn by it that it has been bound, and its
    /// children must not inherit that. What was captured of the call helps to tell.
    pub fn calls(&mut self, tid: Tid, arch: Arch, number: u64, capture: Option<&Capture>) {
        let reveals = if arch != Arch::X86_64 {
            // These have other numbers.
            true
        } else if let Some(path) = opened_path(number) {
            let status = capture.map(|capture| may_be_status(capture, path));
            if status == Some(true) {
                self.aware.insert(tid);
            }
            status.unwrap_or(true)
        } else {
            REVEALING.iter().chain(&CHANGING).any(|call| u64::from(*call) == number)
        };
        if reveals {
            self.release();
        }
    }

    /// Gives a bound thread its processors back.
    pub fn release(&mut self) {
        if !self.bound {
            return;
        }
        self.bound = false;
        self.streak = 0;
        if let Binder::Some(watch) = &self.binder {
            watch.release();
        }
    }
}

/// Which argument is the path, if this call opens a file.
fn opened_path(number: u64) -> Option<usize> {
    OPENING.iter().find(|(call, _)| u64::from(*call) == number).map(|(_, path)| *path)
}

/// Whether the path in this argument may be that of `/proc/PID/status`.
fn may_be_status(capture: &Capture, argument: usize) -> bool {
    let mut copies = capture.spans_at(Phase::Entry, GuestAddr(capture.args[argument]));
    copies.next().is_none_or(|(copy, bytes)| {
        copy.fault || bytes.strip_suffix(b"\0").unwrap_or(bytes).ends_with(b"status")
    })
}
