//! What a program is at one moment.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use kernel::memory::read_ranges;
use kernel::pagemap::{Pagemap, Region, state};
use kernel::proc::mappings::{List, Mapping};
use kernel::ptrace::{ExtendedState, Registers, Stopped, Tracee};
use kernel::remote::{Call, Failure, OnFailure, RemoteCalls};
use kernel::userfault::Userfault;
use kernel::wait::Stop;
use kernel::{memory, proc};

use super::descriptors::Descriptors;
use super::quiet::Quiet;
use super::{Error, Guest, Obstacle};
use crate::memory::annex::Annex;
use crate::memory::saved::SavedPages;
use crate::memory::tracker::Tracker;

/// What a program is at one moment.
#[derive(Debug)]
pub struct Snapshot {
    pub annex: Rc<Annex>,
    pub tracker: Tracker,
    pub saved: SavedPages,
    pub maps: List,
    /// The mappings, in the kernel's words and taken apart.
    pub maps_text: Vec<u8>,
    pub mappings: Vec<Mapping>,
    pub threads: BTreeMap<i32, SavedThread>,
    pub descriptors: Descriptors,
    pub process: SavedProcess,
    /// What is mapped, and is neither followed nor put back, in order.
    pub unfollowed: Vec<Range<u64>>,
    pub quiet: Quiet,
    /// Room for what is found at each rewind.
    pub found: Vec<Region>,
}

/// A thread, stopped outside of any call.
#[derive(Debug)]
pub struct SavedThread {
    pub registers: Registers,
    pub extended: ExtendedState,
    pub blocked: u64,
    /// Where the kernel writes 0 when it ends, and wakes who waits for that; 0 if nowhere.
    pub tid_address: u64,
}

/// What calls of the program tell of its process.
#[derive(Debug)]
pub struct SavedProcess {
    /// The end of the heap.
    pub heap_end: u64,
    /// `struct sigaction` of the kernel, for each signal in [`SIGNALS`].
    pub handlers: Vec<[u8; ACTION]>,
    /// `stack_t`.
    pub alternate_stack: [u8; STACK],
    pub file_mask: u64,
    /// Its path.
    pub directory: Vec<u8>,
    pub ignores_trap: bool,
}

/// The signals that can have handlers.
pub const SIGNALS: std::ops::RangeInclusive<u64> = 1..=64;
/// The size of the kernel's `struct sigaction`, in bytes.
pub const ACTION: usize = 32;
/// The size of `stack_t`, in bytes.
pub const STACK: usize = 24;
/// The size of `struct itimerval`, in bytes.
const TIMER: usize = 32;
/// The size of the kernel's signal sets, in bytes.
pub const SET: u64 = 8;
/// Where in the annex the alternate stack and the timers are told.
const STACK_AT: usize = 64 * ACTION;
const TIMERS_AT: usize = STACK_AT + STACK;

