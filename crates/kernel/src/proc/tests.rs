use std::os::fd::AsRawFd;
use std::process;
use std::time::Duration;

use super::*;
use crate::fork::Child;

fn own_pid() -> pid_t {
    process::id() as pid_t
}

fn own_tid() -> pid_t {
    // SAFETY: `gettid(2)` takes no memory.
    unsafe { libc::gettid() }
}

/// The id of a process that has ended.
fn dead_pid() -> pid_t {
    // SAFETY: the body does nothing but return.
    let mut child = unsafe { Child::start(Duration::from_secs(60), || 0) }.unwrap();
    child.wait_exit().unwrap();
    child.pid()
}

#[test]
fn the_threads_of_this_process() {
    let tasks = tasks(own_pid()).unwrap();
    assert!(tasks.contains(&own_pid()) && tasks.contains(&own_tid()), "{tasks:?}");
}

#[test]
fn descriptors_are_named() {
    let null = fs::File::open("/dev/null").unwrap();
    assert_eq!(descriptor(own_pid(), null.as_raw_fd()).unwrap(), PathBuf::from("/dev/null"));
    let (reader, _writer) = io::pipe().unwrap();
    let pipe = descriptor(own_pid(), reader.as_raw_fd()).unwrap();
    assert!(pipe.to_str().unwrap().starts_with("pipe:["), "{pipe:?}");
}

#[test]
fn an_open_file_is_told_from_another_of_its_name() {
    let null = fs::File::open("/dev/null").unwrap();
    let open = open_file(own_pid(), null.as_raw_fd()).unwrap();
    assert_eq!(open.device, Some(Device { block: false, major: 1, minor: 3 }));
    assert_eq!(named_file(own_pid(), Path::new("/dev/null")).unwrap(), open);
    assert_ne!(named_file(own_pid(), Path::new("/dev/zero")).unwrap().identity, open.identity);
}

#[test]
fn fields_of_a_descriptor() {
    let null = fs::File::open("/dev/null").unwrap();
    let field = |name| descriptor_field(own_pid(), null.as_raw_fd(), name);
    assert_eq!(field("pos").unwrap(), "0");
    assert!(matches!(field("po"), Err(ProcError::Malformed { .. })));
    let number = |name, radix| descriptor_number(own_pid(), null.as_raw_fd(), name, radix);
    assert_eq!(number("flags", 8).unwrap() as c_int & libc::O_CLOEXEC, libc::O_CLOEXEC);
    assert!(matches!(number("flags", 2), Err(ProcError::Malformed { .. })));
}

#[test]
fn a_closed_descriptor_is_gone() {
    let error = descriptor(own_pid(), c_int::MAX).unwrap_err();
    assert!(matches!(error, ProcError::Gone { .. }), "{error:?}");
}

#[test]
fn names_may_hold_anything() {
    let name = c"a) (b \xff)";
    // SAFETY: `name` ends with NUL and lives through the call.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
    assert_eq!(comm(own_tid()).unwrap().into_vec(), name.to_bytes());
}

#[test]
fn the_status_of_this_thread() {
    let status = status(own_tid()).unwrap();
    assert_eq!(status.tgid, own_pid());
    // SAFETY: neither call takes memory.
    let (real, effective) = unsafe { (libc::getuid(), libc::geteuid()) };
    assert_eq!((status.real_uid, status.effective_uid), (real, effective));
}

#[test]
fn the_status_is_parsed_by_field() {
    let text = b"Name:\tTgid: 9\nTgid:\t12\nPPid:\t9\nTracerPid:\t34\nUid:\t1\t2\t3\t4\n\
        Threads:\t5\n";
    let expected = Status {
        tgid: 12,
        parent: 9,
        group: 0,
        threads: 5,
        tracer: Some(34),
        real_uid: 1,
        effective_uid: 2,
    };
    assert_eq!(parse_status(text), Ok(expected));
    assert_eq!(parse_status(b"Tgid:\t12\nPPid:\t9\nUid:\t1\t2\n"), Err("TracerPid:"));
    assert_eq!(parse_status(b"Tgid:\t12\nPPid:\t9\nTracerPid:\t0\nUid:\t1\n"), Err("Uid:"));
}

#[test]
fn a_traced_child_has_a_tracer() {
    // SAFETY: `pause(2)` is async-signal-safe.
    let child = unsafe { Child::start(Duration::from_secs(60), || libc::pause() as u8) }.unwrap();
    assert_eq!(status(child.pid()).unwrap().tracer, None);
    // SAFETY: PTRACE_SEIZE takes no memory.
    assert_eq!(unsafe { libc::ptrace(libc::PTRACE_SEIZE, child.pid(), 0, 0) }, 0);
    // The kernel names the tracing thread, and not its process.
    assert_eq!(status(child.pid()).unwrap().tracer, Some(own_tid()));
}

#[test]
fn the_dead_are_gone() {
    let pid = dead_pid();
    let errors = [
        tasks(pid).unwrap_err(),
        descriptor(pid, 0).unwrap_err(),
        comm(pid).unwrap_err(),
        status(pid).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, ProcError::Gone { .. }), "{error:?}");
    }
}

#[test]
fn refusals_are_not_taken_for_absence() {
    let error = |errno| ProcError::new(PathBuf::new(), io::Error::from_raw_os_error(errno));
    assert!(matches!(error(libc::EACCES), ProcError::Denied { .. }));
    assert!(matches!(error(libc::EPERM), ProcError::Denied { .. }));
    assert!(matches!(error(libc::ENOENT), ProcError::Gone { .. }));
    assert!(matches!(error(libc::ESRCH), ProcError::Gone { .. }));
    assert!(matches!(error(libc::EIO), ProcError::Failed { .. }));
}
