//! What outputs are told.

use contract::EventKind;

use crate::{Nodes, Record, Stamp, Tid};

/// Something that happened to one guest thread, decoded.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The thread.
    pub tid: Tid,
    /// When it was seen.
    pub time: Stamp,
    /// What happened.
    pub what: What<'a>,
}

/// What happened, with calls as records and a signal's `siginfo_t` as one node, a struct; without
/// nodes where the kernel did not tell.
///
/// Not every call is announced: an output must take an `Exit` without an `Enter`.
pub type What<'a> = EventKind<&'a Record<'a>, &'a Nodes<'a>>;
