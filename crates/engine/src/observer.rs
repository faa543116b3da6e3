//! Who is told what happens.

use contract::{Capture, Event, Tid};

use crate::error::Error;

/// Whoever a session tells what happens to its guests.
pub trait Observer {
    /// Whether a call is to be told of, of which nothing is known yet but its entry half. Of one that
    /// is not, no event tells: the cheapest way on.
    fn wants(&mut self, _tid: Tid, _call: &Capture) -> bool {
        true
    }

    /// Whether a call that has ended is one of those after which guests are let go
    /// ([`Options::call_limit`](crate::Options::call_limit)).
    fn counts(&self, _call: &Capture) -> bool {
        true
    }

    /// Whether all data of a call is to be captured that it reads or writes, however much that is.
    fn wants_data(&self, _call: &Capture) -> bool {
        false
    }

    /// Takes an event.
    fn event(&mut self, event: &Event<'_>);

    /// Whether something waits in a buffer that it has been told.
    fn is_waiting(&mut self) -> bool {
        false
    }

    /// Passes on what waits. Called when some of it has waited for [`LONGEST_WAIT`](crate::LONGEST_WAIT).
    fn flush(&mut self) {}

    /// A thread stands before the first instruction of a program that it has executed. This is told at once,
    /// whatever waits to be told.
    fn begins(&mut self, _tid: Tid) {}

    /// The program that was to be launched could not be, and why. Its process ends next.
    fn start_failed(&mut self, _error: &Error) {}

    /// A module could not decide about a call. The guest has got `EIO`.
    fn module_failed(&mut self, _failure: &ModuleFailure<'_>) {}
}

/// A module that could not decide about a call.
#[derive(Clone, Copy, Debug)]
pub struct ModuleFailure<'a> {
    /// The thread that made the call.
    pub tid: Tid,
    /// The module's name.
    pub module: &'static str,
    /// The call as the module has seen it.
    pub call: &'a Capture,
    /// Why, in a sentence without a full stop.
    pub cause: &'a str,
}
