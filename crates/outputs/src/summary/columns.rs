//! The columns of the table: heading, width and cell.

use super::Count;

/// A column of the summary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// Share of the total time, in per cent.
    TimePercent,
    /// Sum of the calls' times, in seconds.
    TotalTime,
    /// Shortest call, in seconds.
    MinTime,
    /// Longest call, in seconds.
    MaxTime,
    /// Mean of the calls' times, in microseconds.
    AvgTime,
    /// As `TotalTime`, by the wall clock.
    WallTotal,
    /// As `MinTime`, by the wall clock.
    WallMin,
    /// As `MaxTime`, by the wall clock.
    WallMax,
    /// As `AvgTime`, by the wall clock.
    WallAvg,
    /// Number of calls.
    Calls,
    /// Number of failed calls.
    Errors,
    /// The call's name.
    Name,
}

impl Column {
    pub(super) fn heading(self) -> &'static str {
        match self {
            Column::TimePercent => "% time",
            Column::TotalTime => "seconds",
            Column::MinTime => "shortest",
            Column::MaxTime => "longest",
            Column::AvgTime => "usecs/call",
            Column::WallTotal => "wall secs",
            Column::WallMin => "wall min",
            Column::WallMax => "wall max",
            Column::WallAvg => "wall us/call",
            Column::Calls => "calls",
            Column::Errors => "errors",
            Column::Name => "syscall",
        }
    }

    /// The narrowest it may be, in characters.
    pub(super) fn width(self) -> usize {
        match self {
            Column::TimePercent => 6,
            Column::TotalTime | Column::WallTotal | Column::AvgTime => 11,
            Column::MinTime | Column::MaxTime | Column::WallMin | Column::WallMax => 8,
            Column::WallAvg => 12,
            Column::Calls | Column::Errors => 9,
            Column::Name => 16,
        }
    }

    /// What stands in a row; `all` is the sum of all rows.
    pub(super) fn cell(self, name: &str, count: &Count, all: &Count) -> String {
        match self {
            Column::TimePercent => percent(count.spent.total, all.spent.total),
            Column::TotalTime => seconds(count.spent.total),
            Column::MinTime => seconds(count.spent.min),
            Column::MaxTime => seconds(count.spent.max),
            Column::AvgTime => mean_micros(count.spent.total, count.calls),
            Column::WallTotal => seconds(count.wall.total),
            Column::WallMin => seconds(count.wall.min),
            Column::WallMax => seconds(count.wall.max),
            Column::WallAvg => mean_micros(count.wall.total, count.calls),
            Column::Calls => count.calls.to_string(),
            Column::Errors if count.errors == 0 => String::new(),
            Column::Errors => count.errors.to_string(),
            Column::Name => name.to_owned(),
        }
    }
}

fn seconds(nanos: u64) -> String {
    format!("{:.6}", nanos as f64 / 1e9)
}

fn mean_micros(nanos: u64, calls: u64) -> String {
    (nanos / calls.max(1) / 1000).to_string()
}

/// A whole that is nothing has parts that are nothing.
fn percent(part: u64, whole: u64) -> String {
    format!("{:.2}", part as f64 * 100.0 / whole.max(1) as f64)
}