impl Guest {
    /// Captures the program where it is held. Obstacles of these kinds are passed over: see
    /// [`Obstacle::kind`].
    ///
    /// # Errors
    /// [`Error::Obstacles`] with everything else that cannot be captured.
    pub fn snapshot(&mut self, allowed: &[String]) -> Result<(), Error> {
        self.stop_all(true)?;
        self.check_tasks()?;
        let tracee = self.thread(self.pid).held.take().expect("the program is held at its point");
        let ignored =
            proc::ignored_signals(self.pid).map_err(Error::proc("its signals are not known"))?;
        let ignores_trap = ignored & 1 << (libc::SIGTRAP - 1) != 0;
        let begun = RemoteCalls::begin(self.pid, tracee, Stop::Trap, None, ignores_trap);
        let mut calls = begun.map_err(Error::remote("the program cannot make calls for us"))?;
        let mut obstacles = Vec::new();
        let annex = Annex::bring_in(&mut calls)
            .map_err(Error::remote("no code can be mapped into the program"))?;
        let userfault = self.make_userfault(&mut calls)?;
        let process = self.capture_process(&annex, &mut calls, ignores_trap, &mut obstacles)?;
        let descriptors = Descriptors::capture(self.pid, &annex, &mut calls, &mut obstacles)?;
        let (tracee, _) = calls.finish().map_err(Error::remote("the program is lost"))?;

        let pagemap = Pagemap::open(self.pid).map_err(Error::request("its pages are not told"))?;
        let mut tracker = Tracker::new(pagemap, userfault);
        let mut maps = List::open(self.pid).map_err(Error::proc("its mappings are not told"))?;
        let list = proc::mappings::mappings(self.pid);
        let list = list.map_err(Error::proc("its mappings are not told"))?;
        let unfollowed = follow_mappings(&mut tracker, &list, &mut obstacles);
        obstacles.retain(|obstacle| !allowed.iter().any(|kind| kind == obstacle.kind()));
        if !obstacles.is_empty() {
            self.thread(self.pid).held = Some(tracee);
            return Err(Error::Obstacles(obstacles));
        }
        let saved = save_pages(self.pid, &mut tracker, &list)?;
        tracker.arm().map_err(|source| Error::Kernel {
            what: "the kernel does not protect pages against writes",
            source,
        })?;
        if let Some(first) = saved.first() {
            let measured = tracker.measure(first, saved.tables());
            measured.map_err(Error::request("its pages cannot be protected"))?;
        }
        let maps_text = maps.text().map_err(Error::proc("its mappings are not told"))?.to_vec();
        let mappings = maps.parse(&maps_text).map_err(Error::proc("its mappings are not told"))?;
        self.thread(self.pid).held = Some(tracee);
        let mut threads = BTreeMap::new();
        for tid in self.own() {
            let tid_address = self.tid_address(tid, &annex, ignores_trap)?;
            let held = self.threads[&tid].held.as_ref().expect("all threads are stopped");
            threads.insert(tid, save_thread(held, tid_address)?);
        }
        self.snapshot = Some(Snapshot {
            annex: Rc::new(annex),
            tracker,
            saved,
            maps,
            maps_text,
            mappings,
            threads,
            descriptors,
            process,
            unfollowed,
            quiet: Quiet::default(),
            found: Vec::new(),
        });
        self.at_snapshot = true;
        Ok(())
    }

    /// Asks a thread other than the first where its end is told: `set_tid_address(2)`.
    fn tid_address(&mut self, tid: i32, annex: &Annex, ignores_trap: bool) -> Result<u64, Error> {
        /// `PR_GET_TID_ADDRESS` of `linux/prctl.h`.
        const PR_GET_TID_ADDRESS: u64 = 40;
        if tid == self.pid {
            return Ok(0);
        }
        let what = "a thread cannot make calls for us";
        let tracee = self.thread(tid).held.take().expect("all threads are stopped");
        let stub = Some(Annex::STUB);
        let mut calls = RemoteCalls::begin(self.pid, tracee, Stop::Trap, stub, ignores_trap)
            .map_err(Error::remote(what))?;
        annex.put(0, &[0; 8]);
        let args = [PR_GET_TID_ADDRESS, Annex::address(0), 0, 0, 0, 0];
        let ask = Call { number: libc::SYS_prctl, args };
        // A kernel without that option leaves the 0.
        annex.make(&mut calls, &[ask], OnFailure::GoOn).map_err(Error::remote(what))?;
        let (tracee, _) = calls.finish().map_err(Error::remote(what))?;
        self.thread(tid).held = Some(tracee);
        let mut address = [0; 8];
        annex.get(0, &mut address);
        Ok(u64::from_ne_bytes(address))
    }

    /// Only one process can be captured.
    fn check_tasks(&self) -> Result<(), Error> {
        let mut others: Vec<i32> = self.threads.values().map(|thread| thread.process).collect();
        others.sort_unstable();
        others.dedup();
        match others.len() {
            0 | 1 => Ok(()),
            more => Err(Error::Obstacles(vec![Obstacle::Processes(more - 1)])),
        }
    }

    fn make_userfault(&self, calls: &mut RemoteCalls) -> Result<Userfault, Error> {
        let kernel = |what| move |source| Error::Kernel { what, source };
        let fd = match calls.call(Userfault::create()) {
            Err(Failure::Refused(source)) => {
                return Err(kernel("the program cannot have a userfaultfd")(source));
            }
            made => made.map_err(Error::remote("the program cannot make calls for us"))? as i32,
        };
        let userfault = Userfault::of_guest(self.pid, self.pid, fd)
            .map_err(kernel("the kernel has no asynchronous write protection"))?;
        calls.call(Call::close(fd)).map_err(Error::remote("a descriptor cannot be closed"))?;
        Ok(userfault)
    }

