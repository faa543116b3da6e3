//! The binding of a guest to the supervisor's processor, and the thread that watches it.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use contract::Tid;
use kernel::guardian::{Guardian, give_back};
use kernel::interrupts;
use kernel::placement::{Cpus, current_cpu, current_tid};

/// How often a bound thread is looked at.
const PERIOD: Duration = Duration::from_millis(10);
/// A bound thread that makes fewer stops in that time is let go.
const STOPS_A_PERIOD: u32 = 20;

/// Binds guests, one at a time. Dropped, it gives the last one its processors back.
#[derive(Debug)]
pub struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// Whether a thread was bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It is bound from now on.
    Bound,
    /// It is bound already, or not everything is ready.
    NotNow,
    /// It is not ours to move.
    Never,
}

/// What the supervisor and the thread that watches share.
#[derive(Debug)]
struct Shared {
    /// Stops of the bound thread since it was looked at last.
    stops: AtomicU32,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// Nobody is bound without one.
    guardian: Option<Guardian>,
    /// The supervisor's thread.
    supervisor: i32,
    /// The supervisor's session has ended.
    over: bool,
    binding: Option<Binding>,
    /// The watching thread sleeps until somebody is bound.
    asleep: bool,
}

#[derive(Debug)]
struct Binding {
    guest: Tid,
    to: Cpus,
    guest_before: Cpus,
    supervisor_before: Cpus,
    /// It was made since the guest was looked at last.
    new: bool,
}

impl Watch {
    /// Starts a watch, from the supervisor's thread. Fails where nobody can be bound.
    pub fn start() -> io::Result<Watch> {
        if Cpus::of(0)?.count() < 2 {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let shared = Arc::new(Shared {
            stops: AtomicU32::new(0),
            state: Mutex::new(State {
                guardian: None,
                supervisor: current_tid(),
                over: false,
                binding: None,
                asleep: false,
            }),
            changed: Condvar::new(),
        });
        let watched = Arc::clone(&shared);
        let thread = thread::Builder::new().name("placement".to_owned());
        let thread = Some(thread.spawn(move || watched.watch())?);
        Ok(Watch { shared, thread })
    }

    /// Counts a stop of the bound thread.
    pub fn stopped(&self) {
        self.shared.stops.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether a thread is bound now.
    pub fn is_bound(&self) -> bool {
        self.shared.lock().binding.is_some()
    }

    /// Binds a stopped thread to the processor on which the caller, its supervisor, runs.
    pub fn bind(&self, tid: Tid) -> Answer {
        let mut state = self.shared.lock();
        if state.binding.is_some() || state.guardian.is_none() {
            return Answer::NotNow;
        }
        if state.bind(tid).is_none() {
            return Answer::Never;
        }
        self.shared.stops.store(0, Ordering::Relaxed);
        if state.asleep {
            self.shared.changed.notify_one();
        }
        Answer::Bound
    }

    /// Gives the bound thread its processors back.
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

    /// Lets go of guests that make few stops: they compute, or sleep.
    fn watch(&self) {
        interrupts::leave_to_others();
        let guardian = Guardian::start().ok();
        let mut state = self.lock();
        state.guardian = guardian;
        // Bindings follow upon each other: it sleeps once a whole period has seen none.
        let mut idle = true;
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
                    idle = state.binding.is_none();
                    let stops = self.stops.swap(0, Ordering::Relaxed);
                    state.look(stops);
                }
            }
        }
        // Here, since the guardian is this thread's child.
        state.guardian = None;
    }
}

impl State {
    fn bind(&mut self, tid: Tid) -> Option<()> {
        let guardian = self.guardian.as_mut()?;
        let supervisor_before = Cpus::of(self.supervisor).ok()?;
        let guest_before = Cpus::to_give_back(tid.0).ok()?;
        let shared = |cpu: &usize| guest_before.has(*cpu) && supervisor_before.has(*cpu);
        let here = current_cpu().filter(shared);
        let to = Cpus::only(here.or_else(|| guest_before.list().into_iter().find(shared))?);
        // First: from now on somebody takes it back, whatever happens.
        guardian.entrust(tid.0, to, guest_before);
        if to.confine(tid.0).is_err() {
            guardian.relieve();
            return None;
        }
        // If that fails the two are not together, which is what they are without a binding.
        let _ = to.confine(self.supervisor);
        let binding = Binding { guest: tid, to, guest_before, supervisor_before, new: true };
        self.binding = Some(binding);
        Some(())
    }

    /// A period is over, in which the bound thread made so many stops.
    fn look(&mut self, stops: u32) {
        match &mut self.binding {
            Some(binding) if binding.new => binding.new = false,
            Some(_) if stops < STOPS_A_PERIOD => self.release(),
            _ => {}
        }
    }

    fn release(&mut self) {
        if let (Some(binding), Some(guardian)) = (self.binding.take(), &mut self.guardian) {
            give_back(binding.guest.0, &binding.to, &binding.guest_before);
            give_back(self.supervisor, &binding.to, &binding.supervisor_before);
            guardian.relieve();
        }
    }
}
