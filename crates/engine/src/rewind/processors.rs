//! On which processors a program runs: it may share one with us, as long as it does not ask.

use kernel::placement::Cpus;

use super::Guest;

impl Guest {
    /// Has a program of one thread run on this processor only, where the caller shall run as well: the two never run at the
    /// same time, and each change from one to the other is cheaper there. When it asks on which it may run
    /// (`sched_getaffinity(2)`) it has all back, for good. Whether it shares it.
    pub fn share_processor(&mut self, cpu: usize) -> bool {
        if self.tasks() != 1 || self.has_asked_for_processors {
            return false;
        }
        let Ok(all) = Cpus::of(self.pid) else { return false };
        if Cpus::only(cpu).confine(self.pid).is_err() {
            return false;
        }
        self.processors = Some(all);
        true
    }

    /// It is about to be told on which processors it may run.
    pub(super) fn give_processors_back(&mut self) {
        self.has_asked_for_processors = true;
        if let Some(all) = self.processors.take() {
            for tid in self.threads.keys() {
                // One that is gone needs none.
                let _ = all.confine(*tid);
            }
        }
    }
}
