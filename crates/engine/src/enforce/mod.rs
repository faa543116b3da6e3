//! Keeps guests from what is forbidden to them, whatever they try.
//!
//! Beside what the session's mechanism has, guests get a filter of their own ([`filter`]). Calls that
//! fail whatever their arguments are go to the [`broker`], which refuses them and notes it. So does what
//! depends on memory: it copies what the guest passed, finds the file itself ([`walk`]), decides by the kernel's
//! name for it ([`places`]), and makes the call in the guest's place, or hands it the descriptor that it
//! has opened. It never lets a call go on that it has decided upon by memory. A program that was executed
//! is looked at before its first instruction ([`programs`]).

mod broker;
mod caller;
mod calls;
mod devices;
mod filter;
mod naming;
mod opening;
mod places;
mod programs;
mod sockets;
mod taken;
mod walk;

use std::sync::mpsc::Receiver;

use contract::Enforcement;
use kernel::seccomp::{Program, TooLong};
use kernel::spawn::Promised;

pub(crate) use naming::{Naming, Wish};
pub(crate) use programs::forbidden_program;

/// The filter under which guests start.
pub(crate) fn guard(enforcement: &Enforcement) -> Result<Program, TooLong> {
    filter::of(enforcement)
}

/// The module that has to be the last of the chain, and where its wishes arrive.
pub(crate) fn naming(enforcement: &Enforcement) -> Option<(Naming, Receiver<Wish>)> {
    naming::is_possible(enforcement).then(Naming::new)
}

/// Decides about the guests' calls from now on, and about these wishes, on threads of its own, until no guest
/// is left. Guests are under so many filters of their mechanism's.
pub(crate) fn begin(
    enforcement: Enforcement,
    listener: Promised,
    wishes: Option<Receiver<Wish>>,
    filters: u32,
) -> std::io::Result<()> {
    broker::begin(enforcement, listener, wishes, filters)
}
