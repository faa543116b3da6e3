//! What was measured, as Markdown tables and as JSON.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::form::Form;
use super::live::Live;
use super::markdown::{heading, line, ratio};
use super::notes::Notes;
use super::row::{Column, RowResult};
use super::statistics::Spread;
use super::tracer::Tracer;

/// The version of the JSON's layout.
const SCHEMA: u32 = 1;

/// Everything that was found out.
#[derive(Debug)]
pub struct Report {
    /// The timed rows.
    pub rows: Vec<RowResult>,
    /// The row of many tracees, one element a tracer.
    pub live: Vec<Live>,
    /// Tables of other forms.
    pub tables: Vec<String>,
    /// What took part, and what did not.
    pub notes: Notes,
    quick: bool,
}

impl Report {
    /// A report on this command, still without results.
    pub fn new(shunpike: &Path, quick: bool) -> Report {
        let notes = Notes::on(shunpike);
        Report { rows: Vec::new(), live: Vec::new(), tables: Vec::new(), notes, quick }
    }

    /// One sentence for everything at which Shunpike failed.
    pub fn failures_of_shunpike(&self) -> Vec<String> {
        let mut failures = Vec::new();
        for result in &self.rows {
            let columns = result.columns.iter();
            for column in columns.filter(|column| matches!(column.under, Tracer::Shunpike(..))) {
                if let Some(reason) = &column.failure {
                    let tracer = column.under.name(result.form);
                    failures.push(format!(
                        "{tracer}, {} ({}): {reason}",
                        result.row.name,
                        result.form.describe()
                    ));
                }
            }
        }
        let live = self.live.iter();
        for live in live.filter(|live| matches!(live.tracer, Tracer::Shunpike(..))) {
            let tracer = live.tracer.name(Form::Everything);
            match &live.outcome {
                Err(reason) => failures.push(format!("{tracer}, live tracees: {reason}")),
                Ok(outcome) if outcome.recorded != outcome.expected => failures.push(format!(
                    "{tracer}, live tracees: {} calls recorded of {}",
                    outcome.recorded, outcome.expected
                )),
                Ok(_) => {}
            }
        }
        failures
    }

    /// The tables, for people.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for form in Form::ALL {
            let rows: Vec<_> = self.rows.iter().filter(|result| result.form == form).collect();
            if !rows.is_empty() {
                times(&mut text, form, &rows);
            }
        }
        let fair: Vec<_> = self
            .rows
            .iter()
            .filter(|result| result.form == Form::Everything)
            .filter(|result| result.columns.iter().any(|column| !column.shares.is_empty()))
            .collect();
        if !fair.is_empty() {
            fairness(&mut text, &fair);
        }
        if !self.live.is_empty() {
            live(&mut text, &self.live);
        }
        self.tables.iter().for_each(|table| text.push_str(table));
        let _ = writeln!(text, "Measured with {}.", self.notes.versions.join("; "));
        if self.quick {
            text.push_str("The quick form: fewer calls and threads than the rows say.\n");
        }
        for line in &self.notes.dropped {
            let _ = writeln!(text, "{line}.");
        }
        text
    }

    /// The same and all single runs, for programs.
    pub fn json(&self) -> String {
        let rows: Vec<Value> = self.rows.iter().map(row_json).collect();
        let live: Vec<Value> = self.live.iter().map(live_json).collect();
        let report = json!({
            "schema": SCHEMA,
            "quick": self.quick,
            "versions": self.notes.versions,
            "left_out": self.notes.dropped,
            "rows": rows,
            "live": live,
        });
        format!("{report:#}\n")
    }
}

/// The ratios to native, of the rows of one form.
fn times(text: &mut String, form: Form, rows: &[&RowResult]) {
    let _ = writeln!(
        text,
        "Times the native median, {} (smallest–largest run; without them there was one):\n",
        form.describe()
    );
    let tracers: Vec<&Tracer> =
        rows[0].columns.iter().skip(1).map(|column| &column.under).collect();
    let mut head = vec!["program".to_owned(), "native".to_owned()];
    head.extend(tracers.iter().map(|tracer| tracer.name(form)));
    head.push(format!("{CHOSEN} ÷ strace"));
    head.push(format!("{CHOSEN}: {}", crossings_unit(form)));
    heading(text, &head);
    for result in rows {
        let mut cells = vec![result.row.about.to_owned()];
        cells.push(
            result.native().map_or("–".to_owned(), |native| format!("{:.1} ms", 1e3 * native)),
        );
        cells.extend(result.columns.iter().skip(1).map(|column| ratio(column, result.native())));
        cells.push(against_strace(result).map_or("–".to_owned(), |ratio| format!("{ratio:.2}")));
        cells.push(crossings(result));
        line(text, &cells);
    }
    text.push('\n');
}

