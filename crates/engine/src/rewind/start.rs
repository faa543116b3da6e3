//! How a guest comes to be, and how it goes.

use std::collections::BTreeMap;

use kernel::ptrace::{Options, Resume, Tracee};
use kernel::spawn::{Program, Role};
use kernel::ticker::Ticker;
use kernel::wait::{self, Stop, What};
use kernel::{probe, signal};

use super::ended::Ends;
use super::file::File;
use super::{Error, Guest, Thread, watched};

impl Guest {
    /// Starts a program, up to before its first instruction. It is killed when this is dropped, or
    /// the calling thread ends.
    ///
    /// # Errors
    /// The program cannot be started, or nothing could be put back here.
    pub fn start(program: Program) -> Result<Guest, Error> {
        probe::rewind_calls().map_err(|(what, source)| Error::Kernel { what, source })?;
        let ours = File::nameless_of_ours();
        let filter = watched::filter().map_err(crate::Error::from)?;
        let launch = program.filter(filter).launch(Role::Child).map_err(crate::Error::Spawn)?;
        let pid = launch.pid();
        let mut guest = Guest {
            pid,
            launch: Some(launch),
            input: None,
            outputs: Vec::new(),
            ours,
            ended: None,
            threads: BTreeMap::from([(pid, Thread::of(pid))]),
            snapshot: None,
            passed: None,
            at_snapshot: false,
            changed: BTreeMap::new(),
            irreversible: None,
            ends: Ends::default(),
            faults: None,
            processors: None,
            has_asked_for_processors: false,
            ticker: Ticker::new().map_err(Error::request("a timer cannot be made"))?,
        };
        guest.seize()?;
        guest.run_to_exec()?;
        Ok(guest)
    }

    /// Its process.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    fn seize(&mut self) -> Result<(), Error> {
        wait::listen().map_err(crate::Error::Wait)?;
        let options = Options { follow: true, seccomp: true, exit_kill: true };
        let attach = |source| crate::Error::Attach { tid: contract::Tid(self.pid), source };
        Tracee::seize(self.pid, options).map_err(attach)?;
        let launch = self.launch.as_mut().expect("it is kept until the program begins");
        launch.release().map_err(crate::Error::Spawn)?;
        Ok(())
    }

    /// To the stop at which the program has been loaded.
    fn run_to_exec(&mut self) -> Result<(), Error> {
        loop {
            match wait::next_of(self.pid).map_err(crate::Error::Wait)?.what {
                What::Stopped(tracee, Stop::Exec) => {
                    self.thread(self.pid).held = Some(tracee);
                    self.launch = None;
                    return Ok(());
                }
                What::Stopped(tracee, stop) => {
                    let signal = if let Stop::Signal(signal) = stop { signal } else { 0 };
                    let _ = tracee.resume(Resume::Continue, signal);
                }
                What::Exited(_) | What::Killed { .. } => {
                    self.threads.clear();
                    let failure = self.launch.take().and_then(|launch| launch.failure());
                    return Err(failure.map_or(
                        Error::Irreversible(super::Irreversible::Killed),
                        |failure| {
                            let (step, source) = (failure.step, failure.error);
                            crate::Error::Start { step, source }.into()
                        },
                    ));
                }
            }
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        for tid in self.threads.keys() {
            let _ = signal::send(*tid, signal::KILL);
        }
        while !self.threads.is_empty() {
            match wait::next_of(*self.threads.keys().next_back().expect("it is not empty")) {
                Ok(change) => match change.what {
                    What::Exited(_) | What::Killed { .. } => {
                        self.threads.remove(&change.tid);
                    }
                    What::Stopped(tracee, _) => {
                        let _ = tracee.resume(Resume::Continue, 0);
                    }
                },
                Err(_) => {
                    self.threads.pop_last();
                }
            }
        }
    }
}
