//! Guests that run in turn, all on the supervisor's processor.
//!
//! A shell that runs programs, and each of these: they stop one after the other, and never run at the
//! same time. What a binding to one processor gives to a guest that makes all the stops, it gives to
//! them together. What they make is bound with its maker; they are let go together.

/// So many stops between two looks.
const LOOK: u32 = 16;
/// If they took longer, in nanoseconds, the wake-ups are not what guests wait for.
const LOOK_TIME: u64 = 8_000_000;
/// So many looks in a row that find another guest running end a binding: one that has just made a
/// child runs beside it for a moment.
const STRIKES: u32 = 4;
/// After a binding that was ended so, this many times as many quiet looks begin the next.
const CAUTION: u32 = 4;
/// No more than so many.
const MOST_CAUTION: u32 = 256;
/// So many quiet looks within a binding show that it was right.
const PROOF: u32 = 16;

/// Decides when all guests are bound, and when they are let go.
#[derive(Debug)]
pub struct Serial {
    /// Stops since the last look.
    stops: u32,
    /// When that was: `CLOCK_MONOTONIC`, nanoseconds.
    since: u64,
    /// Looks in a row that found no other guest running.
    quiet: u32,
    /// Looks in a row, within a binding, that did.
    strikes: u32,
    /// So many quiet looks begin a binding.
    caution: u32,
}

/// What is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Nothing.
    Stay,
    /// All guests are to be bound.
    Bind,
    /// They are to be let go.
    Release,
}

impl Default for Serial {
    fn default() -> Serial {
        Serial { stops: 0, since: 0, quiet: 0, strikes: 0, caution: 1 }
    }
}

impl Serial {
    /// A guest has stopped. Whether it is time to look if others run.
    pub fn stopped(&mut self, now: impl FnOnce() -> u64) -> bool {
        self.stops += 1;
        if self.stops < LOOK {
            return false;
        }
        let now = now();
        let is_quick = now - self.since <= LOOK_TIME;
        (self.stops, self.since) = (0, now);
        if !is_quick {
            self.quiet = 0;
        }
        is_quick
    }

    /// That was looked at.
    pub fn looked(&mut self, is_bound: bool, others_run: bool) -> Step {
        self.quiet = if others_run { 0 } else { self.quiet + 1 };
        if !is_bound {
            self.strikes = 0;
            let step = if self.quiet >= self.caution { Step::Bind } else { Step::Stay };
            if step == Step::Bind {
                self.quiet = 0;
            }
            return step;
        }
        if self.quiet >= PROOF {
            self.caution = 1;
        }
        self.strikes = if others_run { self.strikes + 1 } else { 0 };
        if self.strikes < STRIKES {
            return Step::Stay;
        }
        self.caution = (self.caution * CAUTION).min(MOST_CAUTION);
        Step::Release
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks until one has this outcome: how many that took.
    fn looks(serial: &mut Serial, is_bound: bool, others_run: bool, outcome: Step) -> u32 {
        (1..=2 * MOST_CAUTION)
            .find(|_| serial.looked(is_bound, others_run) == outcome)
            .expect("it comes")
    }

    #[test]
    fn quick_stops_are_looked_at_and_slow_ones_are_not() {
        let mut serial = Serial::default();
        let mut clock = 1 << 40;
        let mut at = |step: u64| {
            (0..LOOK)
                .filter(|_| {
                    clock += step;
                    serial.stopped(|| clock)
                })
                .count()
        };
        assert_eq!(at(1000), 0, "it is not known since when");
        assert_eq!(at(1000), 1);
        assert_eq!(at(LOOK_TIME), 0);
        assert_eq!(at(1000), 1);
    }

    #[test]
    fn who_had_to_be_let_go_is_bound_later_and_later() {
        let mut serial = Serial::default();
        assert_eq!(looks(&mut serial, false, false, Step::Bind), 1);
        assert_eq!(looks(&mut serial, true, true, Step::Release), STRIKES);
        assert_eq!(looks(&mut serial, false, false, Step::Bind), CAUTION);
        assert_eq!(looks(&mut serial, true, true, Step::Release), STRIKES);
        assert_eq!(looks(&mut serial, false, false, Step::Bind), CAUTION * CAUTION);
        for _ in 0..PROOF {
            assert_eq!(serial.looked(true, false), Step::Stay);
        }
        assert_eq!(looks(&mut serial, true, true, Step::Release), STRIKES);
        assert_eq!(looks(&mut serial, false, false, Step::Bind), CAUTION, "it had been right");
    }

    #[test]
    fn one_that_runs_for_a_moment_ends_nothing() {
        let mut serial = Serial::default();
        for look in 0..100 {
            assert_eq!(serial.looked(true, look % STRIKES != 0), Step::Stay);
        }
    }
}
