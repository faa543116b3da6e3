use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::ptr;

use super::testing::{Guest, PAGE, ignore_traps};
use super::*;
use crate::proc;
use crate::ptrace::Options;
use crate::seccomp::{Action, CallPolicy, install};
use crate::signal::send;

const GETPID: Call = Call { number: libc::SYS_getpid, args: [0; 6] };
const DUP: Call = Call { number: libc::SYS_dup, args: [0; 6] };

/// Maps a page, writes to it, and unmaps it again.
fn map_and_unmap(calls: &mut RemoteCalls) {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let address = calls.call(Call::mmap(0, PAGE, protection, flags, -1, 0)).unwrap();
    calls.tracee().unwrap().poke(address, 7).unwrap();
    assert_eq!(calls.tracee().unwrap().peek(address).unwrap(), 7);
    calls.call(Call::munmap(address, PAGE)).unwrap();
    assert!(calls.tracee().unwrap().peek(address).is_err());
}

#[test]
fn calls_are_made_and_the_guest_notices_nothing() {
    let (guest, tracee) = Guest::start(|| ());
    let before = tracee.registers().unwrap();
    let code = tracee.peek(before.rip & !15).unwrap();
    let mut calls = guest.begin(tracee, Stop::Trap);
    map_and_unmap(&mut calls);
    assert_eq!(calls.call(GETPID).unwrap(), guest.pid() as u64);
    let fd = calls.call(DUP).unwrap() as c_int;
    calls.call(Call::close(fd)).unwrap();
    let Err(Failure::Refused(error)) = calls.call(Call::close(fd)) else { panic!("closed twice") };
    assert_eq!(error.raw_os_error(), Some(libc::EBADF));
    let (tracee, _) = calls.finish().unwrap();
    assert_eq!(tracee.registers().unwrap(), before);
    assert_eq!(tracee.peek(before.rip & !15).unwrap(), code);
    let calls = guest.begin(tracee, Stop::Trap);
    guest.goes_on(calls);
}

#[test]
fn a_stub_that_is_not_there_is_an_error() {
    let (guest, tracee) = Guest::start(|| ());
    let stub = Some(Stub { call: 0x10, batch: 0x20, batch_end: 0x30 });
    let mut calls = RemoteCalls::begin(guest.pid(), tracee, Stop::Trap, stub, false).unwrap();
    let Err(Failure::Refused(error)) = calls.call(Call::close(0)) else {
        panic!("a call from nowhere")
    };
    assert_eq!(error.raw_os_error(), Some(libc::EFAULT));
    guest.goes_on(calls);
}

#[test]
fn calls_are_made_right_after_an_exec() {
    // SAFETY: the strings are static, and the vectors end with a null pointer.
    let exec = |_| unsafe {
        let path = c"/bin/true".as_ptr();
        libc::execve(path, [path, ptr::null()].as_ptr(), [ptr::null()].as_ptr());
        1
    };
    let guests = [Guest::start_then(|| (), exec), Guest::start_then(ignore_traps, exec)];
    for (mut guest, tracee) in guests {
        tracee.resume(Resume::Continue, 0).unwrap();
        guest.answer.write_all(&[0]).unwrap();
        let tracee = guest.stop(Stop::Exec);
        let mut calls = guest.begin(tracee, Stop::Exec);
        map_and_unmap(&mut calls);
        let (tracee, _) = calls.finish().unwrap();
        tracee.resume(Resume::Continue, 0).unwrap();
        assert_eq!(guest.child.wait_exit().unwrap().code(), Some(0));
    }
}

#[test]
fn a_guest_that_ignores_traps_still_does() {
    let (guest, tracee) = Guest::start(ignore_traps);
    let mut calls = guest.begin(tracee, Stop::Trap);
    assert_eq!(calls.end, End::SyscallExit);
    map_and_unmap(&mut calls);
    assert!(proc::ignored_signals(guest.pid()).unwrap() & bit(libc::SIGTRAP) != 0);
    guest.goes_on(calls);
}

