//! The supervisor steps aside: a guest whose calls do not stop is not to wait for who tells of them.
//!
//! Where an agent records calls, the two do run at the same time. The kernel leaves the supervisor where it
//! slept last, and that is often where the guest is: a program begins on the supervisor's processor. So
//! now and then it is looked where guests run, and if one does where the supervisor does, that moves to a
//! processor on which none of them runs. It is not kept there: who is busy there may be somebody else,
//! and the kernel knows better. Each step makes the next one rarer.

use std::io;

use contract::Tid;
use kernel::clock;
use kernel::placement::{Cpus, current_cpu};
use kernel::proc;

/// So long, in nanoseconds, lies between the first looks.
const PERIOD: u64 = 10_000_000;
/// Each step makes that so many times as long.
const RARER: u64 = 4;

/// When the supervisor looks where it is.
#[derive(Debug)]
pub struct Aside {
    /// When it looked last: `CLOCK_MONOTONIC`, nanoseconds.
    looked: u64,
    /// How long to wait for the next look, in nanoseconds.
    period: u64,
}

impl Default for Aside {
    fn default() -> Aside {
        Aside { looked: 0, period: PERIOD }
    }
}

impl Aside {
    /// The supervisor, which is the caller, tells of calls, and these guests may run meanwhile. Whether it
    /// was moved. Fails where it cannot go everywhere any more.
    pub fn step(&mut self, guests: impl Iterator<Item = Tid>) -> io::Result<bool> {
        let now = clock::monotonic();
        if now.saturating_sub(self.looked) < self.period {
            return Ok(false);
        }
        self.looked = now;
        let taken: Vec<usize> = guests.filter_map(|tid| proc::running_on(tid.0)).collect();
        let Some(here) = current_cpu().filter(|cpu| taken.contains(cpu)) else { return Ok(false) };
        let all = Cpus::of(0)?;
        let free = all.list().into_iter().find(|cpu| *cpu != here && !taken.contains(cpu));
        let Some(free) = free else { return Ok(false) };
        Cpus::only(free).confine(0)?;
        self.period = self.period.saturating_mul(RARER);
        all.confine(0)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use kernel::placement::current_tid;

    use super::*;

    #[test]
    fn whoever_steps_aside_may_run_where_it_could() {
        let before = Cpus::of(0).unwrap();
        if before.count() < 2 {
            return println!("skipped: there is one processor only");
        }
        // The one that runs here is this thread.
        let here = Tid(current_tid());
        assert!(proc::running_on(here.0).is_some());
        let mut aside = Aside::default();
        assert!(aside.step([here].into_iter()).unwrap());
        assert!(Cpus::of(0).unwrap() == before);
        // It was just now.
        assert!(!aside.step([here].into_iter()).unwrap());
    }
}
