//! What is counted.

use super::value::duration;
use super::{Flag, Given, Value, Values};
use crate::cli::options::{Column, SummaryMode, TollTarget, TraceOptions};
use crate::cli::usage::UsageError;

/// The columns by every name that they have; the first of each is the one that help shows.
const COLUMNS: &[(&str, Column)] = &[
    ("time-percent", Column::TimePercent),
    ("time", Column::TimePercent),
    ("total-time", Column::TotalTime),
    ("time-total", Column::TotalTime),
    ("min-time", Column::MinTime),
    ("shortest", Column::MinTime),
    ("time-min", Column::MinTime),
    ("max-time", Column::MaxTime),
    ("longest", Column::MaxTime),
    ("time-max", Column::MaxTime),
    ("avg-time", Column::AvgTime),
    ("time-avg", Column::AvgTime),
    ("wall-total", Column::WallTotal),
    ("wall-min", Column::WallMin),
    ("wall-max", Column::WallMax),
    ("wall-avg", Column::WallAvg),
    ("calls", Column::Calls),
    ("count", Column::Calls),
    ("errors", Column::Errors),
    ("error", Column::Errors),
    ("name", Column::Name),
    ("syscall", Column::Name),
    ("syscall-name", Column::Name),
];

/// What help and completions offer.
const COLUMN_NAMES: &[&str] = &[
    "time-percent",
    "total-time",
    "min-time",
    "max-time",
    "avg-time",
    "wall-total",
    "wall-min",
    "wall-max",
    "wall-avg",
    "calls",
    "errors",
    "name",
];
const SORT_NAMES: &[&str] = &[
    "time",
    "min-time",
    "max-time",
    "avg-time",
    "wall-total",
    "wall-min",
    "wall-max",
    "wall-avg",
    "calls",
    "errors",
    "name",
    "nothing",
];

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("summary-only", "count calls, errors and time, and print only the summary")
        .short('c')
        .apply(|options, _| {
            options.summary.mode = SummaryMode::Only;
            Ok(())
        }),
    Flag::new("summary", "print the trace and then the summary").short('C').apply(|options, _| {
        options.summary.mode = SummaryMode::Beside;
        Ok(())
    }),
    Flag::new("summary-sort-by", "order the summary by COLUMN, or by nothing (default time)")
        .short('S')
        .takes(Value::Always("COLUMN"), Values::OneOf(SORT_NAMES))
        .more(
            "COLUMN is one of time, min-time, max-time, avg-time, wall-total, wall-min, \
             wall-max, wall-avg, calls, errors, name and nothing.",
        )
        .apply(sort_by),
    Flag::new("summary-columns", "show these columns of the summary, in this order")
        .short('U')
        .takes(Value::Always("COLUMNS"), Values::SetOf(COLUMN_NAMES))
        .more(
            "COLUMNS is a list of time-percent, total-time, min-time, max-time, avg-time, \
             wall-total, wall-min, wall-max, wall-avg, calls, errors and name. The default is \
             time-percent,total-time,avg-time,calls,errors,name. name comes last if it is not \
             in the list.",
        )
        .apply(columns),
    Flag::new("summary-wall-clock", "count wall clock time instead of processor time")
        .short('w')
        .apply(|options, _| {
            options.summary.wall_clock = true;
            Ok(())
        }),
    Flag::new(
        "summary-syscall-overhead",
        "take TIME off each call, as tracing added it (default 0)",
    )
    .short('O')
    .takes(Value::Always("TIME"), Values::Any)
    .more("TIME is a number and one of s, ms, us (the default) and ns.")
    .apply(|options, given| {
        options.summary.overhead = duration(given)?;
        Ok(())
    }),
    Flag::new("toll", "print what tracing cost: crossings between program and tracer, by kind")
        .takes(Value::LongMaybe("FILE"), Values::File)
        .more("The ledger goes to stderr at the end, or to FILE.")
        .apply(|options, given| {
            options.toll = Some(match given.value {
                None => TollTarget::Stderr,
                Some(file) if file.is_empty() => {
                    return Err(given.invalid("it takes a file name"));
                }
                Some(file) => TollTarget::File(file.into()),
            });
            Ok(())
        }),
];

fn sort_by(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    let text = given.text()?;
    options.summary.sort_by = match text {
        "nothing" | "none" => None,
        _ => Some(column(text).ok_or_else(|| {
            UsageError::new(format!("invalid sortby: '{text}'"))
                .way_out(format!("it is one of {}", SORT_NAMES.join(", ")))
        })?),
    };
    Ok(())
}

fn columns(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    let mut columns = Vec::new();
    let text = given.text()?;
    let mut rest = text;
    for name in text.split(',') {
        let column = column(name).ok_or_else(|| {
            UsageError::new(format!("unknown column name: '{name}'"))
                .way_out(format!("the columns are {}", COLUMN_NAMES.join(", ")))
        })?;
        if columns.contains(&column) {
            return Err(UsageError::new(format!(
                "call summary column has been provided more than once: '{name}' (-U option \
                 residual: '{rest}')"
            )));
        }
        columns.push(column);
        rest = rest.get(name.len() + 1..).unwrap_or_default();
    }
    if !columns.contains(&Column::Name) {
        columns.push(Column::Name);
    }
    options.summary.columns = columns;
    Ok(())
}

/// The column of this name, which may be written with `_` for `-`.
fn column(name: &str) -> Option<Column> {
    let name = name.replace('_', "-");
    COLUMNS.iter().find(|(known, _)| *known == name).map(|&(_, column)| column)
}
