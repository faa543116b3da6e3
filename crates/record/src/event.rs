//! What outputs are told.

use contract::{EventKind, GuestAddr, Stack};

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

/// What happened, with calls as records and a signal's origin decoded.
///
/// Not every call is announced: an output must take an `Exit` without an `Enter`.
pub type What<'a> = EventKind<&'a Record<'a>, Origin<'a>>;

/// What is known of a signal that is about to be delivered.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Its `siginfo_t` as one node, a struct; without nodes where the kernel did not tell.
    pub info: &'a Nodes<'a>,
    /// Where the thread is, where asked for.
    pub ip: Option<GuestAddr>,
    /// The stack of the thread, where asked for.
    pub stack: Option<&'a Stack>,
}
