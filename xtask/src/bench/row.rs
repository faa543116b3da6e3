//! Measures one row: the same guest under each of several things, in turns.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::form::Form;
use super::options::Options;
use super::rows::{Guest, Metric, Row};
use super::run::{self, Run};
use super::statistics::Spread;
use super::tracer::{Files, Tracer};

/// How many rounds there are by default, if time permits.
const ROUNDS: usize = 5;
/// No new round begins after this time; runs of slow tracers do not count.
const BUDGET: Duration = Duration::from_secs(20);
/// A tracer that takes longer than this is slow, and is run once.
const SLOW: Duration = Duration::from_secs(10);

/// A row's results.
#[derive(Debug)]
pub struct RowResult {
    /// The row.
    pub row: &'static Row,
    /// What was traced.
    pub form: Form,
    /// One for each tracer, native first.
    pub columns: Vec<Column<Tracer>>,
}

/// The results of one of the things that a guest runs under.
#[derive(Debug)]
pub struct Column<T> {
    /// Which.
    pub under: T,
    /// The row's metric for each run, in seconds.
    pub seconds: Vec<f64>,
    /// For each run the slowest thread's share of the median's progress, where the guest tells.
    pub shares: Vec<f64>,
    /// The ledger of the last run, where one is kept.
    pub toll: Vec<TollLine>,
    /// Why it has no more runs.
    pub failure: Option<String>,
}

/// A line of the ledger of crossings.
#[derive(Clone, PartialEq, Debug)]
pub struct TollLine {
    /// What is counted.
    pub name: String,
    /// How often it happened.
    pub count: u64,
    /// The same, divided by the number of calls seen.
    pub per_call: f64,
}

impl RowResult {
    /// The median of the native runs, in seconds.
    pub fn native(&self) -> Option<f64> {
        self.columns.first()?.median()
    }
}

impl<T: Clone> Column<T> {
    /// One without results.
    pub fn new(under: &T) -> Column<T> {
        Column {
            under: under.clone(),
            seconds: Vec::new(),
            shares: Vec::new(),
            toll: Vec::new(),
            failure: None,
        }
    }

    /// The median of its runs, in seconds.
    pub fn median(&self) -> Option<f64> {
        Some(Spread::of(&self.seconds)?.median)
    }

    /// The line of the ledger with this name.
    pub fn toll(&self, name: &str) -> Option<&TollLine> {
        self.toll.iter().find(|line| line.name == name)
    }

    fn add(&mut self, metric: Metric, run: &Run) -> Result<(), String> {
        match metric {
            Metric::Elapsed => self.seconds.push(run.elapsed.as_secs_f64()),
            Metric::Start => {
                self.seconds.push(printed(&run.stdout, "start_us")? / 1e6);
                self.shares.push(printed(&run.stdout, "share")?);
            }
        }
        Ok(())
    }
}

/// Runs `guest` under each tracer in turns. Fails, with the reason, if it fails without a tracer.
pub fn measure(
    row: &'static Row,
    form: Form,
    guest: &Guest,
    tracers: &[Tracer],
    options: &Options,
    place: &Path,
) -> Result<RowResult, String> {
    let files = Files::at(place);
    let mut columns: Vec<Column<Tracer>> = tracers.iter().map(Column::new).collect();
    if row.metric == Metric::Elapsed {
        // Warms the caches of files; not counted.
        let warm_up = Tracer::Native.command(form, guest, &files);
        run::run(warm_up, Stdio::null(), &files.stderr)
            .map_err(|reason| format!("without any tracer it fails: {reason}"))?;
    }
    in_turns(&mut columns, options, |column| run_once(column, row.metric, form, guest, &files));
    Ok(RowResult { row, form, columns })
}

/// Has each column run `once`, in as many rounds as there is time for. `once` returns how long it
/// took; a column of which it fails has no more runs.
pub fn in_turns<T>(
    columns: &mut [Column<T>],
    options: &Options,
    mut once: impl FnMut(&mut Column<T>) -> Result<Duration, String>,
) {
    let mut slow = vec![false; columns.len()];
    let rounds = options.runs.unwrap_or(if options.quick { 1 } else { ROUNDS });
    let mut spent = Duration::ZERO;
    for _ in 0..rounds {
        if options.runs.is_none() && spent > BUDGET {
            break;
        }
        for (column, slow) in columns.iter_mut().zip(&mut slow) {
            if column.failure.is_some() || *slow && options.runs.is_none() {
                continue;
            }
            match once(column) {
                Ok(elapsed) if elapsed > SLOW => *slow = true,
                Ok(elapsed) => spent += elapsed,
                Err(reason) => column.failure = Some(reason),
            }
        }
    }
}

fn run_once(
    column: &mut Column<Tracer>,
    metric: Metric,
    form: Form,
    guest: &Guest,
    files: &Files,
) -> Result<Duration, String> {
    let stdout = match metric {
        Metric::Elapsed => Stdio::null(),
        Metric::Start => Stdio::piped(),
    };
    let run = run::run(column.under.command(form, guest, files), stdout, &files.stderr)?;
    column.add(metric, &run)?;
    if let Tracer::Shunpike(..) = column.under {
        column.toll = read_toll(&files.toll)?;
    }
    Ok(run.elapsed)
}

/// A ledger of crossings that Shunpike has written. The file is removed: ext4 writes out what takes an
/// older file's place when it is closed, and the next run would wait for the disk.
pub fn read_toll(file: &Path) -> Result<Vec<TollLine>, String> {
    let ledger = fs::read_to_string(file)
        .and_then(|ledger| fs::remove_file(file).map(|()| ledger))
        .map_err(|error| format!("it left no ledger of crossings: {error}"))?;
    Ok(ledger.lines().filter_map(toll_line).collect())
}

/// The number behind `name` on a line of its own.
pub fn printed(stdout: &str, name: &str) -> Result<f64, String> {
    stdout
        .lines()
        .find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
        .ok_or_else(|| format!("the guest has printed no {name}"))
}

/// `None` for the heading.
fn toll_line(line: &str) -> Option<TollLine> {
    let (line, per_call) = line.trim().rsplit_once(' ')?;
    let (name, count) = line.trim_end().rsplit_once(' ')?;
    Some(TollLine {
        name: name.trim().to_owned(),
        count: count.parse().ok()?,
        per_call: per_call.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_is_read() {
        assert_eq!(toll_line("toll         count   per call"), None);
        let line = toll_line("  ptrace requests        400021      4.000").unwrap();
        let expected =
            TollLine { name: "ptrace requests".to_owned(), count: 400_021, per_call: 4.0 };
        assert_eq!(line, expected);
    }

    #[test]
    fn a_guests_numbers_are_found() {
        let stdout = "start_us 1500\nshare 0.5\n";
        assert_eq!(printed(stdout, "start_us"), Ok(1500.0));
        assert_eq!(printed(stdout, "share"), Ok(0.5));
        assert!(printed(stdout, "end").is_err());
    }
}
