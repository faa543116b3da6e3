//! What tables are made of.

use std::fmt::Write;

use super::row::Column;
use super::statistics::Spread;

/// The first line of a table, and the one below it.
pub fn heading(text: &mut String, cells: &[String]) {
    line(text, cells);
    let _ = writeln!(text, "|{}", "---|".repeat(cells.len()));
}

/// A line of a table.
pub fn line(text: &mut String, cells: &[String]) {
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

/// A cell: the column's ratio to the native median.
pub fn ratio<T>(column: &Column<T>, native: Option<f64>) -> String {
    if let Some(reason) = &column.failure {
        return format!("failed: {reason}");
    }
    let spread = Spread::of(&column.seconds).zip(native).map(|(spread, unit)| spread.over(unit));
    match spread {
        None => "–".to_owned(),
        Some(spread) if column.seconds.len() == 1 => short(spread.median),
        Some(spread) => {
            format!("{} ({}–{})", short(spread.median), short(spread.min), short(spread.max))
        }
    }
}

/// Two digits behind the point are plenty near 1, and none make sense near 100.
fn short(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 9.95 => format!("{ratio:.2}"),
        ratio if ratio < 99.5 => format!("{ratio:.1}"),
        ratio => format!("{ratio:.0}"),
    }
}
