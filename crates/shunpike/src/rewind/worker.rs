//! A program at its point, and its runs from there.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use anyhow::Context;
use engine::rewind::{EarlyCall, End, Error, Guest, Obstacle, Point};
use kernel::placement::Cpus;

use super::Shared;
use super::message::{Outcome, Run};
use super::streams::Streams;
use crate::cli::RewindPoint;
use crate::trace::program;

/// So often a run that takes long is looked at, or the way to the point, and ends where it has written more
/// than so many bytes: what it writes is kept in memory. Of that the first part only is told then, which is the
/// same each time.
const LOOK: Duration = Duration::from_millis(50);
const MOST_WRITTEN: u64 = 1 << 28;
const TOLD_OF_MOST: u64 = 1 << 20;

/// A guest with its streams.
pub struct Worker {
    guest: Guest,
    streams: Streams,
    /// The size that the program is told if it asks before its point.
    told: u64,
    /// Which of the inputs it was started with.
    begun_with: u64,
}

/// Where a program stops that reads its standard input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Before {
    /// Before it does.
    Reading,
    /// Before it asks for the size of that, if it does so first.
    Asking,
}

impl Worker {
    /// Starts the program with the input of this run, and brings it to its point.
    pub fn start(
        shared: &Shared,
        run: u64,
        number: usize,
        before: Before,
    ) -> anyhow::Result<Worker> {
        let options = &shared.options;
        if let Some(all) = shared.processors {
            // The program has those of who starts it.
            let _ = all.confine(0);
        }
        let program = program::plain(&options.command)?;
        let mut streams = Streams::new().context("no file can be made for the program")?;
        let told = give(shared, &streams, run)?;
        let program = streams.give_to(program).context("no file can be made for the program")?;
        let mut guest = Guest::start(program)?;
        if shared.inputs.len() > 1 || options.point == RewindPoint::Input {
            note_input(shared, &streams, &mut guest).context("the program's input is lost")?;
        }
        if !options.first_only {
            guest.wait_for_outputs(&streams.outputs()).context("the program's output is lost")?;
        }
        let point = match (&options.point, &options.input_path) {
            (RewindPoint::Start, _) => Point::Start,
            (RewindPoint::Call(call, nth), _) => Point::Call(*call, *nth),
            (RewindPoint::Symbol(name), _) => Point::Symbol(name.clone()),
            (RewindPoint::Input, Some(path)) => Point::Names(path.clone()),
            (RewindPoint::Input, None) => match before {
                Before::Reading => Point::Reads(streams.input()),
                Before::Asking => Point::Measures(streams.input()),
            },
        };
        let writes_little = || streams.len().is_ok_and(|len| len <= MOST_WRITTEN);
        match guest.run_to_while(&point, LOOK, writes_little) {
            // All that it wants to know of its input is the size.
            Err(Error::Ended { .. })
                if matches!(point, Point::Reads(_)) && guest.asked_size().is_some() =>
            {
                drop(guest);
                return Worker::start(shared, run, number, Before::Asking);
            }
            come => come.map_err(|error| way_out(error, &point, &streams))?,
        }
        // Before the snapshot: the kernel tells the program in its memory where it runs (`rseq(2)`).
        share_processor(shared, &mut guest, number);
        guest.snapshot(&options.allowed).map_err(|error| way_out(error, &point, &streams))?;
        streams.mark().context("the program's output is lost")?;
        Ok(Worker { guest, streams, told, begun_with: run % shared.inputs.len() as u64 })
    }

    /// The call by which the program has read its input before its point, which matters where there are other
    /// inputs.
    pub fn early_read(&self, shared: &Shared) -> Option<EarlyCall> {
        let chosen = shared.inputs.len() > 1 && shared.options.point != RewindPoint::Input;
        self.guest.read_input().filter(|_| chosen)
    }

    /// The call by which the program has asked for the size of its input before its point.
    pub fn asked_size(&self) -> Option<EarlyCall> {
        self.guest.asked_size()
    }

    /// Puts the program back to its point.
    pub fn rewind(&mut self) -> Result<(), Error> {
        self.guest.rewind()
    }

