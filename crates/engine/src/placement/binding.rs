//! Guests that are bound to the supervisor's processor, and what they get back.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use contract::Tid;
use kernel::guardian::{Guardian, give_back};
use kernel::placement::{Cpus, current_cpu, current_tid};

/// How often it is looked what bound guests do.
pub const PERIOD: Duration = Duration::from_millis(10);
/// If they make fewer stops in that time they are let go.
const STOPS_A_PERIOD: u32 = 20;

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

/// The binding of guests, if there is one now.
#[derive(Debug)]
pub struct Bindings {
    /// The supervisor's thread.
    supervisor: i32,
    now: Option<Binding>,
    /// The last one that has ended.
    former: Option<Binding>,
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

impl Bindings {
    /// None yet; to be called from the supervisor's thread. Fails where nobody can be bound.
    pub fn new() -> io::Result<Bindings> {
        if Cpus::of(0)?.count() < 2 {
            return Err(io::ErrorKind::Unsupported.into());
        }
        Ok(Bindings { supervisor: current_tid(), now: None, former: None })
    }

    /// Whether anybody is bound now.
    pub fn is_bound(&self) -> bool {
        self.now.is_some()
    }

    /// Binds guests, of which none runs, to the processor on which the caller, their supervisor, runs. A
    /// guardian, which can do that for one guest, gives it back if the supervisor is killed.
    pub fn bind(&mut self, tids: &[Tid], mut guardian: Option<&mut Guardian>) -> Answer {
        if self.is_bound() {
            return Answer::NotNow;
        }
        let Some((mut guests, supervisor_before, cpu)) = self.processor(tids) else {
            return Answer::Never;
        };
        let to = Cpus::only(cpu);
        if let (Some(guardian), Some((tid, before))) = (&mut guardian, guests.iter().next()) {
            // First: from now on somebody takes it back, whatever happens.
            guardian.entrust(tid.0, to, *before);
        }
        guests.retain(|tid, before| before.has(cpu) && to.confine(tid.0).is_ok());
        if guests.is_empty() {
            if let Some(guardian) = guardian {
                guardian.relieve();
            }
            return Answer::Never;
        }
        // If that fails they are not together, which is what they are without a binding.
        let _ = to.confine(self.supervisor);
        self.now = Some(Binding { guests, to, supervisor_before, new: true });
        Answer::Bound
    }

    /// Where the guests that can be moved may run, where the supervisor may, and a processor for both.
    fn processor(&self, tids: &[Tid]) -> Option<(HashMap<Tid, Cpus>, Cpus, usize)> {
        let supervisor = Cpus::of(self.supervisor).ok()?;
        let before = |tid: &Tid| Some((*tid, Cpus::of(tid.0).ok()?));
        let guests: HashMap<Tid, Cpus> = tids.iter().filter_map(before).collect();
        let shared =
            |cpu: &usize| supervisor.has(*cpu) && guests.values().any(|before| before.has(*cpu));
        let here = current_cpu().filter(shared);
        let cpu = here.or_else(|| supervisor.list().into_iter().find(shared))?;
        Some((guests, supervisor, cpu))
    }

    /// A guest has made another, which begins where its maker was then.
    pub fn born(&mut self, maker: Tid, child: Tid) {
        let is_bound = self.is_bound();
        let Some(latest) = self.now.as_ref().or(self.former.as_ref()) else { return };
        let to = latest.to;
        let of_maker = latest.guests.get(&maker);
        let is_known = of_maker.is_some();
        // Of a maker that has ended nothing is known: mostly all have the same.
        let Some(before) = of_maker.or_else(|| latest.guests.values().next()).copied() else {
            return;
        };
        if !is_bound {
            // It may have been made just before its maker was let go.
            give_back(child.0, &to, &before.with_those_to_come());
        } else if let Some(binding) = &mut self.now
            && (is_known || Cpus::of(child.0).is_ok_and(|now| now == to))
        {
            binding.guests.insert(child, before);
        }
    }

    /// A guest has ended.
    pub fn ended(&mut self, tid: Tid) {
        if let Some(binding) = &mut self.now {
            binding.guests.remove(&tid);
        }
    }

    /// A period is over, in which the bound guests made so many stops: whether they are to be let go, as
    /// they compute, or sleep.
    pub fn look(&mut self, stops: u32) -> bool {
        match &mut self.now {
            Some(binding) if binding.new => {
                binding.new = false;
                false
            }
            Some(_) => stops < STOPS_A_PERIOD,
            None => false,
        }
    }

    /// Gives the bound guests their processors back.
    pub fn release(&mut self) {
        let Some(binding) = self.now.take() else { return };
        for (tid, before) in &binding.guests {
            give_back(tid.0, &binding.to, &before.with_those_to_come());
        }
        give_back(self.supervisor, &binding.to, &binding.supervisor_before);
        self.former = Some(binding);
    }
}
