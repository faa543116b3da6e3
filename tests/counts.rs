//! What can be counted: no call is lost when guests are killed, and in the long run calls cost next
//! to no stops.
//!
//! `SHUNPIKE_SOAK=1 cargo test --release --test counts` kills 100,000 guests.
#![forbid(unsafe_code)]

mod harness;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use harness::compile::{self, Variant};
use harness::kernel_calls::KernelCalls;
use harness::launch::{self, End};
use harness::tools;
use harness::trace::{Trace, call_name};
use harness::tracer::{self, Tracer};

/// How many guests are killed in one run, and how many runs there are.
const KILLS: u32 = 400;
fn runs() -> u32 {
    if std::env::var_os("SHUNPIKE_SOAK").is_some() { 250 } else { 1 }
}

/// The number of `readahead`, which hardly any other program calls.
const READAHEAD: i64 = 187;
/// From here on `guests/counts/killed.c` numbers its threads, three for each that is killed.
const FIRST: u64 = 0x5348_554e_0000;

/// A guest of `guests/counts`, built; `None` and a word why where it cannot be.
fn guest(name: &str) -> Option<PathBuf> {
    let missing = Variant::Dynamic.missing();
    if let Some(reason) = missing.or_else(|| tracer::no_agent().map(str::to_owned)) {
        println!("skipped: {reason}");
        return None;
    }
    let source = tools::tests().join(format!("guests/counts/{name}.c"));
    // Two tests may want the same one.
    static BUILDING: Mutex<()> = Mutex::new(());
    let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    Some(compile::c(&source, Variant::Dynamic).expect("the guest compiles"))
}

/// Runs a guest with arguments under the agent. Returns its trace.
fn trace(guest: &PathBuf, name: &str, options: &[&str], arguments: &[&str]) -> String {
    let folder = tools::empty_scratch(&format!("counts/{name}"));
    let output = folder.with_extension("trace");
    let mut command = Tracer::Agent.following(&output, options);
    command.arg(guest).args(arguments);
    let outcome = launch::run(command, &folder, "").unwrap();
    assert_eq!((outcome.end, outcome.stderr.as_str()), (End::Exited(0), ""));
    launch::read_lossy(&output).unwrap()
}

#[test]
fn whoever_is_killed_has_told_of_all_its_calls() {
    let Some(guest) = guest("killed") else { return };
    for run in 0..runs() {
        let seen = KernelCalls::begin("kills", READAHEAD);
        if let (0, Err(error)) = (run, &seen) {
            println!("not compared with the calls that the kernel has seen: {error}");
        }
        let arguments = [KILLS.to_string(), (run + 1).to_string()];
        let text = trace(&guest, "killed", &[], &arguments.each_ref().map(String::as_str));
        let told = told(&Trace::parse(&text).unwrap());
        if let Ok(seen) = seen {
            compare(&told, &seen.arguments().unwrap());
        }
        let calls: u64 = told.values().sum();
        assert!(calls > 0);
        println!("{} guests were killed, the last {KILLS} in {calls} calls", (run + 1) * KILLS);
    }
}

/// How many calls the trace tells of each thread, by the number that these have. They are those
/// from the first on, each once, in their order, and all but the last have returned.
fn told(trace: &Trace) -> HashMap<u64, u64> {
    let mut threads = HashMap::new();
    let mut unfinished = Vec::new();
    let lines = trace.tasks.iter().flat_map(|task| &task.lines);
    for line in lines.filter(|line| call_name(line) == Some("readahead")) {
        let (arguments, result) = line.split_once(')').unwrap_or((line, ""));
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let ["readahead(-1,", number, thread, ..] = words[..] else { panic!("{line}") };
        let thread = thread.parse().unwrap_or_else(|_| panic!("{line}"));
        let next: &mut u64 = threads.entry(thread).or_default();
        assert_eq!(number, format!("{next},"), "{line}");
        *next += 1;
        assert!(!unfinished.contains(&thread), "{line} comes behind a call that has not ended");
        if result != " = -1 EBADF (Bad file descriptor)" {
            assert!(matches!(result, " = ?" | " <unfinished ...>" | ""), "{line}");
            unfinished.push(thread);
        }
    }
    threads
}

/// All calls are told of that the kernel has seen. It may not have come to the last one of a thread.
fn compare(told: &HashMap<u64, u64>, seen: &[[u64; 6]]) {
    let mut counts: HashMap<u64, u64> = HashMap::new();
    // Other programs make such calls too.
    let threads = seen.iter().map(|[_, _, thread, ..]| *thread);
    for thread in threads.filter(|thread| (FIRST..FIRST + 3 * u64::from(KILLS)).contains(thread)) {
        *counts.entry(thread).or_default() += 1;
    }
    let threads: HashSet<&u64> = told.keys().chain(counts.keys()).collect();
    for thread in threads {
        let [told, counted] = [told, &counts].map(|calls| calls.get(thread).copied().unwrap_or(0));
        let fits = (counted..=counted + 1).contains(&told);
        assert!(fits, "thread {thread}: {told} calls are told of, the kernel has seen {counted}");
    }
}

