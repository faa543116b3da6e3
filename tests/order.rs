//! What many threads and processes do is told in the order in which it happened, whether they record
//! it themselves or stop for it.
#![forbid(unsafe_code)]

mod harness;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use harness::compile::{self, Variant};
use harness::launch::{self, End};
use harness::tools;
use harness::trace::Trace;
use harness::tracer::{self, Tracer};

const THREADS: &str = "12";
const ROUNDS: &str = "40";

#[test]
fn by_ptrace() {
    is_told_in_order(Tracer::Ptrace);
}

#[test]
fn by_a_filter() {
    is_told_in_order(Tracer::Seccomp);
}

#[test]
fn by_the_agent() {
    is_told_in_order(Tracer::Agent);
}

/// The guest, built once for all tests.
fn guest() -> &'static Path {
    static GUEST: OnceLock<PathBuf> = OnceLock::new();
    GUEST.get_or_init(|| {
        let source = tools::tests().join("guests/order/busy.c");
        compile::c(&source, Variant::Dynamic).expect("the guest compiles")
    })
}

fn is_told_in_order(tracer: Tracer) {
    let missing = Variant::Dynamic.missing();
    let no_agent = || tracer::no_agent().filter(|_| tracer.is_agent()).map(str::to_owned);
    if let Some(reason) = missing.or_else(no_agent) {
        return println!("skipped: {reason}");
    }
    let folder = tools::empty_scratch(&format!("order/{}", tracer.name()));
    let output = folder.with_extension("trace");
    let mut command =
        tracer.following(&output, &["--absolute-timestamps=format:unix,precision:ns"]);
    command.arg(guest()).args([THREADS, ROUNDS]);
    let outcome = launch::run(command, &folder, "").unwrap();
    assert_eq!((outcome.end, outcome.stderr.as_str()), (End::Exited(0), ""));

    let text = launch::read_lossy(&output).unwrap();
    let mut without_times = String::new();
    let (mut last, mut early) = (0, Vec::new());
    for line in text.lines() {
        let (tid, rest) = line.split_once(' ').unwrap();
        let (time, rest) = rest.trim_start().split_once(' ').unwrap();
        let time: u64 = time.replace('.', "").parse().unwrap_or_else(|_| panic!("{line}"));
        if time < last {
            early.push(format!("{} ns before the line above: {line}", last - time));
        }
        last = time;
        without_times += &format!("{tid} {rest}\n");
    }
    assert!(early.is_empty(), "{} lines: {:#?}", early.len(), &early[..early.len().min(20)]);
    let trace = Trace::parse(&without_times).unwrap();
    trace.check_whole().unwrap();
    assert_eq!(outcome.stdout.trim(), trace.count("getppid").to_string());
}
