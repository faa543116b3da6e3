use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::ptr;

use super::*;
use crate::proc;
use crate::ptrace::{Resume, Stopped, Tracee};
use crate::remote::testing::{CODE, DATA, Guest, IMAGE, PAGE, ignore_traps, install_filter};
use crate::wait::Stop;

/// The names of what is mapped where the image goes.
fn mapped(guest: &Guest) -> Vec<(u64, String)> {
    let mappings = proc::mappings::mappings(guest.pid()).unwrap();
    let ours =
        mappings.into_iter().filter(|mapping| (CODE..DATA + PAGE).contains(&mapping.range.start));
    ours.map(|mapping| (mapping.range.start, String::from_utf8(mapping.name).unwrap())).collect()
}

/// How many descriptors a guest has.
fn descriptors(guest: &Guest) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", guest.pid())).unwrap().count()
}

/// Brings in the image, where nothing is in the way.
fn succeeds(guest: &Guest, calls: &mut RemoteCalls, image: &Image<'_>) {
    let before = descriptors(guest);
    let memory = calls.bring_in(image).unwrap();
    let name = "/memfd:agent (deleted)".to_owned();
    assert_eq!(mapped(guest), [(CODE, name.clone()), (DATA, name)]);
    assert_eq!(descriptors(guest), before);
    let word = calls.tracee().unwrap().peek(DATA).unwrap();
    assert_eq!(&word.to_le_bytes()[..4], b"data");
    memory.store_u64(PAGE as usize, 7);
    assert_eq!(calls.tracee().unwrap().peek(DATA).unwrap(), 7);
    let getpid = Call { number: libc::SYS_getpid, args: [0; 6] };
    assert_eq!(calls.call(getpid).unwrap(), guest.pid() as u64);
}

/// Tries to bring in the image, which fails with this error and leaves nothing.
fn fails(guest: &Guest, calls: &mut RemoteCalls, image: &Image<'_>, errno: i32) {
    let before = (mapped(guest), descriptors(guest));
    let Err(Failure::Refused(error)) = calls.bring_in(image) else { panic!("it is there") };
    assert_eq!(error.raw_os_error(), Some(errno), "{error}");
    assert_eq!((mapped(guest), descriptors(guest)), before);
}

/// The code of a guest around where it stands.
fn code(tracee: &Tracee<Stopped>) -> Vec<u64> {
    let at = tracee.registers().unwrap().rip & !63;
    (0..16).map(|word| tracee.peek(at + 8 * word).unwrap()).collect()
}

/// A guest whose tracer is told of this call.
fn guest_with_filter(number: libc::c_long) -> (Guest, Tracee<Stopped>) {
    Guest::start(move || install_filter(number, libc::SECCOMP_RET_TRACE))
}

#[test]
fn it_comes_in_and_the_guest_notices_nothing() {
    let guests = [
        (Guest::start(|| ()), false),
        (Guest::start(ignore_traps), false),
        (guest_with_filter(libc::SYS_memfd_create), false),
        (guest_with_filter(libc::SYS_mmap), true),
        (guest_with_filter(libc::SYS_mmap), false),
    ];
    for ((guest, tracee), mmap_stops) in guests {
        let before = (tracee.registers().unwrap(), code(&tracee));
        let mut calls = guest.begin(tracee, Stop::Trap);
        succeeds(&guest, &mut calls, &Image { mmap_stops, ..IMAGE });
        let (tracee, _) = calls.finish().unwrap();
        assert_eq!((tracee.registers().unwrap(), code(&tracee)), before);
        let calls = guest.begin(tracee, Stop::Trap);
        guest.goes_on(calls);
    }
}

#[test]
fn it_comes_in_right_after_an_exec() {
    // SAFETY: the strings are static, and the vectors end with a null pointer.
    let exec = |_| unsafe {
        let path = c"/bin/true".as_ptr();
        libc::execve(path, [path, ptr::null()].as_ptr(), [ptr::null()].as_ptr());
        1
    };
    for prepare in [|| (), ignore_traps as fn()] {
        let (mut guest, tracee) = Guest::start_then(prepare, exec);
        tracee.resume(Resume::Continue, 0).unwrap();
        guest.answer.write_all(&[0]).unwrap();
        let tracee = guest.stop(Stop::Exec);
        let mut calls = guest.begin(tracee, Stop::Exec);
        succeeds(&guest, &mut calls, &IMAGE);
        let (tracee, _) = calls.finish().unwrap();
        tracee.resume(Resume::Continue, 0).unwrap();
        assert_eq!(guest.child.wait_exit().unwrap().code(), Some(0));
    }
}

