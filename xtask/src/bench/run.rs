//! One run of a command, bounded in time.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The longest that any run may take.
pub const LIMIT: Duration = Duration::from_secs(120);

/// A run that ended with status 0.
#[derive(Debug)]
pub struct Run {
    /// From its start to its end.
    pub elapsed: Duration,
    /// What it printed.
    pub stdout: String,
}

/// A run that goes on.
#[derive(Debug)]
pub struct Running<'a> {
    /// The command. Its streams may be taken.
    pub child: Child,
    stderr: &'a Path,
    start: Instant,
    ended: Sender<()>,
    watchdog: JoinHandle<bool>,
}

/// Runs the command to its end, without input. Its stdout is kept if it is `Stdio::piped()`, its
/// stderr goes to that file. Fails with the reason, in words.
pub fn run(mut command: Command, stdout: Stdio, stderr: &Path) -> Result<Run, String> {
    start(command.stdin(Stdio::null()).stdout(stdout), stderr)?.finish()
}

/// Starts the command as the leader of a process group of its own, which is killed after [`LIMIT`].
pub fn start<'a>(command: &mut Command, stderr: &'a Path) -> Result<Running<'a>, String> {
    let log = File::create(stderr)
        .map_err(|error| format!("cannot write {}: {error}", stderr.display()))?;
    let start = Instant::now();
    let child = command
        // Cargo's: with it, every program that is started looks for its libraries in places that
        // nobody's has.
        .env_remove("LD_LIBRARY_PATH")
        .stderr(log)
        .process_group(0)
        .spawn()
        .map_err(|error| format!("cannot run {}: {error}", command.get_program().display()))?;
    let group = child.id();
    let (ended, end) = mpsc::channel();
    let watchdog = thread::spawn(move || {
        let late = end.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout);
        if late {
            // The leader is reaped only just before its end is told, so the number is still its.
            let _ = Command::new("kill").args(["-KILL", "--", &format!("-{group}")]).status();
        }
        late
    });
    Ok(Running { child, stderr, start, ended, watchdog })
}

impl Running<'_> {
    /// Waits for the end.
    pub fn finish(mut self) -> Result<Run, String> {
        let mut stdout = String::new();
        let piped = self.child.stdout.take();
        let read = piped.map_or(Ok(0), |mut pipe| pipe.read_to_string(&mut stdout));
        let status = self.child.wait();
        let elapsed = self.start.elapsed();
        drop(self.ended);
        if self.watchdog.join().unwrap_or(false) {
            return Err(format!("it ran longer than {} s", LIMIT.as_secs()));
        }
        let status = read.and(status).map_err(|error| error.to_string())?;
        if status.success() {
            return Ok(Run { elapsed, stdout });
        }
        let said = fs::read_to_string(self.stderr).unwrap_or_default();
        Err(format!("{status}: {}", said.lines().last().unwrap_or("it said nothing")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Result<Run, String> {
        let name = format!("bench-run-{}-{}", std::process::id(), script.len());
        let stderr = std::env::temp_dir().join(name);
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let run = run(command, Stdio::piped(), &stderr);
        let _ = fs::remove_file(stderr);
        run
    }

    #[test]
    fn a_run_says_what_it_printed() {
        assert_eq!(shell("echo 7").unwrap().stdout, "7\n");
    }

    #[test]
    fn a_failure_gives_its_status_and_last_words() {
        let error = shell("echo one >&2; echo two >&2; exit 3").unwrap_err();
        assert!(error.contains('3') && error.ends_with("two"), "{error}");
    }
}
