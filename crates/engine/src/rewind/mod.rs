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
//! What has other processes at the point is rewound as a tree. The run ends with its first process, or
//! when nobody can write to its outputs any more ([`outlived`]).
//! Others that end before are held like it, and for those that wait for them they have ended
//! ([`ends`]).
//!
//! A rewind puts back in this order: registers, descriptors ([`descriptors`]) and mappings, then the
//! pages that were written ([`pages`]). What is not looked at costs nothing: a rewind of a program that
//! does the same in each run ([`quiet`]) is one copy and one resume.
//!
//! | files | are about |
//! |---|---|
//! | `start`, `tasks`, `processors` | how a guest comes to be, its threads and processes, and where they run |
//! | `point`, `search`, `functions`, `breakpoint`, `size` | the way to the point, and what the program learns of its input on it |
//! | `capture`, `snapshot`, `renew`, `content`, `obstacle` | what a program is at the point, and what of that cannot be held |
//! | `run`, `watched`, `run_end`, `outlived` | a run, the calls that stop in it, and its end |
//! | `ends`, `ended`, `waiting` | other processes that end in it |
//! | `restore`, `mappings`, `pages`, `dropped`, `shared` | the way back, and the memory |
//! | `descriptors`, `named`, `nameless`, `marks`, `file` | descriptors, and files |
//! | `pipe`, `pair`, `kernel_state`, `watches` | what else descriptors are of |
//! | `restart`, `told`, `signals`, `rseq`, `names` | what threads have besides registers |
//! | `quiet`, `untouched` | what need not be looked at |
//! | `work`, `error` | what users of a snapshot do with it, and what can go wrong |
//!
//! What a run does that cannot be undone is an [`Irreversible`]: the program has to be started anew.

mod breakpoint;
mod capture;
mod content;
mod descriptors;
mod dropped;
mod ended;
mod ends;
mod error;
mod file;
mod functions;
mod kernel_state;
mod mappings;
mod marks;
mod named;
mod nameless;
mod names;
mod obstacle;
mod outlived;
mod pages;
mod pair;
mod pipe;
mod point;
mod processors;
mod quiet;
mod renew;
mod restart;
mod restore;
mod rseq;
mod run;
mod run_end;
mod search;
mod shared;
mod signals;
mod size;
mod snapshot;
mod start;
mod tasks;
mod told;
mod untouched;
mod waiting;
mod watched;
mod watches;
mod work;

use std::collections::BTreeMap;

use kernel::placement::Cpus;
use kernel::ptrace::{Stopped, Tracee};
use kernel::spawn::Launch;
use kernel::ticker::Ticker;

pub use error::{Error, Irreversible, Obstacle};
pub use point::Point;
pub use run_end::End;
pub use size::EarlyCall;
use snapshot::Tree;

/// A program that can be rewound. All methods must be called by the thread that has started it.
#[derive(Debug)]
pub struct Guest {
    /// Its first process.
    pid: i32,
    launch: Option<Launch>,
    /// Its input, if it is known.
    input: Option<size::Input>,
    /// Its outputs, if a run lasts until nobody has them open.
    outputs: Vec<file::File>,
    /// The files without a name that were ours before it began.
    ours: Vec<file::File>,
    /// How its first process has ended in this run, if others go on.
    ended: Option<End>,
    threads: BTreeMap<i32, Thread>,
    snapshot: Option<Tree>,
    /// The breakpoint that was its point: several threads may have come to it at once.
    passed: Option<breakpoint::Breakpoint>,
    /// It is where the snapshot was taken.
    at_snapshot: bool,
    /// What the run has changed in each process of the snapshot, as their calls have told.
    changed: BTreeMap<i32, watched::Changes>,
    /// What the run has done that cannot be undone.
    irreversible: Option<Irreversible>,
    /// The processes of the snapshot that have ended for the others, and are held.
    ends: ended::Ends,
    /// How many faults its first process had when the run ended, if that is known.
    faults: Option<u64>,
    ticker: Ticker,
    /// Those that it has, while it shares one with us.
    processors: Option<Cpus>,
    has_asked_for_processors: bool,
}

/// A thread of the guest.
#[derive(Debug)]
struct Thread {
    /// It is stopped, and this is where it takes requests.
    held: Option<Tracee<Stopped>>,
    /// The process that it belongs to.
    process: i32,
    /// It has told who waits for it that it has ended, and is about to be held.
    leaves: bool,
    /// Signals at whose delivery it was stopped for a snapshot.
    interrupted: Vec<snapshot::Signal>,
    /// It was stopped by a signal such as `SIGSTOP` when it was stopped for a snapshot.
    suspended: bool,
    /// The call in which it waits for children.
    waits: Option<waiting::Wait>,
}

impl Thread {
    fn of(process: i32) -> Thread {
        Thread {
            held: None,
            process,
            leaves: false,
            interrupted: Vec::new(),
            suspended: false,
            waits: None,
        }
    }
}
