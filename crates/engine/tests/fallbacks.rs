//! Whatever a kernel lacks, the captures are the same: each way to learn about calls and to read
//! memory, under each mechanism, gives what the cheapest gives.
#![forbid(unsafe_code)]

use contract::{CallSet, Capture, Event, What};
use engine::{GuestEnd, Mechanism, Observer, Options, Session};
use kernel::memory::Method;
use kernel::probe;
use kernel::ptrace::SyscallSource;
use kernel::spawn::{Program, Role};
use table::arch::x86_64;

/// The captures of a run: call by call, number, result, and the bytes that were copied.
#[derive(Default)]
struct Seen(Vec<(u64, i64, Vec<Vec<u8>>)>);

impl Observer for Seen {
    fn event(&mut self, event: &Event<'_>) {
        if let What::Exit(call) | What::Call(call) = event.what {
            let result = call.outcome.map_or(0, |outcome| outcome.value);
            self.0.push((call.number, result, copies(call)));
        }
    }
}

fn copies(call: &Capture) -> Vec<Vec<u8>> {
    call.spans().map(|(_, bytes)| bytes.to_vec()).collect()
}

/// Calls whose results and bytes do not depend on addresses or on chance.
fn steady_calls() -> CallSet {
    let mut calls = CallSet::NONE;
    for call in [x86_64::OPENAT, x86_64::CLOSE, x86_64::READ, x86_64::WRITE] {
        calls.insert(call.number.into());
    }
    calls
}

fn run(options: Options) -> Seen {
    let args = ["cat", "/proc/self/nowhere", "/dev/null"].map(|arg| arg.as_bytes().to_vec());
    let env = vec![b"LC_ALL=C".to_vec()];
    let program = Program::new(b"/bin/cat".to_vec(), args.to_vec(), env).unwrap();
    let mut session = Session::new(options, Vec::new());
    session.launch(program, Role::Child).unwrap();
    let mut seen = Seen::default();
    let end = session.run(&mut seen).unwrap();
    assert_eq!(end.guest, Some(GuestEnd::Exited(1)));
    seen
}

#[test]
fn every_fallback_captures_the_same() {
    if let Err(refusal) = probe::filter_trace() {
        println!("skipped: tracing with a filter is not permitted here: {refusal}");
        return;
    }
    let options = Options { calls: steady_calls(), follow: true, ..Options::default() };
    let expected = run(options.clone());
    assert!(expected.0.iter().any(|(number, result, _)| (*number, *result) == (257, -2)));
    for mechanism in Mechanism::ALL {
        for syscall_source in [SyscallSource::Info, SyscallSource::Registers].map(Some) {
            for method in Method::ALL {
                let memory_method = Some(method);
                let options =
                    Options { mechanism, syscall_source, memory_method, ..options.clone() };
                assert_eq!(
                    run(options).0,
                    expected.0,
                    "{mechanism:?} {syscall_source:?} {method:?}"
                );
            }
        }
    }
}
