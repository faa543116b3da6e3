//! Back to the snapshot.

use kernel::proc::mappings::Mapping;
use kernel::ptrace::{Stopped, Tracee, is_gone};
use kernel::remote::Call;
use libc::c_long;

use super::file::File;
use super::mappings::{carry_out, changed_mappings, restore_mappings};
use super::pages::{follow_again, restore_pages};
use super::snapshot::{ACTION, SET, SIGNALS, STACK, SavedProcess, SavedThread, Snapshot, Tree};
use super::tasks::take_ends;
use super::watched::{Change, Changes};
use super::{Error, Guest, Irreversible};
use crate::memory::Batch;
use crate::memory::annex::Annex;
use crate::memory::batch::Space;

impl Guest {
    /// Puts the program back to its snapshot, and holds it there.
    ///
    /// # Errors
    /// [`Error::Irreversible`] if it has done what cannot be undone: then it is of no use any more.
    ///
    /// # Panics
    /// When there is no snapshot.
    pub fn rewind(&mut self) -> Result<(), Error> {
        if let Some(irreversible) = self.irreversible {
            return Err(Error::Irreversible(irreversible));
        }
        let found = self.end_others()?;
        let mut tree = self.snapshot.take().expect("there is a snapshot to go back to");
        let restored = self.restore(&mut tree, &found);
        self.come_to(tree);
        self.at_snapshot = restored.is_ok();
        restored
    }

    /// Notes that it is where this snapshot was taken.
    pub(super) fn come_to(&mut self, tree: Tree) {
        (self.ends, self.ended) = (tree.ends.clone(), None);
        for thread in self.threads.values_mut() {
            (thread.leaves, thread.waits) = (false, None);
        }
        self.snapshot = Some(tree);
        self.changed.clear();
    }

    /// Stops all, and ends what the snapshot does not have.
    fn end_others(&mut self) -> Result<Found, Error> {
        let count = self.tree().threads();
        if self.threads.len() > count {
            self.kill_others();
        }
        let still = self.stop(|guest, process| guest.is_member(process), false)?;
        if self.threads.len() <= count {
            return Ok(Found { still, processes: Vec::new() });
        }
        let processes = self.end_processes()?;
        let is_new = |tid: &i32| self.tree().thread(*tid).is_none();
        let new: Vec<i32> = self.threads.keys().copied().filter(is_new).collect();
        new.into_iter().try_for_each(|tid| self.end_thread(tid))?;
        Ok(Found { still, processes })
    }

    pub(super) fn tree(&self) -> &Tree {
        self.snapshot.as_ref().expect("there is a snapshot to go back to")
    }

    fn restore(&mut self, tree: &mut Tree, found: &Found) -> Result<(), Error> {
        let mut queued = false;
        for (pid, snapshot) in &tree.processes {
            self.put_back_threads(*pid, snapshot)?;
            queued |= self.put_back_signals(*pid, snapshot)?;
            if self.changed.get(pid).is_some_and(|changed| changed.has(Change::Rseq)) {
                self.put_back_rseq(*pid, snapshot)?;
            }
            if self.changed.get(pid).is_some_and(|changed| changed.has(Change::AlternateStack)) {
                self.put_back_stacks(*pid, snapshot)?;
            }
            if self.changed.get(pid).is_some_and(|changed| changed.has(Change::Name)) {
                self.put_back_names(*pid, snapshot)?;
            }
        }
        let is_single = tree.processes.len() == 1;
        // One whose parent was killed meanwhile has not been told of.
        let tasks = !found.processes.is_empty()
            || self.changed.values().any(|changed| changed.has(Change::Tasks));
        let faults = self.faults.filter(|_| is_single && found.still && !tasks && !queued);
        let mut restored = Vec::with_capacity(tree.processes.len());
        for (pid, snapshot) in &mut tree.processes {
            let mut changed = self.changed.get(pid).copied().unwrap_or_default();
            if tasks {
                changed.note(Change::Tasks);
            }
            let mut back = Restored {
                pid: *pid,
                space: self.space(*pid, snapshot)?,
                changed,
                untouched: is_single && snapshot.untouched.by(changed),
                touched: !is_single || tasks,
                mapped: false,
            };
            back.all_but_pages(snapshot, &found.processes)?;
            restored.push(back);
        }
        // What a pipe holds is put back once all have it again.
        for (back, snapshot) in restored.iter_mut().zip(tree.processes.values_mut()) {
            back.touched |= snapshot.descriptors.put_back_state(back.untouched)?;
        }
        for (back, snapshot) in restored.into_iter().zip(tree.processes.values_mut()) {
            let pid = back.pid;
            let space = back.pages(snapshot, faults)?;
            self.hold(pid, space)?;
        }
        Ok(())
    }

    /// Has the threads of a process, all of which are stopped, be where they were: out of the calls,
    /// or away from the signals, at which they are.
    pub(super) fn put_back_threads(&self, pid: i32, snapshot: &Snapshot) -> Result<(), Error> {
        snapshot.threads.iter().try_for_each(|(tid, thread)| {
            let held = self.threads.get(tid).and_then(|known| known.held.as_ref());
            let lost = || Error::Irreversible(Irreversible::lost(*tid, pid));
            put_back_registers(held.ok_or_else(lost)?, thread)
        })
    }

    /// A process's address space, to be worked on until [`Guest::hold`].
    pub(super) fn space(&mut self, pid: i32, snapshot: &Snapshot) -> Result<Space, Error> {
        let held = self.thread(pid).held.take();
        let tracee = held.ok_or(Error::Irreversible(Irreversible::Killed))?;
        Ok(Space::new(tracee, &snapshot.annex, pid, snapshot.process.ignores_trap))
    }

