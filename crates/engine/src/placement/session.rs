//! What the placement wants to know of a session's calls.

use std::io;

use contract::{Arch, Capture, Fetch, GuestAddr, Phase, Pid, Shape, Tid, Trim};
use kernel::proc;

use super::Together;
use crate::mechanism::Mechanism;
use crate::session::Session;
use crate::tracee::Tracee;

/// Among more guests than that others are taken to run.
const MANY: usize = 8;

impl Session {
    /// A guest is about to be started.
    pub(crate) fn place_at_start(&mut self, pid: Pid) {
        // One that could outlive the supervisor would stay where it is.
        if !self.options.share_processor || self.options.mechanism.can_detach() {
            return;
        }
        if self.placement.is_serial() {
            self.placement.begin(pid);
        } else if let Some(tracee) = self.tracees.get_mut(pid) {
            tracee.together = Together::begin_both(pid);
        }
    }

    /// A thread has stopped.
    pub(crate) fn place_at_stop(&mut self, tid: Tid) {
        if self.placement.stopped(tid) {
            let others_run = self.others_run(tid);
            let guests: Vec<Tid> = self.tracees.iter().map(|(tid, _)| tid).collect();
            self.placement.looked(others_run, &guests);
        }
    }

    /// Whether another guest runs, or could if it were served.
    fn others_run(&self, tid: Tid) -> bool {
        let resumed = |(other, tracee): &(Tid, &Tracee)| *other != tid && tracee.running.is_some();
        self.tracees.len() > MANY
            || !self.queue.is_empty()
            || self.tracees.iter().filter(resumed).any(|(other, _)| proc::is_running(other.0))
    }

    /// A thread stands before this call; `captured`: its capture has been made.
    pub(crate) fn place_before_call(
        &mut self,
        tid: Tid,
        arch: Arch,
        number: u64,
        args: &[u64; 6],
        captured: bool,
    ) -> io::Result<()> {
        if !self.options.mechanism.stops_all() && !self.placement.is_serial() {
            return Ok(());
        }
        let Some(tracee) = self.tracees.get(tid) else { return Ok(()) };
        let Some(argument) = self.placement.wanted_path(arch, number) else {
            self.placement.calls(tracee.process, arch, number, None);
            return Ok(());
        };
        let mut apart = Capture::default();
        let capture = if captured && self.options.memory {
            &tracee.call
        } else {
            apart.args = *args;
            let path = Fetch { register: argument as u8, shape: Shape::Str(Trim::Whole) };
            self.capturer.fill(tid, &mut apart, &[path], Phase::Entry)?;
            &apart
        };
        let path = capture.spans_at(Phase::Entry, GuestAddr(args[argument])).next();
        self.placement.calls(tracee.process, arch, number, path.map(|(_, bytes)| bytes));
        Ok(())
    }

    /// A thread is about to make a call, and stops behind it: has it run here meanwhile, if it has an agent.
    pub(crate) fn bring_together(&mut self, tid: Tid, arch: Arch, number: u64) {
        if self.options.mechanism != Mechanism::Agent || !self.options.share_processor {
            return;
        }
        let Some(tracee) = self.tracees.get_mut(tid) else { return };
        // At an exec others than the first go by another id.
        let is_first = tid == tracee.process;
        if arch == Arch::X86_64 && is_first && tracee.seat.is_some() {
            tracee.together = Together::in_call(tid, number);
        }
    }

    /// A thread stands between two calls: binds it if that will pay, and if no thread of its
    /// process makes calls that do not stop: it could see it.
    pub(crate) fn place_between_calls(&mut self, tid: Tid) {
        if !self.options.mechanism.stops_all() {
            return;
        }
        let follow = self.options.follow;
        let all_stop = || follow || proc::status(tid.0).is_ok_and(|status| status.threads == 1);
        if let Some(tracee) = self.tracees.get(tid) {
            self.placement.consider(tid, tracee.process, all_stop);
        }
    }
}
