//! What becomes of calls, as data: it can be evaluated near to the guest, where no module is asked.

use crate::{Arch, CallSet, Capture, Reply};

/// An answer to calls that does not depend on anything but their numbers and arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The calls.
    pub calls: CallSet,
    /// Of these those for whose arguments all of this holds.
    pub when: Vec<Condition>,
    /// What they return. They are not made.
    pub reply: Reply,
}

/// Something that may hold for an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// Which one, 0 to 5.
    pub argument: u8,
    /// The bits of it that count.
    pub mask: u64,
    /// What they are.
    pub value: u64,
}

impl Rule {
    /// These calls always return this.
    pub fn always(calls: CallSet, reply: Reply) -> Rule {
        Rule { calls, when: Vec::new(), reply }
    }

    /// Whether it is about this call.
    pub fn is_about(&self, call: &Capture) -> bool {
        let holds = |condition: &Condition| {
            call.args[usize::from(condition.argument)] & condition.mask == condition.value
        };
        self.calls.contains_of(call.arch, call.number) && self.when.iter().all(holds)
    }

    /// Whether it is about each call of this number.
    pub fn is_about_all(&self, arch: Arch, number: u64) -> bool {
        self.when.is_empty() && self.calls.contains_of(arch, number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GuestAddr;

    #[test]
    fn a_rule_holds_for_calls_with_such_arguments() {
        let mut calls = CallSet::NONE;
        calls.insert(41);
        let when = vec![Condition { argument: 0, mask: 0xff, value: 16 }];
        let rule = Rule { calls, when, reply: Reply::Error(97) };
        let about = |number, first| {
            let mut call = Capture::default();
            let args = [first, 0, 0, 0, 0, 0];
            call.enter(Arch::X86_64, number, args, GuestAddr::NULL, GuestAddr::NULL);
            rule.is_about(&call)
        };
        assert!(about(41, 16) && about(41, 0x1_0010));
        assert!(!about(41, 2) && !about(42, 16));
        assert!(!rule.is_about_all(Arch::X86_64, 41));
        assert!(Rule::always(calls, Reply::Value(0)).is_about_all(Arch::X86_64, 41));
    }
}
