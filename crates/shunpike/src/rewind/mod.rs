//! `shunpike rewind`: runs of a program from one point on.
//!
//! Each [`worker`] is a thread with a guest of its own, which takes the next run, gives the guest its
//! [`inputs`] and sends what has come of it; [`report`] shows that.

mod inputs;
mod message;
mod repeat;
mod report;
mod sizes;
mod streams;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use kernel::interrupts;
use kernel::placement::Cpus;

use crate::cli::RewindOptions;
use crate::status::Status;
use inputs::Inputs;
use message::Message;
use report::Report;
use sizes::Sizes;

/// The signals that end it, after the summary: `SIGHUP`, `SIGINT`, `SIGTERM`.
const STOPPING: [i32; 3] = [1, 2, 15];

/// So often it is looked whether one of these has come.
const LOOK: Duration = Duration::from_millis(50);

/// What all workers share.
struct Shared {
    options: RewindOptions,
    inputs: Inputs,
    sizes: Sizes,
    /// The processors that we may have, if that is known.
    processors: Option<Cpus>,
    /// How many runs there are to be.
    runs: u64,
    /// How many have been begun.
    begun: AtomicU64,
    /// No more are to be begun.
    stopped: AtomicBool,
}

/// Runs the program as often as is wanted. The exit status is 0, however the runs have ended.
///
/// # Errors
/// The program cannot be started or brought to its point, or output cannot be written.
pub fn run(options: &RewindOptions) -> anyhow::Result<Status> {
    interrupts::catch(&STOPPING).context("signals cannot be caught")?;
    let inputs = Inputs::find(options)?;
    let runs = options.times.unwrap_or(inputs.len() as u64);
    let shared = Arc::new(Shared {
        options: options.clone(),
        inputs,
        sizes: Sizes::default(),
        processors: Cpus::of(0).ok(),
        runs,
        begun: AtomicU64::new(0),
        stopped: AtomicBool::new(false),
    });
    let (send, messages) = mpsc::channel();
    for number in 0..options.jobs {
        let (shared, send) = (Arc::clone(&shared), send.clone());
        thread::Builder::new()
            .name(format!("guest {number}"))
            .spawn(move || repeat::runs(&shared, number, &send))
            .context("no thread can be started")?;
    }
    drop(send);
    let mut report = Report::new(options, runs)?;
    loop {
        // The signal may have come to any thread of ours.
        if let Some(signal) = interrupts::taken() {
            report.finish()?;
            interrupts::die_of(signal);
        }
        match messages.recv_timeout(LOOK) {
            Ok(Message::Ran(runs)) => {
                for run in &runs {
                    report.ran(run, &shared.inputs)?;
                }
                report.flush()?;
                if report.is_unseen() {
                    break;
                }
            }
            Ok(Message::Started(cause, when)) => report.started(cause, when),
            Ok(Message::AsksForSize(asked, size)) => report.asks_for_size(asked, size),
            Ok(Message::HasRead(read)) => report.has_read(read),
            Ok(Message::Tries(tried)) => report.tries(tried),
            Ok(Message::Interrupted(signal)) => {
                report.finish()?;
                interrupts::die_of(signal);
            }
            Ok(Message::Failed(error)) => {
                report.finish_if_begun()?;
                return Err(error);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    report.finish()?;
    Ok(Status::SUCCESS)
}
