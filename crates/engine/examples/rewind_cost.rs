//! How long it takes to run a program from its first `getppid(2)` to its end, and to rewind it: prints
//! the time of each round in nanoseconds, and that of the run alone, a line each. Its output must not be a
//! file: the program has it too, and is rewound with where it is in its files.
//!
//! ```text
//! cargo run --release -p shunpike-engine --example rewind_cost -- ROUNDS PROGRAM [ARGS]
//! ```
#![forbid(unsafe_code)]

use std::error::Error;
use std::os::unix::ffi::OsStringExt;
use std::time::Instant;

use engine::rewind::{Guest, Point};
use kernel::placement::Cpus;
use kernel::spawn::Program;

/// `getppid(2)`.
const POINT: u64 = 110;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let rounds = arguments.next().ok_or("the arguments are ROUNDS PROGRAM [ARGS]")?;
    let rounds: u64 = rounds.to_string_lossy().parse()?;
    let command: Vec<Vec<u8>> = arguments.map(OsStringExt::into_vec).collect();
    let path = command.first().ok_or("the program is missing")?.clone();
    let mut guest = Guest::start(Program::new(path, command, Vec::new())?)?;
    guest.run_to(&Point::Call(POINT, 0))?;
    // As `shunpike rewind` does.
    let here = Cpus::only(Cpus::of(0)?.list()[0]);
    here.confine(guest.pid())?;
    here.confine(0)?;
    guest.snapshot(&[])?;
    for _ in 0..rounds {
        let begun = Instant::now();
        guest.run(None)?;
        let run = begun.elapsed();
        guest.rewind()?;
        println!("{} {}", begun.elapsed().as_nanos(), run.as_nanos());
    }
    Ok(())
}
