//! The capture plans of all calls, each compiled when it is first needed.

use contract::{Arch, Plan};

/// Plans by ABI and call number: of what most programs never call, a pointer is all that there is.
#[derive(Debug, Default)]
pub struct Plans {
    x86_64: Vec<Option<Box<Plan>>>,
    i386: Vec<Option<Box<Plan>>>,
    x32: Vec<Option<Box<Plan>>>,
    empty: Plan,
}

impl Plans {
    /// The plan of a call; an empty one for an unknown call.
    pub fn of(&mut self, arch: Arch, number: u64) -> &Plan {
        let plans = match arch {
            Arch::X86_64 => &mut self.x86_64,
            Arch::I386 => &mut self.i386,
            Arch::X32 => &mut self.x32,
        };
        let Some(call) = arch.call(number) else { return &self.empty };
        // A known call's number is small.
        let index = number as usize;
        if plans.len() <= index {
            plans.resize_with(index + 1, || None);
        }
        plans[index].get_or_insert_with(|| Box::new(Plan::of(call, arch.model(number))))
    }
}
