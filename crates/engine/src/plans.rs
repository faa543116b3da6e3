//! The capture plans of all calls, each compiled when it is first needed.

use contract::{Arch, Plan};
use table::arch::x86_64;

/// Plans by call number. Only the 64-bit ABI has any: the other ABIs' structs are laid out
/// differently, and their calls are captured by their registers alone.
#[derive(Debug, Default)]
pub struct Plans {
    plans: Vec<Option<Plan>>,
    empty: Plan,
}

impl Plans {
    /// The plan of a call; an empty one for an unknown call.
    pub fn of(&mut self, arch: Arch, number: u64) -> &Plan {
        let Some(call) = x86_64::call(number).filter(|_| arch == Arch::X86_64) else {
            return &self.empty;
        };
        let index = usize::from(call.number);
        if self.plans.len() <= index {
            self.plans.resize_with(index + 1, || None);
        }
        self.plans[index].get_or_insert_with(|| Plan::of(call))
    }
}
