//! A process that outlives the supervisor for a moment, to give a guest its processors back.
//!
//! Whoever binds a guest must not leave it bound when it is killed. The guardian sleeps until the
//! supervisor is gone, however it went; then it carries out what the supervisor last asked for,
//! and ends.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicI32, Ordering};

use libc::pid_t;

use crate::placement::Cpus;

/// What is to be done when the supervisor is gone; in memory that both processes share.
struct Will {
    /// The thread to give its processors back to; 0 if there is none. While it is not, the
    /// supervisor leaves the other fields alone; the guardian reads them after its death only.
    tid: AtomicI32,
    bound: MaybeUninit<Cpus>,
    before: MaybeUninit<Cpus>,
}

/// A guardian. It ends when this is dropped or its owner dies.
///
/// It is a child of the thread that starts it, which must not be one that waits for guests.
#[derive(Debug)]
pub struct Guardian {
    will: NonNull<Will>,
    /// The guardian reads its end of file when this process, the only one who has it, is gone.
    _alive: Option<OwnedFd>,
    pid: pid_t,
}

// SAFETY: the pointer is to a mapping of its own, which no thread owns.
unsafe impl Send for Guardian {}

impl Guardian {
    /// Starts one.
    pub fn start() -> io::Result<Guardian> {
        let mut ends = [0; 2];
        // SAFETY: the kernel writes two descriptors.
        if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: they are open, and nobody else's.
        let [death, alive] = ends.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
        let will = map_will()?;
        // SAFETY: takes no memory. Other threads may hold locks at this moment: the child calls
        // async-signal-safe functions only, and does not return.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            guard(death.as_raw_fd(), alive.as_raw_fd(), will);
        }
        let guardian = Guardian { will, _alive: Some(alive), pid };
        if pid < 0 { Err(io::Error::last_os_error()) } else { Ok(guardian) }
    }

    /// From now on a thread that was confined to `bound` gets `before` back if the supervisor
    /// dies, unless somebody else has changed its processors meanwhile. To be called only while
    /// nothing else is entrusted.
    pub fn entrust(&mut self, tid: pid_t, bound: Cpus, before: Cpus) {
        let will = self.will.as_ptr();
        // SAFETY: the mapping lives as long as `self`. The guardian reads these fields only when
        // this process is gone; no reference to them exists.
        unsafe {
            (&raw mut (*will).bound).write(MaybeUninit::new(bound));
            (&raw mut (*will).before).write(MaybeUninit::new(before.with_those_to_come()));
            (*will).tid.store(tid, Ordering::Release);
        }
    }

    /// Nothing is to be done any more.
    pub fn relieve(&mut self) {
        // SAFETY: the mapping lives as long as `self`.
        unsafe { (*self.will.as_ptr()).tid.store(0, Ordering::Release) };
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this size, and `self`, its only user here, ends. Our own child
        // is killed and waited for, which takes no memory: its status does not matter.
        unsafe {
            libc::munmap(self.will.as_ptr().cast(), size_of::<Will>());
            while self.pid > 0
                && libc::kill(self.pid, libc::SIGKILL) == 0
                && libc::waitpid(self.pid, ptr::null_mut(), 0) < 0
                && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
            {}
        }
    }
}

fn map_will() -> io::Result<NonNull<Will>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping, at an address of the kernel's choice, disturbs nobody.
    let will = unsafe { libc::mmap(ptr::null_mut(), size_of::<Will>(), protection, flags, -1, 0) };
    if will == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // All zeroes is a will by which nothing is to be done.
    NonNull::new(will.cast()).ok_or_else(|| io::Error::from_raw_os_error(libc::ENOMEM))
}

/// The guardian's life.
fn guard(death: RawFd, alive: RawFd, will: NonNull<Will>) -> ! {
    // SAFETY: async-signal-safe calls, which take no memory but a string that lives for ever and a
    // set that is initialised. The signals of the supervisor's terminal are not the guardian's: it
    // has a session of its own, and takes none but SIGKILL.
    unsafe {
        let mut all = MaybeUninit::uninit();
        libc::sigfillset(all.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, all.as_ptr(), ptr::null_mut());
        libc::setsid();
        libc::prctl(libc::PR_SET_NAME, c"shunpike-guard".as_ptr());
        libc::close(alive);
        keep_only(death);
        let mut byte = 0u8;
        while libc::read(death, (&raw mut byte).cast(), 1) > 0 {}
        carry_out(will);
        libc::_exit(0)
    }
}

