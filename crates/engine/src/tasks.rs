//! How guest threads come to be known: new tasks, first stops, exec.

use std::io;

use contract::{Pid, Tid, What};
use kernel::ptrace::{Stopped, Tracee as Ptraced};
use kernel::{proc, signal};

use crate::enforce::forbidden_program;
use crate::mechanism::Mechanism;
use crate::observer::Observer;
use crate::session::Session;
use crate::tracee::{Position, Tracee};

/// What was heard of a thread before its maker told of it.
#[derive(Debug)]
pub enum Early {
    /// It has stopped, and so is known; by now it may have ended.
    Stopped,
    /// It has ended.
    Ended(What<'static>),
}

impl Session {
    /// The thread that has just stopped. One that nobody knows was traced from birth: its stop has
    /// overtaken the report of its maker.
    pub(crate) fn known(&mut self, tid: Tid, observer: &mut dyn Observer) -> &mut Tracee {
        let parent = if self.tracees.contains(tid) {
            None
        } else {
            self.early.insert(tid, Early::Stopped);
            let maker = self.adopt(tid, self.newborn, None);
            let shares_memory = self.note_birth(maker.unwrap_or(tid), tid);
            if let Some(maker) = maker.filter(|_| shares_memory == Some(true)) {
                // Whoever has made it: who shares its memory has the same agent.
                self.bequeath(maker, tid, shares_memory);
            }
            maker
        };
        self.announce(tid, parent, observer);
        self.tracees.get_mut(tid).expect("just seen")
    }

    /// A thread has made another.
    pub(crate) fn new_task(&mut self, parent: Tid, child: Tid, observer: &mut dyn Observer) {
        let Some(maker) = self.tracees.get_mut(parent) else { return };
        maker.hurry();
        let (mechanism, process) = (maker.mechanism, maker.process);
        self.log(format_args!("task: {parent} has made {child}"));
        let early = self.early.remove(&child);
        if matches!(early, Some(Early::Stopped)) || self.tracees.contains(child) {
            self.bequeath(parent, child, None);
            return;
        }
        let process = self.adopt(child, mechanism, Some(process));
        let shares_memory = self.note_birth(parent, child);
        self.bequeath(parent, child, shares_memory);
        self.announce(child, Some(parent), observer);
        // Unless that was the end of another one, whose id has been given out again.
        if let (Some(Early::Ended(what)), None) = (early, process) {
            self.ended(child, what, observer);
        }
    }

    /// A process runs another program. If another thread than the first has called for it, that
    /// thread now goes by the first one's id, and the first one is no more. Returns whether this
    /// was the program for which the process was made.
    pub(crate) fn executed(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        observer: &mut dyn Observer,
    ) -> io::Result<bool> {
        let former = Tid(stopped.event_message()? as i32);
        if former != tid {
            self.take_in(former);
            if self.tracees.contains(tid) {
                self.forget(tid, observer);
                self.tell(tid, What::Superseded { by: former }, observer);
            }
            if let Some(caller) = self.tracees.remove(former) {
                self.tracees.insert(tid, caller);
            }
        }
        // One that waited for a child of its own is gone, or stands in this exec.
        for (_, child) in self.tracees.iter_mut() {
            child.maker.take_if(|(maker, _)| *maker == tid || *maker == former);
        }
        self.chain.executed(former, tid);
        self.log(format_args!("exec: {former} runs another program, as {tid}"));
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(false) };
        let started = std::mem::replace(&mut tracee.starting, false);
        let enforcement = self.options.enforcement.as_ref().filter(|_| !started);
        if enforcement.is_some_and(|enforcement| forbidden_program(enforcement, tid)) {
            signal::send(tid.0, signal::KILL)?;
        }
        tracee.room = None;
        tracee.fresh = true;
        self.stacks.forget(tid);
        self.unseat(tid);
        observer.begins(tid);
        self.tell(tid, What::Executed, observer);
        Ok(started)
    }

