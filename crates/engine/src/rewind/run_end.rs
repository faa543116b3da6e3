//! How a run ends.

use std::fmt::{self, Display};

use kernel::wait::What;

/// How a run has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The program has exited with this status, 0 to 255.
    Exited(i32),
    /// This signal would have killed it.
    Killed(i32),
    /// It took longer than it was given.
    TimedOut,
    /// This signal has asked the supervisor to stop.
    Interrupted(i32),
}

impl End {
    /// What becomes of a process tells this.
    pub(super) fn of(what: &What) -> End {
        match what {
            What::Killed { signal, .. } => End::Killed(*signal),
            What::Exited(status) => End::Exited(*status),
            What::Stopped(..) => End::TimedOut,
        }
    }
}

impl Display for End {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Exited(status) => write!(out, "status {status}"),
            End::Killed(signal) => match table::signal::name(*signal as u32) {
                Some(name) => write!(out, "killed by {name}"),
                None => write!(out, "killed by signal {signal}"),
            },
            End::TimedOut => out.write_str("out of time"),
            End::Interrupted(_) => out.write_str("interrupted"),
        }
    }
}
