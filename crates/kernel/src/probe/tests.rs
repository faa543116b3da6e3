use std::collections::BTreeSet;

use super::*;

/// The test suites of this crate trace children and read their memory, so a host where they pass
/// permits it; the filters may be missing.
#[test]
fn this_host_is_known() {
    let host = Host::probe();
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    assert_eq!(host.release, release.trim());
    assert!(host.cpus >= 1);
    assert_eq!(host.tracer, None);
    if host.yama_scope.is_none_or(|scope| scope == 0) {
        assert_eq!(host.attach, Ok(()));
    }
    assert_eq!(host.seize, Ok(()));
    assert!(host.memory.contains(&(Method::PeekData, Ok(()))), "{:?}", host.memory);
    // What needs less cannot be refused where what needs more is permitted.
    if host.filter.is_ok() || host.filter_trace.is_ok() || host.filter_notify.is_ok() {
        assert_eq!(host.filter_no_new_privs, Ok(()));
    }
    assert_eq!(host.no_new_privs, no_new_privs(), "a probe changed this process");
}

/// In a thread where `calls` fail with `errno`; `None` where such a thread cannot be had.
fn probe_without(calls: &[libc::c_long], errno: c_int) -> Option<Host> {
    let program = CallPolicy::failing(calls, errno);
    let probe = || {
        if seccomp::install(&program, 0).is_err() {
            eprintln!("skipped: this kernel or sandbox has no seccomp filters");
            return None;
        }
        Some(Host::probe())
    };
    thread::scope(|scope| scope.spawn(probe).join().unwrap())
}

#[test]
fn without_ptrace_nothing_that_needs_it_works() {
    let Some(host) = probe_without(&[libc::SYS_ptrace], libc::EPERM) else { return };
    let refused = Err(Refusal::Errno(libc::EPERM));
    assert!(host.filtered);
    let needy = [host.seize, host.attach, host.syscall_info, host.filter_trace];
    assert_eq!(needy, [refused; 4]);
    assert_eq!(host.memory, Method::ALL.map(|method| (method, refused)));
    assert_eq!(host.filter_no_new_privs, Ok(()));
}

#[test]
fn a_missing_call_is_named_by_its_errno() {
    let missing = [libc::SYS_seccomp, libc::SYS_process_vm_readv];
    let Some(host) = probe_without(&missing, libc::ENOSYS) else { return };
    let refused = Err(Refusal::Errno(libc::ENOSYS));
    let filters = [host.filter, host.filter_no_new_privs, host.filter_trace, host.filter_notify];
    assert_eq!(filters, [refused; 4]);
    assert_eq!(host.seize, Ok(()));
    let [vectored, proc_mem, peek_data] = host.memory.map(|(_, answer)| answer);
    assert_eq!([vectored, proc_mem, peek_data], [refused, Ok(()), Ok(())]);
}

#[test]
fn each_memory_method_is_tried() {
    let tried: BTreeSet<&str> = Host::probe().memory.map(|(method, _)| method.name()).into();
    assert_eq!(tried.len(), Method::ALL.len());
}

#[test]
fn a_refusal_says_why() {
    let text = Refusal::Errno(libc::EPERM).to_string();
    assert!(text.contains("not permitted"), "{text}");
    assert!(Refusal::Signal(31).to_string().contains("31"));
}

#[test]
fn a_kernels_release_begins_with_its_version() {
    assert_eq!(version("6.18.44-generic"), Some((6, 18)));
    assert_eq!(version("6.4"), Some((6, 4)));
    assert_eq!(version("10.0-rc1"), Some((10, 0)));
    assert_eq!(version("unknown"), None);
}
