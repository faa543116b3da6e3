//! Rows → lines of one width.

use super::{Column, Count, Row};

/// The table: headings, rows, their sum, and rules between these.
pub(super) fn table(columns: &[Column], rows: &[Row<'_>]) -> String {
    let all = sum(rows);
    let line = |name: &str, count: &Count| -> Vec<String> {
        columns.iter().map(|column| column.cell(name, count, &all)).collect()
    };
    let headings: Vec<String> = columns.iter().map(|column| column.heading().into()).collect();
    let body: Vec<Vec<String>> = rows.iter().map(|row| line(&row.name, row.count)).collect();
    let mut last = line("total", &all);
    for (cell, column) in last.iter_mut().zip(columns) {
        if *column == Column::TimePercent {
            *cell = "100.00".into();
        }
    }
    let widths: Vec<usize> = (0..columns.len())
        .map(|at| {
            let longest = body.iter().chain([&last]).map(|cells| cells[at].len()).max();
            let margin = usize::from(columns[at] == Column::Name);
            columns[at].width().max(longest.unwrap_or(0) + margin)
        })
        .collect();
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();

    let mut table = String::new();
    let before = [&headings, &rule];
    for cells in before.into_iter().chain(&body).chain([&rule, &last]) {
        push_line(&mut table, columns, cells, &widths);
    }
    table
}

fn sum(rows: &[Row<'_>]) -> Count {
    rows.iter().fold(Count::default(), |mut all, row| {
        all.calls += row.count.calls;
        all.errors += row.count.errors;
        all.spent.join(&row.count.spent);
        all.wall.join(&row.count.wall);
        all
    })
}

/// Appends a line: names to the left of their column, numbers to the right.
fn push_line(table: &mut String, columns: &[Column], cells: &[String], widths: &[usize]) {
    let last = cells.len() - 1;
    for (at, cell) in cells.iter().enumerate() {
        let width = widths[at];
        if at > 0 {
            table.push(' ');
        }
        match columns[at] {
            Column::Name if at == last => table.push_str(cell),
            Column::Name => table.push_str(&format!("{cell:<width$}")),
            _ => table.push_str(&format!("{cell:>width$}")),
        }
    }
    table.push('\n');
}
