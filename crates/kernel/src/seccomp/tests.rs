use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use proptest::prelude::*;

use super::interpreter::{run, run_at, run_with};
use super::*;
use crate::fork::Child;

const X86_64: u32 = 0xc000_003e;
const I386: u32 = 0x4000_0003;
const X32_BIT: u32 = 0x4000_0000;

fn policy(calls: &[u32]) -> CallPolicy<'_> {
    CallPolicy {
        trusted: None,
        answered: &[],
        by_argument: &[],
        unless_null: &[],
        calls,
        listed: Action::Trace(1),
        others: Action::Allow,
        x32: Action::Trace(2),
        foreign: Action::Trace(3),
    }
}

/// What the policy's words say, without ranges or search.
fn expected(policy: &CallPolicy, arch: u32, number: u32) -> Action {
    if arch != X86_64 {
        policy.foreign
    } else if (X32_BIT..0x8000_0000).contains(&number) {
        policy.x32
    } else if let Some((_, errno)) = policy.answered.iter().find(|(call, _)| *call == number) {
        Action::Errno(*errno)
    } else if number < X32_BIT && policy.calls.contains(&number) {
        policy.listed
    } else {
        policy.others
    }
}

#[test]
fn answered_calls_are_neither_listed_nor_others() {
    let answered = [(39, 0), (40, 38), (63, 1)];
    let policy = CallPolicy { answered: &answered, ..policy(&[38, 40, 41]) };
    let program = policy.program().unwrap();
    for number in 0..100 {
        let found = run(&program, X86_64, number).value;
        assert_eq!(found, expected(&policy, X86_64, number).value(), "{number}");
    }
}

fn any_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        Just(Action::Allow),
        Just(Action::Notify),
        (0..4u16).prop_map(Action::Errno),
        (0..4u16).prop_map(Action::Trace),
    ]
}

/// Numbers as the kernel's list has them, so that runs form, and a few from far outside.
fn any_number() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0..600u32, 1 => X32_BIT..X32_BIT + 600, 1 => any::<u32>()]
}

fn any_calls() -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(any_number(), 0..700)
}

/// Every number next to an end of a range, where a mistake would show.
fn edges(calls: &[u32]) -> BTreeSet<u32> {
    let ends = [0, X32_BIT, 0x8000_0000, u32::MAX];
    let around = |&end: &u32| [end.wrapping_sub(1), end, end.wrapping_add(1)];
    calls.iter().chain(&ends).flat_map(around).collect()
}

proptest! {
    #[test]
    fn the_program_does_what_the_policy_says(
        calls in any_calls(),
        (listed, others) in (any_action(), any_action()),
        (x32, foreign) in (any_action(), any_action()),
        arch in prop_oneof![Just(I386), any::<u32>()],
        numbers in proptest::collection::vec(any_number(), 50),
    ) {
        let policy = CallPolicy { listed, others, x32, foreign, ..policy(&calls) };
        let program = policy.program().unwrap();
        for number in edges(&calls).into_iter().chain(numbers) {
            for arch in [X86_64, arch] {
                let answer = run(&program, arch, number);
                let action = expected(&policy, arch, number);
                prop_assert_eq!(answer.value, action.value(), "arch {:#x}, call {}", arch, number);
            }
        }
    }

    /// Two loads, the architecture's jump, one jump a level (and at most one more for a far
    /// branch) and the return.
    #[test]
    fn the_search_is_balanced(calls in any_calls()) {
        let program = policy(&calls).program().unwrap();
        let ranges = 2 * calls.len() + 3;
        let levels = ranges.next_power_of_two().ilog2() as usize;
        for number in edges(&calls) {
            prop_assert!(run(&program, X86_64, number).steps <= 4 + 2 * levels);
        }
    }
}

#[test]
fn a_first_argument_picks_a_call_whatever_the_lists_say() {
    const PICKED: Action = Action::Trace(7);
    let by_argument = [
        ByArgument { call: 5, argument: 0, values: &[1, 9], action: PICKED },
        ByArgument { call: 6, argument: 0, values: &[], action: PICKED },
    ];
    for calls in [&[][..], &[5, 6, 7]] {
        let plain = CallPolicy { others: Action::Errno(1), ..policy(calls) };
        let policy = CallPolicy { by_argument: &by_argument, ..plain.clone() };
        let program = policy.program().unwrap();
        for first in [0, 1, 2, 9, 10, u64::MAX] {
            let picked = if first == 1 || first == 9 { PICKED } else { Action::Allow };
            assert_eq!(run_with(&program, X86_64, 5, first).value, picked.value());
            assert_eq!(run_with(&program, X86_64, 6, first).value, Action::Allow.value());
        }
        for number in [0, 4, 7, 8, X32_BIT + 5] {
            let expected = expected(&plain, X86_64, number);
            assert_eq!(run(&program, X86_64, number).value, expected.value(), "call {number}");
        }
        assert_eq!(run(&program, I386, 5).value, plain.foreign.value());
    }
}

