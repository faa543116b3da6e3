//! Running a program up to a point, and returning to that point again and again.
//!
//! ```text
//! Guest::start ─▶ run_to(Point) ─▶ snapshot ─▶ run ─▶ End
//!                                     ▲          │
//!                                     └─ rewind ─┘
//! ```
//!
//! Up to the point each call stops (`PTRACE_SYSCALL`). From then on only those calls stop that end
//! the program, or change what cannot be seen by looking ([`watched`]): a filter picks them. The
//! guest runs at full speed otherwise, and does not die at its end: it is held before its last call,
//! or before the signal that would kill it, and goes back from there.
//!
//! A rewind puts back in this order: registers, descriptors ([`descriptors`]) and mappings, then the
//! pages that were written ([`pages`]). What is not looked at costs nothing: a rewind of a program that
//! does the same in each run ([`quiet`]) is one copy and one resume.
//!
//! What a run does that cannot be undone is an [`Irreversible`]: the program has to be started anew.

mod breakpoint;
mod descriptors;
mod error;
mod kernel_state;
mod pages;
mod point;
mod quiet;
mod restore;
mod run;
mod snapshot;
mod start;
mod tasks;
mod watched;
mod work;

use std::collections::BTreeMap;

use kernel::ptrace::{Stopped, Tracee};
use kernel::spawn::Launch;
use kernel::ticker::Ticker;

pub use error::{Error, Irreversible, Obstacle};
pub use point::Point;
pub use run::End;
use snapshot::Snapshot;

/// A program that can be rewound. All methods must be called by the thread that has started it.
#[derive(Debug)]
pub struct Guest {
    /// Its process.
    pid: i32,
    launch: Option<Launch>,
    threads: BTreeMap<i32, Thread>,
    snapshot: Option<Snapshot>,
    /// It is where the snapshot was taken.
    at_snapshot: bool,
    /// What the run has changed, as its calls have told.
    changed: watched::Changes,
    /// What the run has done that cannot be undone.
    irreversible: Option<Irreversible>,
    /// How many faults its process had when the run ended, if that is known.
    faults: Option<u64>,
    ticker: Ticker,
}

/// A thread of the guest, or of a process that it has made.
#[derive(Debug)]
struct Thread {
    /// It is stopped, and this is where it takes requests.
    held: Option<Tracee<Stopped>>,
    /// The process that it belongs to.
    process: i32,
    /// It has told who waits for it that it has ended, and is about to be held.
    leaves: bool,
}
