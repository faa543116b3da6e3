//! The threads of a guest, and the processes that it makes.

use std::io;

use kernel::ptrace::{Queue, RESTARTS, Registers, Stopped, Tracee, is_gone};
use kernel::remote::{Call, OnFailure};
use kernel::wait::{self, Stop, What};
use kernel::{proc, ptrace, signal};

use super::restart::before_call;
use super::snapshot::Tree;
use super::{Error, Guest, Irreversible, Thread};
use crate::memory::annex::Annex;
use crate::memory::batch::Space;

impl Guest {
    /// How many threads it has, those of other processes that it has made included.
    pub fn tasks(&self) -> usize {
        self.threads.len()
    }

    /// What is known of a thread; of one that nothing is known of yet, its process is looked up.
    pub(super) fn thread(&mut self, tid: i32) -> &mut Thread {
        self.threads.entry(tid).or_insert_with(|| {
            let process = proc::status(tid).map_or(tid, |status| status.tgid);
            Thread::of(process)
        })
    }

    /// Whether this is a process of the snapshot; as long as there is none, the first is.
    pub(super) fn is_member(&self, process: i32) -> bool {
        let in_tree = |tree: &Tree| tree.processes.contains_key(&process);
        self.snapshot.as_ref().map_or(process == self.pid, in_tree)
    }

    /// The threads of a process.
    pub(super) fn threads_of(&self, process: i32) -> Vec<i32> {
        let own = |(tid, thread): (&i32, &Thread)| (thread.process == process).then_some(*tid);
        self.threads.iter().filter_map(own).collect()
    }

    /// Stops all threads of those processes that are meant, wherever they are. What they report
    /// meanwhile is dropped, but for new threads, and signals if they are to be kept.
    /// Whether all were stopped already.
    pub(super) fn stop(
        &mut self,
        is_meant: impl Fn(&Guest, i32) -> bool,
        keep: bool,
    ) -> Result<bool, Error> {
        let mut still = true;
        // One that stops by itself.
        let mut stopping = None;
        loop {
            let runs = |(tid, thread): (&i32, &Thread)| {
                (thread.held.is_none() && is_meant(self, thread.process)).then_some(*tid)
            };
            let interrupts = stopping.is_none();
            let next = stopping.take().or_else(|| self.threads.iter().find_map(runs));
            let Some(tid) = next else { return Ok(still) };
            still = false;
            match if interrupts { ptrace::interrupt(tid) } else { Ok(()) } {
                Err(error) if !is_gone(&error) => {
                    return Err(Error::request("the program cannot be stopped")(error));
                }
                _ => {}
            }
            let what = match wait::next_of(tid) {
                Ok(change) => change.what,
                Err(error) if is_gone(&error) || wait::is_childless(&error) => {
                    self.threads.remove(&tid);
                    continue;
                }
                Err(error) => return Err(crate::Error::Wait(error).into()),
            };
            match what {
                What::Stopped(tracee, stop) => {
                    if stop == Stop::NewTask {
                        let child = tracee.event_message();
                        self.thread(child.map_err(Error::request("a thread is lost"))? as i32);
                        // It stops once more, when it has returned from the call.
                        let resumed = tracee.resume(ptrace::Resume::Continue, 0);
                        match resumed {
                            Err(error) if !is_gone(&error) => {
                                return Err(Error::request("a thread is lost")(error));
                            }
                            _ => continue,
                        }
                    }
                    let lost = || Error::request("its registers are lost");
                    if stop == Stop::Trap && self.is_passing(&tracee).map_err(lost())? {
                        stopping = Some(tid);
                        match tracee.resume(ptrace::Resume::Continue, 0) {
                            Err(error) if !is_gone(&error) => return Err(lost()(error)),
                            _ => continue,
                        }
                    }
                    settle(&tracee, stop).map_err(lost())?;
                    let is_signal = matches!(stop, Stop::Signal(_))
                        && !self.has_passed(&tracee, stop).map_err(lost())?;
                    if is_signal && keep {
                        let info = tracee.signal_info();
                        let info = info.map_err(Error::request("a signal is lost"))?;
                        self.thread(tid).interrupted.push(info);
                    }
                    let thread = self.thread(tid);
                    thread.suspended = matches!(stop, Stop::Group(_));
                    thread.held = Some(tracee);
                }
                What::Exited(_) | What::Killed { .. } => {
                    self.threads.remove(&tid);
                }
            }
        }
    }

    /// Whether a thread has stopped for the breakpoint that was the point, behind another: it is before the
    /// instruction then.
    fn has_passed(&self, tracee: &Tracee<Stopped>, stop: Stop) -> io::Result<bool> {
        match self.passed {
            Some(passed) if stop == Stop::Signal(libc::SIGTRAP) => passed.is_reached(tracee),
            _ => Ok(false),
        }
    }

    /// Whether a thread has executed that breakpoint, and its signal waits: the kernel tells first that it was
    /// interrupted.
    fn is_passing(&self, tracee: &Tracee<Stopped>) -> io::Result<bool> {
        let Some(passed) = self.passed else { return Ok(false) };
        let is_trap = |info: &[u8; 128]| info.starts_with(&libc::SIGTRAP.to_ne_bytes());
        Ok(passed.is_behind(tracee)? && tracee.queued_signals(Queue::Own)?.iter().any(is_trap))
    }

