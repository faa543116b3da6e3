//! How much system CPU time a call takes.
//!
//! The clock of the thread's CPU time is read before and behind it: what the thread does in between is
//! the kernel's work. `ru_stime` of `getrusage(2)` would be a guess, which the kernel makes of what it
//! finds at ticks.

use super::slot::Slot;
use super::{Machine, is_error};
use crate::abi::slot;

/// `clock_gettime(2)`, and the clock.
pub(super) const CLOCK_GETTIME: u64 = 228;
const CLOCK_THREAD_CPUTIME_ID: u64 = 3;

/// Notes how much the thread has used before its call.
pub fn begin(machine: &impl Machine, slot: Slot) {
    slot.set_word(slot::USED, used(machine, slot).unwrap_or(0));
}

/// How much it has used since then, in nanoseconds.
pub fn spent(machine: &impl Machine, slot: Slot) -> u64 {
    used(machine, slot).map_or(0, |used| used.saturating_sub(slot.word(slot::USED)))
}

/// How much the thread has ever used, in nanoseconds.
fn used(machine: &impl Machine, slot: Slot) -> Option<u64> {
    let time = slot.address(slot::CPU_TIME);
    if is_error(machine.make(CLOCK_GETTIME, [CLOCK_THREAD_CPUTIME_ID, time, 0, 0])) {
        return None;
    }
    let [seconds, nanos] = [0, 8].map(|at| slot.word(slot::CPU_TIME + at));
    Some(seconds.wrapping_mul(1_000_000_000).wrapping_add(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest::testing::{Model, OwnedSlot};

    #[test]
    fn what_a_call_takes_is_what_is_used_behind_it_and_was_not_before() {
        let mut machine = Model::default();
        let mut owned = OwnedSlot::new();
        let slot = owned.slot();
        machine.cpu_time = [1, 999_999_999];
        begin(&machine, slot);
        machine.cpu_time = [2, 4];
        assert_eq!(spent(&machine, slot), 5);
        machine.result = -38i64 as u64;
        assert_eq!(spent(&machine, slot), 0);
        assert!(owned.is_whole());
    }
}
