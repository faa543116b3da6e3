//! The memory engine: rewinds beside forks, ways to know of written pages, calls that a program makes
//! for us, and programs that change the rights of their memory all the time.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::guests::Guests;
use super::markdown::{heading, line};
use super::options::Options;
use super::report::Report;
use super::run;
use super::statistics::{Spread, middle_half};

const REWIND: &str = "rewind";
const WRITTEN: &str = "written-pages";
const REMOTE: &str = "remote-calls";
const MPROTECT: &str = "mprotect";

/// Rounds where the options do not say.
const ROUNDS: usize = 5;
/// Which pages each run writes: `benches/guests/state.c`.
const WHICH: [&str; 2] = ["same", "others"];
/// MiB of a program's memory, pages written in each run, runs in a round, and forks in one.
const STATES: [[u64; 4]; 4] =
    [[1, 4, 1000, 300], [64, 16, 500, 60], [64, 64, 500, 60], [500, 64, 300, 10]];
/// The same of forks only, beside what the ways to know of written pages cost.
const FORKS: [u64; 3] = [1280, 12_800, 128_000];
const THREADS: [u64; 4] = [1, 2, 4, 8];
/// Calls of each thread, in each of many pairs of runs: two native ones may differ more than what is
/// looked for.
const CALLS: u64 = 2000;

/// What the rows are called on the command line.
pub fn names() -> [&'static str; 4] {
    [REWIND, WRITTEN, REMOTE, MPROTECT]
}

/// Those tables that the options select.
pub fn tables(
    shunpike: &Path,
    guests: &Guests,
    options: &Options,
    place: &Path,
    report: &mut Report,
) {
    let selected: Vec<&str> = names().into_iter().filter(|name| options.selects(name)).collect();
    if selected.is_empty() {
        return;
    }
    let bench = Bench {
        rounds: options.runs.unwrap_or(if options.quick { 1 } else { ROUNDS }),
        quick: options.quick,
        stderr: place.join("memory.stderr"),
    };
    for name in selected {
        eprintln!("bench: {name}");
        let table = match name {
            REWIND => examples().and_then(|folder| bench.rewind(&folder, guests)),
            WRITTEN => examples().and_then(|folder| bench.written(&folder, guests)),
            REMOTE => examples().and_then(|folder| bench.remote(&folder, guests)),
            _ => bench.mprotect(shunpike, guests, place),
        };
        match table {
            Ok(table) => report.tables.push(table),
            Err(reason) => report.notes.drop(&format!("row {name}"), &reason),
        }
    }
}

/// Builds the programs that use the library, and tells where they are.
fn examples() -> Result<PathBuf, String> {
    let example = super::built(&["--package", "shunpike-engine", "--examples"], "rewind_cost")
        .map_err(|error| format!("{error:#}"))?;
    Ok(example.parent().map(Path::to_owned).unwrap_or_default())
}

struct Bench {
    rounds: usize,
    quick: bool,
    stderr: PathBuf,
}

impl Bench {
    fn output(&self, program: &Path, arguments: &[String]) -> Result<String, String> {
        let mut command = Command::new(program);
        command.args(arguments);
        Ok(run::run(command, Stdio::piped(), &self.stderr)?.stdout)
    }

    /// The median of the first numbers of lines, in microseconds where they are nanoseconds. The first
    /// ones of rewinds find out what the program does in each run.
    fn median(&self, program: &Path, arguments: &[String]) -> Result<f64, String> {
        let text = self.output(program, arguments)?;
        let first = |line: &str| line.split_whitespace().next()?.parse::<f64>().ok();
        let times: Vec<f64> = text.lines().filter_map(first).collect();
        Ok(Spread::of(&times).ok_or("it printed no times")?.over(1e3).median)
    }

