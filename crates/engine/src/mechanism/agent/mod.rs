//! The agent: guests record their calls themselves, without a stop.
//!
//! A filter makes every call of interest stop, unless it is made in the trusted page: that is the
//! net, and a complete mechanism by itself. At each exec the agent's image is mapped into the new
//! address space ([`inject`]); a site whose calls the net has met twice is patched, so that its
//! calls go to the agent ([`patch`]), which records them in its thread's ring ([`seat`]). The
//! supervisor empties the rings ([`drain`]) and takes threads out of the agent when a signal comes
//! ([`signals`]). What the agent cannot do stays in the net. What comes from rings and what comes from
//! stops is told in the order in which it happened ([`order`]).

mod actions;
mod arena;
mod attach;
mod buffers;
mod caller;
mod clock;
mod coming;
mod dispatch;
mod drain;
mod extent;
mod heir;
mod inject;
mod lane;
mod lifecycle;
#[allow(dead_code)] // Most of it is read when Shunpike is built.
mod net_only;
mod obstacles;
mod order;
mod patch;
mod patcher;
mod paths;
mod place;
mod remove;
mod seat;
mod signals;
mod space;
mod tables;
mod telling;
mod vdso;

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use agent::image::SYMBOLS;
use contract::{CallSet, Pid, Redirection, Reply};
use kernel::remote::Stub;
use kernel::ticker::Ticker;
use table::arch::x86_64;

use crate::{Mechanism, Options, ShownBeside};
use actions::Actions;
use arena::Layout;
use drain::Looked;
use net_only::{FIRST_UNDER_DISPATCH, LEFT_UNDER_DISPATCH};
use order::Order;
use patcher::Patcher;
use tables::Tables;

pub use drain::tell;
pub use heir::Heir;
pub use net_only::{ABOUT_SHOWN, WRITTEN_BESIDE};
pub use net_only::{ARCH_SET_GS, PR_GET_SECCOMP, PR_SET_SECCOMP, PR_SET_SYSCALL_USER_DISPATCH};
pub use remove::Parting;
pub use seat::Seat;
pub use signals::Fate;
pub use space::Space;

/// For calls that a guest with an agent makes for the supervisor.
const STUB: Stub =
    Stub { call: SYMBOLS.remote, batch: SYMBOLS.batch, batch_end: SYMBOLS.batch_end };

/// After so long without a record the supervisor sleeps until a guest stops.
const AWAKE: Duration = Duration::from_millis(20);
/// The time between two looks at the rings where they hold something, but not much.
const PERIOD: Duration = Duration::from_millis(1);
/// The same where they have held next to nothing for [`QUIET`]: programs that compute make a call now
/// and then. A ring that is full meanwhile stops its thread, which is a look as well.
const LONG_PERIOD: Duration = Duration::from_millis(4);
/// How long the rings hold next to nothing before they are looked at less often.
const QUIET: Duration = Duration::from_millis(10);
/// No more halves than that are next to nothing.
const FEW: usize = 16;
/// Rings that held so many halves are looked at again at once.
const MANY: usize = 256;

/// What a session knows of its agents.
#[derive(Debug)]
pub struct Agent {
    tables: Tables,
    /// The same, as they are mapped into each guest: made for the first one.
    mapped_tables: OnceCell<Vec<u8>>,
    layout: Layout,
    order: Order,
    patcher: Patcher,
    actions: Actions,
    /// Agents do not change paths of calls themselves any more.
    asks_paths: bool,
    /// It has come into a program.
    came: bool,
    /// They note what they let guests open.
    notes_opened: bool,
    /// Rings may hold something.
    records: bool,
    /// The filter stops `mmap(2)`.
    mmap_stops: bool,
    looked: Looked,
    /// Very much waits to be told.
    behind: bool,
    /// When a ring last held something.
    last_record: Instant,
    /// When the rings last held more than next to nothing.
    last_much: Instant,
    /// Ends a wait for guests when it is time to look at the rings.
    ticker: Option<Ticker>,
    /// The rings are full enough to be looked at again at once.
    busy: bool,
    watch: Watch,
}

/// How the supervisor learns that a ring holds something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Watch {
    /// It looks at each tick.
    Awake,
    /// Every guest has been asked to stop at its next call, and it looks once more.
    FallingAsleep,
    /// It waits for a guest to stop.
    Asleep,
}

impl Agent {
    /// The agent for a session with these options. Claimed calls are left to the net, but for those
    /// that are always answered in the same way, and for those whose paths it can change itself.
    pub fn new(
        options: &Options,
        claimed: &CallSet,
        constants: &[(u64, Reply)],
        redirection: Option<&Redirection>,
    ) -> Agent {
        let mut tables = Tables::new(&options.calls, &options.stopping, options.limits);
        if options.mechanism == Mechanism::Dispatch {
            tables.leave(LEFT_UNDER_DISPATCH.number.into());
        } else {
            tables.drop_first_condition(FIRST_UNDER_DISPATCH.number.into());
        }
        if options.shown_beside == ShownBeside::Nothing {
            ABOUT_SHOWN.iter().for_each(|id| tables.drop_first_condition(id.number.into()));
        }
        if options.fds.paths {
            tables.name_descriptors();
        }
        if options.cpu_time {
            tables.measure_cpu_time();
        }
        let redirected =
            redirection.map_or(CallSet::NONE, |rules| tables.redirect(rules, &options.calls));
        let left = claimed.intersection(redirected.complement());
        x86_64::numbers()
            .map(u64::from)
            .filter(|number| left.contains(*number))
            .for_each(|number| tables.leave(number));
        constants.iter().for_each(|(number, reply)| tables.answer(*number, *reply));
        let started = kernel::clock::pair();
        Agent {
            mapped_tables: OnceCell::new(),
            layout: Layout { ring_len: options.ring_len.into() },
            records: tables.record(),
            tables,
            order: Order::new(started, options.call_limit),
            patcher: Patcher::new(options.site_cache.clone()),
            actions: Actions::default(),
            asks_paths: false,
            notes_opened: redirection.is_some_and(|rules| !rules.aliases.is_empty()),
            came: false,
            mmap_stops: options.calls.union(*claimed).contains(x86_64::MMAP.number.into()),
            looked: Looked::never(),
            behind: false,
            last_record: Instant::now(),
            last_much: Instant::now(),
            ticker: None,
            busy: false,
            watch: Watch::Asleep,
        }
    }

    /// A process has just been made by us, and is about to become a program.
    pub fn launched(&mut self, process: Pid) {
        self.actions.launched(process);
    }

    fn mapped_tables(&self) -> &[u8] {
        self.mapped_tables.get_or_init(|| self.tables.bytes(self.layout.ring_len as u32))
    }

    /// Whether its ticker ends each wait for guests before long.
    pub fn ticks(&self) -> bool {
        self.watch == Watch::Awake && self.ticker.is_some()
    }

    /// Keeps what was learned of files.
    pub fn save(&mut self) {
        self.patcher.save();
    }
}