    /// Asks the program what only it can tell.
    fn capture_process(
        &self,
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
        let mut timers = [0; 3 * TIMER];
        annex.get(TIMERS_AT, &mut timers);
        let made = proc::timers(self.pid).unwrap_or_default();
        if timers != [0; 3 * TIMER] || !made.is_empty() {
            obstacles.push(Obstacle::Timer);
        }
        let directory = proc::working_directory(self.pid);
        let directory = directory.map_err(Error::proc("its directory is not known"))?;
        let directory = std::os::unix::ffi::OsStringExt::into_vec(directory.into_os_string());
        let alternate = alternate_stack;
        Ok(SavedProcess {
            heap_end,
            handlers,
            alternate_stack: alternate,
            file_mask,
            directory,
            ignores_trap,
        })
    }
}

/// Follows all private mappings. Those that are not followed.
fn follow_mappings(
    tracker: &mut Tracker,
    list: &[Mapping],
    obstacles: &mut Vec<Obstacle>,
) -> Vec<Range<u64>> {
    let name = |mapping: &Mapping| match mapping.name.as_slice() {
        [] => format!("the mapping at {:#x}", mapping.range.start),
        name => String::from_utf8_lossy(name).into_owned(),
    };
    let mut unfollowed = Vec::new();
    for mapping in list {
        let ours = Annex::RANGE.contains(&mapping.range.start);
        if mapping.shared && !is_shared_within(mapping) {
            if mapping.writable && !ours {
                obstacles.push(Obstacle::SharedMemory(name(mapping)));
            }
        } else if is_followed(mapping) {
            if tracker.follow(&mapping.range).is_ok() {
                continue;
            }
            if mapping.writable {
                obstacles.push(Obstacle::Untracked(name(mapping)));
            }
        }
        unfollowed.push(mapping.range.clone());
    }
    unfollowed
}

/// The most shared memory that is copied, in bytes.
const SHARED: u64 = 1 << 28;

/// Whether a mapping is memory without a name that the program shares with none but the processes
/// that it makes.
pub fn is_shared_within(mapping: &Mapping) -> bool {
    /// So the kernel calls it.
    const NAME: &[u8] = b"/dev/zero (deleted)";
    mapping.shared && mapping.name == NAME && mapping.range.end - mapping.range.start <= SHARED
}

/// Whether the writes to a mapping are followed: it is the program's own, and private. The kernel's own
/// pages cannot be followed, and are not written by programs.
pub fn is_followed(mapping: &Mapping) -> bool {
    let kernels = mapping.name.starts_with(b"[v") || Annex::RANGE.contains(&mapping.range.start);
    (!mapping.shared || is_shared_within(mapping)) && !kernels
}

/// Copies all pages that are the program's own: not those that still are as in their file. Of shared
/// memory all, since other processes may have written what this one has not looked at.
fn save_pages(pid: i32, tracker: &mut Tracker, list: &[Mapping]) -> Result<SavedPages, Error> {
    let mut found = Vec::new();
    tracker.content(&mut found).map_err(|source| Error::Kernel {
        what: "the kernel does not tell the state of pages",
        source,
    })?;
    found.retain(|region| region.state & (state::FILE | state::ZERO) == 0);
    let mut saved = SavedPages::default();
    saved.reserve(found.iter().map(|region| (region.end - region.start) as usize).sum());
    for region in &found {
        let content = saved.add(region.start..region.end);
        read_whole(pid, region.start, content)?;
    }
    for mapping in list.iter().filter(|mapping| is_shared_within(mapping)) {
        let content = saved.add(mapping.range.clone());
        read_whole(pid, mapping.range.start, content)?;
    }
    Ok(saved)
}

/// Reads memory, also where the program itself may not.
pub fn read_whole(pid: i32, start: u64, content: &mut [u8]) -> Result<(), Error> {
    /// One kernel call takes no more, in bytes.
    const MOST: usize = 1 << 30;
    for (index, part) in content.chunks_mut(MOST).enumerate() {
        let at = start + (index * MOST) as u64;
        let mut ranges = [(at, &mut *part)];
        let read = read_ranges(pid, &mut ranges);
        if read.map_err(Error::request("its memory cannot be read"))? == 0 {
            memory::read_by_force(pid, at, part)
                .map_err(Error::request("its memory cannot be read"))?;
        }
    }
    Ok(())
}

fn save_thread(tracee: &Tracee<Stopped>, tid_address: u64) -> Result<SavedThread, Error> {
    let save = || {
        Ok(SavedThread {
            registers: tracee.registers()?,
            extended: tracee.extended_state()?,
            blocked: tracee.blocked_signals()?,
            tid_address,
        })
    };
    save().map_err(Error::request("its registers cannot be read"))
}
