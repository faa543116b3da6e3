//! Takes a snapshot of a program.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use kernel::pagemap::Pagemap;
use kernel::proc::mappings::{List, Mapping};
use kernel::ptrace::{Queue, Stopped, Tracee};
use kernel::remote::{Call, Failure, OnFailure, RemoteCalls};
use kernel::userfault::Userfault;
use kernel::wait::Stop;
use kernel::{kcmp, proc};

use super::content::{follow_mappings, save_pages};
use super::descriptors::Descriptors;
use super::ended::{Ended, Ends};
use super::file::File;
use super::named::{self, Named};
use super::nameless::Copied;
use super::names;
use super::quiet::Quiet;
use super::shared::Shared;
use super::signals::queued;
use super::snapshot::{
    ACTION, SET, SIGNALS, STACK, SavedProcess, SavedThread, Signal, Snapshot, Told, Tree,
};
use super::untouched::Untouched;
use super::{Error, Guest, Obstacle};
use crate::memory::annex::Annex;
use crate::memory::tracker::Tracker;

/// The size of `struct itimerval`, in bytes.
const TIMER: usize = 32;
/// Where in the annex the alternate stack and the timers are told.
const STACK_AT: usize = 64 * ACTION;
const TIMERS_AT: usize = STACK_AT + STACK;

impl Guest {
    /// Captures the program where it is held, with all its processes. Obstacles of these kinds are
    /// passed over: see [`Obstacle::kind`].
    ///
    /// A program that has a snapshot may be captured again, also while it runs: behind a
    /// [`Guest::run`] that was out of time, say. Of its memory only what was written since is
    /// copied. The former snapshot is gone.
    ///
    /// # Errors
    /// [`Error::Obstacles`] with everything else that cannot be captured; [`Error::Irreversible`] if
    /// it has a snapshot, and one of its processes was killed or runs another program since. After an
    /// error it is of no use any more.
    pub fn snapshot(&mut self, allowed: &[String]) -> Result<(), Error> {
        if let Some(end) = self.ended {
            return Err(Error::Ended { end });
        }
        if self.snapshot.is_some() {
            return self.renew(allowed);
        }
        self.check_memory()?;
        self.stop(|_, _| true, true)?;
        let processes = self.processes();
        let named = named::of_all(&processes, &self.ours)?;
        let mut copied = Copied::default();
        let mut obstacles = self.suspended();
        let mut ends = Ends::default();
        let mut prepared = Vec::with_capacity(processes.len());
        for pid in processes {
            prepared.push(self.prepare(pid, &named, &mut copied, &mut ends, &mut obstacles)?);
        }
        obstacles.retain(|obstacle| !allowed.iter().any(|kind| kind == obstacle.kind()));
        if !obstacles.is_empty() {
            return Err(Error::Obstacles(obstacles));
        }
        let mut tree = Tree { processes: BTreeMap::new(), ends };
        for prepared in prepared {
            tree.processes.insert(prepared.pid, self.capture(prepared)?);
        }
        self.come_to(tree);
        self.at_snapshot = true;
        Ok(())
    }

