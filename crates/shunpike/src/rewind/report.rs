//! What is shown of the runs.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::time::{Duration, Instant};

use anyhow::Context;
use engine::rewind::{EarlyCall, End, Irreversible};

use super::inputs::Inputs;
use super::message::{Outcome, Run, Size, Tried};
use super::sizes;
use super::streams::Written;
use crate::cli::RewindOptions;

/// The time between two lines of progress.
const PERIOD: Duration = Duration::from_millis(200);

/// Shows runs as they end, and a summary.
pub struct Report {
    lines: Option<BufWriter<io::Stdout>>,
    /// Nobody reads them any more.
    closed: bool,
    json: Option<BufWriter<File>>,
    /// When progress was last told; `None` where nobody looks.
    told: Option<Instant>,
    /// When the program had come to its point for the first time.
    begun: Instant,
    runs: u64,
    /// How many there are to be.
    wanted: u64,
    time: Duration,
    ends: BTreeMap<String, u64>,
    outputs: HashSet<[Written; 2]>,
    starts: u64,
    causes: BTreeMap<String, u64>,
    /// How many runs were told the size of another input.
    told_another: u64,
    /// What has read the input before the point, and in how many runs that was of another one.
    read_early: Option<EarlyCall>,
    misread: u64,
    /// How many were out of time although their first process had ended.
    outlived: u64,
    /// What was done before the first run.
    tried: Tried,
    /// What to say of the size of the input.
    of_size: Option<(EarlyCall, Size)>,
}

impl Report {
    /// A report as the options want it.
    pub fn new(options: &RewindOptions, wanted: u64) -> anyhow::Result<Report> {
        let json = options.json.as_ref().map(|path| {
            File::create(path).with_context(|| format!("Can't fopen '{}'", path.display()))
        });
        let lines = !options.quiet;
        let looked_at = io::stderr().is_terminal() && !(lines && io::stdout().is_terminal());
        Ok(Report {
            lines: lines.then(|| BufWriter::new(io::stdout())),
            closed: false,
            json: json.transpose()?.map(BufWriter::new),
            told: looked_at.then(Instant::now),
            begun: Instant::now(),
            runs: 0,
            wanted,
            time: Duration::ZERO,
            ends: BTreeMap::new(),
            outputs: HashSet::new(),
            starts: 0,
            causes: BTreeMap::new(),
            told_another: 0,
            read_early: None,
            misread: 0,
            outlived: 0,
            tried: Tried::default(),
            of_size: None,
        })
    }

    /// The program was started, why it had to be started anew, and when it had come to its point.
    pub fn started(&mut self, cause: Option<Irreversible>, when: Instant) {
        if self.starts == 0 {
            self.begun = when;
        }
        self.starts += 1;
        if let Some(cause) = cause {
            *self.causes.entry(cause.to_string()).or_default() += 1;
        }
    }

    /// The program has asked for the size of its input before its point.
    pub fn asks_for_size(&mut self, asked: EarlyCall, size: Size) {
        self.of_size = Some((asked, size));
    }

    /// The program has read its input before its point.
    pub fn has_read(&mut self, read: EarlyCall) {
        self.read_early.get_or_insert(read);
    }

    /// It is run to find out whether that matters.
    pub fn tries(&mut self, tried: Tried) {
        self.tried = tried;
        if self.told.is_some() {
            eprint!("\r\x1b[Ktrying inputs of other sizes: {} runs ", tried.runs);
        }
    }

    /// A run has ended.
    pub fn ran(&mut self, run: &Run, inputs: &Inputs) -> anyhow::Result<()> {
        self.runs += 1;
        self.time += run.time;
        self.told_another += u64::from(run.told.is_some());
        self.misread += u64::from(run.misread);
        self.outlived += u64::from(run.outlived);
        *self.ends.entry(run.end.to_string()).or_default() += 1;
        self.outputs.insert(run.written);
        let name = inputs.name(run.number).map(|path| path.to_string_lossy().into_owned());
        if let Some(lines) = &mut self.lines {
            self.closed |= is_closed(line(lines, run, name.as_deref()))?;
        }
        if let Some(json) = &mut self.json {
            record(json, run, name.as_deref()).context("the records cannot be written")?;
        }
        if self.told.is_some_and(|told| told.elapsed() > PERIOD) {
            self.told = Some(Instant::now());
            self.progress();
        }
        Ok(())
    }

    /// Prints the summary, if there were runs.
    pub fn finish_if_begun(&mut self) -> anyhow::Result<()> {
        if self.runs > 0 { self.finish() } else { Ok(()) }
    }

