//! What took part in a measurement, and what did not.

use std::fs;
use std::path::Path;
use std::process::Command;

/// What readers of the results have to know.
#[derive(Debug)]
pub struct Notes {
    /// The machine, and the versions of what took part.
    pub versions: Vec<String>,
    /// What is left out, and why.
    pub dropped: Vec<String>,
}

impl Notes {
    /// Those on this machine, and on this command.
    pub fn on(shunpike: &Path) -> Notes {
        let mut notes = Notes { versions: vec![machine()], dropped: Vec::new() };
        notes.version(&shunpike.to_string_lossy());
        notes
    }

    /// Notes which version of a program took part, if there is one.
    pub fn version(&mut self, program: &str) {
        if let Ok(output) = Command::new(program).arg("--version").output() {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            self.versions.extend(text.lines().next().map(str::to_owned));
        }
    }

    /// Notes that a thing takes no part, and says so at once.
    pub fn drop(&mut self, what: &str, reason: &str) {
        let line = format!("{what} is left out: {reason}");
        eprintln!("bench: {line}");
        if !self.dropped.contains(&line) {
            self.dropped.push(line);
        }
    }
}

/// The kernel and the number of processors.
fn machine() -> String {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("Linux {} on {cpus} processors", release.trim())
}
