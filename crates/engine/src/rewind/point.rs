//! The point to which a program returns.

use std::ffi::OsStr;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kernel::proc;
use kernel::ptrace::{AUDIT_ARCH_X86_64, Resume, Side, Stopped, SyscallSource};
use kernel::ptrace::{SyscallStopKind, Tracee, is_gone};
use kernel::wait::{self, Change, CpuTime, Patience, Stop, What};
use libc::c_long;

use super::file::File;
use super::restart::{leave_call, step_back};
use super::search::{Arrival, Search};
use super::{End, Error, Guest};

/// The point to which a program returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Point {
    /// Before its first instruction: the dynamic loader's, where there is one.
    Start,
    /// Before a system call: its number, and how many such calls the program has made before.
    Call(u64, u64),
    /// Before the first call that reads or maps the file behind this descriptor of ours.
    Reads(RawFd),
    /// The same, or that asks for the size of that file.
    Measures(RawFd),
    /// Before a function of the program that the first process runs, or of a library that it loads: by its symbol,
    /// or as it is written in Rust or C++, with or without its parameters.
    Symbol(String),
    /// Before the first call that names this path, as it is written here or from its folder, and opens it or
    /// asks about it.
    Names(PathBuf),
}

/// The calls with a path: where they have it, and the folder from which it is looked up where that is not the
/// working directory.
const NAMING: [(c_long, usize, Option<usize>); 11] = [
    (libc::SYS_open, 0, None),
    (libc::SYS_openat, 1, Some(0)),
    (libc::SYS_openat2, 1, Some(0)),
    (libc::SYS_stat, 0, None),
    (libc::SYS_lstat, 0, None),
    (libc::SYS_newfstatat, 1, Some(0)),
    (libc::SYS_statx, 1, Some(0)),
    (libc::SYS_access, 0, None),
    (libc::SYS_faccessat, 1, Some(0)),
    (libc::SYS_faccessat2, 1, Some(0)),
    (libc::SYS_readlink, 0, None),
];

/// How the program comes to its point.
struct Way {
    /// How many calls of that kind it has made.
    passed: u64,
    /// For the function that is the point.
    search: Search,
    /// The file of the program, as the kernel names it.
    program: PathBuf,
    /// The file that the point is about.
    file: Option<File>,
    /// Calls stop until then.
    by_calls: bool,
    /// The point has been reached.
    is_over: bool,
}

impl Way {
    fn resume(&self) -> Resume {
        if self.by_calls { Resume::Syscall } else { Resume::Continue }
    }
}

impl Guest {
    /// Lets the program run from its start to this point, and holds it there.
    ///
    /// # Errors
    /// [`Error::Ended`] if it never comes there.
    pub fn run_to(&mut self, point: &Point) -> Result<(), Error> {
        self.come_there(point, &mut || true)
    }

    /// The same, as long as it is waited for: that is asked each `period`.
    ///
    /// # Errors
    /// [`Error::GivenUp`] when it is not waited for any more; it is of no use then.
    pub fn run_to_while(
        &mut self,
        point: &Point,
        period: Duration,
        mut is_awaited: impl FnMut() -> bool,
    ) -> Result<(), Error> {
        self.ticker.set(Some(period));
        let come = self.come_there(point, &mut is_awaited);
        self.ticker.set(None);
        come
    }

