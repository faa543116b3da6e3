//! What is told of runs.

use std::fmt::{self, Display};
use std::time::{Duration, Instant};

use engine::rewind::{EarlyCall, End, Irreversible};

use super::streams::Written;

/// How a run has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// As the guest has.
    Ended(End),
    /// It had written more than is kept of it.
    Flooded,
}

impl Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Ended(end) => end.fmt(out),
            Outcome::Flooded => out.write_str("too much output"),
        }
    }
}

/// A run.
#[derive(Debug)]
pub struct Run {
    /// Its number, from 0.
    pub number: u64,
    /// How it ended.
    pub end: Outcome,
    /// How long it took, without the rewind.
    pub time: Duration,
    /// What it has written to its standard output and error.
    pub written: [Written; 2],
    /// The size of another input, which the program was told before its point.
    pub told: Option<u64>,
    /// What the program has read before its point is of another input.
    pub misread: bool,
    /// It was out of time although its first process had ended.
    pub outlived: bool,
}

/// What is told by who has a program run.
pub enum Message {
    /// Runs have ended.
    Ran(Vec<Run>),
    /// The program was started anew and has come to its point: why, `None` at first; and when.
    Started(Option<Irreversible>, Instant),
    /// By this call the program has asked for the size of its input before its point.
    AsksForSize(EarlyCall, Size),
    /// By this call the program has read its input before its point, which the user has chosen.
    HasRead(EarlyCall),
    /// So much was done by now to find out whether that matters.
    Tries(Tried),
    /// This signal asks us to stop.
    Interrupted(i32),
    /// It cannot go on.
    Failed(anyhow::Error),
}

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

/// What was done to find out whether it makes a difference which size the program is told.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tried {
    /// How often it was started.
    pub starts: u64,
    /// How often it was run.
    pub runs: u64,
}
