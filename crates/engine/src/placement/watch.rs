//! The thread that watches a bound guest, with a guardian for the case that the supervisor is killed.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use contract::Tid;
use kernel::guardian::Guardian;
use kernel::interrupts;

use super::binding::{Answer, Bindings, PERIOD};

/// Binds a guest at a time. Dropped, it gives it its processors back.
#[derive(Debug)]
pub struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What the supervisor and the thread that watches share.
#[derive(Debug)]
struct Shared {
    /// Stops of the bound guest since it was looked last.
    stops: AtomicU32,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    bindings: Bindings,
    /// Gives processors back if the supervisor is killed; `None` until it is there, and if that failed.
    guardian: Option<Guardian>,
    /// The supervisor's session has ended.
    over: bool,
    /// The watching thread sleeps until somebody is bound.
    asleep: bool,
}

impl Watch {
    /// Starts a watch, from the supervisor's thread. Fails where nobody can be bound.
    pub fn start() -> io::Result<Watch> {
        let bindings = Bindings::new()?;
        let shared = Arc::new(Shared {
            stops: AtomicU32::new(0),
            state: Mutex::new(State { bindings, guardian: None, over: false, asleep: false }),
            changed: Condvar::new(),
        });
        let watched = Arc::clone(&shared);
        let thread = thread::Builder::new().name("placement".to_owned());
        let thread = Some(thread.spawn(move || watched.watch())?);
        Ok(Watch { shared, thread })
    }

    /// Counts a stop of a bound guest.
    pub fn stopped(&self) {
        self.shared.stops.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether anybody is bound now.
    pub fn is_bound(&self) -> bool {
        self.shared.lock().bindings.is_bound()
    }

    /// Binds a guest that does not run to the processor on which the caller, its supervisor, runs.
    pub fn bind(&self, tid: Tid) -> Answer {
        let mut state = self.shared.lock();
        let State { bindings, guardian: guardian @ Some(_), .. } = &mut *state else {
            return Answer::NotNow;
        };
        let answer = bindings.bind(&[tid], guardian.as_mut());
        if answer == Answer::Bound {
            self.shared.stops.store(0, Ordering::Relaxed);
            if state.asleep {
                self.shared.changed.notify_one();
            }
        }
        answer
    }

    /// Gives the bound guest its processors back.
    pub fn release(&self) {
        self.shared.lock().release();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.release();
        state.over = true;
        drop(state);
        self.shared.changed.notify_one();
        // It has nothing to tell, whether it ended well or not.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of a guest that makes few stops: it computes, or sleeps.
    fn watch(&self) {
        interrupts::leave_to_others();
        let guardian = Guardian::start().ok();
        let mut state = self.lock();
        state.guardian = guardian;
        // Bindings follow upon each other: it sleeps once a whole period has seen none.
        let mut idle = !state.bindings.is_bound();
        while !state.over {
            if idle {
                state.asleep = true;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.asleep = false;
                idle = false;
            } else {
                let waited = self.changed.wait_timeout(state, PERIOD);
                let (now, waited) = waited.unwrap_or_else(PoisonError::into_inner);
                state = now;
                if waited.timed_out() {
                    idle = !state.bindings.is_bound();
                    let stops = self.stops.swap(0, Ordering::Relaxed);
                    if state.bindings.look(stops) {
                        state.release();
                    }
                }
            }
        }
        // Here, since the guardian is this thread's child.
        state.guardian = None;
    }
}

impl State {
    fn release(&mut self) {
        if self.bindings.is_bound() {
            self.bindings.release();
            if let Some(guardian) = &mut self.guardian {
                guardian.relieve();
            }
        }
    }
}
