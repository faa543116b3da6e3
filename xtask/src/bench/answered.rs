//! Calls that modules answer: a loop of `getppid(2)` natively, untouched, and answered near the guest
//! or far from it.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::options::Options;
use super::statistics::Spread;
use super::{row, run};

/// What the row is called on the command line.
pub const NAME: &str = "answered";

/// Rounds where the options do not say.
const ROUNDS: usize = 5;
/// Calls of a run in which most of them stop, and of one in which they do not.
const SLOW: u64 = 20_000;
const FAST: u64 = 1_000_000;

/// A way to run the loop: its name, what `shunpike run` is told, and how many calls are made. The
/// first is no run of Shunpike.
const WAYS: [(&str, &[&str], u64); 8] = [
    ("native", &[], FAST),
    ("run, not claimed", &["--hostname=h"], FAST),
    ("ptrace", &["--mechanism=ptrace", "--answer=getppid=42"], SLOW),
    ("sysemu", &["--mechanism=sysemu", "--answer=getppid=42"], SLOW),
    ("sysemu, off", &["--mechanism=sysemu", "--no-sysemu", "--answer=getppid=42"], SLOW),
    ("seccomp, a stop", &["--mechanism=seccomp", "--answer=getppid=42"], SLOW),
    ("seccomp, an error", &["--mechanism=seccomp", "--answer=getppid=EPERM"], FAST),
    ("agent, a rule", &["--mechanism=agent", "--answer=getppid=42"], FAST),
];

/// The table, or why there is none.
///
/// # Errors
/// A run fails.
pub fn table(
    shunpike: &Path,
    guest: &Path,
    options: &Options,
    place: &Path,
) -> Result<String, String> {
    let rounds = options.runs.unwrap_or(if options.quick { 1 } else { ROUNDS });
    let mut times = vec![Vec::new(); WAYS.len()];
    let mut stops = vec![None; WAYS.len()];
    for _ in 0..rounds {
        for (nth, (_, arguments, calls)) in WAYS.iter().enumerate() {
            let (time, crossings) = once(shunpike, guest, arguments, *calls, place)?;
            times[nth].push(time);
            stops[nth] = crossings;
        }
    }
    let medians: Vec<f64> =
        times.iter().filter_map(|times| Spread::of(times)).map(|spread| spread.median).collect();
    let mut text =
        "getppid in a loop, answered by modules (start and end of the program count too):\n\n\
                    | | µs a call | ratio | stops a call |\n|---|---|---|---|\n"
            .to_owned();
    for ((name, ..), (median, stops)) in WAYS.iter().zip(medians.iter().zip(stops)) {
        let stops = stops.map_or("–".to_owned(), |stops| format!("{stops:.3}"));
        let ratio = median / medians[0];
        let _ = writeln!(text, "| {name} | {median:.3} | {ratio:.2} | {stops} |");
    }
    text.push('\n');
    Ok(text)
}

/// Microseconds a call, and stops a call where there are any to count.
fn once(
    shunpike: &Path,
    guest: &Path,
    arguments: &[&str],
    calls: u64,
    place: &Path,
) -> Result<(f64, Option<f64>), String> {
    let toll = place.join("answered.toll");
    let mut command = match arguments {
        [] => Command::new(guest),
        _ => {
            let mut command = Command::new(shunpike);
            command.arg("run").args(arguments);
            command.arg(format!("--toll={}", toll.display())).arg(guest);
            command
        }
    };
    command.arg(calls.to_string());
    let ended = run::run(command, Stdio::null(), &place.join("answered.stderr"))?;
    let time = ended.elapsed.as_secs_f64() * 1e6 / calls as f64;
    if arguments.is_empty() {
        return Ok((time, None));
    }
    let toll = row::read_toll(&toll)?;
    let stops = toll.iter().find(|line| line.name == "stops").ok_or("its toll has no stops")?;
    Ok((time, Some(stops.count as f64 / calls as f64)))
}
