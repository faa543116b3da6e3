//! A run from the snapshot to the program's end.

use std::io;
use std::time::{Duration, Instant};

use kernel::ptrace::{
    Registers, Resume, Side, Stopped, SyscallSource, SyscallStopKind, Tracee, is_gone,
};
use kernel::wait::{self, Change, CpuTime, Patience, Stop, What};
use kernel::{proc, robust};

use super::snapshot::{SavedThread, Snapshot};
use super::tasks::leave_quietly;
use super::watched::{self, Change as Changed, Effect};
use super::{End, Error, Guest, Irreversible};

/// When the time of a run is over, or its first process has ended, the wait for the guest is interrupted so
/// often.
pub(super) const TICKS: Duration = Duration::from_millis(5);

impl Guest {
    /// Lets the program run from where it is held to its end, for `limit` at most. After a run that was out of
    /// time it goes on where it is.
    ///
    /// # Errors
    /// Only if the kernel refuses what it permits by its documentation.
    pub fn run(&mut self, limit: Option<Duration>) -> Result<End, Error> {
        self.faults = None;
        self.at_snapshot = false;
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        if let Some(limit) = limit {
            let first = if self.ended.is_some() { limit.min(TICKS) } else { limit };
            self.ticker.set_first(first, TICKS);
        }
        self.resume_all(Resume::Continue)?;
        let end = self.serve(deadline);
        if limit.is_some() || self.ended.is_some() {
            self.ticker.set(None);
        }
        end
    }

