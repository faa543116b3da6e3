//! On which processors the supervisor may run.

use std::io;
use std::mem::MaybeUninit;

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

    /// Where the calling thread may run now.
    pub fn of_this_thread() -> io::Result<Cpus> {
        let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed();
        // SAFETY: the kernel writes at most the size that it is given.
        let result =
            unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), set.as_mut_ptr()) };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: all zeroes is the empty set, and the kernel wrote a set over it.
        Ok(Cpus(unsafe { set.assume_init() }))
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

    /// Lets the calling thread run on these only. Moves it at once if it runs elsewhere.
    pub fn confine_this_thread(&self) -> io::Result<()> {
        // SAFETY: the kernel reads the set, which lives through the call.
        let result = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &self.0) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}