#[test]
fn a_null_pointer_lets_a_call_pass() {
    const PICKED: Action = Action::Trace(7);
    let unless_null = [UnlessNull { call: 5, argument: 0, action: PICKED }];
    let plain = policy(&[5, 7]);
    let program = CallPolicy { unless_null: &unless_null, ..plain.clone() }.program().unwrap();
    for first in [1, 1 << 32, u64::MAX] {
        assert_eq!(run_with(&program, X86_64, 5, first).value, PICKED.value(), "{first:#x}");
    }
    assert_eq!(run_with(&program, X86_64, 5, 0).value, Action::Allow.value());
    for number in [4, 6, 7] {
        let expected = expected(&plain, X86_64, number);
        assert_eq!(run(&program, X86_64, number).value, expected.value(), "call {number}");
    }
}

/// Ranges of addresses that do not cross a multiple of 4 GiB, some up to its very end.
fn any_trusted() -> impl Strategy<Value = Range<u64>> {
    let high = prop_oneof![Just(0), Just(1), Just(u64::from(u32::MAX)), 0..1u64 << 32];
    let low = prop_oneof![Just(0), Just(0x7000_0000), Just((1 << 32) - 4096), 0..1u64 << 32];
    (high, low, prop_oneof![Just(1), Just(4096), 1..1u64 << 32]).prop_map(|(high, low, len)| {
        let start = high << 32 | low;
        start..start.saturating_add(len.min((1 << 32) - low))
    })
}

proptest! {
    #[test]
    fn from_trusted_code_every_native_call_passes(
        trusted in any_trusted().prop_filter("not empty", |trusted| !trusted.is_empty()),
        calls in any_calls(),
        ips in proptest::collection::vec(any::<u64>(), 20),
        numbers in proptest::collection::vec(any_number(), 5),
        others in any_action(),
    ) {
        let plain = CallPolicy { others, ..policy(&calls) };
        let policy = CallPolicy { trusted: Some(trusted.clone()), ..plain.clone() };
        let program = policy.program().unwrap();
        // The edges, and the same offsets with another upper half.
        let edges = [trusted.start, trusted.end].into_iter().flat_map(|edge| {
            let around = [edge.wrapping_sub(1), edge, edge.wrapping_add(1)];
            around.into_iter().flat_map(|ip| [ip, ip ^ 1 << 32, ip ^ 1 << 63])
        });
        for ip in edges.chain(ips) {
            for &number in &numbers {
                let answer = run_at(&program, X86_64, number, ip);
                let action = if trusted.contains(&ip) {
                    Action::Allow
                } else {
                    expected(&plain, X86_64, number)
                };
                prop_assert_eq!(answer.value, action.value(), "ip {:#x}, call {}", ip, number);
                if action == Action::Allow && !trusted.contains(&ip) {
                    // Without a look at the instruction pointer.
                    prop_assert_eq!(run(&program, X86_64, number).value, action.value());
                }
                let foreign = run_at(&program, I386, number, ip);
                prop_assert_eq!(foreign.value, plain.foreign.value());
            }
        }
    }
}

#[test]
fn neighbours_are_one_range() {
    let length = |calls: &[u32]| policy(calls).program().unwrap().instructions().len();
    assert_eq!(length(&[12, 10, 11, 12]), length(&[10]));
    assert!(length(&[10, 12]) > length(&[10]));
}

#[test]
fn a_policy_of_one_action_searches_nothing() {
    let all = Action::Trace(0);
    let calls = [1, 5, 9];
    let policy = CallPolicy { listed: all, others: all, x32: all, foreign: all, ..policy(&calls) };
    assert_eq!(run(&policy.program().unwrap(), X86_64, 5).steps, 5);
}