    fn serve(&mut self, deadline: Option<Instant>) -> Result<End, Error> {
        loop {
            match wait::next(Patience::Block, CpuTime::Wanted) {
                Ok(change) => {
                    let change = change.expect("one was waited for");
                    let faults = change.faults;
                    let is_end = !matches!(change.what, What::Stopped(..));
                    match self.change(change) {
                        Ok(Some((process, end))) if process == self.pid => {
                            if !self.is_outlived(end)? {
                                self.faults = Some(faults);
                                return Ok(end);
                            }
                        }
                        Ok(Some((process, end))) => {
                            let ended = self.end_process(process, end);
                            ended.or_else(|error| self.note_lost(error))?;
                            if let Some(end) = self.end_of_outputs() {
                                return Ok(end);
                            }
                        }
                        Ok(None) if is_end => {
                            if let Some(end) = self.end_of_outputs() {
                                return Ok(end);
                            }
                        }
                        Ok(None) => {}
                        Err(error) if is_gone(&error) => {}
                        Err(error) => {
                            return Err(Error::request("the program cannot go on")(error));
                        }
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                    if let Some(signal) = kernel::interrupts::taken() {
                        return Ok(End::Interrupted(signal));
                    }
                    if let Some(end) = self.end_of_outputs() {
                        return Ok(end);
                    }
                }
                Err(error) => return Err(crate::Error::Wait(error).into()),
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(End::TimedOut);
            }
        }
    }

    /// Serves a change; the process that ends, if that is what it is.
    fn change(&mut self, change: Change) -> io::Result<Option<(i32, End)>> {
        let tid = change.tid;
        let (tracee, stop) = match change.what {
            What::Stopped(tracee, stop) => (tracee, stop),
            ref what => return Ok(self.gone(tid).then(|| (tid, End::of(what)))),
        };
        let mut deliver = 0;
        let process = self.thread(tid).process;
        let is_member = self.is_member(process);
        // Where there is no way back, the others end.
        let is_held = is_member && (process == self.pid || self.irreversible.is_none());
        if self.thread(tid).leaves {
            self.thread(tid).held = Some(tracee);
            return Ok(None);
        }
        match stop {
            Stop::Syscall => return self.finish_wait(tid, tracee).map(|()| None),
            Stop::Seccomp if is_member => match self.watched_call(tid, process, &tracee)? {
                After::GoesOn => {}
                After::WaitsForChildren => return self.begin_wait(tid, tracee).map(|()| None),
                After::Stays => {
                    self.leave(tid, tracee)?;
                    return Ok(None);
                }
                After::Ends(end) if is_held => {
                    self.thread(tid).held = Some(tracee);
                    return Ok(Some((process, end)));
                }
                After::Ends(_) => {}
            },
            Stop::Signal(signal) => {
                if is_held && is_fatal(tid, signal) {
                    if !self.leaves_locks(&self.threads_of(process)) {
                        self.thread(tid).held = Some(tracee);
                        return Ok(Some((process, End::Killed(signal))));
                    }
                    self.irreversible.get_or_insert(Irreversible::Killed);
                }
                if signal == libc::SIGCHLD && !self.ends.is_empty() {
                    self.tell_of_end(tid, &tracee)?;
                }
                deliver = signal;
            }
            Stop::NewTask => {
                let child = tracee.event_message()? as i32;
                self.thread(child);
                self.note(process, Changed::Tasks);
            }
            Stop::Exec if is_member => self.irreversible = Some(Irreversible::Exec),
            Stop::Group(_) => {
                tracee.listen()?;
                return Ok(None);
            }
            _ => {}
        }
        self.thread(tid);
        tracee.resume(Resume::Continue, deliver)?;
        Ok(None)
    }

    /// A thread is not there any more: forgets it. Whether the first process has ended by that.
    fn gone(&mut self, tid: i32) -> bool {
        self.threads.remove(&tid);
        if let Some((process, _)) = self.saved(tid) {
            self.irreversible.get_or_insert(Irreversible::lost(tid, process));
        }
        // It may be killed after it has ended for the others: it is held.
        tid == self.pid && self.ended.is_none()
    }

    /// Notes what a call of a process of the snapshot is about to do.
    fn watched_call(
        &mut self,
        tid: i32,
        process: i32,
        tracee: &Tracee<Stopped>,
    ) -> io::Result<After> {
        let call = tracee.syscall(SyscallSource::Info, Side::Entry)?.what;
        let SyscallStopKind::Entry { arch, number, args } = call else { return Ok(After::GoesOn) };
        if !watched::is_known(arch, number) {
            self.irreversible.get_or_insert(Irreversible::OtherAbi);
            return Ok(After::GoesOn);
        }
        match watched::effect(number, args) {
            Effect::Ends if self.leaves_locks(&self.threads_of(process)) => {
                self.irreversible.get_or_insert(Irreversible::Killed);
            }
            Effect::EndsThread if self.leaves_locks(&[tid]) => {
                self.irreversible.get_or_insert(Irreversible::lost(tid, process));
            }
            Effect::Ends => return Ok(After::Ends(End::Exited(args[0] as i32 & 0xff))),
            Effect::EndsThread => {
                let waits =
                    |tid: &i32| self.threads[tid].leaves || self.threads[tid].held.is_some();
                if self.threads_of(process).iter().filter(|own| **own != tid).all(waits) {
                    return Ok(After::Ends(End::Exited(args[0] as i32 & 0xff)));
                }
                // A thread of the snapshot could not be made again.
                return Ok(if self.saved(tid).is_some() { After::Stays } else { After::GoesOn });
            }
            Effect::AsksForProcessors => self.give_processors_back(),
            Effect::WaitsForChildren => return Ok(After::WaitsForChildren),
            Effect::Changes(change) => self.note(process, change),
            Effect::DropsLater => {
                // A page that the kernel takes between two runs would be gone in the next one.
                let at_once = libc::MADV_DONTNEED as u64;
                tracee.set_registers(&Registers { rdx: at_once, ..tracee.registers()? })?;
                self.note(process, Changed::Memory);
            }
            effect @ (Effect::Irreversible(name)
            | Effect::OfDescriptor(name)
            | Effect::OfDatagrams(name)
            | Effect::OfMemory(name)) => {
                if self.touches_snapshot(process, effect, args) {
                    self.irreversible.get_or_insert(Irreversible::Call(name));
                }
            }
            Effect::Nothing => {}
        }
        Ok(After::GoesOn)
    }

    /// Whether a call of this effect and these arguments touches what the snapshot holds of a process.
    fn touches_snapshot(&self, process: i32, effect: Effect, args: [u64; 6]) -> bool {
        let own = self.snapshot_of(process);
        match effect {
            Effect::OfDescriptor(_) => own.is_some_and(|own| own.descriptors.has(args[0] as i32)),
            Effect::OfDatagrams(_) => {
                own.is_some_and(|own| own.descriptors.has_datagrams(args[0] as i32))
            }
            Effect::OfMemory(_) => {
                let touched = args[0]..args[0].saturating_add(args[1]);
                own.is_some_and(|own| own.has_memory_in(&touched))
            }
            _ => true,
        }
    }

    /// Whether others may wait for a robust lock of these threads, which are about to end. The kernel gives up
    /// those of who ends, and not those of who is held: only threads of the snapshot are.
    fn leaves_locks(&self, ending: &[i32]) -> bool {
        let leaves_any =
            |tid: &i32| self.saved(*tid).is_some() && robust::are_held(*tid).unwrap_or(false);
        self.threads.keys().any(|tid| !ending.contains(tid)) && ending.iter().any(leaves_any)
    }

    /// Lets a thread of the snapshot seem to end.
    fn leave(&mut self, tid: i32, tracee: Tracee<Stopped>) -> io::Result<()> {
        let address = self.saved(tid).map_or(0, |(_, saved)| saved.told.tid_address);
        self.thread(tid).leaves = true;
        if address == 0 {
            self.thread(tid).held = Some(tracee);
            return Ok(());
        }
        leave_quietly(tracee, address)
    }

    fn note(&mut self, process: i32, change: Changed) {
        self.changed.entry(process).or_default().note(change);
    }

    /// What the snapshot holds of a process.
    fn snapshot_of(&self, process: i32) -> Option<&Snapshot> {
        self.snapshot.as_ref()?.processes.get(&process)
    }

    /// What the snapshot holds of a thread, and its process.
    fn saved(&self, tid: i32) -> Option<(i32, &SavedThread)> {
        self.snapshot.as_ref()?.thread(tid)
    }
}

/// What becomes of a thread at a call that is watched.
enum After {
    GoesOn,
    /// It stays before the call.
    Stays,
    /// It waits for children.
    WaitsForChildren,
    /// Its process ends.
    Ends(End),
}

/// Whether this signal ends the process, when it is delivered.
fn is_fatal(tid: i32, signal: i32) -> bool {
    let harmless = [
        libc::SIGCHLD,
        libc::SIGCONT,
        libc::SIGURG,
        libc::SIGWINCH,
        libc::SIGSTOP,
        libc::SIGTSTP,
        libc::SIGTTIN,
        libc::SIGTTOU,
    ];
    if harmless.contains(&signal) {
        return false;
    }
    let bit = 1u64 << (signal - 1);
    proc::signals(tid).is_ok_and(|signals| (signals.caught | signals.ignored) & bit == 0)
}
