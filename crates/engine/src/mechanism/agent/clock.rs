//! Times of the agent: from the processor's counter to nanoseconds of `CLOCK_MONOTONIC`.
//!
//! The agent stamps what it records with the time stamp counter, which costs less than a clock. At
//! each drain both are read together. Between two such pairs time is interpolated; before and
//! behind them the line through them goes on.

use kernel::clock::Pair;

/// Digits of [`Clock::rate`] behind the binary point: what is lost in 2³¹ ticks is half a nanosecond.
const FRACTION: u32 = 32;
/// The fastest rate, in nanoseconds a tick: with it, no product overflows.
const FASTEST: u128 = 1 << 30;

/// Converts times of the agent.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    last: Pair,
    /// Nanoseconds a tick between the last two pairs, as a fixed-point number: a product and a
    /// shift for each time, instead of a division.
    rate: u64,
    /// The latest time that was told.
    told: Pair,
}

impl Clock {
    /// A clock that has been seen twice, some milliseconds apart: the longer, the truer.
    pub fn new(before: Pair, last: Pair) -> Clock {
        let mut clock = Clock { last: before, rate: 0, told: Pair::default() };
        clock.note(last);
        clock
    }

    /// Notes another pair. One in which either has not gone on tells nothing and is ignored.
    pub fn note(&mut self, pair: Pair) {
        if pair.tsc > self.last.tsc && pair.nanoseconds > self.last.nanoseconds {
            let time = u128::from(pair.nanoseconds - self.last.nanoseconds);
            let ticks = u128::from(pair.tsc - self.last.tsc);
            self.rate = ((time << FRACTION) / ticks).min(FASTEST << FRACTION) as u64;
            self.last = pair;
        }
    }

    /// Nanoseconds of `CLOCK_MONOTONIC` when the counter was `tsc`. A counter later than all that
    /// were asked for before gives no earlier time than they did.
    pub fn nanoseconds(&mut self, tsc: u64) -> u64 {
        let nanoseconds = self.on_line(tsc);
        if tsc < self.told.tsc {
            return nanoseconds;
        }
        self.told = Pair { tsc, nanoseconds: nanoseconds.max(self.told.nanoseconds) };
        self.told.nanoseconds
    }

    /// So many nanoseconds in ticks of the counter.
    pub fn ticks(&self, nanoseconds: u64) -> u64 {
        let ticks = (u128::from(nanoseconds) << FRACTION) / u128::from(self.rate.max(1));
        ticks.min(u64::MAX.into()) as u64
    }

    /// What the counter was at this time, in nanoseconds.
    pub fn tsc(&self, nanoseconds: u64) -> u64 {
        let since = i128::from(nanoseconds) - i128::from(self.last.nanoseconds);
        let ticks = (since << FRACTION) / i128::from(self.rate.max(1));
        (i128::from(self.last.tsc) + ticks).clamp(0, u64::MAX.into()) as u64
    }

    /// Nanoseconds when the counter was `tsc`, whatever was asked for before.
    pub fn on_line(&self, tsc: u64) -> u64 {
        const HALF: i128 = 1 << (FRACTION - 1);
        let since = i128::from(tsc) - i128::from(self.last.tsc);
        let passed = (since * i128::from(self.rate) + HALF) >> FRACTION;
        let nanoseconds = i128::from(self.last.nanoseconds) + passed;
        nanoseconds.clamp(0, u64::MAX.into()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(tsc: u64, nanoseconds: u64) -> Pair {
        Pair { tsc, nanoseconds }
    }

    #[test]
    fn time_is_linear_between_pairs_and_beyond() {
        // 2.5 GHz, from far away: products of such numbers need more than 64 bits.
        const TSC: u64 = 1 << 60;
        const TIME: u64 = 1 << 59;
        let second = pair(TSC + 2_500_000_000, TIME + 1_000_000_000);
        let mut clock = Clock::new(pair(TSC, TIME), second);
        assert_eq!(clock.nanoseconds(TSC), TIME);
        assert_eq!(clock.nanoseconds(TSC + 25), TIME + 10);
        assert_eq!(clock.nanoseconds(second.tsc), second.nanoseconds);
        assert_eq!(clock.nanoseconds(second.tsc + 50), second.nanoseconds + 20);
        assert_eq!(clock.nanoseconds(TSC - 250), TIME - 100);
        assert_eq!(clock.ticks(2_000_000), 5_000_000);
        assert_eq!(clock.tsc(second.nanoseconds + 20), second.tsc + 50);
        assert_eq!(clock.tsc(TIME - 100), TSC - 250);
        assert_eq!(Clock::new(pair(1000, 100), pair(2000, 1100)).nanoseconds(0), 0);
        assert!(clock.nanoseconds(u64::MAX) > second.nanoseconds);
    }

    #[test]
    fn the_last_two_pairs_count() {
        let mut clock = Clock::new(pair(1000, 1000), pair(2000, 2000));
        clock.note(pair(3000, 2500));
        assert_eq!(clock.nanoseconds(2500), 2250);
        assert_eq!(clock.nanoseconds(4000), 3000);
        assert_eq!(clock.nanoseconds(3000), 2500);
    }

    #[test]
    fn a_later_counter_is_never_an_earlier_time() {
        let mut clock = Clock::new(pair(10_000, 70_000), pair(13_001, 71_000));
        let mut times: Vec<u64> = (9_000..14_000).map(|tsc| clock.nanoseconds(tsc)).collect();
        // The clock turns out to be slower than it seemed.
        clock.note(pair(14_000, 71_001));
        times.extend((14_000..20_000).map(|tsc| clock.nanoseconds(tsc)));
        assert!(times.is_sorted());
    }

    #[test]
    fn pairs_that_do_not_go_on_tell_nothing() {
        let mut clock = Clock::new(pair(1000, 5000), pair(2000, 6000));
        for stale in [pair(2000, 7000), pair(3000, 6000), pair(1500, 5500), pair(0, 0)] {
            clock.note(stale);
            assert_eq!(clock.nanoseconds(2500), 6500);
        }
        let mut still = Clock::new(pair(1000, 5000), pair(1000, 5000));
        assert_eq!(still.nanoseconds(9999), 5000);
    }
}
