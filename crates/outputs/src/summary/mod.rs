//! Counts, errors and times of calls, as a table at the end; one for each ABI.
//!
//! All calls that return are counted, whichever of them are shown. Times are of the processor, or of the wall clock.

mod columns;
mod layout;
mod sort;

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use record::{Arch, Event, Record, Tid, What};

use crate::{Output, Sink};

pub use columns::Column;

/// What the table tells.
#[derive(Clone, Debug)]
pub struct SummaryStyle {
    /// The columns, from left to right. [`Column::Name`] comes last where it is not among them.
    pub columns: Vec<Column>,
    /// The column that orders the rows; `None`: by the calls' numbers.
    pub sort_by: Option<Column>,
    /// Count wall clock time instead of processor time.
    pub wall_clock: bool,
    /// What to take off each call's time.
    pub overhead: Duration,
}

impl Default for SummaryStyle {
    fn default() -> SummaryStyle {
        use Column::*;
        SummaryStyle {
            columns: vec![TimePercent, TotalTime, AvgTime, Calls, Errors, Name],
            sort_by: Some(TimePercent),
            wall_clock: false,
            overhead: Duration::ZERO,
        }
    }
}

/// The summary output.
pub struct Summary {
    style: SummaryStyle,
    sink: Sink,
    calls: BTreeMap<Number, (Option<&'static str>, Count)>,
}

/// A call; the same number may mean another one in another ABI.
type Number = (u8, u64);

/// What is counted of one call.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    calls: u64,
    errors: u64,
    /// By the clock that was asked for.
    spent: Times,
    wall: Times,
}

/// Nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Times {
    total: u64,
    min: u64,
    max: u64,
}

impl Default for Times {
    fn default() -> Times {
        Times { total: 0, min: u64::MAX, max: 0 }
    }
}

/// A line of the table.
struct Row<'c> {
    name: String,
    count: &'c Count,
}

impl Output for Summary {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let What::Exit(record) | What::Call(record) = event.what {
            self.count(record);
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        let tables = self.tables();
        self.sink.write(Tid(0), tables.as_bytes())?;
        self.sink.finish()
    }

    fn sink(&mut self) -> &mut Sink {
        &mut self.sink
    }

    fn wants_entries(&self) -> bool {
        false
    }
}

impl Summary {
    /// An output with this look.
    pub fn new(style: SummaryStyle, sink: Sink) -> Summary {
        let mut style = style;
        if !style.columns.contains(&Column::Name) {
            style.columns.push(Column::Name);
        }
        Summary { style, sink, calls: BTreeMap::new() }
    }

    fn count(&mut self, record: &Record<'_>) {
        let Some(result) = &record.result else { return };
        let abi = match record.arch {
            Arch::X86_64 => 0,
            Arch::I386 => 1,
            Arch::X32 => 2,
        };
        let overhead = u64::try_from(self.style.overhead.as_nanos()).unwrap_or(u64::MAX);
        let wall = result.time.0.saturating_sub(record.entered.0).saturating_sub(overhead);
        let spent = if self.style.wall_clock { wall } else { result.cpu.saturating_sub(overhead) };
        let (name, count) = self.calls.entry((abi, record.number)).or_default();
        *name = record.name;
        count.calls += 1;
        count.errors += u64::from(result.failed);
        count.spent.add(spent);
        count.wall.add(wall);
    }

    /// The tables of all ABIs of which there were calls.
    fn tables(&self) -> String {
        let mut text = String::new();
        for (abi, mode) in (0..).zip([None, Some("32 bit"), Some("x32")]) {
            let mut rows: Vec<Row<'_>> = self
                .calls
                .range((abi, 0)..=(abi, u64::MAX))
                .map(|((_, number), (name, count))| Row {
                    name: name.map_or_else(|| format!("syscall_{number:#x}"), Into::into),
                    count,
                })
                .collect();
            if rows.is_empty() {
                continue;
            }
            if let Some(mode) = mode {
                text += &format!("System call usage summary for {mode} mode:\n");
            }
            sort::sort(&mut rows, self.style.sort_by);
            text += &layout::table(&self.style.columns, &rows);
        }
        text
    }
}

impl Times {
    fn add(&mut self, nanos: u64) {
        self.join(&Times { total: nanos, min: nanos, max: nanos });
    }

    fn join(&mut self, other: &Times) {
        self.total += other.total;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

#[cfg(test)]
mod tests;
