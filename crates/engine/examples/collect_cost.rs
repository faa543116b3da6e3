//! What it costs to know again and again which pages of 500 MiB were written: the first write to each page,
//! and one look that finds the written pages and protects them again. Prints a Markdown table, in
//! microseconds, with the medians of so many rounds.
//!
//! ```text
//! cargo run --release -p shunpike-engine --example collect_cost -- ROUNDS
//! ```
#![forbid(unsafe_code)]

use std::error::Error;
use std::time::Instant;

use kernel::pagemap::{Pagemap, Query, state};
use kernel::probe::pages::Area;
use kernel::userfault::{Userfault, Writes};

const PAGES: u64 = 128_000;
/// How many pages are written between two looks.
const ROWS: [u64; 5] = [0, 64, 1280, 12_800, 128_000];
/// Below this the middle of more rounds is taken.
const FEW: u64 = 2000;
/// What is cheapest to be asked for.
const WRITTEN: Query = Query { all: state::WRITTEN, none: 0, any: 0, tell: state::WRITTEN };

fn main() -> Result<(), Box<dyn Error>> {
    let rounds: u32 = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(5);
    let area = Area::new(PAGES)?;
    let all = area.range();
    let mut pagemap = Pagemap::open(std::process::id() as i32)?;
    let userfault = Userfault::own(Writes::Resolved)?;
    userfault.register(all.start, all.end - all.start)?;
    pagemap.protect(all.clone(), Query::UNPROTECTED)?;
    println!("| pages written | first write to a page | collect | of that for each page |");
    println!("|---|---|---|---|");
    let mut of_none = 0.0;
    for pages in ROWS {
        let (mut writes, mut collects) = (Vec::new(), Vec::new());
        // A few pages take less time than an interrupt.
        let rounds = if pages < FEW { rounds * 20 } else { rounds };
        for _ in 0..rounds {
            let begun = Instant::now();
            (0..pages).for_each(|page| area.write(page * (PAGES / pages)));
            writes.push(begun.elapsed().as_secs_f64() * 1e6);
            let mut found = Vec::new();
            let begun = Instant::now();
            pagemap.scan_and_protect(all.clone(), WRITTEN, &mut found)?;
            collects.push(begun.elapsed().as_secs_f64() * 1e6);
            let count: u64 = found.iter().map(|region| (region.end - region.start) / 4096).sum();
            assert_eq!(count, pages, "exactly what was written is found");
        }
        let (write, collect) = (median(writes), median(collects));
        if pages == 0 {
            of_none = collect;
            println!("| none | – | {collect:.0} | – |");
        } else {
            let (each, more) = (write / pages as f64, (collect - of_none) / pages as f64);
            println!("| {pages} of {PAGES} | {each:.2} | {collect:.0} | {more:.3} |");
        }
    }
    Ok(())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
