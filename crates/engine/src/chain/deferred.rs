//! Verdicts that wait for another stop of their calls.

use contract::{Capture, Pid, Tid};

use super::decided::Decided;
use super::passing::Passing;

/// A verdict that waits for another stop of its call.
#[derive(Debug)]
pub struct Deferred {
    pub(super) decided: Decided,
    pub(super) awaits: Awaits,
    /// Instruction and stack pointer, number and arguments of the call.
    call: (u64, u64, u64, [u64; 6]),
}

/// What a verdict waits for.
#[derive(Debug)]
pub enum Awaits {
    /// Room for its arguments.
    Room,
    /// That the call is made after all.
    Call,
    /// A descriptor of the supervisor's.
    Descriptor(Passing),
}

impl Deferred {
    /// What was decided about this call, until it gets what it waits for.
    pub fn new(decided: Decided, awaits: Awaits, call: &Capture) -> Deferred {
        Deferred { decided, awaits, call: identity(call) }
    }

    /// Whether it was decided about this call.
    pub fn is_about(&self, call: &Capture) -> bool {
        self.call == identity(call)
    }

    /// What it waits for.
    pub fn awaits(&self) -> &Awaits {
        &self.awaits
    }

    /// The call has returned this by which a descriptor gets on its way.
    pub(super) fn advance(&mut self, (process, tid): (Pid, Tid), value: i64) {
        let Awaits::Descriptor(passing) = &mut self.awaits else { return };
        let Some((descriptor, _)) = self.decided.passed() else { return };
        if let Err(error) = passing.advance((process, tid), descriptor, value) {
            passing.fail(&error);
        }
    }

    /// What was decided, and what that has waited for.
    pub fn into_decided(self) -> (Decided, Awaits) {
        (self.decided, self.awaits)
    }
}

fn identity(call: &Capture) -> (u64, u64, u64, [u64; 6]) {
    (call.ip.0, call.sp.0, call.raw_number, call.args)
}
