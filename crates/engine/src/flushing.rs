//! What an observer keeps in a buffer is passed on before long, whatever the guests do meanwhile.

use std::time::Duration;

use kernel::clock;
use kernel::ticker::Ticker;

use crate::observer::Observer;
use crate::session::Session;

/// How long what an observer was told stays in its buffer at most, unless the supervisor is busy.
pub const LONGEST_WAIT: Duration = Duration::from_millis(40);
/// How often the end of a wait is asked for again once it is time.
const AGAIN: Duration = Duration::from_millis(1);

/// When to flush.
#[derive(Debug, Default)]
pub struct Flushing {
    /// `CLOCK_MONOTONIC`, nanoseconds; `None` while nothing waits.
    due: Option<u64>,
    /// Ends a wait for guests in time, where no other ticker does.
    ticker: Option<Ticker>,
}

impl Session {
    /// To be called before each wait for guests: flushes if it is time, or sees to it that the wait
    /// ends when it is.
    pub(crate) fn flush_in_time(&mut self, observer: &mut dyn Observer) {
        let flushing = &mut self.flushing;
        if !observer.is_waiting() {
            *flushing = Flushing::default();
            return;
        }
        let now = clock::monotonic();
        let due = *flushing.due.get_or_insert(now + LONGEST_WAIT.as_nanos() as u64);
        if due <= now {
            observer.flush();
            *flushing = Flushing::default();
            return;
        }
        let others_tick = self.agent.as_ref().is_some_and(|agent| agent.ticks());
        if others_tick || flushing.ticker.is_some() {
            return;
        }
        match Ticker::new() {
            Ok(mut ticker) => {
                ticker.set_first(Duration::from_nanos(due - now), AGAIN);
                flushing.ticker = Some(ticker);
            }
            // Nothing would end the wait.
            Err(_) => observer.flush(),
        }
    }
}