#[test]
fn a_program_beyond_the_kernels_limit_is_refused() {
    let every_other: Vec<u32> = (0..1500).map(|number| 2 * number).collect();
    let error = policy(&every_other).program().unwrap_err();
    assert!(error.length > MAX_INSTRUCTIONS);
    assert!(policy(&every_other[..900]).program().is_ok());
}

/// A program whose first jump skips `gap` instructions on one side.
fn jump_over(gap: usize, far_side_is_yes: bool) -> Program {
    let mut code = Assembler::new();
    let (near, far) = (code.label(), code.label());
    code.load(Field::Number);
    let (yes, no) = if far_side_is_yes { (far, near) } else { (near, far) };
    code.jump(Test::AtLeast(100), yes, no);
    code.bind(near);
    for _ in 1..gap {
        code.load(Field::Number);
    }
    code.ret(Action::Errno(1));
    code.bind(far);
    code.ret(Action::Errno(2));
    code.assemble().unwrap()
}

#[test]
fn jumps_reach_as_far_as_they_must() {
    for gap in [1, 2, 254, 255, 256, 257, 600, 4000] {
        for far_side_is_yes in [true, false] {
            let program = jump_over(gap, far_side_is_yes);
            let above = if far_side_is_yes { 2 } else { 1 };
            assert_eq!(run(&program, X86_64, 100).value, Action::Errno(above).value(), "{gap}");
            assert_eq!(run(&program, X86_64, 99).value, Action::Errno(3 - above).value(), "{gap}");
            let jumps = if gap > 255 { 2 } else { 1 };
            assert_eq!(program.instructions().len(), 1 + jumps + gap + 1, "{gap}");
        }
    }
}

#[test]
fn both_branches_may_be_far() {
    let mut code = Assembler::new();
    let (next, yes, no) = (code.label(), code.label(), code.label());
    code.load(Field::Number);
    code.jump(Test::Equal(7), yes, next);
    code.bind(next);
    code.jump(Test::AtLeast(100), yes, no);
    for _ in 0..300 {
        code.load(Field::Number);
    }
    code.bind(no);
    code.ret(Action::Errno(1));
    code.bind(yes);
    code.ret(Action::Errno(2));
    let program = code.assemble().unwrap();
    let answers = [7, 8, 99, 100].map(|number| run(&program, X86_64, number).value & 0xffff);
    assert_eq!(answers, [2, 1, 1, 2]);
}

/// Harmless calls without arguments, none of which the C library's `syscall` makes itself.
const HARMLESS: [u32; 12] = [
    libc::SYS_getpid as u32,
    libc::SYS_getuid as u32,
    libc::SYS_getgid as u32,
    libc::SYS_geteuid as u32,
    libc::SYS_getegid as u32,
    libc::SYS_getppid as u32,
    libc::SYS_getpgrp as u32,
    libc::SYS_gettid as u32,
    libc::SYS_sched_yield as u32,
    // Beyond the kernel's list, x32's getpid, and a negative number.
    2000,
    X32_BIT + libc::SYS_getpid as u32,
    u32::MAX,
];

const LISTED: u16 = 1001;
const X32: u16 = 1002;

/// In a child: installs the program and makes the calls. The status is 0 when every call fared as
/// `listed` says, 1 and the call's place otherwise, 100 where the kernel has no seccomp filters.
fn calls_under(program: &Program, listed: &[bool; HARMLESS.len()]) -> u8 {
    if install(program, 0).is_err() {
        return 100;
    }
    for (place, (&number, &listed)) in HARMLESS.iter().zip(listed).enumerate() {
        // SAFETY: these calls take no arguments, or do not exist.
        let result = unsafe { libc::syscall((number as i32).into()) };
        // SAFETY: the address of this thread's errno.
        let errno = unsafe { *libc::__errno_location() };
        let refused = (result == -1).then_some(errno);
        let wanted = match number {
            X32_BIT..0x8000_0000 => Some(X32.into()),
            _ if listed => Some(LISTED.into()),
            2000 | u32::MAX => Some(libc::ENOSYS),
            _ => None,
        };
        if refused != wanted {
            return 1 + place as u8;
        }
    }
    0
}

