//! A seccomp filter: only the calls of interest stop, and their exits where wanted.
//!
//! The filter is in force from before the guest's first `execve(2)` on and is inherited by all its
//! threads and children, so that none of them ever stops for a call that nobody asked for.

use std::ops::Range;

use contract::CallSet;
use kernel::ptrace::Resume;
use kernel::seccomp::{Action, CallPolicy, Program, TooLong};
use table::arch::x86_64;

const STOP: Action = Action::Trace(0);

/// The filter that lets all but these calls pass. Calls of the other ABIs have other numbers: they
/// all stop, and the engine decides. Those made from `trusted` addresses pass too.
pub(super) fn filter(calls: &CallSet, trusted: Option<Range<u64>>) -> Result<Program, TooLong> {
    let mut calls = *calls;
    // By these a guest may install a filter of its own, which changes what ours gets to see.
    calls.insert(x86_64::SECCOMP.number.into());
    calls.insert(x86_64::PRCTL.number.into());
    // And by these it may take a register away from the agent, and set what the agent's own faults
    // undo.
    if trusted.is_some() {
        calls.insert(x86_64::ARCH_PRCTL.number.into());
        calls.insert(x86_64::RT_SIGACTION.number.into());
    }
    let numbers = |set: CallSet| set.numbers().map(|number| number as u32).collect::<Vec<_>>();
    // A set that holds the unknown numbers is told by what it lacks.
    let (calls, listed, others) = if calls.contains(u64::MAX) {
        (numbers(calls.complement()), Action::Allow, STOP)
    } else {
        (numbers(calls), STOP, Action::Allow)
    };
    CallPolicy { trusted, calls: &calls, listed, others, x32: STOP, foreign: STOP }.program()
}

/// To the next stop that the filter asks for.
pub(super) const OUTSIDE_CALL: Resume = Resume::Continue;

/// To the call's exit, or past it.
pub(super) fn inside_call(exit_wanted: bool) -> Resume {
    if exit_wanted { Resume::Syscall } else { Resume::Continue }
}