    /// This thread is about to install a seccomp filter of its own. Where that forbids a call,
    /// ours is not asked any more: the calls of the thread and of all that it makes (of its whole
    /// process, if that filter is put upon `all_threads`) have to stop another way.
    pub(crate) fn filtered_by_itself(&mut self, tid: Tid, all_threads: bool) {
        self.newborn = Mechanism::Ptrace;
        let Some(process) = self.tracees.get(tid).map(|tracee| tracee.process) else { return };
        for (other, tracee) in self.tracees.iter_mut() {
            let meant = other == tid || all_threads && tracee.process == process;
            if meant && self.options.mechanism == Mechanism::Dispatch {
                // Its next call that stops is the last one for which it takes dispatch. What the
                // guest's filter forbids, nobody shall make it call.
                if let Some(seat) = &mut tracee.seat {
                    seat.close();
                }
                if let Some(space) = tracee.space() {
                    space.borrow_mut().kept = true;
                }
            } else if meant && tracee.mechanism != Mechanism::Ptrace {
                tracee.mechanism = Mechanism::Ptrace;
                if let Some(seat) = &mut tracee.seat {
                    seat.close();
                }
                tracee.interrupt();
            }
        }
    }

    /// Removes a thread that has ended, and tells of the call within which it did.
    pub(crate) fn forget(&mut self, tid: Tid, observer: &mut dyn Observer) {
        self.placement.ended(tid);
        self.chain.ended(tid);
        let mut tracee = self.tracees.remove(tid);
        self.release_maker(tracee.as_mut());
        if let Some(seat) = tracee.as_ref().and_then(|tracee| tracee.seat.as_ref()) {
            seat.look_back(self.options.agent_after);
        }
        self.stacks.forget(tid);
        self.forget_actions(tid);
        self.netlink.forget(tid);
        self.shown.forget(tid);
        if let Some(room) = tracee.as_ref().and_then(|tracee| tracee.room.as_ref()) {
            room.leave(tid);
        }
        self.toll.spoilt_threads += u64::from(tracee.as_ref().is_some_and(Tracee::is_spoilt));
        if let Some(tracee) = tracee
            && tracee.position == Position::Followed
            && tracee.told
        {
            self.tell(tid, What::Unfinished(&tracee.call), observer);
        }
    }

    /// A thread is no tracee any more: whoever made it may go on.
    pub(crate) fn release_maker(&mut self, tracee: Option<&mut Tracee>) {
        let Some((maker, stopped)) = tracee.and_then(|tracee| tracee.maker.take()) else { return };
        // One that was killed meanwhile will be reported.
        if self.go_on(maker, stopped, 0).is_ok()
            && let Some(maker) = self.tracees.get(maker).filter(|maker| maker.leaving)
        {
            maker.interrupt();
        }
    }

    /// Removes what is left of processes that have ended. Their first threads' ends are reported
    /// last; a thread that is still known then was killed within an `execve(2)`, under the first
    /// one's id: its end is what was reported as that one's.
    pub(crate) fn forget_unreported(&mut self, observer: &mut dyn Observer) {
        for (process, what) in std::mem::take(&mut self.ended_processes) {
            if self.tracees.contains(process) {
                // The id is in use again.
                continue;
            }
            let of_process =
                |(tid, tracee): (Tid, &mut Tracee)| (tracee.process == process).then_some(tid);
            let left: Vec<Tid> = self.tracees.iter_mut().filter_map(of_process).collect();
            for tid in left {
                self.take_in(tid);
                self.ended(tid, what, observer);
            }
        }
    }

    /// Adds a thread that is traced from birth; `likely`: the process of its maker, if that is known.
    /// Returns the process that it comes from.
    fn adopt(&mut self, tid: Tid, mechanism: Mechanism, likely: Option<Pid>) -> Option<Pid> {
        let (process, maker) = match likely {
            Some(_) if signal::is_thread_of(tid.0, tid.0) => (tid, likely),
            Some(process) if signal::is_thread_of(process.0, tid.0) => (process, likely),
            _ => origin(tid),
        };
        let unfollowed = !self.options.follow;
        let leaving = self.leaving;
        let tracee = Tracee { leaving, unfollowed, ..Tracee::new(process, mechanism) };
        self.tracees.insert(tid, tracee).hurry();
        if let Some(maker) = maker.filter(|_| process == tid) {
            self.netlink.inherit(process, maker);
            self.shown.inherit(process, maker);
        }
        maker
    }