#[test]
fn rings_of_any_size_lose_nothing() {
    const CALLS: u64 = 50_000;
    let Some(guest) = guest("calls") else { return };
    for size in ["16K", "16M"] {
        let option = format!("--ring-size={size}");
        let text = trace(&guest, "rings", &[&option], &[&CALLS.to_string()]);
        let getppids = text.lines().filter(|line| line.contains(" getppid()")).count();
        assert_eq!(getppids as u64, CALLS, "{size}");
    }
}

#[test]
fn in_the_long_run_calls_cost_next_to_no_stops() {
    const CALLS: u64 = 400_000;
    let Some(guest) = guest("calls") else { return };
    let toll = tools::scratch("counts").join("toll");
    let option = format!("--toll={}", toll.display());
    let text = trace(&guest, "calls", &[&option], &[&CALLS.to_string()]);
    let getppids = text.lines().filter(|line| line.contains(" getppid()")).count();
    assert_eq!(getppids as u64, CALLS);
    let toll = fs::read_to_string(toll).unwrap();
    assert!(count(&toll, "stops ") <= CALLS / 1000, "{toll}");
    assert!(count(&toll, "supervisor kernel calls ") <= CALLS / 100, "{toll}");
}

/// What a ledger of crossings says of this.
fn count(toll: &str, name: &str) -> u64 {
    let row = toll.lines().find_map(|line| line.strip_prefix(name));
    let count = row.and_then(|row| row.split_whitespace().next()?.parse().ok());
    count.unwrap_or_else(|| panic!("no {name:?} in {toll}"))
}

/// The stops for calls of a script of the shell, which sees a directory of the host at `/mapped` too.
fn stops_in_a_map(name: &str, directory: &str, script: &str) -> Option<u64> {
    stops(name, &format!("--map=/mapped={directory}"), script)
}

/// The stops for calls of a script of the shell that is run with this option.
fn stops(name: &str, option: &str, script: &str) -> Option<u64> {
    if let Some(reason) = tracer::no_agent() {
        println!("skipped: {reason}");
        return None;
    }
    let folder = tools::empty_scratch(&format!("counts/{name}"));
    let toll = folder.with_extension("toll");
    let mut command = Command::new(tracer::shunpike());
    command.args(["run", option, &format!("--toll={}", toll.display())]);
    command.args(["sh", "-c", script]);
    let outcome = launch::run(command, &folder, "").unwrap();
    assert_eq!((outcome.end, outcome.stderr.as_str()), (End::Exited(0), ""));
    Some(count(&fs::read_to_string(toll).unwrap(), "  seccomp "))
}

#[test]
fn programs_that_made_many_calls_have_the_agent_from_their_beginning() {
    const MORE: u64 = 10;
    let script = |times: u64| {
        let files = "/mapped/dev/null ".repeat(60);
        format!("for nth in $(seq {times}); do cat {files}; done")
    };
    let stops = |times| stops_in_a_map("foreseen", "/", &script(times));
    let (Some(few), Some(many)) = (stops(2), stops(2 + MORE)) else { return };
    let each = many.saturating_sub(few) / MORE;
    assert!(each < 16, "{each} stops for each program: {few} and {many}");
}

#[test]
fn a_search_for_a_program_does_not_stop_where_it_is_not() {
    const DIRECTORIES: usize = 200;
    let path = "/mapped/nowhere:".repeat(DIRECTORIES);
    let script = format!("env PATH={path}$PATH:/bin true");
    let Some(stops) = stops_in_a_map("search", "/", &script) else { return };
    assert!(stops < DIRECTORIES as u64 / 2, "{stops} stops");
}

#[test]
fn paths_that_rise_and_looks_at_files_with_the_name_status_do_not_stop() {
    const TIMES: u64 = 200;
    let look = "[ -d .. ] && [ -d ../../.. ] && [ -d ../../usr ] && ! [ -e status ] || exit 1";
    let script = format!("cd /usr/bin; for nth in $(seq {TIMES}); do {look}; done");
    // The one is at `..` what the host has above it, the other is not.
    for directory in ["/", "/usr/lib"] {
        let Some(stops) = stops_in_a_map("rise", directory, &script) else { return };
        assert!(stops < TIMES / 2, "{stops} stops");
    }
}

#[test]
fn who_opens_files_does_not_stop_because_the_host_has_another_name() {
    const FILES: usize = 200;
    let script = format!("cat {}", "/dev/null ".repeat(FILES));
    let Some(stops) = stops("named", "--hostname=build", &script) else { return };
    assert!(stops < FILES as u64 / 2, "{stops} stops");
}
