//! The binding of guests to the supervisor's processor, and the thread that watches it.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use contract::Tid;
use kernel::guardian::{Guardian, give_back};
use kernel::interrupts;
use kernel::placement::{Cpus, current_cpu, current_tid};

/// How often it is looked what bound guests do.
const PERIOD: Duration = Duration::from_millis(10);
/// If they make fewer stops in that time they are let go.
const STOPS_A_PERIOD: u32 = 20;

/// Binds guests. Dropped, it gives them their processors back.
#[derive(Debug)]
pub struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// Who gives guests their processors back if the supervisor is killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heirs {
    /// A guardian, which can do that for one guest at a time.
    Guardian,
    /// Nobody: the guests die with it.
    None,
}

/// Whether guests were bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// They are bound from now on.
    Bound,
    /// Somebody is bound already, or not everything is ready.
    NotNow,
    /// They are not ours to move.
    Never,
}

/// What the supervisor and the thread that watches share.
#[derive(Debug)]
struct Shared {
    /// Stops of the bound guests since it was looked last.
    stops: AtomicU32,
    heirs: Heirs,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// Whoever is to give processors back is there.
    ready: bool,
    guardian: Option<Guardian>,
    /// The supervisor's thread.
    supervisor: i32,
    /// The supervisor's session has ended.
    over: bool,
    binding: Option<Binding>,
    /// The last one that has ended.
    former: Option<Binding>,
    /// The watching thread sleeps until somebody is bound.
    asleep: bool,
}

#[derive(Debug)]
struct Binding {
    /// With what they get back.
    guests: HashMap<Tid, Cpus>,
    to: Cpus,
    supervisor_before: Cpus,
    /// It was made since it was looked last.
    new: bool,
}

impl Watch {
    /// Starts a watch, from the supervisor's thread. Fails where nobody can be bound.
    pub fn start(heirs: Heirs) -> io::Result<Watch> {
        if Cpus::of(0)?.count() < 2 {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let shared = Arc::new(Shared {
            stops: AtomicU32::new(0),
            heirs,
            state: Mutex::new(State {
                ready: heirs == Heirs::None,
                guardian: None,
                supervisor: current_tid(),
                over: false,
                binding: None,
                former: None,
                asleep: false,
            }),
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
        self.shared.lock().binding.is_some()
    }

    /// Binds guests, of which none runs, to the processor on which the caller, their supervisor, runs.
    pub fn bind(&self, tids: &[Tid]) -> Answer {
        let mut state = self.shared.lock();
        if state.binding.is_some() || !state.ready {
            return Answer::NotNow;
        }
        if state.bind(tids).is_none() {
            return Answer::Never;
        }
        self.shared.stops.store(0, Ordering::Relaxed);
        if state.asleep {
            self.shared.changed.notify_one();
        }
        Answer::Bound
    }

    /// A guest has made another, which begins where its maker was then.
    pub fn born(&self, maker: Tid, child: Tid) {
        let mut state = self.shared.lock();
        let is_bound = state.binding.is_some();
        let Some(latest) = state.binding.as_ref().or(state.former.as_ref()) else { return };
        let to = latest.to;
        let of_maker = latest.guests.get(&maker);
        let is_known = of_maker.is_some();
        // Of a maker that has ended nothing is known: mostly all have the same.
        let Some(before) = of_maker.or_else(|| latest.guests.values().next()).copied() else {
            return;
        };
        if !is_bound {
            // It may have been made just before its maker was let go.
            give_back(child.0, &to, &before);
        } else if let Some(binding) = &mut state.binding
            && (is_known || Cpus::of(child.0).is_ok_and(|now| now == to))
        {
            binding.guests.insert(child, before);
        }
    }

    /// A guest has ended.
    pub fn ended(&self, tid: Tid) {
        if let Some(binding) = &mut self.shared.lock().binding {
            binding.guests.remove(&tid);
        }
    }

    /// Gives the bound guests their processors back.
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
        // Without a guardian, whom it has to end, it ends by itself: short programs need not wait for it.
        if self.shared.heirs == Heirs::Guardian {
            // It has nothing to tell, whether it ended well or not.
            let _ = self.thread.take().map(JoinHandle::join);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of guests that make few stops: they compute, or sleep.
    fn watch(&self) {
        interrupts::leave_to_others();
        let mut state = match self.heirs {
            Heirs::Guardian => {
                let guardian = Guardian::start().ok();
                let mut state = self.lock();
                state.ready = guardian.is_some();
                state.guardian = guardian;
                state
            }
            Heirs::None => self.lock(),
        };
        // Bindings follow upon each other: it sleeps once a whole period has seen none.
        let mut idle = state.binding.is_none();
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
        (state.guardian, state.ready) = (None, false);
    }
}

impl State {
    fn bind(&mut self, tids: &[Tid]) -> Option<()> {
        let supervisor_before = Cpus::of(self.supervisor).ok()?;
        let before = |tid: &Tid| Some((*tid, Cpus::to_give_back(tid.0).ok()?));
        let mut guests: HashMap<Tid, Cpus> = tids.iter().filter_map(before).collect();
        let shared = |cpu: &usize| {
            supervisor_before.has(*cpu) && guests.values().any(|before| before.has(*cpu))
        };
        let here = current_cpu().filter(shared);
        let cpu = here.or_else(|| supervisor_before.list().into_iter().find(shared))?;
        let to = Cpus::only(cpu);
        if let (Some(guardian), Some((tid, before))) = (&mut self.guardian, guests.iter().next()) {
            // First: from now on somebody takes it back, whatever happens.
            guardian.entrust(tid.0, to, *before);
        }
        guests.retain(|tid, before| before.has(cpu) && to.confine(tid.0).is_ok());
        if guests.is_empty() {
            if let Some(guardian) = &mut self.guardian {
                guardian.relieve();
            }
            return None;
        }
        // If that fails they are not together, which is what they are without a binding.
        let _ = to.confine(self.supervisor);
        self.binding = Some(Binding { guests, to, supervisor_before, new: true });
        Some(())
    }

    /// A period is over, in which the bound guests made so many stops.
    fn look(&mut self, stops: u32) {
        match &mut self.binding {
            Some(binding) if binding.new => binding.new = false,
            Some(_) if stops < STOPS_A_PERIOD => self.release(),
            _ => {}
        }
    }

    fn release(&mut self) {
        let Some(binding) = self.binding.take() else { return };
        for (tid, before) in &binding.guests {
            give_back(tid.0, &binding.to, before);
        }
        give_back(self.supervisor, &binding.to, &binding.supervisor_before);
        if let Some(guardian) = &mut self.guardian {
            guardian.relieve();
        }
        self.former = Some(binding);
    }
}
