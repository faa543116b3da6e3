//! `shunpike run` beside its peers: programs that run in another world than the host's.

mod rows;
mod world;

use std::fmt::Write as _;
use std::path::Path;

use super::guests::Guests;
use super::markdown;
use super::notes::Notes;
use super::options::Options;
use super::row::{self, Column};
use super::tracer::Files;

use rows::Row;
use world::World;
pub use world::peers;

/// One row of the table.
#[derive(Debug)]
struct Line {
    about: &'static str,
    /// One for each world, native first.
    columns: Vec<Column<World>>,
}

/// The names of the rows.
pub fn names() -> impl Iterator<Item = &'static str> {
    rows::ALL.iter().map(|row| row.name)
}

/// The table of the rows that are wanted; empty if none is.
pub fn table(
    shunpike: &Path,
    guests: &Guests,
    options: &Options,
    place: &Path,
    notes: &mut Notes,
) -> String {
    let wanted: Vec<&Row> = rows::ALL.iter().filter(|row| options.selects(row.name)).collect();
    if wanted.is_empty() {
        return String::new();
    }
    let files = Files::at(place);
    let worlds = world::available(shunpike, guests, options, &files, notes);
    let mut lines = Vec::new();
    for row in wanted {
        eprintln!("bench: {}", row.name);
        match measure(row, &worlds, guests, options, place) {
            Ok(line) => lines.push(line),
            Err(reason) => notes.drop(&format!("row {}", row.name), &reason),
        }
    }
    table_of(&lines)
}

/// Runs a row's program in each world in turns. Fails, with the reason, if it cannot be run natively.
fn measure(
    row: &Row,
    worlds: &[World],
    guests: &Guests,
    options: &Options,
    place: &Path,
) -> Result<Line, String> {
    let files = Files::at(place);
    row.prepare(guests, options, place)?;
    World::Native
        .run(&row.guest(World::Native.prefix(), options, place), &files)
        .map_err(|reason| format!("natively it fails: {reason}"))?;
    let mut columns: Vec<Column<World>> = worlds.iter().map(Column::new).collect();
    row::in_turns(&mut columns, options, |column| {
        let guest = row.guest(column.under.prefix(), options, place);
        let once = column.under.run(&guest, &files)?;
        column.seconds.push(once.elapsed.as_secs_f64());
        column.toll = once.toll;
        Ok(once.lasted)
    });
    Ok(Line { about: row.about, columns })
}

fn table_of(lines: &[Line]) -> String {
    let Some(first) = lines.first() else { return String::new() };
    let mut text = "Programs in other worlds, times the native median (smallest–largest run); in \
                    brackets the stops of all their calls:\n\n"
        .to_owned();
    let mut head = vec!["program".to_owned(), "native".to_owned()];
    head.extend(first.columns.iter().skip(1).map(|column| column.under.name().to_owned()));
    markdown::heading(&mut text, &head);
    for line in lines {
        let native = line.columns.first().and_then(Column::median);
        let mut cells = vec![line.about.to_owned()];
        cells.push(native.map_or("–".to_owned(), |native| format!("{:.1} ms", 1e3 * native)));
        cells.extend(line.columns.iter().skip(1).map(|column| {
            let mut cell = markdown::ratio(column, native);
            if let Some(stops) = column.toll("stops") {
                let _ = write!(cell, " [{}]", stops.count);
            }
            cell
        }));
        markdown::line(&mut text, &cells);
    }
    text.push('\n');
    text
}
