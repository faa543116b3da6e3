//! The order of the rows.

use std::cmp::Reverse;

use super::{Column, Row};

/// Puts the rows in the order of a column: numbers from the highest, names from A. Rows of the
/// same rank stay in the order of their calls' numbers.
pub(super) fn sort(rows: &mut [Row<'_>], by: Option<Column>) {
    let Some(by) = by else { return };
    if by == Column::Name {
        return rows.sort_by(|a, b| a.name.cmp(&b.name));
    }
    rows.sort_by_key(|row| Reverse(rank(row, by)));
}

fn rank(row: &Row<'_>, by: Column) -> u64 {
    let count = row.count;
    match by {
        Column::TimePercent | Column::TotalTime => count.spent.total,
        Column::MinTime => count.spent.min,
        Column::MaxTime => count.spent.max,
        Column::AvgTime => count.spent.total / count.calls.max(1),
        Column::WallTotal => count.wall.total,
        Column::WallMin => count.wall.min,
        Column::WallMax => count.wall.max,
        Column::WallAvg => count.wall.total / count.calls.max(1),
        Column::Calls => count.calls,
        Column::Errors => count.errors,
        Column::Name => 0,
    }
}
