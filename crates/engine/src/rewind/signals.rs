//! Signals that were sent and have not been delivered yet.

use std::io;

use kernel::ptrace::{Queue, Stopped, Tracee};
use kernel::remote::{Call, OnFailure, RemoteCalls};
use kernel::wait::Stop;

use super::snapshot::{SET, Signal, Snapshot};
use super::{Error, Guest, Irreversible};
use crate::memory::annex::Annex;

/// Where in the annex there are all signals, no time to wait, and those that are queued.
const ALL_AT: usize = 0;
const TIME_AT: usize = 8;
const QUEUED_AT: usize = 128;
/// So many are queued at once.
const TOGETHER: usize = 128;

impl Guest {
    /// Has a thread of a process make calls.
    pub(super) fn make_by(
        &mut self,
        tid: i32,
        pid: i32,
        annex: &Annex,
        ignores_trap: bool,
        list: &[Call],
    ) -> Result<Vec<io::Result<u64>>, Error> {
        let what = "a thread cannot make calls for us";
        let held = self.thread(tid).held.take();
        let tracee = held.ok_or(Error::Irreversible(Irreversible::lost(tid, pid)))?;
        let begun = RemoteCalls::begin(pid, tracee, Stop::Trap, Some(Annex::STUB), ignores_trap);
        let mut calls = begun.map_err(Error::remote(what))?;
        let made = annex.make(&mut calls, list, OnFailure::GoOn).map_err(Error::remote(what))?;
        let (tracee, _) = calls.finish().map_err(Error::remote(what))?;
        self.thread(tid).held = Some(tracee);
        Ok(made)
    }

    /// Queues the signals again at whose delivery the threads of a process were stopped.
    pub(super) fn queue_interrupted(
        &mut self,
        pid: i32,
        annex: &Annex,
        ignores_trap: bool,
    ) -> Result<(), Error> {
        for tid in self.threads_of(pid) {
            let interrupted = std::mem::take(&mut self.thread(tid).interrupted);
            self.queue(tid, pid, annex, ignores_trap, Queue::Own, &interrupted)?;
        }
        Ok(())
    }

    /// Has the same signals wait in a process, all of whose threads are held, as at its snapshot.
    /// Whether it has made calls for that.
    pub(super) fn put_back_signals(
        &mut self,
        pid: i32,
        snapshot: &Snapshot,
    ) -> Result<bool, Error> {
        let mut made = false;
        for (&tid, thread) in &snapshot.threads {
            let held = self.thread(tid).held.as_ref();
            let held = held.ok_or(Error::Irreversible(Irreversible::lost(tid, pid)))?;
            let own = queued(held, Queue::Own)?;
            // Of those of the process the first thread takes care.
            let shared = if tid == pid { queued(held, Queue::Shared)? } else { Vec::new() };
            let shared_then = if tid == pid { snapshot.queued.as_slice() } else { &[] };
            if own == thread.queued && shared == shared_then {
                continue;
            }
            made = true;
            let (annex, ignores_trap) = (&snapshot.annex, snapshot.process.ignores_trap);
            // Who takes one is given those sent to the thread first.
            annex.put(ALL_AT, &u64::MAX.to_ne_bytes());
            annex.put(TIME_AT, &[0; 16]);
            let args = [Annex::address(ALL_AT), 0, Annex::address(TIME_AT), SET, 0, 0];
            let take = Call { number: libc::SYS_rt_sigtimedwait, args };
            let takes = vec![take; own.len() + shared.len()];
            self.make_by(tid, pid, annex, ignores_trap, &takes)?;
            self.queue(tid, pid, annex, ignores_trap, Queue::Own, &thread.queued)?;
            self.queue(tid, pid, annex, ignores_trap, Queue::Shared, shared_then)?;
        }
        Ok(made)
    }

    /// Has a thread send signals to itself, or to its process if it is the first one: so they can seem to
    /// come from anywhere.
    fn queue(
        &mut self,
        tid: i32,
        pid: i32,
        annex: &Annex,
        ignores_trap: bool,
        queue: Queue,
        signals: &[Signal],
    ) -> Result<(), Error> {
        for part in signals.chunks(TOGETHER) {
            let send = |(index, signal): (usize, &Signal)| {
                let at = QUEUED_AT + index * size_of::<Signal>();
                annex.put(at, signal);
                let number = i32::from_ne_bytes(*signal.first_chunk().expect("it is longer"));
                let (number, info) = (number as u64, Annex::address(at));
                let (number, args) = match queue {
                    Queue::Own => {
                        let args = [pid as u64, tid as u64, number, info, 0, 0];
                        (libc::SYS_rt_tgsigqueueinfo, args)
                    }
                    Queue::Shared => {
                        (libc::SYS_rt_sigqueueinfo, [pid as u64, number, info, 0, 0, 0])
                    }
                };
                Call { number, args }
            };
            let list: Vec<Call> = part.iter().enumerate().map(send).collect();
            let made = self.make_by(tid, pid, annex, ignores_trap, &list)?;
            made.into_iter()
                .collect::<io::Result<Vec<u64>>>()
                .map_err(Error::request("a signal is lost"))?;
        }
        Ok(())
    }
}

/// The signals that wait in a queue.
pub fn queued(tracee: &Tracee<Stopped>, queue: Queue) -> Result<Vec<Signal>, Error> {
    tracee.queued_signals(queue).map_err(Error::request("its signals are not told"))
}
