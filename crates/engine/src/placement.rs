//! Where the supervisor runs: beside the guest thread that keeps it busy.
//!
//! A stop is two wake-ups, and waking a thread on another processor costs about twice as much as on
//! one's own. Left alone, the kernel puts supervisor and guest on different processors, since at
//! each wake-up the other one looks idle; yet they never run at the same time. So while one thread
//! makes all the stops, the supervisor confines itself to the processor on which that thread runs,
//! and follows it. With several busy threads it goes where the kernel puts it. The guest's own
//! affinity is never touched: it could see that.

use kernel::placement::Cpus;
use kernel::proc;
use kernel::wait::Change;

/// Rounds of one thread alone before the supervisor moves to it.
const PATIENCE: u32 = 32;
/// Rounds after which to look again where that thread runs.
const INTERVAL: u32 = 512;

/// Keeps the supervisor where waking it costs least.
#[derive(Debug)]
pub struct Placement {
    /// Where the supervisor may run at all, if there is a choice.
    home: Option<Cpus>,
    /// The processor to which it has confined itself.
    confined: Option<u32>,
    streak: Streak,
}

/// How many rounds in a row one thread was alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Streak {
    tid: i32,
    rounds: u32,
}

/// What to do about the placement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Advice {
    Stay,
    /// Go where this thread runs.
    Follow(i32),
    /// Run where the kernel likes.
    Roam,
}

impl Streak {
    /// Takes the next round's changes into account.
    fn next(&mut self, mut tids: impl Iterator<Item = i32>) -> Advice {
        match (tids.next(), tids.next()) {
            (Some(tid), None) if tid == self.tid => self.rounds = self.rounds.wrapping_add(1),
            (Some(tid), None) => *self = Streak { tid, rounds: 0 },
            _ => *self = Streak::default(),
        }
        match self.rounds {
            0 => Advice::Roam,
            rounds if rounds % INTERVAL == PATIENCE => Advice::Follow(self.tid),
            _ => Advice::Stay,
        }
    }
}

impl Placement {
    /// Begins where the supervisor is.
    pub fn new() -> Placement {
        let home = Cpus::of_this_thread().ok().filter(|cpus| cpus.count() > 1);
        Placement { home, confined: None, streak: Streak::default() }
    }

    /// Moves, if this round's changes suggest it. Failing to costs nothing but time.
    pub fn adapt(&mut self, changes: &[Change]) {
        let Some(home) = &self.home else { return };
        match self.streak.next(changes.iter().map(|change| change.tid)) {
            Advice::Stay => {}
            Advice::Roam => {
                if self.confined.take().is_some() {
                    let _ = home.confine_this_thread();
                }
            }
            Advice::Follow(tid) => {
                let cpu = proc::last_cpu(tid).ok();
                if cpu.is_some() && cpu != self.confined {
                    self.confined = cpu;
                    let _ = cpu.map(|cpu| Cpus::only(cpu as usize).confine_this_thread());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_followed_once_it_was_alone_for_long_enough() {
        let mut streak = Streak::default();
        let advice: Vec<_> =
            (0..=INTERVAL + PATIENCE).map(|_| streak.next([7].into_iter())).collect();
        let follows: Vec<_> =
            (0..advice.len()).filter(|&round| advice[round] == Advice::Follow(7)).collect();
        assert_eq!(follows, [PATIENCE as usize, (INTERVAL + PATIENCE) as usize]);
    }

    #[test]
    fn company_ends_it_at_once() {
        let mut streak = Streak { tid: 7, rounds: 100 };
        assert_eq!(streak.next([7, 8].into_iter()), Advice::Roam);
        let mut streak = Streak { tid: 7, rounds: 100 };
        assert_eq!(streak.next([8].into_iter()), Advice::Roam);
    }
}
