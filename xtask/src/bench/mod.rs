//! `cargo xtask bench`: programs under Shunpike and its peers, side by side.
//!
//! Each row is one program. It is run natively and under each tracer in turns (A B C A B C …), so
//! that a change of the machine's mood meets all of them alike, and every tracer writes its text
//! to a file. What is printed are ratios to the native median; only on a machine that does nothing
//! else do they mean something.

mod answered;
mod arguments;
mod form;
mod guests;
mod live;
mod markdown;
mod memory;
mod notes;
mod options;
mod report;
mod row;
mod rows;
mod run;
mod statistics;
mod tracer;
mod worlds;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use form::Form;
use guests::Guests;
use options::Options;
use report::Report;
use tracer::Tracer;

/// Runs what the arguments select, and prints Markdown tables.
///
/// # Errors
/// A wrong argument, a build that fails, or a guest that fails under Shunpike.
pub fn run(args: &[&str]) -> Result<()> {
    let Some(options) = arguments::parse(args)? else {
        println!("{}", arguments::usage());
        return Ok(());
    };
    let place = crate::workspace::root().join("target/bench");
    fs::create_dir_all(&place).with_context(|| format!("cannot make {}", place.display()))?;
    let shunpike = built(&["--package", "shunpike"], "shunpike")?;
    let mut report = Report::new(&shunpike, options.quick);
    let guests = guests::build(&place, &mut report.notes);
    let tracers = tracer::available(shunpike.clone(), &options, &place, &mut report.notes);

    rows_under(&tracers, &guests, &options, &place, &mut report);
    if options.selects(answered::NAME) {
        eprintln!("bench: {}", answered::NAME);
        let table = guests
            .getppid
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|guest| answered::table(&shunpike, guest, &options, &place));
        match table {
            Ok(table) => report.tables.push(table),
            Err(reason) => report.notes.drop(&format!("row {}", answered::NAME), &reason),
        }
    }

    let worlds = worlds::table(&shunpike, &guests, &options, &place, &mut report.notes);
    report.tables.push(worlds);
    memory::tables(&shunpike, &guests, &options, &place, &mut report);

    print!("{}", report.markdown());
    if let Some(path) = &options.json {
        fs::write(path, report.json())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    match report.failures_of_shunpike().as_slice() {
        [] => Ok(()),
        failures => bail!("Shunpike failed:\n  {}", failures.join("\n  ")),
    }
}

/// Measures the rows that are programs under each tracer.
fn rows_under(
    tracers: &[Tracer],
    guests: &Guests,
    options: &Options,
    place: &Path,
    report: &mut Report,
) {
    for row in rows::selected(options) {
        for form in Form::ALL {
            eprintln!("bench: {} ({})", row.name, form.describe());
            let result = row
                .command(form, options, guests)
                .and_then(|guest| row::measure(row, form, &guest, tracers, options, place));
            match result {
                Ok(result) => report.rows.push(result),
                Err(reason) => report.notes.drop(&format!("row {}", row.name), &reason),
            }
        }
    }
    if options.selects(live::NAME) {
        match &guests.live {
            Ok(program) => {
                eprintln!("bench: {}", live::NAME);
                report.live = live::measure(program, tracers, options, place);
            }
            Err(reason) => report.notes.drop(&format!("row {}", live::NAME), reason),
        }
    }
}

/// Builds a program as users get it, and returns its path; `what` selects its target.
pub(crate) fn built(what: &[&str], name: &str) -> Result<PathBuf> {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["build", "--release", "--message-format=json"])
        .args(what)
        .current_dir(crate::workspace::root())
        .stderr(std::process::Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    if !output.status.success() {
        bail!("the release build failed");
    }
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .find(|path| path.file_name().is_some_and(|file| file == name))
        .with_context(|| format!("cargo built no program called {name}"))
}