#[test]
fn signals_wait_until_the_end() {
    for signal in [libc::SIGUSR1, libc::SIGTRAP, libc::SIGILL] {
        let (guest, tracee) = Guest::start(|| ());
        let mut calls = guest.begin(tracee, Stop::Trap);
        send(guest.pid(), signal).unwrap();
        map_and_unmap(&mut calls);
        let (tracee, none) = calls.finish().unwrap();
        assert_eq!(none, 0);
        tracee.resume(Resume::Continue, 0).unwrap();
        let tracee = guest.stop(Stop::Signal(signal));
        tracee.resume(Resume::Continue, signal).unwrap();
        let what = wait::next_of(guest.pid()).unwrap().what;
        assert!(matches!(what, What::Killed { signal: by, .. } if by == signal), "{what:?}");
    }
}

#[test]
fn a_signal_is_delivered_as_it_was_sent() {
    let (mut guest, tracee) = Guest::start(|| ());
    send(guest.pid(), libc::SIGUSR1).unwrap();
    tracee.resume(Resume::Continue, 0).unwrap();
    let stop = Stop::Signal(libc::SIGUSR1);
    let tracee = guest.stop(stop);
    let info = tracee.signal_info().unwrap();
    let mut calls = guest.begin(tracee, stop);
    map_and_unmap(&mut calls);
    let (tracee, signal) = calls.finish().unwrap();
    assert_eq!((signal, tracee.signal_info().unwrap()), (libc::SIGUSR1, info));
    tracee.resume(Resume::Continue, signal).unwrap();
    assert_eq!(guest.child.wait_exit().unwrap().signal(), Some(libc::SIGUSR1));
}

#[test]
fn a_stop_of_the_process_is_reported_afterwards() {
    let (guest, tracee) = Guest::start(|| ());
    let mut calls = guest.begin(tracee, Stop::Trap);
    send(guest.pid(), libc::SIGSTOP).unwrap();
    map_and_unmap(&mut calls);
    let (tracee, _) = calls.finish().unwrap();
    tracee.resume(Resume::Continue, 0).unwrap();
    let tracee = guest.stop(Stop::Signal(libc::SIGSTOP));
    tracee.resume(Resume::Continue, libc::SIGSTOP).unwrap();
    // In a group stop already, and back in it afterwards.
    let stop = Stop::Group(libc::SIGSTOP);
    let tracee = guest.stop(stop);
    let mut calls = guest.begin(tracee, stop);
    map_and_unmap(&mut calls);
    let (tracee, _) = calls.finish().unwrap();
    tracee.resume(Resume::Continue, 0).unwrap();
    let tracee = guest.stop(stop);
    tracee.listen().unwrap();
    send(guest.pid(), libc::SIGCONT).unwrap();
    let tracee = guest.stop(Stop::Trap);
    let calls = guest.begin(tracee, Stop::Trap);
    let (tracee, _) = calls.finish().unwrap();
    tracee.resume(Resume::Continue, 0).unwrap();
    let tracee = guest.stop(Stop::Signal(libc::SIGCONT));
    let calls = guest.begin(tracee, Stop::Trap);
    guest.goes_on(calls);
}

#[test]
fn a_guest_killed_meanwhile_has_ended() {
    let (guest, tracee) = Guest::start(|| ());
    let mut calls = guest.begin(tracee, Stop::Trap);
    let exit = calls.call(Call { number: libc::SYS_exit_group, args: [3, 0, 0, 0, 0, 0] });
    let Err(Failure::Ended(Change { what: What::Exited(3), .. })) = exit else {
        panic!("{exit:?}");
    };
    let Err(Failure::Kernel(error)) = calls.call(Call::close(0)) else {
        panic!("a call of the dead")
    };
    assert!(crate::ptrace::is_gone(&error));
    assert!(matches!(calls.finish(), Err(Failure::Kernel(_))));
}

