//! Changes that were collected and are not served yet.

use std::collections::VecDeque;

use kernel::wait::{Change, Stop, What};

/// How many changes of ordinary threads are served before the kernel is asked again whether an
/// urgent one has come. Where no more are waiting all are served in the order in which they came.
const SHARE: usize = 16;

/// Collected changes, oldest first.
///
/// Those of one thread stay in order: whether it is urgent does not change while one of its
/// changes waits here.
#[derive(Debug, Default)]
pub struct Queue {
    urgent: VecDeque<Waiting>,
    others: VecDeque<Waiting>,
    /// How many changes have come so far.
    arrived: u64,
}

/// A change, and the how manieth it was.
#[derive(Debug)]
struct Waiting {
    place: u64,
    change: Change,
}

impl Queue {
    /// Adds what the kernel has just reported.
    pub fn push(&mut self, change: Change, urgent: bool) {
        if matches!(change.what, What::Stopped(_, Stop::Exec)) {
            // Whatever stop this id had reported, its thread died there and another one goes by
            // the id now: a request would be answered by, and would resume, the wrong one.
            self.urgent.retain(|earlier| earlier.change.tid != change.tid);
            self.others.retain(|earlier| earlier.change.tid != change.tid);
        }
        self.arrived += 1;
        let waiting = Waiting { place: self.arrived, change };
        if urgent { self.urgent.push_back(waiting) } else { self.others.push_back(waiting) }
    }

    /// Moves to `batch` what is to be served before the kernel is asked again: where many wait all
    /// changes of urgent threads, then the oldest of the others.
    pub fn take(&mut self, batch: &mut Vec<Change>) {
        if self.len() <= SHARE {
            while let Some(waiting) = self.first() {
                batch.push(waiting.change);
            }
            return;
        }
        let share = self.others.len().min(SHARE);
        let taken = self.urgent.drain(..).chain(self.others.drain(..share));
        batch.extend(taken.map(|waiting| waiting.change));
    }

    /// Takes what has come first.
    fn first(&mut self) -> Option<Waiting> {
        let place = |queue: &VecDeque<Waiting>| queue.front().map_or(u64::MAX, |first| first.place);
        if place(&self.urgent) < place(&self.others) {
            self.urgent.pop_front()
        } else {
            self.others.pop_front()
        }
    }

    /// Whether a change of this thread waits.
    pub fn has(&self, tid: i32) -> bool {
        self.urgent.iter().chain(&self.others).any(|waiting| waiting.change.tid == tid)
    }

    /// How many changes there are.
    pub fn len(&self) -> usize {
        self.urgent.len() + self.others.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(tid: i32, status: i32) -> Change {
        Change { tid, system_time: 0, faults: 0, what: What::Exited(status) }
    }

    fn take(queue: &mut Queue) -> Vec<i32> {
        let mut batch = Vec::new();
        queue.take(&mut batch);
        batch.iter().map(|change| change.tid).collect()
    }

    #[test]
    fn few_changes_are_served_in_the_order_in_which_they_came() {
        let mut queue = Queue::default();
        for tid in 0..SHARE as i32 {
            queue.push(change(tid, 0), tid % 3 == 1);
        }
        assert_eq!(take(&mut queue), Vec::from_iter(0..SHARE as i32));
        assert!(queue.is_empty());
    }

    #[test]
    fn the_urgent_overtake_the_many_and_the_many_keep_their_turn() {
        let mut queue = Queue::default();
        for tid in 0..99 {
            queue.push(change(tid, 0), false);
        }
        let mut served = Vec::new();
        // Urgent ones come all the time, and every other one is served all the same.
        while !queue.is_empty() {
            queue.push(change(99, 0), true);
            let many = queue.len() > SHARE;
            let batch = take(&mut queue);
            assert_eq!(many, batch[0] == 99);
            assert!(batch.len() <= 1 + SHARE);
            served.extend(batch.into_iter().filter(|tid| *tid != 99));
        }
        assert_eq!(served, Vec::from_iter(0..99));
    }
}
