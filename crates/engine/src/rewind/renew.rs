//! A newer snapshot of a program that has one: only what was written since is copied.

use std::collections::BTreeMap;
use std::ops::Range;

use kernel::pagemap::Region;
use kernel::proc;
use kernel::remote::{Call, OnFailure, RemoteCalls};
use kernel::signal;
use kernel::wait::Stop;

use super::capture::{capture_process, take_ended};
use super::content::{follow_mappings, has_own_content, read_whole, save_shared};
use super::descriptors::Descriptors;
use super::dropped::forget_dropped;
use super::ended::Ends;
use super::named::{self, Named};
use super::nameless::Copied;
use super::shared::Shared;
use super::snapshot::{Snapshot, Tree};
use super::tasks::take_ends;
use super::{Error, Guest, Irreversible, Obstacle};
use crate::memory::annex::Annex;
use crate::memory::ranges::without;

impl Guest {
    /// Captures the program anew, wherever it is. The snapshot that it had is gone.
    pub(super) fn renew(&mut self, allowed: &[String]) -> Result<(), Error> {
        if let Some(lost @ (Irreversible::Exec | Irreversible::Killed)) = self.irreversible {
            return Err(Error::Irreversible(lost));
        }
        self.check_memory()?;
        self.stop(|_, _| true, true)?;
        let mut ends = std::mem::take(&mut self.ends);
        let mut old = self.snapshot.take().expect("there is a snapshot to be renewed");
        self.end_for_good(&mut old, &ends)?;
        ends.forget_taken();
        let processes = self.processes();
        let keepers: Vec<Range<i32>> =
            old.processes.values().map(|process| process.descriptors.keepers()).collect();
        for pid in &processes {
            match old.processes.get(pid) {
                Some(process) => self.give_up_keepers(*pid, process)?,
                None => self.give_up_inheritance(*pid, &keepers)?,
            }
        }
        let named = named::of_all(&processes, &self.ours)?;
        let mut copied = Copied::default();
        let mut obstacles = self.suspended();
        let mut tree = Tree { processes: BTreeMap::new(), ends: Ends::default() };
        let mut prepared = Vec::new();
        for pid in processes {
            match old.processes.remove(&pid) {
                Some(process) => {
                    let renewed = self.renew_process(
                        pid,
                        process,
                        &named,
                        &mut copied,
                        &mut ends,
                        &mut obstacles,
                    )?;
                    tree.processes.insert(pid, renewed);
                }
                None => prepared.push(self.prepare(
                    pid,
                    &named,
                    &mut copied,
                    &mut ends,
                    &mut obstacles,
                )?),
            }
        }
        obstacles.retain(|obstacle| !allowed.iter().any(|kind| kind == obstacle.kind()));
        if !obstacles.is_empty() {
            return Err(Error::Obstacles(obstacles));
        }
        for prepared in prepared {
            tree.processes.insert(prepared.pid, self.capture(prepared)?);
        }
        tree.ends = ends;
        self.come_to(tree);
        self.irreversible = None;
        self.at_snapshot = true;
        Ok(())
    }

    /// Ends what has been held since it had ended for the others only.
    fn end_for_good(&mut self, old: &mut Tree, ends: &Ends) -> Result<(), Error> {
        let is_over = |pid: &i32| ends.has(*pid);
        let over: Vec<i32> = old.processes.keys().copied().filter(is_over).collect();
        for pid in &over {
            old.processes.remove(pid);
            let _ = signal::send(*pid, signal::KILL);
            for tid in self.threads_of(*pid).into_iter().rev() {
                self.await_end(tid)?;
            }
        }
        for (pid, process) in old.processes.iter().filter(|_| !over.is_empty()) {
            let mut space = self.space(*pid, process)?;
            take_ends(&mut space, &over)?;
            self.hold(*pid, space)?;
        }
        let leaving =
            |(tid, thread): (&i32, &super::Thread)| thread.leaves.then_some((*tid, thread.process));
        let leaving: Vec<(i32, i32)> = self.threads.iter().filter_map(leaving).collect();
        for (tid, pid) in leaving {
            if let Some(process) = old.processes.get(&pid) {
                self.forget_thread(tid, pid, process)?;
                self.end_thread(tid)?;
            }
        }
        Ok(())
    }

    /// Has the kernel not write to memory of a thread when it ends: who waited for that may have
    /// used it for something else since.
    fn forget_thread(&mut self, tid: i32, pid: i32, process: &Snapshot) -> Result<(), Error> {
        /// The size of `struct robust_list_head`.
        const ROBUST_LIST: u64 = 24;
        if self.thread(tid).held.is_none() {
            return Ok(());
        }
        let list = [
            Call { number: libc::SYS_set_tid_address, args: [0; 6] },
            Call { number: libc::SYS_set_robust_list, args: [0, ROBUST_LIST, 0, 0, 0, 0] },
        ];
        let ignores_trap = process.process.ignores_trap;
        self.make_by(tid, pid, &process.annex, ignores_trap, &list).map(drop)
    }

    fn give_up_keepers(&mut self, pid: i32, process: &Snapshot) -> Result<(), Error> {
        let mut space = self.space(pid, process)?;
        let close = close(&process.descriptors.keepers());
        let closed = space.calls(&[close], OnFailure::GoOn);
        closed.map_err(Error::remote("a descriptor cannot be closed"))?;
        self.hold(pid, space)
    }

