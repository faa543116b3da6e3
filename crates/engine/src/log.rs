//! A log of what the supervisor does, for those who look for a fault in it.

use std::fmt;
use std::rc::Rc;

use contract::Tid;
use kernel::ptrace::Resume;
use kernel::wait::{Change, What};

use crate::session::Session;

/// Who is told, line by line, what a session does.
#[derive(Clone)]
pub struct Log(Rc<dyn Fn(fmt::Arguments<'_>)>);

impl Log {
    /// Has this told each line.
    pub fn new(tell: impl Fn(fmt::Arguments<'_>) + 'static) -> Log {
        Log(Rc::new(tell))
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}

impl Session {
    /// Adds a line to the log, if there is one. What is not wanted is not formatted.
    pub(crate) fn log(&self, line: fmt::Arguments<'_>) {
        if let Some(Log(tell)) = &self.options.log {
            tell(line);
        }
    }

    /// Logs what the kernel has reported.
    pub(crate) fn log_change(&self, change: &Change) {
        let tid = change.tid;
        match &change.what {
            What::Stopped(_, stop) => self.log(format_args!("wait: {tid} stopped: {stop:?}")),
            What::Exited(status) => self.log(format_args!("wait: {tid} exited with {status}")),
            What::Killed { signal, .. } => {
                self.log(format_args!("wait: {tid} was killed by signal {signal}"));
            }
        }
    }

    /// Logs how a thread goes on.
    pub(crate) fn log_resume(&self, tid: Tid, how: Resume, signal: i32) {
        match signal {
            0 => self.log(format_args!("resume: {tid} by {how:?}")),
            _ => self.log(format_args!("resume: {tid} by {how:?} with signal {signal}")),
        }
    }
}
