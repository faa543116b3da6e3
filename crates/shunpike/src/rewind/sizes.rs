//! Programs that ask for the size of their input before they read it.
//!
//! What they are told is true of the input that they were started with. Some read as much of each later one,
//! for most it makes no difference. That is tried out before the first run: by two programs, one of which was
//! told the smallest size and one the largest; and by a third one where an input is empty, since many take a size
//! of 0 for one that is not known. If they do not all do the same with the same inputs, or one is not done in time,
//! the program returns to before it asks.

use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use engine::rewind::{EarlyCall, End, Error};

use super::Shared;
use super::message::{Message, Outcome, Run, Size, Tried};
use super::streams::Written;
use super::worker::{Before, Worker};
use crate::cli::RewindPoint;

/// So many inputs are tried, at most.
const TRIED: usize = 16;
/// And so long do all these runs take, at most.
const WHILE: Duration = Duration::from_secs(10);

/// What is known of a program, for all workers.
#[derive(Debug, Default)]
pub struct Sizes(Mutex<Option<Size>>);

/// A program at its point, or why there is none.
type Started = Result<Worker, Message>;

/// Starts the program and brings it to its point.
pub fn start(shared: &Shared, run: u64, number: usize, tell: &Sender<Message>) -> Started {
    let at_point = |before| Worker::start(shared, run, number, before).map_err(Message::Failed);
    if !shared.inputs.differ() {
        return at_point(Before::Reading);
    }
    let mut known = shared.sizes.0.lock().unwrap_or_else(PoisonError::into_inner);
    if known.is_none() {
        let worker = at_point(Before::Reading)?;
        let Some(asked) = worker.asked_size() else {
            *known = Some(Size::Unasked);
            return Ok(worker);
        };
        let untried = shared.options.point != RewindPoint::Input;
        if untried {
            let _ = tell.send(Message::AsksForSize(asked, Size::Untried));
            *known = Some(Size::Untried);
            return Ok(worker);
        }
        drop(worker);
        let size = Trial::new(shared, number, tell).result()?;
        let _ = tell.send(Message::AsksForSize(asked, size));
        *known = Some(size);
    }
    let before = if *known == Some(Size::Matters) { Before::Asking } else { Before::Reading };
    drop(known);
    at_point(before)
}

/// What an input gives: how its run ended, and what it wrote.
type Given = (Outcome, [Written; 2]);

/// Finds out whether it makes a difference.
struct Trial<'s> {
    shared: &'s Shared,
    /// The worker's.
    number: usize,
    tell: &'s Sender<Message>,
    tried: Tried,
    /// So long may its runs still take.
    left: Duration,
}

impl<'s> Trial<'s> {
    /// One that comes after the start by which the question was found.
    fn new(shared: &'s Shared, number: usize, tell: &'s Sender<Message>) -> Trial<'s> {
        Trial { shared, number, tell, tried: Tried { starts: 1, runs: 0 }, left: WHILE }
    }

    fn result(mut self) -> Result<Size, Message> {
        let inputs = self.shared.inputs.by_size(TRIED);
        let mut first = None;
        for told in self.shared.inputs.extremes() {
            // What would come of a run that is cut off is not known.
            let Some(outcomes) = self.outcomes(told, &inputs)? else { return Ok(Size::Matters) };
            if *first.get_or_insert_with(|| outcomes.clone()) != outcomes {
                return Ok(Size::Matters);
            }
        }
        Ok(Size::Harmless(inputs.len()))
    }

    /// How runs with these inputs end and what they write, where the program was told the size of one of
    /// them; `None` if one is cut off.
    fn outcomes(&mut self, told: u64, inputs: &[u64]) -> Result<Option<Vec<Given>>, Message> {
        let mut ready = None;
        let mut outcomes = Vec::with_capacity(inputs.len());
        for input in inputs {
            let mut worker: Worker = match ready.take() {
                Some(worker) => worker,
                None => self.start(told)?,
            };
            let run = self.run(&mut worker, *input)?;
            match run.end {
                Outcome::Ended(End::Interrupted(signal)) => {
                    return Err(Message::Interrupted(signal));
                }
                Outcome::Ended(End::TimedOut) | Outcome::Flooded => return Ok(None),
                end => outcomes.push((end, run.written)),
            }
            match worker.rewind() {
                Ok(()) => ready = Some(worker),
                Err(Error::Irreversible(_)) => {}
                Err(error) => return Err(Message::Failed(error.into())),
            }
        }
        Ok(Some(outcomes))
    }

    fn start(&mut self, told: u64) -> Started {
        self.tried.starts += 1;
        let _ = self.tell.send(Message::Tries(self.tried));
        Worker::start(self.shared, told, self.number, Before::Reading).map_err(Message::Failed)
    }

    fn run(&mut self, worker: &mut Worker, input: u64) -> Result<Run, Message> {
        self.tried.runs += 1;
        let _ = self.tell.send(Message::Tries(self.tried));
        let limit = self.shared.options.timeout.min(self.left);
        let run = worker.run(self.shared, input, limit).map_err(Message::Failed)?;
        self.left = self.left.saturating_sub(run.time);
        Ok(run)
    }
}

/// The call as `--at` takes it.
pub fn at(early: EarlyCall) -> String {
    let name = table::arch::x86_64::call(early.call).map_or("?", |call| call.name);
    format!("{name}:{}", early.nth + 1)
}