    /// One run, which takes no longer than this.
    pub fn run(&mut self, shared: &Shared, number: u64, limit: Duration) -> anyhow::Result<Run> {
        let given = give(shared, &self.streams, number)?;
        self.streams.clear().context("the program's output is lost")?;
        let start = Instant::now();
        let end = self.run_to_end(limit)?;
        let time = start.elapsed();
        // It still writes.
        let most = if end == Outcome::Flooded { TOLD_OF_MOST } else { u64::MAX };
        let written = self.streams.written(most).context("the program's output is lost")?;
        let is_untold = shared.inputs.differ() && self.asked_size().is_some() && given != self.told;
        let told = is_untold.then_some(self.told);
        let outlived = end == Outcome::Ended(End::TimedOut) && self.guest.first_has_ended();
        let misread = number % shared.inputs.len() as u64 != self.begun_with
            && self.early_read(shared).is_some();
        Ok(Run { number, end, time, written, told, misread, outlived })
    }

    /// Lets the guest run, unless it takes too long or writes too much.
    fn run_to_end(&mut self, limit: Duration) -> anyhow::Result<Outcome> {
        let begun = Instant::now();
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            let end = self.guest.run(Some(left.min(LOOK)))?;
            if end != End::TimedOut || left <= LOOK {
                return Ok(Outcome::Ended(end));
            }
            if self.streams.len().context("the program's output is lost")? > MOST_WRITTEN {
                return Ok(Outcome::Flooded);
            }
        }
    }
}

/// Puts the input of a run where the program reads it; its size, where that is ours to say.
fn give(shared: &Shared, streams: &Streams, run: u64) -> anyhow::Result<u64> {
    let Some(input) = shared.inputs.of(run).read()? else { return Ok(0) };
    match &shared.options.input_path {
        Some(path) => {
            let cannot = || format!("Can't write '{}', the program's input", path.display());
            fs::write(path, &input).with_context(cannot)?;
        }
        None => streams.put(&input).context("the program cannot be given its input")?,
    }
    Ok(input.len() as u64)
}

/// Has it noted what the program does with its input before its point.
fn note_input(shared: &Shared, streams: &Streams, guest: &mut Guest) -> io::Result<()> {
    match &shared.options.input_path {
        // It may not be there yet.
        Some(path) => File::open(path).map_or(Ok(()), |file| guest.note_input(file.as_raw_fd())),
        None => guest.note_input(streams.input()),
    }
}

/// Has a program share one of our processors with its supervisor, if it can.
fn share_processor(shared: &Shared, guest: &mut Guest, number: usize) {
    let cpus = shared.processors.map_or(Vec::new(), |all| all.list());
    if let Some(cpu) = cpus.get(number % cpus.len().max(1))
        && guest.share_processor(*cpu)
    {
        let _ = Cpus::only(*cpu).confine(0);
    }
}

/// Tells what to do where a program does not come to its point, or cannot be captured there.
fn way_out(error: Error, point: &Point, streams: &Streams) -> anyhow::Error {
    let hint = match (&error, point) {
        (Error::Ended { .. } | Error::GivenUp, Point::Reads(_) | Point::Measures(_)) => {
            "it does not read its standard input: give it one that it reads, or say by --input-path \
             which file it reads; or choose another point by --at, --at-symbol or --at-start"
        }
        (Error::Ended { .. } | Error::GivenUp, Point::Names(_)) => {
            "no call of it has named the path of --input-path, which has to be as the program names \
             it; or choose another point by --at, --at-symbol or --at-start"
        }
        (Error::Ended { .. } | Error::GivenUp, _) => "choose another point, such as --at-start",
        (Error::SeveralSymbols { .. }, _) => "say which of them",
        (Error::NoSymbol { .. }, _) => {
            "where its symbols were stripped, choose a call before that by --at, or --at-start"
        }
        (Error::Obstacles(list), _) => return anyhow::anyhow!("{error}; {}", without(list)),
        _ => return error.into(),
    };
    let said = match (&error, streams.last_words()) {
        (Error::Ended { .. }, Ok(words)) if !words.is_empty() => {
            format!("\nThe program has written:\n{}", words.trim_end())
        }
        (Error::GivenUp, _) => {
            format!("\nIt has written more than {} MiB by then.", MOST_WRITTEN >> 20)
        }
        _ => String::new(),
    };
    anyhow::anyhow!("{error}; {hint}{said}")
}

/// How to do without what cannot be captured.
fn without(list: &[Obstacle]) -> String {
    let earlier = "choose an earlier point by --at or --at-start";
    let kinds: BTreeSet<&str> = list.iter().map(Obstacle::kind).collect();
    if kinds.iter().all(|kind| Obstacle::KINDS.contains(kind)) {
        let kinds: Vec<&str> = kinds.into_iter().collect();
        format!("{earlier}, or have it left as a run leaves it by --allow={}", kinds.join(","))
    } else {
        earlier.to_owned()
    }
}
