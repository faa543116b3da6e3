//! Programs that change the rights of their memory all the time stay at native speed: no such call
//! takes a crossing, whoever watches.
#![forbid(unsafe_code)]

use std::process::Command;

/// How many calls the program makes, in all of its threads.
const CALLS: u64 = 20_000;
/// Far fewer stops than calls: those of the program's start, of its threads, and of the calls that
/// are wanted.
const STOPS: u64 = 2000;

/// Threads that each make a page of their own, or all the same one, readable and writable in turn.
const PROGRAM: &str = "
import ctypes, mmap, sys, threading
libc = ctypes.CDLL(None)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
def page():
    memory = mmap.mmap(-1, 4096)
    return memory, ctypes.addressof(ctypes.c_char.from_buffer(memory))
def work(at):
    for i in range(CALLS // THREADS): assert libc.mprotect(at, 4096, 3 if i % 2 else 1) == 0
shared = page()
own = [page() for _ in range(THREADS)]
threads = [threading.Thread(target=work, args=[(own[n] if OWN else shared)[1]]) for n in range(THREADS)]
for thread in threads: thread.start()
for thread in threads: thread.join()
";

/// A number of the toll, by the name of its line.
fn number(toll: &str, name: &str) -> u64 {
    let line = toll.lines().find_map(|line| line.strip_prefix(name));
    let line = line.unwrap_or_else(|| panic!("there is no line '{name}' in {toll}"));
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn no_mprotect_takes_a_stop() {
    let watched = [
        ["trace", "-f", "-e", "trace=openat", "-o/dev/null"].as_slice(),
        &["trace", "-f", "-o/dev/null"],
        &["run", "--hostname=h"],
    ];
    for threads in ["1", "4"] {
        for own in ["True", "False"] {
            let program = PROGRAM.replace("THREADS", threads).replace("OWN", own);
            let program = program.replace("CALLS", &CALLS.to_string());
            for arguments in watched {
                let mut command = Command::new(env!("CARGO_BIN_EXE_shunpike"));
                let (verb, options) = arguments.split_first().unwrap();
                command.arg(verb).arg("--toll").args(options);
                command.args(["/usr/bin/python3", "-S", "-c", &program]);
                let output = command.output().unwrap();
                let toll = String::from_utf8(output.stderr).unwrap();
                assert!(output.status.success(), "{arguments:?}: {toll}");
                if arguments.len() == 3 && number(&toll, "calls by the agent") == 0 {
                    println!("skipped: every call stops where there is no agent");
                    continue;
                }
                assert!(number(&toll, "stops ") < STOPS, "{arguments:?}: {toll}");
                assert!(number(&toll, "supervisor kernel calls") < CALLS, "{arguments:?}: {toll}");
            }
        }
    }
}