#[test]
fn the_filter_is_no_obstacle() {
    let policy = CallPolicy {
        trusted: None,
        answered: &[],
        by_argument: &[],
        unless_null: &[],
        calls: &[libc::SYS_mmap as u32, libc::SYS_munmap as u32],
        listed: Action::Trace(0),
        others: Action::Allow,
        x32: Action::Allow,
        foreign: Action::Allow,
    };
    let program = policy.program().unwrap();
    let (guest, tracee) = Guest::start(|| drop(install(&program, 0)));
    let mut calls = guest.begin(tracee, Stop::Trap);
    map_and_unmap(&mut calls);
    guest.goes_on(calls);
}

#[test]
fn between_two_masks_no_call_is_made() {
    // SAFETY: `ppoll(2)` waits for nothing, under an empty mask; that is all zeroes.
    let wait = |_| unsafe {
        let mask = std::mem::zeroed::<libc::sigset_t>();
        libc::ppoll(ptr::null_mut(), 0, ptr::null(), &mask);
        0
    };
    let (mut guest, tracee) = Guest::start_then(|| (), wait);
    guest.answer.write_all(&[0]).unwrap();
    guest.enter(libc::SYS_ppoll, tracee).resume(Resume::Continue, 0).unwrap();
    send(guest.pid(), libc::SIGUSR1).unwrap();
    let stop = Stop::Signal(libc::SIGUSR1);
    let tracee = guest.stop(stop);
    let begun = RemoteCalls::begin(guest.pid(), tracee, stop, None, false);
    assert!(matches!(begun, Err(Failure::Unfit(..))));
}

#[test]
fn a_new_process_makes_calls_before_its_first_instruction() {
    // SAFETY: the child ends at once; the calls take no memory but the status.
    let fork = |_| unsafe {
        let mut status = 0;
        let child = libc::fork();
        if child == 0 {
            libc::_exit(7);
        }
        libc::waitpid(child, &mut status, 0);
        libc::WEXITSTATUS(status) as u8
    };
    let (mut guest, tracee) = Guest::start_then(|| (), fork);
    tracee.set_options(Options { follow: true, ..Options::default() }).unwrap();
    tracee.resume(Resume::Continue, 0).unwrap();
    guest.answer.write_all(&[0]).unwrap();
    let parent = guest.stop(Stop::NewTask);
    let child = parent.event_message().unwrap() as pid_t;
    // Its parent cannot: the result of its call is still to come.
    let begun = RemoteCalls::begin(guest.pid(), parent, Stop::NewTask, None, false);
    let Err(Failure::Unfit(parent, _)) = begun else { panic!("{begun:?}") };
    let What::Stopped(newborn, stop) = wait::next_of(child).unwrap().what else { panic!("dead") };
    let mut calls = RemoteCalls::begin(child, newborn, stop, None, false).unwrap();
    map_and_unmap(&mut calls);
    assert_eq!(
        calls.call(Call { number: libc::SYS_getppid, args: [0; 6] }).unwrap(),
        guest.pid() as u64
    );
    let (newborn, _) = calls.finish().unwrap();
    newborn.resume(Resume::Continue, 0).unwrap();
    parent.resume(Resume::Continue, 0).unwrap();
    let what = wait::next_of(child).unwrap().what;
    assert!(matches!(what, What::Exited(7)), "{what:?}");
    guest.stop(Stop::Signal(libc::SIGCHLD)).resume(Resume::Continue, libc::SIGCHLD).unwrap();
    assert_eq!(guest.child.wait_exit().unwrap().code(), Some(7));
}

#[test]
fn where_there_is_no_code_the_thread_stays_as_it_is() {
    let (guest, tracee) = Guest::start(|| ());
    let before = tracee.registers().unwrap();
    tracee.set_registers(&Registers { rip: 0x10, ..before }).unwrap();
    let begun = RemoteCalls::begin(guest.pid(), tracee, Stop::Trap, None, false);
    let Err(Failure::Unfit(tracee, error)) = begun else { panic!("{begun:?}") };
    assert_eq!(error.raw_os_error(), Some(libc::EIO));
    tracee.set_registers(&before).unwrap();
    let calls = guest.begin(tracee, Stop::Trap);
    guest.goes_on(calls);
}
