//! What `shunpike rewind` was asked to do.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that the command line of `shunpike rewind` says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RewindOptions {
    /// The program to run and its arguments.
    pub command: Vec<OsString>,
    /// Where it returns to.
    pub point: RewindPoint,
    /// How often it runs from there; `None`: once for each input.
    pub times: Option<u64>,
    /// The folder with the inputs.
    pub inputs: Option<PathBuf>,
    /// Where the program reads its input; `None`: it is its standard input.
    pub input_path: Option<PathBuf>,
    /// How many programs run at a time, at least one.
    pub jobs: usize,
    /// How long a run may take.
    pub timeout: Duration,
    /// A run ends with its first process, whatever others still write.
    pub first_only: bool,
    /// The kinds of obstacles that are passed over.
    pub allowed: Vec<String>,
    /// Where records are written.
    pub json: Option<PathBuf>,
    /// Print the summary only.
    pub quiet: bool,
}

/// The point to which a program returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RewindPoint {
    /// Before the first call that reads the input.
    Input,
    /// Before its first instruction.
    Start,
    /// Before a call, by its number, when so many of its kind were made before.
    Call(u64, u64),
    /// Before the first instruction of a function.
    Symbol(String),
}

impl Default for RewindOptions {
    fn default() -> RewindOptions {
        RewindOptions {
            command: Vec::new(),
            point: RewindPoint::Input,
            times: None,
            inputs: None,
            input_path: None,
            jobs: 1,
            timeout: Duration::from_secs(10),
            first_only: false,
            allowed: Vec::new(),
            json: None,
            quiet: false,
        }
    }
}
