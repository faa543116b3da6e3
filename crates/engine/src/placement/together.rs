//! A guest with an agent, at the few calls that stop it twice, and while it makes calls for the
//! supervisor: between the two stops it runs on the supervisor's processor. So does one that is
//! started, until its program begins.
//!
//! It executes nothing of its own there. It has its processors back before it does, so that it can
//! learn nothing of it, and to hand on; should the supervisor die meanwhile, the guest dies with it.

use contract::Tid;
use kernel::guardian::{give_back, give_back_stopped};
use kernel::placement::{Cpus, current_cpu, current_tid};
use table::Id;
use table::arch::x86_64::*;

/// Calls that are over soon and tell nothing of processors. After an exec the agent comes in.
const QUICK: [Id; 17] = [
    ACCESS,
    BRK,
    CLOSE,
    EXECVE,
    EXECVEAT,
    FACCESSAT,
    FSTAT,
    MADVISE,
    MMAP,
    MPROTECT,
    MUNMAP,
    NEWFSTATAT,
    OPENAT,
    PRLIMIT64,
    RT_SIGACTION,
    RT_SIGPROCMASK,
    STAT,
];

/// A stopped guest thread that may run on the supervisor's processor only, as long as this lives.
#[derive(Debug)]
pub struct Together {
    tid: Tid,
    bound: Cpus,
    before: Cpus,
    /// The supervisor's thread, if it is kept there too, and where it could run.
    supervisor: Option<(i32, Cpus)>,
}

impl Together {
    /// Binds a thread that is about to make this call, if it is one of the quick.
    pub fn in_call(tid: Tid, number: u64) -> Option<Together> {
        if QUICK.iter().any(|id| u64::from(id.number) == number) {
            Together::begin(tid)
        } else {
            None
        }
    }

    /// Binds a thread; `None` where that cannot be, or gives nothing.
    pub fn begin(tid: Tid) -> Option<Together> {
        let before = Cpus::of(tid.0).ok()?;
        let is_free = before.count() > 1;
        let here = current_cpu().filter(|cpu| is_free && before.has(*cpu))?;
        let bound = Cpus::only(here);
        bound.confine(tid.0).ok()?;
        Some(Together { tid, bound, before, supervisor: None })
    }

    /// The same, and the supervisor, which is the caller, stays there.
    pub fn begin_both(tid: Tid) -> Option<Together> {
        let mut together = Together::begin(tid)?;
        let before = Cpus::of(0).ok()?;
        together.supervisor = together.bound.confine(0).is_ok().then(|| (current_tid(), before));
        Some(together)
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        give_back_stopped(self.tid.0, &self.bound, &self.before);
        if let Some((supervisor, before)) = &self.supervisor {
            give_back(*supervisor, &self.bound, before);
        }
    }
}