    /// Tells of the threads that ran already, before anything is told of one of them.
    pub(crate) fn announce_attached(&mut self, observer: &mut dyn Observer) {
        let mut attached: Vec<Tid> = self.tracees.iter().map(|(tid, _)| tid).collect();
        attached.sort_unstable();
        attached.into_iter().for_each(|tid| self.announce(tid, None, observer));
    }

    fn announce(&mut self, tid: Tid, parent: Option<Tid>, observer: &mut dyn Observer) {
        let Some(tracee) = self.tracees.get_mut(tid) else { return };
        if !tracee.announced && !tracee.starting && !tracee.unfollowed {
            tracee.announced = true;
            let process = tracee.process;
            self.tell(tid, What::Attached { parent, process }, observer);
        }
    }
}

/// A new thread's process, and the one that it comes from. A thread that is gone already leaves
/// nothing to ask; it will be reported dead.
fn origin(tid: Tid) -> (Pid, Option<Pid>) {
    let Ok(status) = proc::status(tid.0) else { return (tid, None) };
    let process = Tid(status.tgid);
    (process, Some(if process == tid { Tid(status.parent) } else { process }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use contract::Event;

    /// No threads have such ids (`PID_MAX_LIMIT`): nothing can be asked of them.
    const MAKER: Tid = Tid(1 << 30);
    const CHILD: Tid = Tid(MAKER.0 + 1);
    const EXITED: What<'static> = What::Exited { status: 3 };

    /// What was told, in order.
    #[derive(Default)]
    struct Told(Vec<String>);

    impl Observer for Told {
        fn event(&mut self, event: &Event<'_>) {
            self.0.push(format!("{} {:?}", event.tid.0 - MAKER.0, event.what));
        }
    }

    fn session() -> Session {
        let mut session = Session::new(Options { follow: true, ..Options::default() }, Vec::new());
        session.tracees.insert(MAKER, Tracee::new(MAKER, Mechanism::Ptrace));
        session
    }

    #[test]
    fn a_maker_and_what_it_made_are_served_before_others() {
        let (mut session, mut told) = (session(), Told::default());
        assert!(!session.tracees.is_urgent(MAKER));
        session.new_task(MAKER, CHILD, &mut told);
        assert!(session.tracees.is_urgent(MAKER) && session.tracees.is_urgent(CHILD));
    }

    #[test]
    fn a_thread_that_ended_before_its_maker_told_of_it_is_told_of() {
        let (mut session, mut told) = (session(), Told::default());
        session.ended(CHILD, EXITED, &mut told);
        assert!(told.0.is_empty());
        session.new_task(MAKER, CHILD, &mut told);
        assert_eq!(told.0.len(), 2, "{:?}", told.0);
        assert!(told.0[0].starts_with("1 Attached { parent: Some("), "{:?}", told.0);
        assert_eq!(told.0[1], "1 Exited { status: 3 }");
        assert!(!session.tracees.contains(CHILD));
    }

    #[test]
    fn who_was_killed_within_an_execve_is_forgotten_with_its_process() {
        let (mut session, mut told) = (session(), Told::default());
        session.tracees.insert(CHILD, Tracee::new(MAKER, Mechanism::Ptrace));
        session.ended(CHILD, EXITED, &mut told);
        session.tracees.insert(CHILD, Tracee::new(MAKER, Mechanism::Ptrace));
        session.forget_unreported(&mut told);
        assert!(session.tracees.contains(CHILD), "its process is still there");
        session.ended(MAKER, EXITED, &mut told);
        session.forget_unreported(&mut told);
        assert!(session.tracees.is_empty());
        assert_eq!(told.0.last().map(String::as_str), Some("1 Exited { status: 3 }"));
    }

    #[test]
    fn a_maker_that_tells_of_a_thread_already_gone_does_not_bring_it_back() {
        let (mut session, mut told) = (session(), Told::default());
        session.known(CHILD, &mut told);
        session.ended(CHILD, EXITED, &mut told);
        let before = told.0.len();
        session.new_task(MAKER, CHILD, &mut told);
        assert_eq!(told.0.len(), before, "{:?}", told.0);
        assert!(!session.tracees.contains(CHILD));
    }
}