/// The mechanism that Shunpike takes by itself.
const CHOSEN: &str = "auto";

fn is_chosen(tracer: &Tracer) -> bool {
    matches!(tracer, Tracer::Shunpike(_, CHOSEN))
}

fn against_strace(result: &RowResult) -> Option<f64> {
    let median = |column: Option<&Column<Tracer>>| column?.median();
    let mut columns = result.columns.iter();
    let shunpike = median(columns.clone().find(|column| is_chosen(&column.under)))?;
    Some(shunpike / median(columns.find(|column| column.under == Tracer::Strace))?)
}

/// Per call where every call is seen; else what was spent in all says more.
fn crossings_unit(form: Form) -> &'static str {
    match form {
        Form::Everything => "stops, kernel calls per call",
        Form::Openat => "stops, kernel calls in all",
    }
}

fn crossings(result: &RowResult) -> String {
    let column = result.columns.iter().find(|column| is_chosen(&column.under));
    let line = |name| column.and_then(|column| column.toll(name));
    match (line("stops"), line("supervisor kernel calls"), result.form) {
        (Some(stops), Some(calls), Form::Everything) => {
            format!("{:.2}, {:.2}", stops.per_call, calls.per_call)
        }
        (Some(stops), Some(calls), Form::Openat) => format!("{}, {}", stops.count, calls.count),
        _ => "–".to_owned(),
    }
}

fn fairness(text: &mut String, rows: &[&RowResult]) {
    let _ = writeln!(
        text,
        "Progress of the slowest looping thread in one second, as a share of the median's:\n"
    );
    let mut head = vec!["program".to_owned()];
    head.extend(rows[0].columns.iter().map(|column| column.under.name(Form::Everything)));
    heading(text, &head);
    for result in rows {
        let mut cells = vec![result.row.about.to_owned()];
        cells.extend(result.columns.iter().map(|column| match Spread::of(&column.shares) {
            Some(spread) => format!("{:.2}", spread.median),
            None => "–".to_owned(),
        }));
        line(text, &cells);
    }
    text.push('\n');
}

fn live(text: &mut String, live: &[Live]) {
    let threads = live.first().map_or(0, |live| live.threads);
    let _ = writeln!(text, "{threads} threads alive at the same time, everything traced:\n");
    heading(
        text,
        &["tracer", "KiB of its memory per thread", "calls recorded", "of"].map(str::to_owned),
    );
    for live in live {
        let mut cells = vec![live.tracer.name(Form::Everything)];
        match &live.outcome {
            Ok(outcome) => cells.extend([
                format!("{:.1}", outcome.kib_per_thread),
                outcome.recorded.to_string(),
                outcome.expected.to_string(),
            ]),
            Err(reason) => {
                cells.extend([format!("failed: {reason}"), "–".to_owned(), "–".to_owned()]);
            }
        }
        line(text, &cells);
    }
    text.push('\n');
}

fn row_json(result: &RowResult) -> Value {
    let native = result.native();
    let columns = result.columns.iter().map(|column| {
        let spread =
            Spread::of(&column.seconds).zip(native).map(|(spread, unit)| spread.over(unit));
        let toll = column.toll.iter().map(
            |line| json!({ "name": line.name, "count": line.count, "per_call": line.per_call }),
        );
        json!({
            "tracer": column.under.name(result.form),
            "seconds": column.seconds,
            "ratio": spread.map(|spread| {
                json!({ "median": spread.median, "min": spread.min, "max": spread.max })
            }),
            "slowest_share": column.shares,
            "toll": toll.collect::<Vec<_>>(),
            "failure": column.failure,
        })
    });
    json!({
        "row": result.row.name,
        "about": result.row.about,
        "traced": result.form.describe(),
        "tracers": columns.collect::<Vec<_>>(),
    })
}

fn live_json(live: &Live) -> Value {
    let mut value =
        json!({ "tracer": live.tracer.name(Form::Everything), "threads": live.threads });
    match &live.outcome {
        Err(reason) => value["failure"] = json!(reason),
        Ok(outcome) => {
            value["kib_per_thread"] = json!(outcome.kib_per_thread);
            value["expected"] = json!(outcome.expected);
            value["recorded"] = json!(outcome.recorded);
        }
    }
    value
}