    fn rewind(&self, examples: &Path, guests: &Guests) -> Result<String, String> {
        let state = guests.state.as_ref().map_err(Clone::clone)?;
        let mut text =
            "A run of a program with so much memory, which writes to so many pages, the same \
                        ones in each run or others, from a point on and back (rewind), or in a child \
                        (fork, exit, wait), in µs:\n\n"
                .to_owned();
        let head = ["memory", "pages written", "fork server", "rewind", "ratio"];
        heading(&mut text, &head.map(str::to_owned));
        for (which, [mib, pages, runs, forks]) in
            WHICH.iter().flat_map(|which| STATES.map(|state| (*which, state)))
        {
            let (mut forked, mut rewound) = (Vec::new(), Vec::new());
            let divisor = if self.quick { 10 } else { 1 };
            for _ in 0..self.rounds {
                let guest = [mib.to_string(), pages.to_string(), which.to_owned()];
                let mut server = guest.to_vec();
                server.push((forks / divisor).max(3).to_string());
                forked.push(self.median(state, &server)?);
                let mut arguments = vec![(runs / divisor).to_string(), state.display().to_string()];
                arguments.extend(guest);
                rewound.push(self.median(&examples.join("rewind_cost"), &arguments)?);
            }
            let (fork, rewind) = (median(&forked), median(&rewound));
            let memory = format!("{mib} MiB");
            let [fork_text, rewind_text] = [fork, rewind].map(|time| format!("{time:.0}"));
            let ratio = format!("{:.1}", fork / rewind);
            line(&mut text, &[memory, format!("{pages} {which}"), fork_text, rewind_text, ratio]);
        }
        text.push('\n');
        Ok(text)
    }

    fn written(&self, examples: &Path, guests: &Guests) -> Result<String, String> {
        let state = guests.state.as_ref().map_err(Clone::clone)?;
        let rounds = self.rounds.to_string();
        let table = self.output(&examples.join("written_pages"), std::slice::from_ref(&rounds))?;
        let collected = self.output(&examples.join("collect_cost"), &[rounds])?;
        let mut text = format!(
            "Writing to pages of 500 MiB (128 000 pages, 250 page tables), finding which were \
             written and protecting them again, in µs:\n\n{table}\n\
             The first write to each page between two looks, and one look that finds them and protects \
             them again, in µs:\n\n{collected}\n\
             The same by a fork that writes, exits and is waited for, in µs:\n\n"
        );
        heading(&mut text, &["pages written", "fork"].map(str::to_owned));
        for pages in FORKS {
            let fork =
                self.median(state, &["500", &pages.to_string(), "same", "3"].map(str::to_owned))?;
            line(&mut text, &[format!("{pages} of 128000"), format!("{fork:.0}")]);
        }
        text.push('\n');
        Ok(text)
    }

    fn remote(&self, examples: &Path, guests: &Guests) -> Result<String, String> {
        let guest = guests.protections.as_ref().map_err(Clone::clone)?;
        let rounds = (4 * self.rounds + 1).to_string();
        let alone = numbers(&self.output(guest, std::slice::from_ref(&rounds))?)?;
        let arguments = [rounds, guest.display().to_string()];
        let told = numbers(&self.output(&examples.join("remote_calls"), &arguments)?)?;
        let mut text =
            "Calls that a stopped program makes for us (mprotect), and that it makes by \
                        itself (native), in µs:\n\n"
                .to_owned();
        let head = ["calls", "native", "two stops each", "in one go", "ratio", "to native"];
        heading(&mut text, &head.map(str::to_owned));
        for [count, together, one_by_one] in told {
            let of_count = alone.iter().filter(|[number, _]| *number == count);
            let native: Vec<f64> = of_count.map(|[_, time]| time / 1e3).collect();
            let native = median(&native);
            let mut cells = vec![count.to_string()];
            cells.extend([native, one_by_one, together].map(|time| format!("{time:.0}")));
            cells.push(format!("{:.1}", one_by_one / together));
            cells.push(format!("{:.2}", together / native));
            line(&mut text, &cells);
        }
        text.push('\n');
        Ok(text)
    }

