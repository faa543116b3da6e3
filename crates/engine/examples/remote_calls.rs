//! What calls cost that a program makes for the supervisor: in one go, and one by one with two stops
//! each. Prints `N TOGETHER ONE-BY-ONE` in microseconds, a line for each number of calls.
//!
//! ```text
//! cargo run --release -p shunpike-engine --example remote_calls -- ROUNDS
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
/// Nothing is mapped there.
const AREA: u64 = 0x7300_0000;

fn main() -> Result<(), Box<dyn Error>> {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(5);
    let mut together = guest("exec true")?;
    // Where `SIGTRAP` is ignored no breakpoint can tell of a call's end.
    let mut one_by_one = guest("trap '' TRAP; exec true")?;
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

/// A shell that has come to the end of this script.
fn guest(script: &str) -> Result<Guest, Box<dyn Error>> {
    let command = ["sh", "-c", script].map(|argument| argument.as_bytes().to_vec());
    let path = vec![b"PATH=/usr/bin:/bin".to_vec()];
    let mut guest = Guest::start(Program::new("/bin/sh".into(), command.to_vec(), path)?)?;
    /// `execve(2)`.
    const EXECVE: u64 = 59;
    guest.run_to(&Point::Call(EXECVE, 0))?;
    guest.snapshot(&[])?;
    let mut batch = Batch::default();
    batch.map(AREA..AREA + 64 * PAGE, 3);
    guest.carry_out(batch)?.complete()?;
    Ok(guest)
}

/// Lets a page be written and forbids it again, in turn.
fn measure(guest: &mut Guest, count: u64) -> Result<f64, Box<dyn Error>> {
    let mut batch = Batch::default();
    for call in 0..count {
        let page = AREA + call / 2 % 64 * PAGE;
        batch.protect(page..page + PAGE, if call % 2 == 0 { 1 } else { 3 });
    }
    let begun = Instant::now();
    guest.carry_out(batch)?.complete()?;
    Ok(begun.elapsed().as_secs_f64() * 1e6)
}
