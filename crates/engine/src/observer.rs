//! Who is told what happens.

use contract::Event;

/// Whoever a session tells what happens to its guests.
pub trait Observer {
    /// Takes an event. Where it is an `Enter`, the answer says whether the call's end is of
    /// interest; else the answer has no meaning.
    fn event(&mut self, event: &Event<'_>) -> Interest;
}

/// Whether the end of a call is to be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interest {
    /// It is.
    Exit,
    /// It is not: the cheapest way on.
    None,
}
