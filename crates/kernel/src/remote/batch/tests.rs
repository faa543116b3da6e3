use std::fs;

use super::*;
use crate::ptrace::Resume;
use crate::remote::testing::{DATA, Guest, IMAGE, ignore_traps, install_filter, room};
use crate::wait::{Change, Stop, What};

const GETPID: Call = Call { number: libc::SYS_getpid, args: [0; 6] };
/// A call that fails with `EBADF`.
const BAD: Call = Call { number: libc::SYS_close, args: [u64::MAX, 0, 0, 0, 0, 0] };

fn kill(pid: i32, signal: c_int) -> Call {
    Call { number: libc::SYS_kill, args: [pid as u64, signal as u64, 0, 0, 0, 0] }
}

/// What came of each call: its result, or the number of its error.
fn outcomes(results: &[io::Result<u64>]) -> Vec<Result<u64, i32>> {
    let outcome = |result: &io::Result<u64>| match result {
        Ok(value) => Ok(*value),
        Err(error) => Err(error.raw_os_error().unwrap()),
    };
    results.iter().map(outcome).collect()
}

/// How often a guest has given up the processor by itself, as it does at each stop.
fn switches(guest: &Guest) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", guest.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    line.unwrap().trim().parse().unwrap()
}

#[test]
fn many_calls_are_made_in_one_go() {
    let (guest, tracee) = Guest::start(|| ());
    let mut calls = guest.begin(tracee, Stop::Trap);
    let memory = calls.bring_in(&IMAGE).unwrap();
    let pid = guest.pid() as u64;
    let before = switches(&guest);
    for _ in 0..64 {
        assert_eq!(calls.call(GETPID).unwrap(), pid);
    }
    let singly = switches(&guest) - before;
    let made = calls.batch(room(&memory, 32), &[GETPID; 64], OnFailure::Stop).unwrap();
    let together = switches(&guest) - before - singly;
    assert_eq!(outcomes(&made), [Ok(pid); 64]);
    assert!(singly >= 64 && together <= singly / 8, "{singly} and {together}");
    assert!(calls.batch(room(&memory, 1), &[], OnFailure::Stop).unwrap().is_empty());
    guest.goes_on(calls);
}

#[test]
fn a_call_that_fails_is_the_last_or_is_not() {
    for prepare in [|| (), ignore_traps as fn()] {
        let (guest, tracee) = Guest::start(prepare);
        let mut calls = guest.begin(tracee, Stop::Trap);
        let memory = calls.bring_in(&IMAGE).unwrap();
        let pid = Ok(guest.pid() as u64);
        let bad = Err(libc::EBADF);
        for size in [1, 2, 3, 8] {
            let room = room(&memory, size);
            let many = [GETPID, GETPID, BAD, GETPID, BAD];
            let made = calls.batch(room, &many, OnFailure::Stop).unwrap();
            assert_eq!(outcomes(&made), [pid, pid, bad]);
            let made = calls.batch(room, &many, OnFailure::GoOn).unwrap();
            assert_eq!(outcomes(&made), [pid, pid, bad, pid, bad]);
        }
        guest.goes_on(calls);
    }
}

#[test]
fn signals_wait_until_the_end() {
    for signal in [libc::SIGUSR1, libc::SIGTRAP, libc::SIGILL] {
        let (guest, tracee) = Guest::start(|| ());
        let mut calls = guest.begin(tracee, Stop::Trap);
        let memory = calls.bring_in(&IMAGE).unwrap();
        let many = [GETPID, kill(guest.pid(), signal), GETPID, GETPID];
        let made = calls.batch(room(&memory, 8), &many, OnFailure::Stop).unwrap();
        let pid = Ok(guest.pid() as u64);
        assert_eq!(outcomes(&made), [pid, Ok(0), pid, pid]);
        let (tracee, _) = calls.finish().unwrap();
        tracee.resume(Resume::Continue, 0).unwrap();
        guest.stop(Stop::Signal(signal));
    }
}

#[test]
fn a_guest_killed_meanwhile_has_ended() {
    let (guest, tracee) = Guest::start(|| ());
    let mut calls = guest.begin(tracee, Stop::Trap);
    let memory = calls.bring_in(&IMAGE).unwrap();
    let many = [GETPID, kill(guest.pid(), libc::SIGKILL), GETPID];
    let made = calls.batch(room(&memory, 8), &many, OnFailure::GoOn);
    let Err(Failure::Ended(Change { what: What::Killed { signal: libc::SIGKILL, .. }, .. })) = made
    else {
        panic!("{made:?}")
    };
    assert!(matches!(calls.finish(), Err(Failure::Kernel(_))));
}

#[test]
fn a_stop_of_the_process_does_not_end_it() {
    let (guest, tracee) = Guest::start(|| ());
    let mut calls = guest.begin(tracee, Stop::Trap);
    let memory = calls.bring_in(&IMAGE).unwrap();
    let many = [GETPID, kill(guest.pid(), libc::SIGSTOP), GETPID];
    let made = calls.batch(room(&memory, 8), &many, OnFailure::Stop).unwrap();
    assert!(made.iter().all(Result::is_ok), "{made:?}");
    let (tracee, _) = calls.finish().unwrap();
    tracee.resume(Resume::Continue, 0).unwrap();
    guest.stop(Stop::Signal(libc::SIGSTOP));
}

#[test]
fn what_the_guests_own_filter_forbids_has_failed() {
    for action in [libc::SECCOMP_RET_TRAP, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32] {
        let (guest, tracee) = Guest::start(|| install_filter(libc::SYS_getppid, action));
        let mut calls = guest.begin(tracee, Stop::Trap);
        let memory = calls.bring_in(&IMAGE).unwrap();
        let (pid, refused) = (Ok(guest.pid() as u64), Err(libc::EPERM));
        let getppid = Call { number: libc::SYS_getppid, args: [0; 6] };
        let many = [GETPID, getppid, GETPID, getppid];
        let made = calls.batch(room(&memory, 8), &many, OnFailure::GoOn).unwrap();
        assert_eq!(outcomes(&made), [pid, refused, pid, refused]);
        let made = calls.batch(room(&memory, 8), &many, OnFailure::Stop).unwrap();
        assert_eq!(outcomes(&made), [pid, refused]);
        guest.goes_on(calls);
    }
}

#[test]
fn room_that_is_not_there_is_an_error() {
    let (guest, tracee) = Guest::start(|| ());
    let mut calls = guest.begin(tracee, Stop::Trap);
    let memory = calls.bring_in(&IMAGE).unwrap();
    calls.call(Call::munmap(DATA, 4096)).unwrap();
    let Err(Failure::Refused(error)) = calls.batch(room(&memory, 8), &[GETPID], OnFailure::GoOn)
    else {
        panic!("calls from nowhere")
    };
    assert_eq!(error.raw_os_error(), Some(libc::EFAULT));
    guest.goes_on(calls);
}