/// Closes all descriptors but this one, where the kernel can (Linux 5.9), so that nobody waits for
/// the guardian to close a pipe.
///
/// # Safety
/// Nothing may use the others afterwards.
unsafe fn keep_only(fd: RawFd) {
    let fd = fd as libc::c_uint;
    // SAFETY: takes no memory; by our caller's promise the descriptors are nobody's any more.
    unsafe {
        if fd > 0 {
            libc::syscall(libc::SYS_close_range, 0, fd - 1, 0);
        }
        libc::syscall(libc::SYS_close_range, fd + 1, libc::c_uint::MAX, 0);
    }
}

/// Does what the supervisor, who is gone, has asked for.
fn carry_out(will: NonNull<Will>) {
    let will = will.as_ptr();
    // SAFETY: the mapping was inherited. The other fields were written before the id was.
    let (tid, bound, before) = unsafe {
        let tid = (*will).tid.load(Ordering::Acquire);
        if tid == 0 {
            return;
        }
        (tid, (*will).bound.assume_init(), (*will).before.assume_init())
    };
    give_back(tid, &bound, &before);
}

/// Gives a thread that was confined to `bound` its processors back, unless somebody else has
/// changed them meanwhile.
pub fn give_back(tid: pid_t, bound: &Cpus, before: &Cpus) {
    if Cpus::of(tid).is_ok_and(|now| now == *bound) {
        // It may have ended.
        let _ = before.confine(tid);
    }
}

/// The same of a thread that is stopped, so that nobody learns on the way which it could have. Where it
/// could run everywhere, it may run on the processors, too, that come online some day.
pub fn give_back_stopped(tid: pid_t, bound: &Cpus, before: &Cpus) {
    if Cpus::of(tid).is_ok_and(|now| now == *bound) {
        // To try it is cheaper than to ask how many processors there are.
        let everywhere = Cpus::all().confine(tid).and_then(|()| Cpus::of(tid));
        if !everywhere.is_ok_and(|everywhere| everywhere == *before) {
            // It may have ended.
            let _ = before.confine(tid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fork::Child;
    use std::time::Duration;

    /// A child of ours that may run on the first of our processors only.
    fn bound_child(before: Cpus) -> (Child, Cpus) {
        // SAFETY: `pause(2)` is async-signal-safe.
        let child = unsafe { Child::start(Duration::from_secs(60), || libc::pause() as u8) };
        let child = child.unwrap();
        let bound = Cpus::only(before.list()[0]);
        bound.confine(child.pid()).unwrap();
        (child, bound)
    }

    #[test]
    fn what_was_entrusted_is_given_back_when_the_owner_is_gone() {
        let before = Cpus::of(0).unwrap();
        let (child, bound) = bound_child(before);
        let mut guardian = Guardian::start().unwrap();
        guardian.entrust(child.pid(), bound, before);
        // As if this process had ended.
        guardian._alive = None;
        // On a machine with one processor it has nothing else; then there is nothing to see.
        while Cpus::of(child.pid()).unwrap() != before {
            std::thread::yield_now();
        }
    }

    #[test]
    fn what_somebody_else_has_changed_is_left_alone() {
        let before = Cpus::of(0).unwrap();
        let (child, bound) = bound_child(before);
        let other = Cpus::only(before.list()[before.count() - 1]);
        other.confine(child.pid()).unwrap();
        give_back(child.pid(), &bound, &before);
        let meant = if other == bound { before } else { other };
        assert!(Cpus::of(child.pid()).unwrap() == meant);
    }

    #[test]
    fn a_stopped_thread_has_what_it_had() {
        let everywhere = Cpus::of(0).unwrap();
        let one = Cpus::only(everywhere.list()[everywhere.count() - 1]);
        for before in [everywhere, one] {
            let (child, bound) = bound_child(before);
            give_back_stopped(child.pid(), &bound, &before);
            assert!(Cpus::of(child.pid()).unwrap() == before);
        }
    }
}