#[test]
fn the_kernel_agrees() {
    for seed in 0..16usize {
        let listed = std::array::from_fn(|place| place < 10 && (seed * 7 + place * place) % 3 == 0);
        let chosen = HARMLESS.iter().zip(listed).filter(|(_, listed)| *listed);
        // So many ranges that the search has far jumps in it.
        let unused = (3000..3400).step_by(2);
        let calls: Vec<u32> = chosen.map(|(&number, _)| number).chain(unused).collect();
        let policy = CallPolicy {
            trusted: None,
            answered: &[],
            by_argument: &[],
            unless_null: &[],
            calls: &calls,
            listed: Action::Errno(LISTED),
            others: Action::Allow,
            x32: Action::Errno(X32),
            foreign: Action::Allow,
        };
        let program = policy.program().unwrap();
        let body = || calls_under(&program, &listed);
        // SAFETY: the body makes system calls only, and `install` is async-signal-safe.
        let mut child = unsafe { Child::start(Duration::from_secs(60), body) }.unwrap();
        match child.wait_exit().unwrap().code() {
            Some(100) => {
                eprintln!("skipped: this kernel or sandbox has no seccomp filters");
                return;
            }
            status => assert_eq!(status, Some(0), "calls {calls:?}"),
        }
    }
}

/// `mov %edi,%eax; syscall; ret`.
const CALL: [u8; 5] = [0x89, 0xf8, 0x0f, 0x05, 0xc3];
/// The instruction pointer of its call, from its start.
const CALL_IP: usize = 4;

/// Maps executable memory with [`CALL`] at this place. Async-signal-safe.
fn map_call(at: usize, len: usize, place: usize) -> bool {
    let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: nothing is mapped there, and the place lies in the new mapping.
    unsafe {
        let start = libc::mmap(at as *mut libc::c_void, len, protection, flags, -1, 0);
        if start as usize != at {
            return false;
        }
        std::ptr::copy_nonoverlapping(CALL.as_ptr(), place as *mut u8, CALL.len());
    }
    true
}

#[test]
fn the_kernel_trusts_one_page_only() {
    const PAGE: usize = 4096;
    const AT: usize = 0x7000_0000;
    // One page of three is trusted: calls right before it, at both its ends, and right behind it.
    let first = AT + PAGE;
    let ips = [first - 1, first, first + PAGE - 1, first + PAGE];
    let trusted = Some(first as u64..(first + PAGE) as u64);
    let calls = [libc::SYS_getppid as u32];
    let policy = CallPolicy { listed: Action::Errno(LISTED), trusted, ..policy(&calls) };
    let program = policy.program().unwrap();
    let body = || {
        // SAFETY: `getppid(2)` takes no memory.
        let parent = unsafe { libc::getppid() };
        let mut status = 0;
        for (place, ip) in ips.into_iter().enumerate() {
            let code = ip - CALL_IP;
            // One after the other, since they overlap.
            // SAFETY: the mapping is of this loop's own.
            unsafe { libc::munmap(AT as *mut libc::c_void, 3 * PAGE) };
            if !map_call(AT, 3 * PAGE, code) {
                return 101;
            }
            if place == 0 && install(&program, 0).is_err() {
                return 100;
            }
            // SAFETY: there is a function of this type; the call takes no memory.
            let result = unsafe {
                let call: extern "C" fn(u32) -> i64 = std::mem::transmute(code);
                call(libc::SYS_getppid as u32)
            };
            if result == parent.into() {
                status |= 1 << place;
            } else if result != -i64::from(LISTED) {
                return 102;
            }
        }
        status
    };
    // SAFETY: the body makes system calls only, and `install` is async-signal-safe.
    let mut child = unsafe { Child::start(Duration::from_secs(60), body) }.unwrap();
    match child.wait_exit().unwrap().code() {
        Some(100) => eprintln!("skipped: this kernel or sandbox has no seccomp filters"),
        status => assert_eq!(status, Some(0b0110)),
    }
}

#[test]
fn no_new_privs_is_set_only_once_and_only_when_needed() {
    let everything = policy(&[]).program().unwrap();
    // SAFETY: this prctl takes no memory.
    let no_new_privs = || unsafe { libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) } == 1;
    // A filter is a thread's own: this one ends with the test.
    let test = || {
        let before = no_new_privs();
        let Ok(first) = install(&everything, 0) else {
            eprintln!("skipped: this kernel or sandbox has no seccomp filters");
            return;
        };
        assert_eq!(first.set_no_new_privs, !before && no_new_privs());
        assert!(first.listener.is_none());
        assert!(!install(&everything, 0).unwrap().set_no_new_privs);
    };
    std::thread::scope(|scope| scope.spawn(test).join().unwrap());
}