    /// All its processes.
    pub(super) fn processes(&self) -> Vec<i32> {
        let mut all: Vec<i32> = self.threads.values().map(|thread| thread.process).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The processes that run on by a signal only: they could not be left as they are.
    pub(super) fn suspended(&self) -> Vec<Obstacle> {
        let suspended = |thread: &&super::Thread| thread.suspended;
        let mut all: Vec<i32> =
            self.threads.values().filter(suspended).map(|thread| thread.process).collect();
        all.dedup();
        all.into_iter().map(Obstacle::Suspended).collect()
    }

    /// No two processes may have the same memory: who has lent its own until the other runs another
    /// program (`vfork(2)`) cannot even be stopped.
    pub(super) fn check_memory(&self) -> Result<(), Error> {
        let processes = || self.threads.iter().filter(|(tid, thread)| **tid == thread.process);
        for (pid, _) in processes() {
            let parent = proc::status(*pid).map_or(0, |status| status.parent);
            let is_ours = processes().any(|(other, _)| *other == parent);
            if is_ours && kcmp::share_memory(*pid, parent).unwrap_or(false) {
                return Err(Error::Obstacles(vec![Obstacle::Processes(*pid, parent)]));
            }
        }
        Ok(())
    }

    /// Has a process tell what only it can tell, and follows what is written to its memory.
    pub(super) fn prepare(
        &mut self,
        pid: i32,
        named: &[Named],
        copied: &mut Copied,
        ends: &mut Ends,
        obstacles: &mut Vec<Obstacle>,
    ) -> Result<Prepared, Error> {
        let held = self.thread(pid).held.take();
        let tracee = held.ok_or(Error::Obstacles(vec![Obstacle::FirstThread(pid)]))?;
        let ignored =
            proc::ignored_signals(pid).map_err(Error::proc("its signals are not known"))?;
        let ignores_trap = ignored & 1 << (libc::SIGTRAP - 1) != 0;
        let begun = RemoteCalls::begin(pid, tracee, Stop::Trap, None, ignores_trap);
        let mut calls = begun.map_err(Error::remote("the program cannot make calls for us"))?;
        let annex = Annex::bring_in(&mut calls)
            .map_err(Error::remote("no code can be mapped into the program"))?;
        let userfault = make_userfault(pid, &mut calls)?;
        let process = capture_process(pid, &annex, &mut calls, ignores_trap, obstacles)?;
        let descriptors = Descriptors::capture(pid, &annex, &mut calls, named, copied, obstacles)?;
        take_ended(pid, &annex, &mut calls, ends)?;
        let shared = Shared::keep(pid, &annex, &mut calls, named)?;
        let (tracee, _) = calls.finish().map_err(Error::remote("the program is lost"))?;
        self.thread(pid).held = Some(tracee);
        self.queue_interrupted(pid, &annex, ignores_trap)?;
        let mut told = BTreeMap::new();
        for tid in self.threads_of(pid) {
            told.insert(tid, self.ask_thread(pid, tid, &annex, ignores_trap)?);
        }

        let pagemap = Pagemap::open(pid).map_err(Error::request("its pages are not told"))?;
        let mut tracker = Tracker::new(pagemap, userfault);
        let list = proc::mappings::mappings(pid);
        let list = list.map_err(Error::proc("its mappings are not told"))?;
        let unfollowed = follow_mappings(&mut tracker, &list, &shared, obstacles);
        Ok(Prepared { pid, annex, tracker, list, unfollowed, process, descriptors, shared, told })
    }

    /// Copies the memory and the threads of a process.
    pub(super) fn capture(&mut self, prepared: Prepared) -> Result<Snapshot, Error> {
        let Prepared { pid, mut tracker, list, .. } = prepared;
        let saved = save_pages(pid, &mut tracker, &list, &prepared.shared)?;
        tracker.arm().map_err(|source| Error::Kernel {
            what: "the kernel does not protect pages against writes",
            source,
        })?;
        if let Some(first) = saved.first() {
            let measured = tracker.measure(first, saved.tables());
            measured.map_err(Error::request("its pages cannot be protected"))?;
        }
        let told = || Error::proc("its mappings are not told");
        let mut maps = List::open(pid).map_err(told())?;
        let maps_text = maps.text().map_err(told())?.to_vec();
        let mappings = maps.parse(&maps_text).map_err(told())?;
        let threads = self.save_threads(&prepared.told)?;
        let queued = self.queued_for(pid)?;
        Ok(Snapshot {
            annex: Rc::new(prepared.annex),
            tracker,
            saved,
            maps,
            maps_text,
            mappings,
            threads,
            descriptors: prepared.descriptors,
            process: prepared.process,
            shared: prepared.shared,
            queued,
            unfollowed: prepared.unfollowed,
            quiet: Quiet::default(),
            untouched: Untouched::default(),
            found: Vec::new(),
        })
    }

    /// Saves threads, all of which are held.
    pub(super) fn save_threads(
        &self,
        told: &BTreeMap<i32, Told>,
    ) -> Result<BTreeMap<i32, SavedThread>, Error> {
        let save = |(tid, told): (&i32, &Told)| {
            let held = self.threads[tid].held.as_ref().expect("all threads are stopped");
            save_thread(held, *told).map(|saved| (*tid, saved))
        };
        told.iter().map(save).collect()
    }

    /// The signals that wait for any thread of a process.
    pub(super) fn queued_for(&self, pid: i32) -> Result<Vec<Signal>, Error> {
        queued(self.threads[&pid].held.as_ref().expect("all threads are stopped"), Queue::Shared)
    }
}

/// A process whose memory and threads have not been copied yet.
pub struct Prepared {
    pub pid: i32,
    annex: Annex,
    tracker: Tracker,
    list: Vec<Mapping>,
    unfollowed: Vec<Range<u64>>,
    process: SavedProcess,
    descriptors: Descriptors,
    shared: Shared,
    /// What its threads have told.
    told: BTreeMap<i32, Told>,
}

/// Takes the children of a process that have ended and that it has not waited for: each run will
/// be told of them anew.
pub fn take_ended(
    pid: i32,
    annex: &Annex,
    calls: &mut RemoteCalls,
    ends: &mut Ends,
) -> Result<(), Error> {
    let status = proc::status(pid).map_err(Error::proc("a process is lost"))?;
    loop {
        let options = (libc::WNOHANG | libc::__WALL) as u64;
        let args = [-1_i64 as u64, Annex::address(0), options, 0, 0, 0];
        let wait = Call { number: libc::SYS_wait4, args };
        let made = annex.make(calls, &[wait], OnFailure::GoOn);
        let made = made.map_err(Error::remote("a process cannot tell of its children"))?.pop();
        let Some(Ok(child @ 1..)) = made else { return Ok(()) };
        let mut wait_status = [0; 4];
        annex.get(0, &mut wait_status);
        ends.add(Ended {
            pid: child as i32,
            parent: pid,
            group: status.group,
            user: status.real_uid,
            status: i32::from_ne_bytes(wait_status),
            taken: false,
            announced: true,
        });
    }
}

fn make_userfault(pid: i32, calls: &mut RemoteCalls) -> Result<Userfault, Error> {
    let kernel = |what| move |source| Error::Kernel { what, source };
    let fd = match calls.call(Userfault::create()) {
        Err(Failure::Refused(source)) => {
            return Err(kernel("the program cannot have a userfaultfd")(source));
        }
        made => made.map_err(Error::remote("the program cannot make calls for us"))? as i32,
    };
    let userfault = Userfault::of_guest(pid, pid, fd)
        .map_err(kernel("the kernel has no asynchronous write protection"))?;
    calls.call(Call::close(fd)).map_err(Error::remote("a descriptor cannot be closed"))?;
    Ok(userfault)
}

/// Asks the program what only it can tell.
pub fn capture_process(
    pid: i32,
    annex: &Annex,
    calls: &mut RemoteCalls,
    ignores_trap: bool,
    obstacles: &mut Vec<Obstacle>,
) -> Result<SavedProcess, Error> {
    let call = |number, args: [u64; 4]| {
        let [a, b, c, d] = args;
        Call { number, args: [a, b, c, d, 0, 0] }
    };
    let timer = |which: u64| {
        let at = Annex::address(TIMERS_AT + which as usize * TIMER);
        call(libc::SYS_getitimer, [which, at, 0, 0])
    };
    let mut list = vec![
        call(libc::SYS_brk, [0; 4]),
        call(libc::SYS_umask, [0; 4]),
        call(libc::SYS_sigaltstack, [0, Annex::address(STACK_AT), 0, 0]),
    ];
    list.extend((0..3).map(timer));
    list.extend(SIGNALS.map(|signal| {
        let at = Annex::address((signal as usize - 1) * ACTION);
        call(libc::SYS_rt_sigaction, [signal, 0, at, SET])
    }));
    let results = annex.make(calls, &list, OnFailure::GoOn);
    let results = results.map_err(Error::remote("the program cannot tell of itself"))?;
    let value = |index: usize| {
        let result = results[index].as_ref().copied();
        result.map_err(|error| Error::Request {
            what: "the program cannot tell of itself",
            source: std::io::Error::from_raw_os_error(error.raw_os_error().unwrap_or(0)),
        })
    };
    let (heap_end, file_mask) = (value(0)?, value(1)?);
    let umask = call(libc::SYS_umask, [file_mask, 0, 0, 0]);
    calls.call(umask).map_err(Error::remote("the program cannot tell of itself"))?;
    let mut handlers = vec![[0; ACTION]; 64];
    for (index, handler) in handlers.iter_mut().enumerate() {
        annex.get(index * ACTION, handler);
    }
    let mut alternate_stack = [0; STACK];
    annex.get(STACK_AT, &mut alternate_stack);
    if has_timers(pid, annex) {
        obstacles.push(Obstacle::Timer);
    }
    let directory = proc::working_directory(pid);
    let directory = directory.map_err(Error::proc("its directory is not known"))?;
    let directory = std::os::unix::ffi::OsStringExt::into_vec(directory.into_os_string());
    let directory_file = File::of_folder(pid);
    Ok(SavedProcess {
        heap_end,
        handlers,
        alternate_stack,
        file_mask,
        directory,
        directory_file,
        ignores_trap,
    })
}

/// Whether a process that has told of its timers has any.
fn has_timers(pid: i32, annex: &Annex) -> bool {
    let mut timers = [0; 3 * TIMER];
    annex.get(TIMERS_AT, &mut timers);
    timers != [0; 3 * TIMER] || !proc::timers(pid).unwrap_or_default().is_empty()
}

fn save_thread(tracee: &Tracee<Stopped>, told: Told) -> Result<SavedThread, Error> {
    let save = || {
        Ok(SavedThread {
            registers: tracee.registers()?,
            extended: tracee.extended_state()?,
            blocked: tracee.blocked_signals()?,
            told,
            name: names::of(tracee.tid()),
            rseq: tracee.rseq().unwrap_or_default(),
            queued: tracee.queued_signals(Queue::Own)?,
        })
    };
    save().map_err(Error::request("its registers cannot be read"))
}
