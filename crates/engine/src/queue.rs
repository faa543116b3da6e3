//! Changes that were collected and are not served yet.

use std::collections::VecDeque;

use contract::Tid;
use kernel::wait::{Change, Stop, What};

/// How many changes of ordinary threads are served before the kernel is asked again whether an
/// urgent one has come.
const SHARE: usize = 16;

/// Collected changes, oldest first.
#[derive(Debug, Default)]
pub struct Queue {
    waiting: VecDeque<Change>,
}

impl Queue {
    /// Adds what the kernel has just reported.
    pub fn push(&mut self, change: Change) {
        if matches!(change.what, What::Stopped(_, Stop::Exec)) {
            // Whatever stop this id had reported, its thread died there and another one goes by
            // the id now: a request would be answered by, and would resume, the wrong one.
            self.waiting.retain(|earlier| earlier.tid != change.tid);
        }
        self.waiting.push_back(change);
    }

    /// Moves to `batch` what is to be served before the kernel is asked again: all changes of
    /// urgent threads first, then the oldest of the others. Those of one thread stay in order.
    pub fn take(&mut self, batch: &mut Vec<Change>, is_urgent: impl Fn(Tid) -> bool) {
        if self.waiting.len() > SHARE {
            for _ in 0..self.waiting.len() {
                let Some(change) = self.waiting.pop_front() else { break };
                if is_urgent(Tid(change.tid)) {
                    batch.push(change);
                } else {
                    self.waiting.push_back(change);
                }
            }
        }
        let share = self.waiting.len().min(SHARE);
        batch.extend(self.waiting.drain(..share));
    }

    /// How many changes there are.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(tid: i32, status: i32) -> Change {
        Change { tid, system_time: 0, what: What::Exited(status) }
    }

    fn take(queue: &mut Queue, urgent: i32) -> Vec<i32> {
        let mut batch = Vec::new();
        queue.take(&mut batch, |tid| tid.0 == urgent);
        batch.iter().map(|change| change.tid).collect()
    }

    #[test]
    fn few_changes_are_served_in_the_order_in_which_they_came() {
        let mut queue = Queue::default();
        for tid in 0..SHARE as i32 {
            queue.push(change(tid, 0));
        }
        assert_eq!(take(&mut queue, 9), Vec::from_iter(0..SHARE as i32));
        assert!(queue.is_empty());
    }

    #[test]
    fn the_urgent_overtake_the_many_and_the_many_keep_their_turn() {
        let mut queue = Queue::default();
        for tid in 0..100 {
            queue.push(change(tid, 0));
        }
        let mut served = take(&mut queue, 99);
        assert_eq!(served.len(), 1 + SHARE);
        assert_eq!(served.remove(0), 99);
        // Urgent ones come all the time, and every other one is served all the same.
        while !queue.is_empty() {
            queue.push(change(99, 0));
            let batch = take(&mut queue, 99);
            served.extend(batch.into_iter().filter(|tid| *tid != 99));
        }
        assert_eq!(served, Vec::from_iter(0..99));
    }

    #[test]
    fn changes_of_one_thread_stay_in_order() {
        let mut queue = Queue::default();
        for status in 0..100 {
            queue.push(change(status % 7, status));
        }
        let (mut batch, mut last) = (Vec::new(), [-1; 7]);
        while !queue.is_empty() {
            queue.take(&mut batch, |tid| tid.0 == 3);
        }
        for Change { tid, what, .. } in batch {
            let What::Exited(status) = what else { panic!("only ends were pushed") };
            assert!(last[tid as usize] < status);
            last[tid as usize] = status;
        }
    }
}
