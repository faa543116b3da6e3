//! Back to the snapshot.

use kernel::ptrace::{Rseq, Stopped, Tracee, is_gone};
use kernel::remote::{Call, OnFailure, RemoteCalls};
use kernel::wait::Stop;
use libc::c_long;

use super::pages::follow_again;
use super::snapshot::{ACTION, SET, SIGNALS, STACK, SavedThread, Snapshot, is_followed};
use super::tasks::take_ends;
use super::watched::{Change, Changes};
use super::{Error, Guest, Irreversible};
use crate::memory::annex::Annex;
use crate::memory::layout::{Undo, differences, grown_stack, rights};

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
        let mut snapshot = self.snapshot.take().expect("there is a snapshot to go back to");
        let restored = self.restore(&mut snapshot);
        self.snapshot = Some(snapshot);
        self.changed = Changes::default();
        restored
    }

    fn restore(&mut self, snapshot: &mut Snapshot) -> Result<(), Error> {
        let still = self.stop_all(false)?;
        let processes = if self.threads.len() > snapshot.threads.len() {
            self.end_others(snapshot)?
        } else {
            Vec::new()
        };
        // Out of the calls, or away from the signals, at which they are.
        for (tid, thread) in &snapshot.threads {
            let held = self.threads.get(tid).and_then(|known| known.held.as_ref());
            let lost = || Error::Irreversible(Irreversible::lost(*tid, self.pid));
            put_back_registers(held.ok_or_else(lost)?, thread)?;
        }
        let faults = self.faults.filter(|_| still && !self.changed.has(Change::Tasks));
        let only_hot = snapshot.quiet.only_hot_pages(faults, self.changed);
        let same_mappings = snapshot.quiet.same_mappings(self.changed);
        let mapped = !same_mappings && {
            let text = snapshot.maps.text().map_err(Error::proc("its mappings are not told"))?;
            text != snapshot.maps_text
        };
        let opened = !snapshot.descriptors.are_unchanged(self.pid);
        let by_calls = mapped || opened || self.changed.any() || !processes.is_empty();
        let mut tracee = self.thread(self.pid).held.take().expect("it is one of the snapshot's");
        if by_calls {
            tracee = self.restore_by_calls(tracee, snapshot, &processes, mapped, opened)?;
        }
        snapshot.descriptors.seek()?;
        if !same_mappings {
            follow_again(snapshot)?;
        }
        let (mut tracee, written) = self.restore_pages(tracee, snapshot, only_hot)?;
        let faults = faults.filter(|_| !by_calls);
        if snapshot.quiet.round(faults, written, mapped) {
            tracee = self.watch_memory(tracee, snapshot)?;
        }
        self.thread(self.pid).held = Some(tracee);
        Ok(())
    }

    /// Ends what the snapshot does not have. The processes that were ended.
    fn end_others(&mut self, snapshot: &Snapshot) -> Result<Vec<i32>, Error> {
        let processes = self.end_processes()?;
        for tid in self.own() {
            if !snapshot.threads.contains_key(&tid) {
                self.end_thread(tid)?;
            }
        }
        Ok(processes)
    }

    /// What the program itself has to put back, by calls: most runs leave nothing of that.
    fn restore_by_calls(
        &self,
        tracee: Tracee<Stopped>,
        snapshot: &mut Snapshot,
        processes: &[i32],
        mapped: bool,
        opened: bool,
    ) -> Result<Tracee<Stopped>, Error> {
        // The kernel must not write to memory that is about to go.
        let rseq = match self.changed.has(Change::Rseq) {
            true => tracee.rseq().unwrap_or_default(),
            false => Rseq::default(),
        };
        let mut calls = begin(self.pid, tracee, snapshot)?;
        if rseq.address != 0 {
            make(&snapshot.annex, &mut calls, &[unregister(rseq)])?;
        }
        if !processes.is_empty() {
            take_ends(&snapshot.annex, &mut calls, processes)?;
        }
        if opened {
            let list = snapshot.descriptors.put_back(self.pid)?;
            make(&snapshot.annex, &mut calls, &list)?;
        }
        if self.changed.any() {
            restore_process(snapshot, self.changed, &mut calls)?;
        }
        if mapped {
            restore_mappings(self.pid, snapshot, &mut calls)?;
        }
        let (tracee, _) = calls.finish().map_err(Error::remote("the program is lost"))?;
        Ok(tracee)
    }
}