    /// Lets everybody see what has been shown so far: the next run may take long.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        if let Some(lines) = &mut self.lines {
            self.closed |= is_closed(lines.flush())?;
        }
        if let Some(json) = &mut self.json {
            json.flush().context("the records cannot be written")?;
        }
        Ok(())
    }

    /// Prints the summary.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        self.flush()?;
        if self.told.is_some() {
            eprint!("\r\x1b[K");
        }
        is_closed(io::stdout().lock().write_all(self.summary().as_bytes())).map(drop)
    }

    /// Whether nobody can see any more what comes of the runs.
    pub fn is_unseen(&self) -> bool {
        self.closed && self.json.is_none()
    }

    /// How far it is.
    fn progress(&self) {
        const WIDTH: usize = 20;
        let done = (WIDTH as u64 * self.runs / self.wanted.max(1)) as usize;
        let (done, rest) = ("#".repeat(done), ".".repeat(WIDTH.saturating_sub(done)));
        let (runs, wanted, rate) = (self.runs, self.wanted, self.rate());
        eprint!("\r\x1b[K[{done}{rest}] {runs} of {wanted} runs, {rate:.0} a second ");
    }

    fn summary(&self) -> String {
        let mut text = format!(
            "{} runs in {:.3} s, {:.0} a second; {:.1} µs each without the way back\n",
            self.runs,
            self.begun.elapsed().as_secs_f64(),
            self.rate(),
            self.time.as_secs_f64() * 1e6 / self.runs.max(1) as f64,
        );
        for (end, count) in &self.ends {
            text += &format!("  {count:>9}  {end}\n");
        }
        text += &format!("  {:>9}  different outputs\n", self.outputs.len());
        text += &format!("  {:>9}  starts of the program\n", self.starts);
        if self.starts == 0 {
            text += "The program had not come to the point to return to.\n";
        }
        for (cause, count) in &self.causes {
            text += &format!("  {count:>9}  of them since {cause}\n");
        }
        if self.outlived > 0 {
            text += &format!(
                "In {} of the runs that were out of time the first process had ended: --first-only ends a run there.\n",
                self.outlived
            );
        }
        text += &self.of_size.map(|(asked, size)| self.size(asked, size)).unwrap_or_default();
        if let Some(read) = self.read_early.filter(|_| self.misread > 0) {
            text += &format!(
                "Warning: it has read its input before the point, and {} runs were given another one: what they \
                 did may be wrong. --at={} returns to before that.\n",
                self.misread,
                sizes::at(read)
            );
        }
        let Tried { starts, runs } = self.tried;
        if starts > 0 {
            text += &format!(
                "To find that out, it was started {starts} times more and run {runs} times more, before these runs.\n"
            );
        }
        text
    }

    /// What becomes of a program that asks for the size of its input.
    fn size(&self, asked: EarlyCall, size: Size) -> String {
        let at = sizes::at(asked);
        match size {
            Size::Unasked => String::new(),
            // Each run was started with its own.
            Size::Untried if self.told_another == 0 => String::new(),
            Size::Harmless(inputs) => format!(
                "It asks for the size of its input before the point ({at}): to {inputs} inputs that were tried this \
                 makes no difference.\n"
            ),
            Size::Matters => format!(
                "It asks for the size of its input before it reads, and what it does may depend on that: it \
                 returns to before that ({at}).\n"
            ),
            Size::Untried => format!(
                "Warning: it has asked for the size of its input before the point, and {} runs were told another \
                 one's: what they did may be wrong. --at={at} returns to before that.\n",
                self.told_another
            ),
        }
    }

    /// Runs a second.
    fn rate(&self) -> f64 {
        self.runs as f64 / self.begun.elapsed().as_secs_f64().max(1e-9)
    }
}

fn line(out: &mut impl Write, run: &Run, name: Option<&str>) -> io::Result<()> {
    let [output, error] = run.written;
    write!(
        out,
        "{:>7}  {:<20} {:>10.1} µs  out {:016x} {:>7} B  err {:>5} B",
        run.number + 1,
        run.end.to_string(),
        run.time.as_secs_f64() * 1e6,
        output.hash,
        output.len,
        error.len,
    )?;
    match name {
        // A line each, whatever files are called.
        Some(name) if name.contains(char::is_control) => writeln!(out, "  {}", quoted(name)),
        Some(name) => writeln!(out, "  {name}"),
        None => writeln!(out),
    }
}

/// A JSON object in a line.
fn record(out: &mut impl Write, run: &Run, name: Option<&str>) -> io::Result<()> {
    let (kind, value) = match run.end {
        Outcome::Ended(End::Exited(status)) => ("status", status),
        Outcome::Ended(End::Killed(signal)) => ("signal", signal),
        Outcome::Ended(End::TimedOut | End::Interrupted(_)) => ("timeout", 1),
        Outcome::Flooded => ("too_much_output", 1),
    };
    write!(out, "{{\"run\":{},\"{kind}\":{value}", run.number + 1)?;
    if let Some(name) = name {
        write!(out, ",\"input\":{}", quoted(name))?;
    }
    if let Some(size) = run.told {
        write!(out, ",\"told_size\":{size}")?;
    }
    if run.misread {
        write!(out, ",\"read_another\":1")?;
    }
    let [output, error] = run.written;
    writeln!(
        out,
        ",\"time_ns\":{},\"stdout\":{{\"len\":{},\"hash\":\"{:016x}\"}},\"stderr\":{{\"len\":{},\"hash\":\"{:016x}\"}}}}",
        run.time.as_nanos(),
        output.len,
        output.hash,
        error.len,
        error.hash,
    )
}

/// Text as a JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control < ' ' => quoted += &format!("\\u{:04x}", control as u32),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether the reader has seen enough, which is no error.
fn is_closed(written: io::Result<()>) -> anyhow::Result<bool> {
    match written {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(true),
        Err(error) => Err(error).context("the output cannot be written"),
    }
}
