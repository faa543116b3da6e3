//! Many tracees that live at the same time: what each costs the supervisor in memory, and whether
//! every call is recorded.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStdout, Stdio};

use super::form::Form;
use super::options::Options;
use super::rows::Guest;
use super::run;
use super::tracer::{Files, Tracer};

/// What the row is called on the command line.
pub const NAME: &str = "live";

/// Calls that each thread makes.
const CALLS: u64 = 20;

/// The results of one tracer.
#[derive(Debug)]
pub struct Live {
    /// Which.
    pub tracer: Tracer,
    /// How many threads lived at the same time.
    pub threads: u64,
    /// What came out, or why nothing did.
    pub outcome: Result<Outcome, String>,
}

/// What one tracer needed and wrote.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    /// What each further thread adds to the supervisor's resident memory, in KiB.
    pub kib_per_thread: f64,
    /// Calls that the guest made and that its trace must show.
    pub expected: u64,
    /// Calls that the trace shows.
    pub recorded: u64,
}

/// Runs the guest under each tracer, with many threads and with one.
pub fn measure(program: &Path, tracers: &[Tracer], options: &Options, place: &Path) -> Vec<Live> {
    let threads = if options.quick { 200 } else { 2000 };
    let files = Files::at(place);
    let tracers = tracers.iter().filter(|tracer| **tracer != Tracer::Native);
    tracers
        .map(|tracer| Live {
            tracer: tracer.clone(),
            threads,
            outcome: compare(tracer, program, threads, &files),
        })
        .collect()
}

fn compare(
    tracer: &Tracer,
    program: &Path,
    threads: u64,
    files: &Files,
) -> Result<Outcome, String> {
    let one = peak(tracer, program, 1, files)?;
    let many = peak(tracer, program, threads, files)?;
    let trace = fs::read(&files.trace).map_err(|error| format!("it left no trace: {error}"))?;
    Ok(Outcome {
        kib_per_thread: many.saturating_sub(one) as f64 / (threads - 1) as f64,
        expected: threads * CALLS,
        recorded: calls_in(&trace),
    })
}

/// How many calls of the guest a trace shows. A call whose line is continued on another one counts
/// on the first: strace leaves the parenthesis away on the other, perf marks it.
fn calls_in(trace: &[u8]) -> u64 {
    let is_call = |line: &&[u8]| contains(line, b"getppid(") && !contains(line, b"[continued]:");
    trace.split(|&byte| byte == b'\n').filter(is_call).count() as u64
}

fn contains(line: &[u8], word: &[u8]) -> bool {
    line.windows(word.len()).any(|window| window == word)
}

/// The most memory that the supervisor had resident until all threads had made their calls, KiB.
fn peak(tracer: &Tracer, program: &Path, threads: u64, files: &Files) -> Result<u64, String> {
    let guest = Guest {
        program: program.to_owned(),
        args: vec![threads.to_string(), CALLS.to_string()],
        directory: None,
    };
    let mut command = tracer.command(Form::Everything, &guest, files);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut run = run::start(&mut command, &files.stderr)?;
    let ready = run.child.stdout.take().map(await_ready);
    let status = fs::read_to_string(format!("/proc/{}/status", run.child.id()));
    // The end of its input is the guest's sign to end.
    drop(run.child.stdin.take());
    run.finish()?;
    if ready != Some(true) {
        return Err("the guest was never ready".to_owned());
    }
    peak_of(&status.unwrap_or_default()).ok_or_else(|| "/proc tells no VmHWM of it".to_owned())
}

/// Whether the guest said that it is ready, before it ended.
fn await_ready(stdout: ChildStdout) -> bool {
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).is_ok() && line == "ready\n"
}

fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_counts_once() {
        let trace = b"10 getppid() = 9\n11 getppid( <unfinished ...>\n10 exit(0) = ?\n\
                      11 <... getppid resumed>) = 9\n ... [continued]: getppid()) = 9\n";
        assert_eq!(calls_in(trace), 2);
    }

    #[test]
    fn the_peak_is_in_the_status() {
        assert_eq!(peak_of("Name:\tx\nVmHWM:\t    1234 kB\nVmRSS:\t 99 kB\n"), Some(1234));
    }
}
