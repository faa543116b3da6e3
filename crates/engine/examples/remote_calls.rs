//! What calls cost that a program makes for the supervisor: in one go, and one by one with two stops
//! each. Prints `N TOGETHER ONE-BY-ONE` in microseconds, a line for each number of calls. The program is
//! `benches/guests/protections.c`, which tells what the same calls cost it by itself.
//!
//! ```text
//! cargo run --release -p shunpike-engine --example remote_calls -- ROUNDS PROGRAM
//! ```
#![forbid(unsafe_code)]

use std::error::Error;
use std::time::Instant;

use engine::memory::Batch;
use engine::rewind::{Guest, Point};
use kernel::placement::Cpus;
use kernel::spawn::Program;

const COUNTS: [u64; 4] = [1, 8, 64, 512];
const PAGE: u64 = 4096;
/// There the program has written to so many pages.
const AREA: u64 = 0x7300_0000;
const PAGES: u64 = 64;
/// `sched_yield(2)`.
const POINT: u64 = 24;

fn main() -> Result<(), Box<dyn Error>> {
    let [rounds, program] = std::env::args()
        .skip(1)
        .collect::<Vec<_>>()
        .try_into()
        .map_err(|_| "the arguments are ROUNDS PROGRAM")?;
    let rounds: u32 = rounds.parse()?;
    let mut together = guest(&program, "")?;
    // Where `SIGTRAP` is ignored no breakpoint can tell of a call's end.
    let mut one_by_one = guest(&program, "trap '' TRAP; ")?;
    let here = Cpus::only(Cpus::of(0)?.list()[0]);
    here.confine(together.pid())?;
    here.confine(one_by_one.pid())?;
    here.confine(0)?;
    for count in COUNTS {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..rounds {
            for (guest, times) in [&mut together, &mut one_by_one].into_iter().zip(&mut times) {
                times.push(measure(guest, count)?);
            }
        }
        let [together, one_by_one] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        println!("{count} {together:.1} {one_by_one:.1}");
    }
    Ok(())
}

/// The program, started by a shell behind these commands, where it has written to its memory.
fn guest(program: &str, before: &str) -> Result<Guest, Box<dyn Error>> {
    let script = format!("{before}exec \"$0\" 0");
    let command = ["sh", "-c", &script, program].map(|argument| argument.as_bytes().to_vec());
    let path = vec![b"PATH=/usr/bin:/bin".to_vec()];
    let mut guest = Guest::start(Program::new("/bin/sh".into(), command.to_vec(), path)?)?;
    guest.run_to(&Point::Call(POINT, 0))?;
    guest.snapshot(&[])?;
    Ok(guest)
}

/// Forbids a page to be written and allows it again, in turn.
fn measure(guest: &mut Guest, count: u64) -> Result<f64, Box<dyn Error>> {
    let mut batch = Batch::default();
    for call in 0..count {
        let page = AREA + call / 2 % PAGES * PAGE;
        batch.protect(page..page + PAGE, if call % 2 == 0 { 1 } else { 3 });
    }
    let begun = Instant::now();
    guest.carry_out(batch)?.complete()?;
    Ok(begun.elapsed().as_secs_f64() * 1e6)
}
