//! A clock that interrupts the calling thread's kernel calls: `timer_create(2)`.
//!
//! Whoever waits for guests by [`crate::wait::next`] and has something else to look after has the
//! ticker end the wait now and then, with `EINTR`. A tick that comes just before the thread waits
//! ends nothing; the next one does.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::time::Duration;

use libc::{c_int, timer_t};

use crate::placement::current_tid;
use crate::toll;

/// The signal of a tick. Nobody else here has a use for it.
const TICK: c_int = libc::SIGVTALRM;

/// A ticker of the thread that made it.
#[derive(Debug)]
pub struct Ticker {
    timer: timer_t,
    period: Option<Duration>,
}

extern "C" fn ignore(_: c_int) {}

impl Ticker {
    /// A ticker that stands still.
    pub fn new() -> io::Result<Ticker> {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        let mut event = MaybeUninit::<libc::sigevent>::zeroed();
        let mut timer = MaybeUninit::<timer_t>::uninit();
        // SAFETY: all zeroes is a valid value of both structs, and the handler does nothing. The
        // kernel reads what lives through the calls, and writes one timer id if it succeeds.
        unsafe {
            (*action.as_mut_ptr()).sa_sigaction = ignore as *const () as libc::sighandler_t;
            if libc::sigaction(TICK, action.as_ptr(), ptr::null_mut()) < 0 {
                return Err(io::Error::last_os_error());
            }
            (*event.as_mut_ptr()).sigev_notify = libc::SIGEV_THREAD_ID;
            (*event.as_mut_ptr()).sigev_signo = TICK;
            (*event.as_mut_ptr()).sigev_notify_thread_id = current_tid();
            // We may have inherited that it is blocked.
            let mut tick = MaybeUninit::<libc::sigset_t>::zeroed();
            libc::sigemptyset(tick.as_mut_ptr());
            libc::sigaddset(tick.as_mut_ptr(), TICK);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, tick.as_ptr(), ptr::null_mut());
            let event = event.as_mut_ptr();
            if libc::timer_create(libc::CLOCK_MONOTONIC, event, timer.as_mut_ptr()) < 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(Ticker { timer: timer.assume_init(), period: None })
        }
    }

    /// Ticks with this period from now on, or no more.
    pub fn set(&mut self, period: Option<Duration>) {
        if self.period == period {
            return;
        }
        self.period = period;
        let period = period.unwrap_or_default();
        self.arm(period, period);
    }

    /// Ticks in so long, and with this period from then on. To be told once is not enough: that tick
    /// may come just before the wait.
    pub fn set_first(&mut self, first: Duration, period: Duration) {
        self.period = Some(period);
        // A timer that is to go off at once would stand still.
        self.arm(first.max(Duration::from_nanos(1)), period);
    }

    fn arm(&mut self, first: Duration, period: Duration) {
        let time = |duration: Duration| libc::timespec {
            tv_sec: duration.as_secs().try_into().unwrap_or(libc::time_t::MAX),
            tv_nsec: duration.subsec_nanos().into(),
        };
        let setting = libc::itimerspec { it_interval: time(period), it_value: time(first) };
        toll::count(toll::Kind::Other);
        // SAFETY: the timer is ours, and the setting lives through the call.
        unsafe { libc::timer_settime(self.timer, 0, &setting, ptr::null_mut()) };
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        // SAFETY: the timer is ours, and is used no more.
        unsafe { libc::timer_delete(self.timer) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_ends_a_wait() {
        let mut tick = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: all zeroes is a valid set of signals, which lives through the calls.
        unsafe {
            libc::sigaddset(tick.as_mut_ptr(), TICK);
            libc::pthread_sigmask(libc::SIG_BLOCK, tick.as_ptr(), ptr::null_mut());
        }
        let mut ticker = Ticker::new().unwrap();
        ticker.set(Some(Duration::from_millis(1)));
        // SAFETY: `pause(2)` takes no memory.
        unsafe { libc::pause() };
        assert_eq!(io::Error::last_os_error().kind(), io::ErrorKind::Interrupted);
        ticker.set(None);
    }
}