    /// Ends the work on a process's address space.
    pub(super) fn hold(&mut self, pid: i32, space: Space) -> Result<(), Error> {
        let tracee = space.finish().map_err(Error::remote("the program is lost"))?;
        self.thread(pid).held = Some(tracee);
        Ok(())
    }
}

/// What a run has left.
struct Found {
    /// All threads of the snapshot were stopped.
    still: bool,
    /// Processes that the snapshot does not have. They have been ended.
    processes: Vec<i32>,
}

/// A process on its way back.
struct Restored {
    pid: i32,
    space: Space,
    changed: Changes,
    /// The run has left its descriptors alone, but for such as it may have opened.
    untouched: bool,
    /// It was found not to have, or others may have.
    touched: bool,
    /// Other things are mapped than in the snapshot.
    mapped: bool,
}

impl Restored {
    fn all_but_pages(&mut self, snapshot: &mut Snapshot, ended: &[i32]) -> Result<(), Error> {
        let same_mappings = snapshot.quiet.same_mappings(self.changed);
        let mapped = if same_mappings { None } else { changed_mappings(snapshot)? };
        self.mapped = mapped.is_some();
        let opened = !snapshot.descriptors.are_unchanged(self.pid, self.untouched);
        self.touched |= opened;
        if self.mapped || opened || self.changed.any() || !ended.is_empty() {
            self.by_calls(snapshot, ended, mapped.as_deref(), opened)?;
        }
        if same_mappings { Ok(()) } else { follow_again(snapshot) }
    }

    fn pages(mut self, snapshot: &mut Snapshot, faults: Option<u64>) -> Result<Space, Error> {
        // Its calls for us may have written, too.
        let now = faults.map(|at_end| self.space.faults().unwrap_or(at_end));
        let only_hot =
            snapshot.quiet.only_hot_pages(now, self.changed) && !snapshot.shared.has_descriptors();
        let written = restore_pages(self.pid, &mut self.space, snapshot, self.changed, only_hot)?;
        if snapshot.quiet.round(faults, written, self.mapped) {
            snapshot.quiet.watch_memory(&mut self.space)?;
        }
        if snapshot.untouched.round(self.touched) {
            snapshot.untouched.watch(snapshot.descriptors.numbers(), &mut self.space)?;
        }
        if let Some(faults) = self.space.faults() {
            snapshot.quiet.calls_were_made(faults);
        }
        Ok(self.space)
    }

    /// What the process itself has to put back, by calls: most runs leave nothing of that.
    fn by_calls(
        &mut self,
        snapshot: &mut Snapshot,
        ended: &[i32],
        mapped: Option<&[Mapping]>,
        opened: bool,
    ) -> Result<(), Error> {
        let space = &mut self.space;
        let mut batch = Batch::default();
        if !ended.is_empty() {
            take_ends(space, ended)?;
        }
        if opened {
            let list = snapshot.descriptors.put_back(self.pid, space)?;
            list.into_iter().for_each(|call| batch.call(call));
        }
        if self.changed.any() {
            let process = &snapshot.process;
            let is_found = |file: File| file.is_found(self.pid, &process.directory);
            if self.changed.has(Change::Directory) && !process.directory_file.is_some_and(is_found)
            {
                return Err(Error::Irreversible(Irreversible::Directory));
            }
            restore_process(&snapshot.process, self.changed, space, &mut batch);
        }
        match mapped {
            None => carry_out(batch, space).map(drop),
            Some(list) => restore_mappings(self.pid, snapshot, list, space, batch),
        }
    }
}

fn put_back_registers(tracee: &Tracee<Stopped>, thread: &SavedThread) -> Result<(), Error> {
    let put_back = || {
        tracee.set_registers(&thread.registers)?;
        tracee.set_extended_state(&thread.extended)?;
        tracee.block_signals(thread.blocked)
    };
    put_back().map_err(|error| match is_gone(&error) {
        true => Error::Irreversible(Irreversible::Killed),
        false => Error::request("its registers cannot be set")(error),
    })
}

/// What the program's calls have told that they change.
fn restore_process(process: &SavedProcess, changed: Changes, space: &Space, batch: &mut Batch<'_>) {
    let annex = space.annex();
    let call = |number: c_long, args: [u64; 4]| {
        let [a, b, c, d] = args;
        Call { number, args: [a, b, c, d, 0, 0] }
    };
    if changed.has(Change::Handlers) {
        for (index, handler) in process.handlers.iter().enumerate() {
            annex.put(index * ACTION, handler);
        }
        let fixed = [libc::SIGKILL as u64, libc::SIGSTOP as u64];
        for signal in SIGNALS.filter(|signal| !fixed.contains(signal)) {
            let at = Annex::address((signal as usize - 1) * ACTION);
            batch.call(call(libc::SYS_rt_sigaction, [signal, at, 0, SET]));
        }
    }
    let mut at = SIGNALS.count() * ACTION;
    if changed.has(Change::AlternateStack) {
        annex.put(at, &process.alternate_stack);
        batch.call(call(libc::SYS_sigaltstack, [Annex::address(at), 0, 0, 0]));
        at += STACK;
    }
    if changed.has(Change::Directory) {
        annex.put(at, &process.directory);
        annex.put(at + process.directory.len(), &[0]);
        batch.call(call(libc::SYS_chdir, [Annex::address(at), 0, 0, 0]));
        at += (process.directory.len() + 1).next_multiple_of(8);
    }
    if changed.has(Change::FileMask) {
        batch.call(call(libc::SYS_umask, [process.file_mask, 0, 0, 0]));
    }
    if changed.has(Change::Timer) {
        annex.put(at, &[0; 32]);
        for which in 0..3 {
            batch.call(call(libc::SYS_setitimer, [which, Annex::address(at), 0, 0]));
        }
    }
}
