//! A thread that runs a program again and again.

use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use engine::rewind::{End, Error};

use super::message::{Message, Outcome, Run};
use super::{Shared, sizes};

/// Runs are told together if they take less than this: to wake who shows them takes as long as a short
/// run.
const TOGETHER: Duration = Duration::from_millis(5);

/// Does runs until there are no more to be begun.
pub fn runs(shared: &Shared, number: usize, tell: &Sender<Message>) {
    let mut ended = Ended { runs: Vec::new(), told: Instant::now(), tell };
    let last = runs_until(shared, number, &mut ended);
    ended.tell();
    if let Some(last) = last {
        shared.stopped.store(true, Ordering::Relaxed);
        let _ = tell.send(last);
    }
}

/// The same. What there is to be told behind the runs.
fn runs_until(shared: &Shared, number: usize, ended: &mut Ended<'_>) -> Option<Message> {
    let mut worker = None;
    let mut cause = None;
    while !shared.stopped.load(Ordering::Relaxed) {
        let run = shared.begun.fetch_add(1, Ordering::Relaxed);
        if run >= shared.runs {
            break;
        }
        let mut ready = match worker.take() {
            Some(ready) => ready,
            None => match sizes::start(shared, run, number, ended.tell) {
                Ok(ready) => {
                    let _ = ended.tell.send(Message::Started(cause.take(), Instant::now()));
                    if let Some(read) = ready.early_read(shared) {
                        let _ = ended.tell.send(Message::HasRead(read));
                    }
                    ready
                }
                Err(message) => return Some(message),
            },
        };
        match ready.run(shared, run, shared.options.timeout) {
            Ok(Run { end: Outcome::Ended(End::Interrupted(signal)), .. }) => {
                return Some(Message::Interrupted(signal));
            }
            Ok(run) => ended.add(run),
            Err(error) => return Some(Message::Failed(error)),
        }
        match ready.rewind() {
            Ok(()) => worker = Some(ready),
            Err(Error::Irreversible(why)) => cause = Some(why),
            Err(error) => return Some(Message::Failed(error.into())),
        }
    }
    None
}

/// Runs that have ended and are not told yet.
struct Ended<'t> {
    runs: Vec<Run>,
    /// When others were.
    told: Instant,
    tell: &'t Sender<Message>,
}

impl Ended<'_> {
    fn add(&mut self, run: Run) {
        self.runs.push(run);
        if self.told.elapsed() >= TOGETHER {
            self.tell();
        }
    }

    fn tell(&mut self) {
        if !self.runs.is_empty() {
            let _ = self.tell.send(Message::Ran(std::mem::take(&mut self.runs)));
        }
        self.told = Instant::now();
    }
}