/// Takes restartable sequences back: `rseq(2)`.
fn unregister(rseq: Rseq) -> Call {
    /// `RSEQ_FLAG_UNREGISTER` of `linux/rseq.h`.
    const UNREGISTER: u64 = 1;
    let Rseq { address, len, signature, .. } = rseq;
    let args = [address, len.into(), UNREGISTER, signature.into(), 0, 0];
    Call { number: libc::SYS_rseq, args }
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

/// Has the program make calls from now on.
pub(super) fn begin(
    pid: i32,
    tracee: Tracee<Stopped>,
    snapshot: &Snapshot,
) -> Result<RemoteCalls, Error> {
    let ignores_trap = snapshot.process.ignores_trap;
    let begun = RemoteCalls::begin(pid, tracee, Stop::Trap, Some(Annex::STUB), ignores_trap);
    begun.map_err(Error::remote("the program cannot make calls for us"))
}

/// Has the program make calls, which all succeed.
pub(super) fn make(annex: &Annex, calls: &mut RemoteCalls, list: &[Call]) -> Result<(), Error> {
    let what = "the program cannot put back what it has changed";
    let results = annex.make(calls, list, OnFailure::Stop).map_err(Error::remote(what))?;
    match results.into_iter().find_map(Result::err) {
        Some(source) => Err(Error::Request { what, source }),
        None => Ok(()),
    }
}

/// What the program's calls have told that they change.
fn restore_process(
    snapshot: &Snapshot,
    changed: Changes,
    calls: &mut RemoteCalls,
) -> Result<(), Error> {
    let process = &snapshot.process;
    let annex = &snapshot.annex;
    let call = |number: c_long, args: [u64; 4]| {
        let [a, b, c, d] = args;
        Call { number, args: [a, b, c, d, 0, 0] }
    };
    let mut list = Vec::new();
    if changed.has(Change::Handlers) {
        for (index, handler) in process.handlers.iter().enumerate() {
            annex.put(index * ACTION, handler);
        }
        let fixed = [libc::SIGKILL as u64, libc::SIGSTOP as u64];
        list.extend(SIGNALS.filter(|signal| !fixed.contains(signal)).map(|signal| {
            let at = Annex::address((signal as usize - 1) * ACTION);
            call(libc::SYS_rt_sigaction, [signal, at, 0, SET])
        }));
    }
    let mut at = SIGNALS.count() * ACTION;
    if changed.has(Change::AlternateStack) {
        annex.put(at, &process.alternate_stack);
        list.push(call(libc::SYS_sigaltstack, [Annex::address(at), 0, 0, 0]));
        at += STACK;
    }
    if changed.has(Change::Directory) {
        annex.put(at, &process.directory);
        annex.put(at + process.directory.len(), &[0]);
        list.push(call(libc::SYS_chdir, [Annex::address(at), 0, 0, 0]));
        at += (process.directory.len() + 1).next_multiple_of(8);
    }
    if changed.has(Change::FileMask) {
        list.push(call(libc::SYS_umask, [process.file_mask, 0, 0, 0]));
    }
    if changed.has(Change::Timer) {
        annex.put(at, &[0; 32]);
        list.extend(
            (0..3).map(|which| call(libc::SYS_setitimer, [which, Annex::address(at), 0, 0])),
        );
    }
    make(annex, calls, &list)
}

/// Brings the mappings back, and follows those that are new.
fn restore_mappings(
    pid: i32,
    snapshot: &mut Snapshot,
    calls: &mut RemoteCalls,
) -> Result<(), Error> {
    let list = kernel::proc::mappings::mappings(pid);
    let list = list.map_err(Error::proc("its mappings are not told"))?;
    let undo = differences(&snapshot.mappings, &list);
    let heap = Call { number: libc::SYS_brk, args: [snapshot.process.heap_end, 0, 0, 0, 0, 0] };
    // A heap that has grown shrinks only while it is there, and one that has shrunk grows only when
    // nothing is in its way.
    let mut remote = vec![heap];
    let mut mapped = Vec::new();
    let first = undo.iter().take_while(|undo| matches!(undo, Undo::Unmap(_))).count();
    for (index, undo) in undo.iter().enumerate() {
        if index == first {
            remote.push(heap);
        }
        match undo {
            Undo::Unmap(range) => {
                remote.push(Call::munmap(range.start, range.end - range.start));
            }
            Undo::Protect(range, rights) => {
                let args = [range.start, range.end - range.start, *rights as u64, 0, 0, 0];
                remote.push(Call { number: libc::SYS_mprotect, args });
            }
            // That has come back with its end.
            Undo::Map(mapping) if mapping.name == b"[heap]" => mapped.push(mapping.range.clone()),
            Undo::Map(mapping) if mapping.file.is_none() && is_followed(mapping) => {
                mapped.push(mapping.range.clone());
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
                let len = mapping.range.end - mapping.range.start;
                remote.push(Call::mmap(mapping.range.start, len, rights(mapping), flags, -1, 0));
            }
            Undo::Map(_) => return Err(Error::Irreversible(Irreversible::MappedFile)),
        }
    }
    if first == undo.len() {
        remote.push(heap);
    }
    make(&snapshot.annex, calls, &remote)?;
    for range in &mapped {
        let followed = snapshot.tracker.follow(range);
        followed.map_err(Error::request("its pages cannot be followed"))?;
    }
    accept_mappings(snapshot)
}

/// Takes the mappings as they are for those of the snapshot, of which they may differ by a stack that
/// has grown.
pub(super) fn accept_mappings(snapshot: &mut Snapshot) -> Result<(), Error> {
    let proc = || Error::proc("its mappings are not told");
    let text = snapshot.maps.text().map_err(proc())?.to_vec();
    let list = snapshot.maps.parse(&text).map_err(proc())?;
    if let Some(grown) = grown_stack(&snapshot.mappings, &list) {
        let stack = snapshot.mappings.iter_mut().find(|mapping| mapping.name == b"[stack]");
        stack.expect("it has grown").range.start = grown.start;
    }
    if !differences(&snapshot.mappings, &list).is_empty() {
        return Err(Error::Irreversible(Irreversible::Mappings));
    }
    snapshot.maps_text = text;
    Ok(())
}
