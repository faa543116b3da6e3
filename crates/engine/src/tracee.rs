//! One guest thread.

use std::cell::RefCell;
use std::rc::Rc;

use contract::{Arch, Capture, Pid, Tid};
use kernel::ptrace::{Resume, Running, Stopped, Tracee as Ptraced};

use crate::chain::{Decided, Deferred, Room, Run};
use crate::delays::Held;
use crate::mechanism::Mechanism;
use crate::mechanism::agent::{Heir, Seat, Space};
use crate::placement::Together;

/// For how many stops a thread is urgent after it was made or has made another: enough to get to
/// its own work, or to make the next one.
const URGENT_STOPS: u8 = 32;

/// A guest thread, and where it stands.
#[derive(Debug)]
pub struct Tracee {
    /// Its process.
    pub process: Pid,
    /// How its calls are intercepted.
    pub mechanism: Mechanism,
    /// Where it stands between its calls.
    pub position: Position,
    /// The ABI of its last call.
    pub arch: Arch,
    /// The call it is in, or the one it made last.
    pub call: Capture,
    /// The registers that hold arguments, at its entry.
    pub registers: [u64; 6],
    /// What becomes of that call, if anything does but its being made.
    pub verdict: Option<Decided>,
    /// The observer was told that this call began.
    pub told: bool,
    /// Its last call was answered: the next one is emulated, where the mechanism does that.
    pub emulating: bool,
    /// Its call asks whether it is under a filter.
    pub asks_mode: bool,
    /// Its answered calls, under a filter.
    pub run: Run,
    /// A verdict that waits for another stop of its call.
    pub deferred: Option<Deferred>,
    /// Where there is room for them.
    pub room: Option<Room>,
    /// It executes another program since its last call began.
    pub fresh: bool,
    /// It is held up.
    pub held: Option<Held>,
    /// Signals that were sent to it as if by the kernel, and have not come yet: bit `n - 1` for `n`.
    pub sent: u64,
    /// Nothing is told of it before its program has started.
    pub starting: bool,
    /// The observer knows of it.
    pub announced: bool,
    /// It is not followed, and only stops once, to be let go: nothing is told of it.
    pub unfollowed: bool,
    /// Who has made it, and waits in its stop until it has been let go: it may want to trace it itself.
    pub maker: Option<(Tid, Ptraced<Stopped>)>,
    /// For how many more stops it is served before others.
    pub urgency: u8,
    /// It is to be let go at its next stop.
    pub leaving: bool,
    /// How it was resumed last.
    pub resumed: Resume,
    /// It has not stopped yet.
    pub unseen: bool,
    /// Its place in the agent, where it has one.
    pub seat: Option<Seat>,
    /// What it needs to get one.
    pub heir: Option<Heir>,
    /// Whether its program waits for the agent.
    pub agent_due: Due,
    /// It is on the supervisor's processor for the call that it is in.
    pub together: Option<Together>,
    /// The right to interrupt it; absent while it is stopped.
    pub running: Option<Ptraced<Running>>,
}

/// Whether a program waits for the agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Due {
    /// It has it, or is not to have it.
    No,
    /// It waits, and has executed nothing.
    Begins,
    /// It waits, runs, and first makes so many calls that the agent could make.
    Runs(u32),
}

/// Where a thread stands between its calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// In no call.
    Outside,
    /// In a call of which nothing more is wanted.
    Ignored,
    /// In a call whose exit is wanted.
    Followed,
    /// In another call than its own, which it has to make first.
    Preparing,
    /// Behind an emulated call that is to be made after all: it makes it again.
    Returning,
}

impl Tracee {
    /// A thread of this process, as yet in no call.
    pub fn new(process: Pid, mechanism: Mechanism) -> Tracee {
        Tracee {
            process,
            mechanism,
            position: Position::Outside,
            arch: Arch::X86_64,
            call: Capture::default(),
            registers: [0; 6],
            verdict: None,
            told: false,
            emulating: false,
            asks_mode: false,
            run: Run::default(),
            deferred: None,
            room: None,
            fresh: false,
            held: None,
            sent: 0,
            starting: false,
            announced: false,
            unfollowed: false,
            maker: None,
            urgency: 0,
            leaving: false,
            resumed: Resume::Continue,
            unseen: true,
            seat: None,
            heir: None,
            agent_due: Due::No,
            together: None,
            running: None,
        }
    }

    /// A thread that is not in its process's first program yet.
    pub fn starting(process: Pid, mechanism: Mechanism) -> Tracee {
        Tracee { starting: true, ..Tracee::new(process, mechanism) }
    }

    /// Whether records of its calls are missing.
    pub fn is_spoilt(&self) -> bool {
        self.seat.as_ref().is_some_and(Seat::is_spoilt)
    }

    /// Its address space, as far as agents have to do with it.
    pub fn space(&self) -> Option<&Rc<RefCell<Space>>> {
        let seat = self.seat.as_ref().map(|seat| &seat.space);
        seat.or(self.heir.as_ref().map(|heir| &heir.space))
    }

    /// What a thread that it makes has from it.
    pub fn heritage(&self) -> Option<Heir> {
        self.seat.as_ref().map(Heir::of).or_else(|| self.heir.clone())
    }

    /// Serves it before others for a while.
    pub fn hurry(&mut self) {
        self.urgency = URGENT_STOPS;
    }

    /// Asks for a stop. A thread that has ended meanwhile will be reported.
    pub fn interrupt(&self) {
        if let Some(running) = &self.running {
            let _ = running.interrupt();
        }
    }
}