    fn come_there(
        &mut self,
        point: &Point,
        is_awaited: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        let mut way = self.begin_way(point)?;
        self.resume_all(way.resume())?;
        loop {
            let change = match wait::next(Patience::Block, CpuTime::Unwanted) {
                Ok(change) => change.expect("one was waited for"),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                    match kernel::interrupts::taken() {
                        Some(signal) => return Err(Error::Ended { end: End::Interrupted(signal) }),
                        None if is_awaited() => continue,
                        None => return Err(Error::GivenUp),
                    }
                }
                Err(error) => return Err(crate::Error::Wait(error).into()),
            };
            let tid = change.tid;
            let (tracee, stop) = match change.what {
                What::Stopped(tracee, stop) => (tracee, stop),
                ref what => {
                    let end = End::of(what);
                    self.threads.remove(&tid);
                    if tid == self.pid {
                        return Err(never_came(point, way, end));
                    }
                    continue;
                }
            };
            match self.follow(tid, tracee, stop, point, &mut way) {
                Ok(true) => {
                    self.take_breakpoints(tid, &way)?;
                    return self.let_others_sleep(point, &mut way);
                }
                Ok(false) => {}
                Err(error) if is_gone(&error) => {}
                Err(error) => return Err(Error::request("the program cannot be followed")(error)),
            }
        }
    }

    /// The way to a point, of which nothing has been gone yet.
    fn begin_way(&mut self, point: &Point) -> Result<Way, Error> {
        let program = proc::executable(self.pid).unwrap_or_default();
        let mut way = Way {
            passed: 0,
            search: Search::default(),
            program,
            file: None,
            by_calls: true,
            is_over: false,
        };
        if let Point::Reads(fd) | Point::Measures(fd) = point {
            let file = File::of_ours(*fd);
            way.file = Some(file.map_err(Error::request("the program's input is not known"))?);
        }
        if let Point::Symbol(name) = point {
            let tracee = self.thread(self.pid).held.as_ref().expect("the program is held");
            let found = way.search.in_program(tracee, name);
            found.map_err(Error::request("no breakpoint can be set"))?;
            if !way.search.several.is_empty() {
                return Err(Error::several(name, way.search.several));
            }
            way.by_calls = self.must_see_calls(&way);
        }
        Ok(way)
    }

    /// Takes the breakpoints from all, once a thread is at the function. No other of its process goes by that meanwhile.
    fn take_breakpoints(&mut self, tid: i32, way: &Way) -> Result<(), Error> {
        if self.passed.is_some() {
            let process = self.thread(tid).process;
            self.stop(|_, other| other == process, true)?;
            way.search.take_from(self.processes().into_iter());
        }
        Ok(())
    }

    /// Lets the other processes run until each waits for something, for a while at most: who has
    /// not even begun to run its program would have to do it in each run.
    fn let_others_sleep(&mut self, point: &Point, way: &mut Way) -> Result<(), Error> {
        /// How long.
        const WHILE: Duration = Duration::from_secs(10);
        /// How often it is looked.
        const LOOK: Duration = Duration::from_millis(2);
        /// After so many looks at which none makes a call, who does not sleep is busy.
        const BUSY: u32 = 500;
        let mut looks = 0;
        way.is_over = true;
        let deadline = Instant::now() + WHILE;
        let is_awake = |(tid, thread): (&i32, &super::Thread)| {
            thread.held.is_none() && !proc::is_asleep(*tid).unwrap_or(true)
        };
        let failed = Error::request("the program cannot be followed");
        let is_single =
            |guest: &Guest| guest.threads.values().all(|thread| thread.process == guest.pid);
        while !is_single(self) && Instant::now() < deadline {
            let asleep = !self.threads.iter().any(is_awake);
            let change = wait::next(Patience::Poll, CpuTime::Unwanted);
            let Some(Change { tid, what, .. }) = change.map_err(crate::Error::Wait)? else {
                looks += 1;
                if asleep || looks == BUSY {
                    break;
                }
                std::thread::sleep(LOOK);
                continue;
            };
            looks = 0;
            match what {
                What::Stopped(tracee, stop) => match self.follow(tid, tracee, stop, point, way) {
                    Err(error) if !is_gone(&error) => return Err(failed(error)),
                    _ => {}
                },
                what => {
                    self.threads.remove(&tid);
                    if tid == self.pid {
                        return Err(Error::Ended { end: End::of(&what) });
                    }
                }
            }
        }
        Ok(())
    }

    /// Serves a stop; whether the point is reached.
    fn follow(
        &mut self,
        tid: i32,
        tracee: Tracee<Stopped>,
        stop: Stop,
        point: &Point,
        way: &mut Way,
    ) -> std::io::Result<bool> {
        let mut deliver = 0;
        match stop {
            Stop::Syscall => {
                let call = tracee.syscall(SyscallSource::Info, Side::Entry)?.what;
                let at_entry = matches!(call, SyscallStopKind::Entry { .. });
                if !way.is_over && self.is_at(point, tid, &call, way) {
                    if at_entry {
                        step_back(&tracee)?;
                    } else {
                        leave_call(&tracee)?;
                    }
                    self.thread(tid).held = Some(tracee);
                    return Ok(true);
                }
                if let SyscallStopKind::Entry { arch: AUDIT_ARCH_X86_64, number, args } = call {
                    self.note_use(tid, number, args);
                }
                if let Point::Symbol(name) = point {
                    self.seek(name, &tracee, call, way)?;
                }
            }
            Stop::Exec => {
                if let Point::Symbol(name) = point {
                    self.seek_anew(name, &tracee, way)?;
                }
            }
            Stop::NewTask => {
                let child = tracee.event_message()? as i32;
                self.thread(child);
            }
            Stop::Signal(libc::SIGTRAP) => {
                let in_first = self.thread(tid).process == self.pid;
                match way.search.arrives(&tracee, in_first)? {
                    Arrival::There if !way.is_over => {
                        self.passed = way.search.breakpoint;
                        self.thread(tid).held = Some(tracee);
                        return Ok(true);
                    }
                    // Another process, which had the breakpoint from its parent, and was not known then.
                    Arrival::There => {
                        way.search.breakpoint.iter().try_for_each(|own| own.take(&tracee))?;
                    }
                    Arrival::OnTheWay => {}
                    Arrival::None => deliver = libc::SIGTRAP,
                }
            }
            Stop::Signal(signal) => deliver = signal,
            Stop::Group(_) => {
                tracee.listen()?;
                return Ok(false);
            }
            Stop::Seccomp | Stop::Trap => {}
        }
        self.thread(tid);
        tracee.resume(way.resume(), deliver)?;
        Ok(false)
    }

    /// Looks for the function in what the first process maps, if it was not found yet.
    fn seek(
        &mut self,
        name: &str,
        tracee: &Tracee<Stopped>,
        call: SyscallStopKind,
        way: &mut Way,
    ) -> std::io::Result<()> {
        if way.is_over || self.thread(tracee.tid()).process != self.pid {
            return Ok(());
        }
        match call {
            SyscallStopKind::Entry { arch: AUDIT_ARCH_X86_64, number, args } => {
                way.search.note(tracee.tid(), number, args);
            }
            SyscallStopKind::Exit { value, .. } => way.search.in_mapped(tracee, name, value)?,
            _ => {}
        }
        way.by_calls = self.must_see_calls(way);
        Ok(())
    }

    /// Looks for the function once more where the first process runs another program: what was found is no more.
    fn seek_anew(
        &self,
        name: &str,
        tracee: &Tracee<Stopped>,
        way: &mut Way,
    ) -> std::io::Result<()> {
        if way.is_over || tracee.tid() != self.pid {
            return Ok(());
        }
        way.program = proc::executable(self.pid).unwrap_or_default();
        way.search = Search::default();
        way.search.in_program(tracee, name)?;
        way.by_calls = self.must_see_calls(way);
        Ok(())
    }

    /// Whether calls have to stop on the way to a function.
    fn must_see_calls(&self, way: &Way) -> bool {
        self.input.is_some() || way.search.breakpoint.is_none()
    }

    /// Whether the thread is at the point, of which it has passed so many already.
    fn is_at(&self, point: &Point, tid: i32, call: &SyscallStopKind, way: &mut Way) -> bool {
        let SyscallStopKind::Entry { arch: AUDIT_ARCH_X86_64, number, args } = *call else {
            // The first exit is that of the execve.
            return *point == Point::Start;
        };
        match point {
            Point::Start | Point::Symbol(_) => false,
            Point::Call(wanted, nth) if *wanted == number => {
                way.passed += 1;
                way.passed > *nth
            }
            Point::Call(..) => false,
            Point::Reads(_) => way.file.is_some_and(|file| file.is_read_by(tid, number, args)),
            Point::Measures(_) => way.file.is_some_and(|file| {
                file.is_read_by(tid, number, args) || file.is_measured_by(tid, number, args)
            }),
            Point::Names(path) => names(tid, number, args, path),
        }
    }

    /// Lets all threads that are held go on, but for those that have ended for the others.
    pub(super) fn resume_all(&mut self, how: Resume) -> Result<(), Error> {
        for thread in self.threads.values_mut() {
            if thread.leaves || self.ends.has(thread.process) {
                continue;
            }
            if let Some(tracee) = thread.held.take() {
                match tracee.resume(how, 0) {
                    Err(error) if !is_gone(&error) => {
                        return Err(Error::request("the program cannot go on")(error));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// It has ended before it came to its point.
fn never_came(point: &Point, way: Way, end: End) -> Error {
    match point {
        Point::Symbol(name) if way.search.breakpoint.is_none() => {
            if !way.search.several.is_empty() {
                return Error::several(name, way.search.several);
            }
            Error::NoSymbol { name: name.clone(), program: way.program.display().to_string() }
        }
        _ => Error::Ended { end },
    }
}

/// Whether a call names this path: as it is written here, or by the last part of it from its folder.
fn names(tid: i32, number: u64, args: [u64; 6], path: &Path) -> bool {
    let naming = NAMING.iter().find(|(naming, ..)| *naming as u64 == number);
    let Some((_, place, folder)) = naming else { return false };
    let is = |wanted: &OsStr| {
        let wanted = wanted.as_bytes();
        let mut found = vec![0; wanted.len() + 1];
        let mut ranges = [(args[*place], found.as_mut_slice())];
        let read = kernel::memory::read_ranges(tid, &mut ranges);
        matches!(read, Ok(1)) && found.strip_suffix(&[0]) == Some(wanted)
    };
    let is_from_folder = |name: &OsStr| {
        let from = folder.map_or(libc::AT_FDCWD, |place| args[place] as i32);
        is(name) && File::of_parent(path).is_ok_and(|parent| parent.is_folder_of(tid, from))
    };
    is(path.as_os_str()) || path.file_name().is_some_and(is_from_folder)
}
