//! The binding of all guests together, which the supervisor itself looks after: a ticker ends its waits.

use std::io;

use contract::Tid;
use kernel::clock;
use kernel::ticker::Ticker;

use super::binding::{Answer, Bindings, PERIOD};

/// Binds all guests. They end with the supervisor: nobody else has to give them their processors back.
#[derive(Debug)]
pub struct Turns {
    bindings: Bindings,
    ticker: Ticker,
    /// Stops of the bound guests since it was looked last.
    stops: u32,
    /// When that was: `CLOCK_MONOTONIC`, nanoseconds.
    since: u64,
}

impl Turns {
    /// Nobody is bound yet; to be called from the supervisor's thread. Fails where nobody can be bound.
    pub fn new() -> io::Result<Turns> {
        Ok(Turns { bindings: Bindings::new()?, ticker: Ticker::new()?, stops: 0, since: 0 })
    }

    /// Whether anybody is bound now.
    pub fn is_bound(&self) -> bool {
        self.bindings.is_bound()
    }

    /// Counts a stop of a bound guest.
    pub fn stopped(&mut self) {
        self.stops += 1;
    }

    /// Binds guests, of which none runs, to the processor on which the caller, their supervisor, runs.
    pub fn bind(&mut self, tids: &[Tid]) -> Answer {
        let answer = self.bindings.bind(tids, None);
        if answer == Answer::Bound {
            (self.stops, self.since) = (0, clock::monotonic());
            self.ticker.set(Some(PERIOD));
        }
        answer
    }

    /// A wait for guests was ended by a tick, maybe: lets go of guests that make few stops.
    pub fn ticked(&mut self) {
        let now = clock::monotonic();
        let period = PERIOD.as_nanos() as u64;
        // Rounded: a tick that is served faster than the one before comes before a period is over.
        let periods = (now - self.since + period / 2) / period;
        // Ticks that came while no wait was to be ended are not heard of.
        let periods = u32::try_from(periods).unwrap_or(u32::MAX);
        let Some(stops) = self.stops.checked_div(periods) else { return };
        (self.stops, self.since) = (0, now);
        if self.bindings.look(stops) {
            self.release();
        }
    }

    /// A guest has made another, which begins where its maker was then.
    pub fn born(&mut self, maker: Tid, child: Tid) {
        self.bindings.born(maker, child);
    }

    /// A guest has ended.
    pub fn ended(&mut self, tid: Tid) {
        self.bindings.ended(tid);
    }

    /// Gives the bound guests their processors back.
    pub fn release(&mut self) {
        self.ticker.set(None);
        self.bindings.release();
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        self.bindings.release();
    }
}