#[test]
fn what_is_there_already_stays() {
    for prepare in [|| (), ignore_traps as fn()] {
        for address in [CODE, DATA] {
            let (guest, tracee) = Guest::start(prepare);
            let before = (tracee.registers().unwrap(), code(&tracee));
            let mut calls = guest.begin(tracee, Stop::Trap);
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
            calls.call(Call::mmap(address, PAGE, libc::PROT_READ, flags, -1, 0)).unwrap();
            fails(&guest, &mut calls, &IMAGE, libc::EEXIST);
            calls.call(Call::munmap(address, PAGE)).unwrap();
            succeeds(&guest, &mut calls, &IMAGE);
            let (tracee, _) = calls.finish().unwrap();
            assert_eq!((tracee.registers().unwrap(), code(&tracee)), before);
            let calls = guest.begin(tracee, Stop::Trap);
            guest.goes_on(calls);
        }
    }
}

#[test]
fn a_guest_that_may_not_is_as_it_was() {
    const ERRNO: u32 = libc::SECCOMP_RET_ERRNO | libc::EACCES as u32;
    let refusals = [(ERRNO, libc::EACCES), (libc::SECCOMP_RET_TRAP, libc::EPERM)];
    for (value, errno) in refusals {
        for number in [libc::SYS_memfd_create, libc::SYS_mmap] {
            for mmap_stops in [false, true] {
                let (guest, tracee) = Guest::start(|| install_filter(number, value));
                let before = (tracee.registers().unwrap(), code(&tracee));
                let mut calls = guest.begin(tracee, Stop::Trap);
                fails(&guest, &mut calls, &Image { mmap_stops, ..IMAGE }, errno);
                let (tracee, _) = calls.finish().unwrap();
                assert_eq!((tracee.registers().unwrap(), code(&tracee)), before);
                let calls = guest.begin(tracee, Stop::Trap);
                guest.goes_on(calls);
            }
        }
    }
}

#[test]
fn a_guest_without_descriptors_or_memory_is_as_it_was() {
    let limits = [(libc::RLIMIT_NOFILE, libc::EMFILE), (libc::RLIMIT_AS, libc::ENOMEM)];
    for (resource, errno) in limits {
        let limit = libc::rlimit { rlim_cur: 3, rlim_max: 3 };
        // SAFETY: the call reads the limit, which lives through it.
        let prepare = || unsafe {
            libc::setrlimit(resource, &limit);
        };
        let (guest, tracee) = Guest::start(prepare);
        let mut calls = guest.begin(tracee, Stop::Trap);
        fails(&guest, &mut calls, &IMAGE, errno);
        guest.goes_on(calls);
    }
}

#[test]
fn a_file_that_is_too_large_for_us_leaves_nothing() {
    for mmap_stops in [false, true] {
        let (guest, tracee) = guest_with_filter(libc::SYS_mmap);
        let mut calls = guest.begin(tracee, Stop::Trap);
        let image = Image { len: isize::MAX as usize, mmap_stops, ..IMAGE };
        let before = descriptors(&guest);
        assert!(matches!(calls.bring_in(&image), Err(Failure::Refused(_))));
        assert_eq!((mapped(&guest), descriptors(&guest)), (Vec::new(), before));
        guest.goes_on(calls);
    }
}

#[test]
fn a_guest_killed_meanwhile_has_ended() {
    let (mut guest, tracee) = Guest::start(|| ());
    let mut calls = guest.begin(tracee, Stop::Trap);
    crate::signal::send(guest.pid(), libc::SIGKILL).unwrap();
    match calls.bring_in(&IMAGE) {
        Err(Failure::Ended(_)) => {}
        Err(Failure::Kernel(error)) => {
            assert!(crate::ptrace::is_gone(&error), "{error}");
            assert_eq!(guest.child.wait_exit().unwrap().signal(), Some(libc::SIGKILL));
        }
        outcome => panic!("{outcome:?}"),
    }
}
