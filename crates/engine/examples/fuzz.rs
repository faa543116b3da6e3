//! Fuzzes a parser that reads its standard input: each run begins where it would read, with one of
//! the seeds, changed here and there. Prints what ends a run by a signal, or takes too long.
//!
//! ```text
//! cargo run --release -p shunpike-engine --example fuzz -- RUNS SEED-FILE PROGRAM [ARGS]
//! cargo run --release -p shunpike-engine --example fuzz -- 10000 seed.sql /usr/bin/sqlite3
//! ```
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::error::Error;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use engine::rewind::{self, End, Guest, Point};
use kernel::memory_file;
use kernel::spawn::Program;

/// A run that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(1);

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(runs), Some(seed)) = (arguments.next(), arguments.next()) else {
        return Err("the arguments are RUNS SEED-FILE PROGRAM [ARGS]".into());
    };
    let runs: u64 = runs.to_string_lossy().parse()?;
    let seed = std::fs::read(seed)?;
    let command: Vec<Vec<u8>> = arguments.map(OsStringExt::into_vec).collect();
    let path = command.first().ok_or("the program is missing")?.clone();

    let [input, output] = [memory_file::create(c"input")?, memory_file::create(c"output")?];
    let start = || -> Result<Guest, Box<dyn Error>> {
        let copies = [input.try_clone()?, output.try_clone()?, output.try_clone()?];
        let program = Program::new(path.clone(), command.clone(), Vec::new())?;
        let mut guest = Guest::start(program.streams(copies.map(Into::into)))?;
        guest.run_to(&Point::Reads(input.as_raw_fd()))?;
        guest.snapshot(&[])?;
        Ok(guest)
    };

    let mut guest = start()?;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut ends: HashMap<String, u64> = HashMap::new();
    let begun = Instant::now();
    for _ in 0..runs {
        let bytes = changed(&seed, &mut random);
        input.set_len(0)?;
        input.write_all_at(&bytes, 0)?;
        output.set_len(0)?;
        let end = guest.run(Some(LIMIT))?;
        if matches!(end, End::Killed(_) | End::TimedOut) {
            println!("{end}: {}", String::from_utf8_lossy(&bytes));
        }
        *ends.entry(end.to_string()).or_default() += 1;
        match guest.rewind() {
            Err(rewind::Error::Irreversible(_)) => guest = start()?,
            other => other?,
        }
    }
    println!("{:.0} runs a second: {ends:?}", runs as f64 / begun.elapsed().as_secs_f64());
    Ok(())
}

/// The seed with some bytes replaced, removed or doubled.
fn changed(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(3) {
            0 => bytes[at] = random.below(256) as u8,
            1 => drop(bytes.remove(at)),
            _ => {
                let from = random.below(bytes.len());
                let part = bytes[from..(from + 8).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
    bytes
}

/// Xorshift: the same numbers each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