    fn mprotect(&self, shunpike: &Path, guests: &Guests, place: &Path) -> Result<String, String> {
        let guest = guests.mprotect.as_ref().map_err(Clone::clone)?;
        let trace = place.join("mprotect.trace").display().to_string();
        let ways: [(&str, Vec<&str>); 4] = [
            ("native again", vec![]),
            ("trace -f", vec!["trace", "-f", "-o", &trace]),
            ("trace -f -e trace=openat", vec!["trace", "-f", "-e", "trace=openat", "-o", &trace]),
            ("run", vec!["run", "--hostname=h"]),
        ];
        let calls = if self.quick { CALLS / 10 } else { CALLS };
        let mut text = "mprotect of single pages: throughput as a part of that of the native run \
                        beside it, the middle of many such pairs (and the quarters around it). What two \
                        native runs differ by tells what a row can tell:\n\n"
            .to_owned();
        let mut head = ["threads", "memory", "native, calls a ms"].map(str::to_owned).to_vec();
        head.extend(ways.iter().map(|(name, _)| (*name).to_owned()));
        heading(&mut text, &head);
        for threads in THREADS {
            for memory in ["own", "shared"] {
                let arguments = [threads.to_string(), calls.to_string(), memory.to_owned()];
                let words = ways.each_ref().map(|(_, words)| words.as_slice());
                let (alone, ratios) = self.pairs(shunpike, guest, &arguments, &words)?;
                let native = (threads * calls) as f64 / (median(&alone) / 1e3);
                let mut cells =
                    vec![threads.to_string(), memory.to_owned(), format!("{native:.0}")];
                cells.extend(ratios.iter().filter_map(|ratios| {
                    let [low, high] = middle_half(ratios)?;
                    Some(format!("{:.2} ({low:.2}–{high:.2})", median(ratios)))
                }));
                line(&mut text, &cells);
            }
        }
        text.push('\n');
        Ok(text)
    }

    /// Runs a guest in pairs, natively and behind each of these words of a command: the native times, and
    /// each way's ratios to the native run beside it.
    fn pairs(
        &self,
        shunpike: &Path,
        guest: &Path,
        arguments: &[String],
        ways: &[&[&str]],
    ) -> Result<(Vec<f64>, Vec<Vec<f64>>), String> {
        let time = |before: &[&str]| {
            let mut all: Vec<String> = before.iter().map(|word| (*word).to_owned()).collect();
            let program = if all.is_empty() {
                guest
            } else {
                all.push(guest.display().to_string());
                shunpike
            };
            all.extend_from_slice(arguments);
            self.median(program, &all)
        };
        let mut alone = Vec::new();
        let mut ratios = vec![Vec::new(); ways.len()];
        for pair in 0..=8 * self.rounds {
            for (before, ratios) in ways.iter().zip(&mut ratios) {
                // Each comes first as often as second.
                let (native, other) = if pair % 2 == 0 {
                    let native = time(&[])?;
                    (native, time(before)?)
                } else {
                    let other = time(before)?;
                    (time(&[])?, other)
                };
                alone.push(native);
                ratios.push(native / other);
            }
        }
        Ok((alone, ratios))
    }
}

/// The middle one; not a number of none.
fn median(times: &[f64]) -> f64 {
    Spread::of(times).map_or(f64::NAN, |spread| spread.median)
}

/// So many numbers from each line.
fn numbers<const N: usize>(text: &str) -> Result<Vec<[f64; N]>, String> {
    let of_line = |line: &str| {
        let words = line.split_whitespace().map(str::parse);
        let numbers: Vec<f64> = words.collect::<Result<_, _>>().ok()?;
        numbers.try_into().ok()
    };
    text.lines().map(|line| of_line(line).ok_or_else(|| format!("it printed '{line}'"))).collect()
}
