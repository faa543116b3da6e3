//! Threads that are held up for a while. Others go on meanwhile: nobody sleeps for them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::time::Duration;

use contract::Tid;
use kernel::clock;
use kernel::ptrace::{Stopped, Tracee as Ptraced, is_gone};
use kernel::ticker::Ticker;
use kernel::wait::Stop;

use crate::Error;
use crate::observer::Observer;
use crate::session::Session;

/// How often the end of a wait is asked for again once somebody has been held up for long enough.
const AGAIN: Duration = Duration::from_millis(1);

/// When to let whom go on.
#[derive(Debug, Default)]
pub struct Delays {
    /// Until when, in nanoseconds of `CLOCK_MONOTONIC`.
    ends: BinaryHeap<Reverse<(u64, Tid)>>,
    /// Ends a wait for guests in time.
    ticker: Option<Ticker>,
}

/// A thread that is held up.
#[derive(Debug)]
pub struct Held {
    stopped: Ptraced<Stopped>,
    until: u64,
    then: Then,
}

/// How a thread goes on that was held up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    /// It stands before a call, at this stop.
    IntoCall(Stop),
    /// It stands behind a call, at this stop.
    BehindCall(Stop),
}

impl Delays {
    /// Whether a wait for guests would end in time.
    pub fn end_waits(&self) -> bool {
        self.ends.is_empty() || self.ticker.is_some()
    }

    fn add(&mut self, until: u64, tid: Tid) {
        self.ends.push(Reverse((until, tid)));
        self.set_ticker();
    }

    /// The next thread whose time has come.
    fn take_due(&mut self, now: u64) -> Option<(u64, Tid)> {
        let Reverse(first) = *self.ends.peek()?;
        if first.0 > now {
            return None;
        }
        self.ends.pop();
        self.set_ticker();
        Some(first)
    }

    fn set_ticker(&mut self) {
        let Some(Reverse((until, _))) = self.ends.peek() else {
            self.ticker = None;
            return;
        };
        let left = Duration::from_nanos(until.saturating_sub(clock::monotonic()));
        if self.ticker.is_none() {
            self.ticker = Ticker::new().ok();
        }
        if let Some(ticker) = &mut self.ticker {
            ticker.set_first(left, AGAIN);
        }
    }
}

impl Session {
    /// Holds a stopped thread up for so long; not if the guests are being let go.
    pub(crate) fn hold(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        delay: Duration,
        then: Then,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        if self.is_ending() {
            return self.go_on_then(tid, stopped, then, observer);
        }
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let delay = u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
        let until = clock::monotonic().saturating_add(delay);
        tracee.held = Some(Held { stopped, until, then });
        self.log(format_args!("delay: {tid} for {delay} ns"));
        self.delays.add(until, tid);
        Ok(())
    }

    /// Lets those go on whose time has come; all of them, if the guests are being let go.
    pub(crate) fn end_delays(&mut self, observer: &mut dyn Observer) -> Result<(), Error> {
        let now = if self.is_ending() { u64::MAX } else { clock::monotonic() };
        while let Some((until, tid)) = self.delays.take_due(now) {
            let Some(tracee) = self.tracees.get_mut(tid) else { continue };
            let Some(held) = tracee.held.take_if(|held| held.until == until) else { continue };
            let result = self.leave_hold(tid, held, observer);
            match result {
                // Killed while it was held up; its end is still to be reported.
                Err(error) if is_gone(&error) => {}
                result => result.map_err(|source| Error::Request { tid, source })?,
            }
        }
        Ok(())
    }

    fn leave_hold(&mut self, tid: Tid, held: Held, observer: &mut dyn Observer) -> io::Result<()> {
        if self.leaving {
            held.stopped.interrupt_when_resumed()?;
        }
        self.go_on_then(tid, held.stopped, held.then, observer)
    }

    fn go_on_then(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        then: Then,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        match then {
            Then::IntoCall(at) => self.enter_as_decided(tid, stopped, at, observer),
            Then::BehindCall(stop) => self.after_net_call(tid, stopped, stop),
        }
    }

    /// Whether the guests are being let go, or are to end.
    fn is_ending(&self) -> bool {
        self.leaving || self.end.interrupted.is_some()
    }
}
