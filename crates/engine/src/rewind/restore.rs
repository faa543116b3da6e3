//! Back to the snapshot.

use std::ops::Range;

use kernel::memory::write_ranges;
use kernel::pagemap::{Region, state};
use kernel::ptrace::{Rseq, Stopped, Tracee, is_gone};
use kernel::remote::{Call, OnFailure, RemoteCalls};
use kernel::wait::Stop;
use libc::c_long;

use super::snapshot::{ACTION, SET, SIGNALS, STACK, SavedThread, Snapshot, is_followed};
use super::tasks::take_ends;
use super::watched::{Change, Changes};
use super::{Error, Guest, Irreversible};
use crate::memory::annex::Annex;
use crate::memory::layout::{Undo, differences, grown_stack, rights};

/// Pages that a run has used for the first time are kept from then on, as pages of zeroes, if they
/// are no more than so many; else they are dropped, each time.
const PAGES_KEPT: u64 = 1024;
const PAGE: u64 = kernel::memory::PAGE_SIZE as u64;

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
        self.stop_all(false)?;
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
        let tracee = self.thread(self.pid).held.take().expect("it is one of the snapshot's");
        let tracee = self.restore_by_calls(tracee, snapshot, &processes)?;
        snapshot.descriptors.seek()?;
        let tracee = self.restore_pages(tracee, snapshot)?;
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
    ) -> Result<Tracee<Stopped>, Error> {
        let text = snapshot.maps.text().map_err(Error::proc("its mappings are not told"))?;
        let mapped = text != snapshot.maps_text;
        let opened = !snapshot.descriptors.are_unchanged(self.pid);
        if !mapped && !opened && !self.changed.any() && processes.is_empty() {
            return Ok(tracee);
        }
        // The kernel must not write to memory that is about to go.
        let rseq = match self.changed.has(Change::Rseq) {
            true => tracee.rseq().unwrap_or_default(),
            false => Rseq::default(),
        };
        let ignores_trap = snapshot.process.ignores_trap;
        let begun =
            RemoteCalls::begin(self.pid, tracee, Stop::Trap, Some(Annex::STUB), ignores_trap);
        let mut calls = begun.map_err(Error::remote("the program cannot make calls for us"))?;
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

    /// Puts back the pages that were written.
    fn restore_pages(
        &self,
        tracee: Tracee<Stopped>,
        snapshot: &mut Snapshot,
    ) -> Result<Tracee<Stopped>, Error> {
        let mut found = std::mem::take(&mut snapshot.found);
        found.clear();
        let scanned = snapshot.tracker.written(&mut found);
        scanned.map_err(Error::request("its pages are not told"))?;
        follow_again(snapshot, &mut found);
        let fresh = fresh_pages(snapshot, &found);
        let count: u64 = fresh.iter().map(|range| (range.end - range.start) / PAGE).sum();
        let tracee = if count <= PAGES_KEPT {
            self.keep_fresh(tracee, snapshot, fresh)?
        } else {
            self.drop_fresh(tracee, snapshot, fresh)?
        };
        let mut copies = Vec::new();
        let mut written: Vec<Range<u64>> = Vec::new();
        for region in &found {
            snapshot.saved.parts(region.start..region.end, |at, bytes| {
                let end = at + bytes.len() as u64;
                match written.last_mut() {
                    Some(last) if last.end == at => last.end = end,
                    _ => written.push(at..end),
                }
                copies.push((at, bytes));
            });
        }
        let done = write_ranges(self.pid, &copies);
        if done.map_err(Error::request("its memory cannot be written"))? < copies.len() {
            return Err(Error::Irreversible(Irreversible::Mappings));
        }
        let armed = snapshot.tracker.rearm(&written);
        armed.map_err(Error::request("its pages cannot be protected"))?;
        snapshot.found = found;
        Ok(tracee)
    }

    /// Pages used for the first time: of memory without a file they were zeroes, of a file's they
    /// are dropped and copied now.
    fn keep_fresh(
        &self,
        tracee: Tracee<Stopped>,
        snapshot: &mut Snapshot,
        fresh: Vec<Range<u64>>,
    ) -> Result<Tracee<Stopped>, Error> {
        let of_file = |range: &Range<u64>| {
            let list = &snapshot.mappings;
            let behind = list.partition_point(|mapping| mapping.range.start <= range.start);
            list[..behind].last().is_some_and(|mapping| mapping.file.is_some())
        };
        let (files, zeroes): (Vec<_>, Vec<_>) = fresh.into_iter().partition(of_file);
        for range in zeroes {
            snapshot.saved.add_zeroes(range);
        }
        if files.is_empty() {
            return Ok(tracee);
        }
        let tracee = self.drop_fresh(tracee, snapshot, files.clone())?;
        for range in files {
            let start = range.start;
            super::snapshot::read_whole(self.pid, start, snapshot.saved.add(range))?;
        }
        Ok(tracee)
    }

    /// Has the program drop pages: `madvise(2)`.
    fn drop_fresh(
        &self,
        tracee: Tracee<Stopped>,
        snapshot: &Snapshot,
        fresh: Vec<Range<u64>>,
    ) -> Result<Tracee<Stopped>, Error> {
        let ignores_trap = snapshot.process.ignores_trap;
        let begun =
            RemoteCalls::begin(self.pid, tracee, Stop::Trap, Some(Annex::STUB), ignores_trap);
        let mut calls = begun.map_err(Error::remote("the program cannot make calls for us"))?;
        let drop = |range: Range<u64>| {
            let advice = libc::MADV_DONTNEED as u64;
            Call {
                number: libc::SYS_madvise,
                args: [range.start, range.end - range.start, advice, 0, 0, 0],
            }
        };
        let list: Vec<Call> = fresh.into_iter().map(drop).collect();
        make(&snapshot.annex, &mut calls, &list)?;
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

/// A mapping in whose place the program has put one of the same kind looks as before, but is not
/// followed any more. Leaves what is followed.
fn follow_again(snapshot: &mut Snapshot, found: &mut Vec<Region>) {
    if found.iter().all(|region| region.state & state::PROTECTABLE != 0) {
        return;
    }
    let mut followed = Vec::with_capacity(found.len());
    for region in found.iter() {
        if region.state & state::PROTECTABLE != 0 {
            followed.push(*region);
            continue;
        }
        let list = &snapshot.mappings;
        let first = list.partition_point(|mapping| mapping.range.end <= region.start);
        let parts = list[first..].iter().take_while(|mapping| mapping.range.start < region.end);
        for mapping in parts.filter(|mapping| is_followed(mapping)) {
            let start = mapping.range.start.max(region.start);
            let end = mapping.range.end.min(region.end);
            // Read-only memory of the kernel's cannot be followed, and is not written.
            if snapshot.tracker.follow(&(start..end)).is_ok() {
                followed.push(Region { start, end, ..*region });
            }
        }
    }
    *found = followed;
}

/// The pages that the snapshot knows nothing of, and that have content of their own now.
fn fresh_pages(snapshot: &Snapshot, found: &[Region]) -> Vec<Range<u64>> {
    let has_own_content = |region: &&Region| {
        region.state & (state::PRESENT | state::SWAPPED) != 0
            && region.state & (state::FILE | state::ZERO) == 0
    };
    found
        .iter()
        .filter(has_own_content)
        .flat_map(|region| snapshot.saved.unknown(region.start..region.end))
        .collect()
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

/// Has the program make calls, which all succeed.
fn make(annex: &Annex, calls: &mut RemoteCalls, list: &[Call]) -> Result<(), Error> {
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
    let proc = || Error::proc("its mappings are not told");
    let list = kernel::proc::mappings::mappings(pid).map_err(proc())?;
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
    if let Some(grown) = grown_stack(&snapshot.mappings, &list) {
        let stack = snapshot.mappings.iter_mut().find(|mapping| mapping.name == b"[stack]");
        stack.expect("it has grown").range.start = grown.start;
    }
    let text = snapshot.maps.text().map_err(proc())?.to_vec();
    let list = snapshot.maps.parse(&text).map_err(proc())?;
    if !differences(&snapshot.mappings, &list).is_empty() {
        return Err(Error::Irreversible(Irreversible::Mappings));
    }
    snapshot.maps_text = text;
    Ok(())
}