    /// Has the processes end that the snapshot does not have. Who waits until they run another
    /// program (`vfork(2)`) cannot be stopped before.
    pub(super) fn kill_others(&self) {
        for (tid, thread) in &self.threads {
            if *tid == thread.process && !self.is_member(*tid) {
                // It may have ended already.
                let _ = signal::send(*tid, signal::KILL);
            }
        }
    }

    /// Ends the processes that the snapshot does not have, and takes them all.
    pub(super) fn end_processes(&mut self) -> Result<Vec<i32>, Error> {
        self.kill_others();
        let others = |(tid, thread): (&i32, &Thread)| {
            (!self.is_member(thread.process)).then_some((*tid, thread.process))
        };
        let others: Vec<(i32, i32)> = self.threads.iter().filter_map(others).collect();
        let mut processes: Vec<i32> = others.iter().map(|(_, process)| *process).collect();
        processes.sort_unstable();
        processes.dedup();
        // The first thread of a process ends last.
        for (tid, _) in others.into_iter().rev() {
            self.await_end(tid)?;
        }
        Ok(processes)
    }

    /// Takes all that a thread that was killed still has to report.
    pub(super) fn await_end(&mut self, tid: i32) -> Result<(), Error> {
        self.threads.remove(&tid);
        loop {
            match wait::next_of(tid).map(|change| change.what) {
                Ok(What::Exited(_) | What::Killed { .. }) => return Ok(()),
                Ok(What::Stopped(tracee, stop)) => {
                    if stop == Stop::NewTask
                        && let Ok(child) = tracee.event_message()
                    {
                        let _ = signal::send(child as i32, signal::KILL);
                        self.await_end(child as i32)?;
                    }
                    let _ = tracee.resume(ptrace::Resume::Continue, 0);
                }
                Err(error) if is_gone(&error) || wait::is_childless(&error) => return Ok(()),
                Err(error) => return Err(crate::Error::Wait(error).into()),
            }
        }
    }

    /// Ends a thread that the snapshot does not have, and which is held, by a call of its own.
    pub(super) fn end_thread(&mut self, tid: i32) -> Result<(), Error> {
        let Some(tracee) = self.thread(tid).held.take() else { return Ok(()) };
        let leave = || {
            let registers = tracee.registers()?;
            tracee.set_registers(&Registers {
                rip: Annex::STUB.call,
                rax: libc::SYS_exit as u64,
                rdi: 0,
                orig_rax: u64::MAX,
                ..registers
            })?;
            tracee.block_signals(u64::MAX)?;
            tracee.resume(ptrace::Resume::Continue, 0)
        };
        match leave() {
            Err(error) if !is_gone(&error) => {
                return Err(Error::request("a thread cannot be ended")(error));
            }
            _ => {}
        }
        self.await_end(tid)
    }
}

/// Of a thread that is about to end and must not: has it wake who waits for its end, as the kernel
/// would for it, and no more. It stops behind that.
pub(super) fn leave_quietly(tracee: Tracee<Stopped>, tid_address: u64) -> io::Result<()> {
    let registers = tracee.registers()?;
    kernel::memory::write(tracee.tid(), &[(tid_address, &[0; 4])])?;
    tracee.set_registers(&Registers {
        orig_rax: libc::SYS_futex as u64,
        rdi: tid_address,
        rsi: libc::FUTEX_WAKE as u64,
        rdx: i32::MAX as u64,
        ..registers
    })?;
    tracee.resume(ptrace::Resume::Syscall, 0).map(drop)
}

/// Has the guest take the ends of processes that it has made and that were killed.
pub(super) fn take_ends(space: &mut Space, processes: &[i32]) -> Result<(), Error> {
    let wait = |process: &i32| Call {
        number: libc::SYS_wait4,
        args: [*process as u64, 0, (libc::WNOHANG | libc::__WALL) as u64, 0, 0, 0],
    };
    let list: Vec<Call> = processes.iter().map(wait).collect();
    let what = "the program cannot take the ends of its processes";
    // Who ignores `SIGCHLD` has none to take, and a grandchild is nobody's.
    let made = space.calls(&list, OnFailure::GoOn);
    made.map_err(Error::remote(what)).map(drop)
}

/// Takes a thread out of the call in which it is, such that it makes the call anew.
pub(super) fn settle(tracee: &Tracee<Stopped>, stop: Stop) -> io::Result<()> {
    let registers = tracee.registers()?;
    if registers.orig_rax as i64 == -1 {
        return Ok(());
    }
    let result = registers.rax as i64;
    let before = match stop {
        Stop::Seccomp => true,
        Stop::Syscall if result == -i64::from(libc::ENOSYS) => true,
        _ => RESTARTS.contains(&result),
    };
    tracee.set_registers(&match before {
        true => before_call(registers),
        false => Registers { orig_rax: u64::MAX, ..registers },
    })
}

impl Irreversible {
    /// What it means that a thread of the snapshot is no more.
    pub(super) fn lost(tid: i32, process: i32) -> Irreversible {
        if tid == process { Irreversible::Killed } else { Irreversible::Thread }
    }
}