    /// Takes from a process that was made since what it has of those that made it.
    fn give_up_inheritance(&mut self, pid: i32, keepers: &[Range<i32>]) -> Result<(), Error> {
        let what = "a process cannot make calls for us";
        let ignored =
            proc::ignored_signals(pid).map_err(Error::proc("its signals are not known"))?;
        let ignores_trap = ignored & 1 << (libc::SIGTRAP - 1) != 0;
        let held = self.thread(pid).held.take();
        let tracee = held.ok_or(Error::Obstacles(vec![Obstacle::FirstThread(pid)]))?;
        let begun = RemoteCalls::begin(pid, tracee, Stop::Trap, None, ignores_trap);
        let mut calls = begun.map_err(Error::remote(what))?;
        let annex = Annex::RANGE;
        let unmap = Call::munmap(annex.start, annex.end - annex.start);
        for call in keepers.iter().map(close).chain([unmap]) {
            calls.call(call).map_err(Error::remote(what))?;
        }
        let (tracee, _) = calls.finish().map_err(Error::remote(what))?;
        self.thread(pid).held = Some(tracee);
        Ok(())
    }

    fn renew_process(
        &mut self,
        pid: i32,
        old: Snapshot,
        named: &[Named],
        copied: &mut Copied,
        ends: &mut Ends,
        obstacles: &mut Vec<Obstacle>,
    ) -> Result<Snapshot, Error> {
        let ignored =
            proc::ignored_signals(pid).map_err(Error::proc("its signals are not known"))?;
        let ignores_trap = ignored & 1 << (libc::SIGTRAP - 1) != 0;
        let held = self.thread(pid).held.take();
        let tracee = held.ok_or(Error::Irreversible(Irreversible::Killed))?;
        let begun = RemoteCalls::begin(pid, tracee, Stop::Trap, Some(Annex::STUB), ignores_trap);
        let mut calls = begun.map_err(Error::remote("the program cannot make calls for us"))?;
        let process = capture_process(pid, &old.annex, &mut calls, ignores_trap, obstacles)?;
        let descriptors =
            Descriptors::capture(pid, &old.annex, &mut calls, named, copied, obstacles)?;
        take_ended(pid, &old.annex, &mut calls, ends)?;
        let given_up = old.annex.make(&mut calls, &old.shared.give_up(), OnFailure::GoOn);
        given_up.map_err(Error::remote("the program is lost"))?;
        let shared = Shared::keep(pid, &old.annex, &mut calls, named)?;
        let (tracee, _) = calls.finish().map_err(Error::remote("the program is lost"))?;
        self.thread(pid).held = Some(tracee);
        self.queue_interrupted(pid, &old.annex, ignores_trap)?;
        let mut told = BTreeMap::new();
        for tid in self.threads_of(pid) {
            told.insert(tid, self.ask_thread(pid, tid, &old.annex, ignores_trap)?);
        }
        let mut new = Snapshot { process, descriptors, shared, ..old };
        renew_memory(pid, &mut new, obstacles)?;
        new.threads = self.save_threads(&told)?;
        new.queued = self.queued_for(pid)?;
        new.quiet.begin_anew();
        new.untouched.begin_anew(&new.descriptors.numbers());
        Ok(new)
    }
}

/// Closes descriptors with these numbers: `close_range(2)`.
fn close(numbers: &Range<i32>) -> Call {
    let (first, last) = (numbers.start as u64, numbers.end as u64 - 1);
    Call { number: libc::SYS_close_range, args: [first, last, 0, 0, 0, 0] }
}

/// Copies what was written, and follows what is new.
fn renew_memory(
    pid: i32,
    snapshot: &mut Snapshot,
    obstacles: &mut Vec<Obstacle>,
) -> Result<(), Error> {
    let told = || Error::proc("its mappings are not told");
    snapshot.maps_text = snapshot.maps.text().map_err(told())?.to_vec();
    snapshot.mappings = snapshot.maps.parse(&snapshot.maps_text).map_err(told())?;
    let Snapshot { tracker, saved, mappings, unfollowed, shared, .. } = snapshot;
    *unfollowed = follow_mappings(tracker, mappings, shared, obstacles);
    let mapped: Vec<Range<u64>> = mappings.iter().map(|mapping| mapping.range.clone()).collect();
    unfollowed.iter().for_each(|range| saved.forget(range.clone()));
    for gone in without(std::slice::from_ref(&(0..u64::MAX)), &mapped) {
        saved.forget(gone);
    }
    let untold = || Error::request("its pages are not told");
    let mut found = Vec::new();
    tracker.written(&mut found).map_err(untold())?;
    let written: Vec<Range<u64>> = found.iter().map(Region::range).collect();
    let written = without(&written, unfollowed);
    written.iter().for_each(|range| saved.forget(range.clone()));
    found.clear();
    tracker.unprotected_content(&written, &mut found).map_err(untold())?;
    for region in found.iter().filter(|region| has_own_content(region)) {
        read_whole(pid, region.start, saved.add(region.range()))?;
    }
    forget_dropped(pid, snapshot)?;
    let Snapshot { tracker, saved, mappings, shared, .. } = snapshot;
    save_shared(pid, mappings, shared, saved)?;
    saved.compact();
    tracker.arm().map_err(Error::request("its pages cannot be protected"))
}
