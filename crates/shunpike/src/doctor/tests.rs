use kernel::probe::Refusal;
use kernel::seccomp::{self, Action, CallPolicy};

use super::*;

/// A host that can do everything.
fn able() -> Host {
    use kernel::memory::Method;
    Host {
        release: "6.0.0".to_owned(),
        cpus: 2,
        yama_scope: Some(0),
        no_new_privs: false,
        tracer: None,
        filtered: false,
        seize: Ok(()),
        attach: Ok(()),
        syscall_info: Ok(()),
        filter: Ok(()),
        filter_no_new_privs: Ok(()),
        filter_trace: Ok(()),
        filter_notify: Ok(()),
        agent: Ok(()),
        dispatch: Ok(()),
        placement: Ok(()),
        written_pages: Ok(()),
        rewind_calls: Ok(()),
        memory: Method::ALL.map(|method| (method, Ok(()))),
    }
}

fn told(host: &Host) -> String {
    abilities::of(host).iter().map(ToString::to_string).collect()
}

const EPERM: Result<(), Refusal> = Err(Refusal::Errno(1));
const ENOSYS: Result<(), Refusal> = Err(Refusal::Errno(38));
const EIO: Result<(), Refusal> = Err(Refusal::Errno(5));
const EACCES: Result<(), Refusal> = Err(Refusal::Errno(13));
const NO_KCMP: Result<(), (&str, Refusal)> = Err(("compared (kcmp)", Refusal::Errno(1)));

#[test]
fn where_all_is_well_nothing_is_explained() {
    let text = told(&able());
    assert!(!text.contains("NO") && !text.contains("because") && !text.contains("note"), "{text}");
}

#[test]
fn each_obstacle_is_named_with_its_way_out() {
    let cases: [(&str, Host, [&str; 2]); 12] = [
        ("descendants", Host { yama_scope: Some(1), attach: EPERM, ..able() }, ["-p", "scope=0"]),
        (
            "CAP_SYS_PTRACE",
            Host { yama_scope: Some(2), seize: EPERM, ..able() },
            ["as root", "nothing: every mechanism"],
        ),
        (
            "until the next boot",
            Host { yama_scope: Some(3), seize: EPERM, ..able() },
            ["boot with", "ptrace_scope"],
        ),
        (
            "sandbox or container",
            Host { filtered: true, seize: EPERM, ..able() },
            ["--cap-add=SYS_PTRACE", "Operation not permitted"],
        ),
        (
            "thread 77 traces",
            Host { tracer: Some(77), seize: EPERM, ..able() },
            ["outside of that tracer", "NO"],
        ),
        ("NO_NEW_PRIVS", Host { filter: EACCES, ..able() }, ["sudo", "CAP_SYS_ADMIN"]),
        (
            "set already",
            Host { no_new_privs: true, ..able() },
            ["no-new-privileges", "without gaining rights"],
        ),
        ("user dispatch", Host { dispatch: EIO, ..able() }, ["Linux 6.4", "every call stops"]),
        ("no rdgsbase", Host { agent: ENOSYS, ..able() }, ["processor", "every call stops"]),
        ("not permitted", Host { placement: EPERM, ..able() }, ["affinity", "two processors"]),
        ("nobody tells", Host { written_pages: ENOSYS, ..able() }, ["Linux 6.7", "anew"]),
        ("(kcmp)", Host { rewind_calls: NO_KCMP, ..able() }, ["permits userfaultfd, kcmp", "anew"]),
    ];
    for (cause, host, others) in cases {
        let text = told(&host);
        for expected in others.into_iter().chain([cause, "way out", "instead"]) {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }
}

#[test]
fn another_way_to_memory_is_only_worth_a_note() {
    let mut host = able();
    host.memory[0].1 = EPERM;
    let text = told(&host);
    assert!(text.contains("by /proc/PID/mem") && !text.contains("NO"), "{text}");
}

#[test]
fn this_host_gets_all_three_parts() {
    let text = findings(&Host::probe());
    for expected in ["trace programs that it starts", "two stops", "trace -f PROG", "trace -p"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn a_sandbox_without_ptrace_is_told_of() {
    let ptrace = table::arch::x86_64::by_name("ptrace").unwrap().number;
    let policy = CallPolicy {
        trusted: None,
        answered: &[],
        by_argument: &[],
        unless_null: &[],
        calls: &[ptrace.into()],
        listed: Action::Errno(1),
        others: Action::Allow,
        x32: Action::Allow,
        foreign: Action::Allow,
    };
    let program = policy.program().unwrap();
    let in_sandbox = || {
        if seccomp::install(&program, 0).is_err() {
            eprintln!("skipped: this kernel or sandbox has no seccomp filters");
            return None;
        }
        let host = Host::probe();
        Some((host.seize, findings(&host)))
    };
    // The filter is a matter of that thread, and ends with it.
    let found = std::thread::scope(|scope| scope.spawn(in_sandbox).join().unwrap());
    let Some((seize, text)) = found else { return };
    assert_eq!(seize, EPERM);
    assert!(text.contains("sandbox or container"), "{text}");
    assert!(text.contains("none      nothing can be traced here"), "{text}");
}
