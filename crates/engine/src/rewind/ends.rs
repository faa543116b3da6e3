//! Processes of the snapshot that end in a run.
//!
//! A process that is gone cannot be made again: its id would be another. So it is held before its
//! last call, or before the signal that would kill it. For the others it has ended: its descriptors are
//! closed, its parent is sent `SIGCHLD`, and who waits for it is told of its end ([`super::waiting`]).

use std::io;

use kernel::ptrace::{self, Stopped, Tracee, is_gone};
use kernel::remote::{Call, OnFailure};
use kernel::{proc, signal};

use super::ended::Ended;
use super::snapshot::Snapshot;
use super::{End, Error, Guest, Irreversible};

impl Guest {
    /// Has a process of the snapshot end for the others. The thread that was about to end it is held.
    ///
    /// # Errors
    /// The process is lost.
    pub(super) fn end_process(&mut self, process: i32, end: End) -> Result<(), Error> {
        self.stop(|_, other| other == process, false)?;
        let status = proc::status(process).map_err(Error::proc("a process is lost"))?;
        let tree = self.snapshot.take().expect("only processes of a snapshot are held");
        let closed = self.close_all(process, &tree.processes[&process]);
        self.snapshot = Some(tree);
        closed?;
        let parent = status.parent;
        let has_parent = self.is_member(parent) && !self.ends.has(parent);
        // Who ignores the signal has no ends to take.
        let ignored = has_parent
            && proc::ignored_signals(parent)
                .is_ok_and(|ignored| ignored & 1 << (libc::SIGCHLD - 1) != 0);
        self.ends.add(Ended {
            pid: process,
            parent,
            group: status.group,
            user: status.real_uid,
            status: match end {
                End::Exited(status) => status << 8,
                End::Killed(signal) => signal,
                End::TimedOut | End::Interrupted(_) => 0,
            },
            taken: ignored,
            announced: !has_parent,
        });
        if has_parent {
            self.announce(parent).map_err(Error::request("a process cannot be told of an end"))?;
        }
        Ok(())
    }

    /// Closes all descriptors of a process that is held, but for what brings them back.
    fn close_all(&mut self, process: i32, snapshot: &Snapshot) -> Result<(), Error> {
        self.put_back_threads(process, snapshot)?;
        let mut space = self.space(process, snapshot)?;
        let close = |first: u32, last: u32| Call {
            number: libc::SYS_close_range,
            args: [first.into(), last.into(), 0, 0, 0, 0],
        };
        let keepers = snapshot.descriptors.keepers();
        let list = [close(0, (keepers.start - 1) as u32), close(keepers.end as u32, u32::MAX)];
        let closed = space.calls(&list, OnFailure::GoOn);
        closed.map_err(Error::remote("a process is lost"))?;
        self.hold(process, space)
    }

    /// Has a process look for ends of its children.
    fn announce(&self, parent: i32) -> io::Result<()> {
        for (tid, thread) in &self.threads {
            if thread.process == parent && thread.waits.is_some() {
                unless_gone(ptrace::interrupt(*tid))?;
            }
        }
        unless_gone(signal::send(parent, libc::SIGCHLD))
    }

    /// Has a signal of ours that is about to be delivered tell what the kernel's would.
    pub(super) fn tell_of_end(&mut self, tid: i32, tracee: &Tracee<Stopped>) -> io::Result<()> {
        /// Where in a `siginfo_t` the sender is.
        const SENDER: std::ops::Range<usize> = 12..16;
        let process = self.thread(tid).process;
        let ours = tracee.signal_info()?[SENDER] == (std::process::id() as i32).to_ne_bytes();
        let untold = |ended: &Ended| ended.parent == process && !ended.announced;
        if let (true, Some(ended)) = (ours, self.ends.first(untold)) {
            ended.announced = true;
            tracee.set_signal_info(&ended.info())?;
        }
        Ok(())
    }

    /// Notes that a process of the snapshot is lost.
    pub(super) fn note_lost(&mut self, error: Error) -> Result<(), Error> {
        match error {
            Error::Irreversible(irreversible) => {
                self.irreversible.get_or_insert(irreversible);
                Ok(())
            }
            Error::Request { source, .. } if is_gone(&source) => {
                self.irreversible.get_or_insert(Irreversible::Killed);
                Ok(())
            }
            other => Err(other),
        }
    }
}

fn unless_gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if !is_gone(&error) => Err(error),
        _ => Ok(()),
    }
}
