//! A seccomp filter: only the calls of interest stop, and their exits where wanted.
//!
//! The filter is in force from before the guest's first `execve(2)` on and is inherited by all its
//! threads and children, so that none of them ever stops for a call that nobody asked for.

use std::collections::BTreeMap;
use std::ops::Range;

use contract::{CallSet, Reply};
use kernel::ptrace::Resume;
use kernel::seccomp::{Action, ByArgument, CallPolicy, Program, TooLong, UnlessNull};
use kernel::signal;
use table::Id;
use table::arch::x86_64;

use super::agent::{ARCH_SET_GS, PR_GET_SECCOMP, PR_SET_SECCOMP, PR_SET_SYSCALL_USER_DISPATCH};
use crate::chain::Narrowed;
use crate::netlink::{AF_NETLINK, MESSAGE_CALLS};

/// The message of the stops that our filter asks for. A guest's own filter is not likely to use it.
pub(crate) const MESSAGE: u16 = 0x5348;

const STOP: Action = Action::Trace(MESSAGE);

/// Calls that stop with certain first arguments, wanted or not: by these a guest may learn of our filter,
/// or install one of its own, which changes what ours gets to see.
const SEEN: [(Id, &[u32]); 1] = [(x86_64::PRCTL, &[PR_GET_SECCOMP as u32, PR_SET_SECCOMP as u32])];
/// The same under an agent: by these it may also take a register away from the agent, have calls
/// dispatched, and set what the agent's own faults undo.
const SEEN_UNDER_AGENT: [(Id, &[u32]); 3] = [
    (
        x86_64::PRCTL,
        &[PR_GET_SECCOMP as u32, PR_SET_SECCOMP as u32, PR_SET_SYSCALL_USER_DISPATCH as u32],
    ),
    (x86_64::ARCH_PRCTL, &[ARCH_SET_GS as u32]),
    (x86_64::RT_SIGACTION, &[signal::SEGV as u32, signal::BUS as u32, signal::TRAP as u32]),
];

/// Calls that a guest makes under the filter before its program begins: those are made.
const STARTING: [Id; 6] =
    [x86_64::READ, x86_64::WRITE, x86_64::CLOSE, x86_64::EXECVE, x86_64::EXIT, x86_64::EXIT_GROUP];

/// By these, where messages are wanted, sockets come about whose messages are decoded.
const NETLINK_SOCKETS: (Id, &[u32]) = (x86_64::SOCKET, &[AF_NETLINK as u32]);

/// The filter that lets all but these calls pass. Calls of the other ABIs have other numbers: they
/// all stop, and the engine decides. Those made from `trusted` addresses pass too, and of others those
/// stop that have the arguments that are given for them.
pub(super) fn filter(
    calls: &CallSet,
    narrowed: &Narrowed,
    constants: &[(u64, Reply)],
    trusted: Option<Range<u64>>,
) -> Result<Program, TooLong> {
    let mut calls = *calls;
    calls.insert(x86_64::SECCOMP.number.into());
    if trusted.is_some() {
        // It may put other memory into the agent's place, of a size that it does not say.
        calls.insert(x86_64::SHMAT.number.into());
    }
    let asked = asked(&mut calls, narrowed, trusted.is_some());
    let by_argument: Vec<ByArgument> = asked
        .iter()
        .map(|(&call, (argument, values))| ByArgument {
            call,
            argument: *argument,
            values,
            action: STOP,
        })
        .collect();
    let is_unlisted = |number: &u64| !calls.contains(*number);
    let pointers = narrowed.unless_null.iter().filter(|(number, _)| is_unlisted(number));
    let unless_null: Vec<UnlessNull> = pointers
        .map(|&(call, argument)| UnlessNull { call: call as u32, argument, action: STOP })
        .collect();
    let numbers = |set: CallSet| set.numbers().map(|number| number as u32).collect::<Vec<_>>();
    // A set that holds the unknown numbers is told by what it lacks.
    let (calls, listed, others) = if calls.contains(u64::MAX) {
        (numbers(calls.complement()), Action::Allow, STOP)
    } else {
        (numbers(calls), STOP, Action::Allow)
    };
    let answered: Vec<(u32, u16)> = constants.iter().filter_map(answered).collect();
    let policy = CallPolicy {
        answered: &answered,
        calls: &calls,
        listed,
        others,
        by_argument: &by_argument,
        unless_null: &unless_null,
        x32: STOP,
        foreign: STOP,
        trusted,
    };
    policy.program()
}

/// Calls that stop where an argument has one of these values.
type Asked = BTreeMap<u32, (u8, Vec<u32>)>;

/// The calls of which one argument tells whether they stop. Those of which several do become calls that stop.
fn asked(calls: &mut CallSet, narrowed: &Narrowed, has_agent: bool) -> Asked {
    let seen: &[(Id, &[u32])] = if has_agent { &SEEN_UNDER_AGENT } else { &SEEN };
    let has_messages = MESSAGE_CALLS.iter().any(|id| calls.contains(id.number.into()));
    let sockets = has_messages.then_some(&NETLINK_SOCKETS);
    let unwanted = seen.iter().chain(sockets).filter(|(id, _)| !calls.contains(id.number.into()));
    let firsts = unwanted.map(|(id, values)| (id.number.into(), 0, *values));
    let others = narrowed
        .by_argument
        .iter()
        .map(|(number, argument)| (*number as u32, argument.index, argument.values.as_slice()));
    let mut asked = Asked::new();
    for (number, index, values) in firsts.chain(others).collect::<Vec<_>>() {
        let (first, known) = asked.entry(number).or_insert((index, Vec::new()));
        known.extend(values);
        if *first != index {
            calls.insert(number.into());
        }
    }
    asked.retain(|number, _| !calls.contains((*number).into()));
    asked
}

/// What the kernel can answer: an error, or 0.
fn answered((number, reply): &(u64, Reply)) -> Option<(u32, u16)> {
    let errno = match reply {
        Reply::Error(errno) => *errno,
        Reply::Value(0) => 0,
        Reply::Value(_) => return None,
    };
    let starts = STARTING.iter().any(|id| u64::from(id.number) == *number);
    (!starts).then_some((*number as u32, errno))
}

/// To the next stop that the filter asks for.
pub(super) const OUTSIDE_CALL: Resume = Resume::Continue;

/// To the call's exit, or past it.
pub(super) fn inside_call(exit_wanted: bool) -> Resume {
    if exit_wanted { Resume::Syscall } else { Resume::Continue }
}
