//! Who is told what happens.

use contract::{Capture, Event};

/// Whoever a session tells what happens to its guests.
pub trait Observer {
    /// Whether a call is to be told of, of which nothing is known yet but its entry half. Of one that
    /// is not, no event tells: the cheapest way on.
    fn wants(&mut self, _call: &Capture) -> bool {
        true
    }

    /// Whether all data of a call is to be captured that it reads or writes, however much that is.
    fn wants_data(&self, _call: &Capture) -> bool {
        false
    }

    /// Takes an event.
    fn event(&mut self, event: &Event<'_>);
}
