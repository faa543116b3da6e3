//! Programs that ask for the size of their input before they read it.
//!
//! What they are told is true of the input that they were started with. Some read as much of each later one,
//! for most it makes no difference. That is tried out before the first run: by two programs, one of which was
//! told the smallest size and one the largest. If they do not do the same with the same inputs, the program
//! returns to before it asks.

use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use engine::rewind::{AskedSize, End, Error};

use super::Shared;
use super::streams::Written;
use super::worker::{Before, Message, Outcome, Worker};
use crate::cli::RewindPoint;

/// So many inputs are tried, at most.
const TRIED: usize = 16;
/// And for so long each.
const WHILE: Duration = Duration::from_secs(1);

/// What becomes of a program that has asked for the size of its input before its point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// It does not ask for it.
    Unasked,
    /// It makes no difference to so many inputs.
    Harmless(usize),
    /// It makes a difference: the program returns to before it asks.
    Matters,
    /// The user has chosen the point: it may make a difference.
    Untried,
}

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
        drop(worker);
        let size = match shared.options.point {
            RewindPoint::Input => try_out(shared, number)?,
            _ => Size::Untried,
        };
        let _ = tell.send(Message::AsksForSize(asked, size));
        *known = Some(size);
    }
    let before = if *known == Some(Size::Matters) { Before::Asking } else { Before::Reading };
    drop(known);
    at_point(before)
}

/// Whether it makes a difference which size the program was told.
fn try_out(shared: &Shared, number: usize) -> Result<Size, Message> {
    let inputs = shared.inputs.by_size(TRIED);
    let (Some(smallest), Some(largest)) = (inputs.first(), inputs.last()) else {
        return Ok(Size::Matters);
    };
    let of_small = outcomes(shared, *smallest, &inputs, number)?;
    let of_large = outcomes(shared, *largest, &inputs, number)?;
    // Where all were cut off, nothing is known.
    let same = of_small == of_large && of_small.iter().any(|(_, written)| written.is_some());
    Ok(if same { Size::Harmless(inputs.len()) } else { Size::Matters })
}

/// What an input gives: how its run ended, and what it wrote, unless it was cut off.
type Given = (Outcome, Option<[Written; 2]>);

/// What inputs give, where the program was told the size of one of them.
fn outcomes(
    shared: &Shared,
    told: u64,
    inputs: &[u64],
    number: usize,
) -> Result<Vec<Given>, Message> {
    let limit = shared.options.timeout.min(WHILE);
    let mut ready = None;
    let mut outcomes = Vec::with_capacity(inputs.len());
    for input in inputs {
        let mut worker: Worker = match ready.take() {
            Some(worker) => worker,
            None => {
                Worker::start(shared, told, number, Before::Reading).map_err(Message::Failed)?
            }
        };
        let run = worker.run(shared, *input, limit).map_err(Message::Failed)?;
        outcomes.push(match run.end {
            Outcome::Ended(End::Interrupted(signal)) => return Err(Message::Interrupted(signal)),
            // What it has written by then is chance.
            Outcome::Ended(End::TimedOut) | Outcome::Flooded => (run.end, None),
            end => (end, Some(run.written)),
        });
        match worker.rewind() {
            Ok(()) => ready = Some(worker),
            Err(Error::Irreversible(_)) => {}
            Err(error) => return Err(Message::Failed(error.into())),
        }
    }
    Ok(outcomes)
}

/// The call as `--at` takes it.
pub fn at(asked: AskedSize) -> String {
    let name = table::arch::x86_64::call(asked.call).map_or("?", |call| call.name);
    format!("{name}:{}", asked.nth + 1)
}
