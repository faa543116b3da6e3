//! Shows records: one module a format.
//!
//! An [`Output`] is told every [`Event`] and makes bytes of it, which a [`Sink`] takes where they
//! belong. An output is one file (or folder) here and one line in the command that chooses it.
#![forbid(unsafe_code)]

mod bits;
mod clock;
mod device;
pub mod json;
pub mod sink;
mod status;
pub mod summary;
pub mod text;

use std::io;

use record::{Event, Tid};

pub use clock::WallClock;
pub use json::Json;
pub use sink::Sink;
pub use status::StatusFilter;
pub use summary::Summary;
pub use text::Text;

/// A format in which events are shown.
///
/// An error means that what was shown is incomplete from there on. It is returned once; an output
/// takes further events as if nothing had happened, so that the guest is not harmed by a full disk
/// or a closed pipe. The command tells of it at the end, and its exit status is 1.
pub trait Output {
    /// Takes an event.
    ///
    /// # Errors
    /// Where the output is written to takes no more.
    fn event(&mut self, event: &Event<'_>) -> io::Result<()>;

    /// Takes note of a call with this number that is not shown.
    fn passed_over(&mut self, _tid: Tid, _raw_number: u64) {}

    /// Writes what is left, after the last event.
    ///
    /// # Errors
    /// As [`Output::event`].
    fn finish(&mut self) -> io::Result<()>;

    /// Where it is written to.
    fn sink(&mut self) -> &mut Sink;

    /// Whether this output makes use of [`record::What::Enter`]. Where none does, calls need not
    /// be announced before they return.
    fn wants_entries(&self) -> bool;
}
