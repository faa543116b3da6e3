//! On which processors threads may run.

use std::io;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use libc::pid_t;

use crate::toll;

/// A set of processors (`sched_setaffinity(2)`).
#[derive(Clone, Copy, Debug)]
pub struct Cpus(libc::cpu_set_t);

impl Cpus {
    /// The set of this one.
    pub fn only(cpu: usize) -> Cpus {
        let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed();
        // SAFETY: all zeroes is the empty set. `CPU_SET` writes within it: it checks the bound.
        unsafe {
            libc::CPU_SET(cpu.min(libc::CPU_SETSIZE as usize - 1), set.assume_init_mut());
            Cpus(set.assume_init())
        }
    }

    /// Where this thread may run now; 0 is the calling one.
    pub fn of(tid: pid_t) -> io::Result<Cpus> {
        let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed();
        toll::count(toll::Kind::Other);
        // SAFETY: the kernel writes at most the size that it is given.
        let result =
            unsafe { libc::sched_getaffinity(tid, size_of::<libc::cpu_set_t>(), set.as_mut_ptr()) };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: all zeroes is the empty set, and the kernel wrote a set over it.
        Ok(Cpus(unsafe { set.assume_init() }))
    }

    /// What to give back of what somebody had: if that is everywhere, then also the processors which come
    /// online some day.
    pub fn with_those_to_come(self) -> Cpus {
        if self.count() == online() { Cpus::all() } else { self }
    }

    /// All that a set can hold, there or not.
    pub fn all() -> Cpus {
        let mut set = MaybeUninit::<libc::cpu_set_t>::uninit();
        // SAFETY: every bit pattern is a set.
        unsafe {
            set.as_mut_ptr().write_bytes(0xff, 1);
            Cpus(set.assume_init())
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        // SAFETY: only reads the set.
        unsafe { libc::CPU_COUNT(&self.0) as usize }
    }

    /// Their numbers, in order.
    pub fn list(&self) -> Vec<usize> {
        // SAFETY: `CPU_ISSET` reads within the set: the numbers are below its size.
        let has = |cpu: &usize| unsafe { libc::CPU_ISSET(*cpu, &self.0) };
        (0..libc::CPU_SETSIZE as usize).filter(has).collect()
    }

    /// Whether this processor is one of them.
    pub fn has(&self, cpu: usize) -> bool {
        // SAFETY: `CPU_ISSET` reads within the set: it checks the bound.
        cpu < libc::CPU_SETSIZE as usize && unsafe { libc::CPU_ISSET(cpu, &self.0) }
    }

    /// Lets a thread run on these only; 0 is the calling one. It is moved at once if it runs
    /// elsewhere.
    pub fn confine(&self, tid: pid_t) -> io::Result<()> {
        toll::count(toll::Kind::Other);
        // SAFETY: the kernel reads the set, which lives through the call.
        let result = unsafe { libc::sched_setaffinity(tid, size_of::<libc::cpu_set_t>(), &self.0) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

impl PartialEq for Cpus {
    fn eq(&self, other: &Cpus) -> bool {
        // SAFETY: only reads the sets.
        unsafe { libc::CPU_EQUAL(&self.0, &other.0) }
    }
}

/// How many processors were online when this was first asked: the C library reads a file for it.
fn online() -> usize {
    static ONLINE: OnceLock<usize> = OnceLock::new();
    // SAFETY: takes no memory of ours.
    let ask = || usize::try_from(unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) });
    *ONLINE.get_or_init(|| ask().unwrap_or(1))
}

/// The processor on which the calling thread runs now.
pub fn current_cpu() -> Option<usize> {
    // SAFETY: takes no memory.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// The calling thread's id.
pub fn current_tid() -> pid_t {
    // SAFETY: takes no memory, and cannot fail.
    unsafe { libc::gettid() }
}
