//! What it costs to write to pages and to know which were written, in each way there is; prints a
//! Markdown table, in microseconds. The last column is what rewinds do, which look first and protect
//! later, some pages one by one and others together.
//!
//! ```text
//! cargo run --release -p shunpike-engine --example written_pages -- ROUNDS
//! ```
#![forbid(unsafe_code)]

use std::error::Error;
use std::thread;
use std::time::Instant;

use engine::memory::policy::{BreakEvens, Strategy};
use engine::memory::tracker::Tracker;
use kernel::pagemap::{Pagemap, Query};
use kernel::probe::pages::{Area, PAGES_PER_TABLE, page_costs};
use kernel::userfault::{Userfault, Writes};

const TABLES: u64 = 250;
const PAGES: u64 = TABLES * PAGES_PER_TABLE;
/// How many pages are written in each page table.
const ROWS: [u64; 10] = [1, 2, 4, 6, 8, 12, 64, 512, 5, 50];
/// From this one on they are told as a number of all pages.
const DENSE: usize = 8;
/// To be told of more writes than this takes too long.
const MOST_TOLD: u64 = 16_000;

fn main() -> Result<(), Box<dyn Error>> {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(3);
    let evens = BreakEvens::of(&page_costs()?);
    println!("| pages written | emulate | writable | batched | chosen | to the best | rewind |");
    println!("|---|---|---|---|---|---|---|");
    for (row, &pages) in ROWS.iter().enumerate() {
        let mut times = [const { Vec::new() }; 3];
        let mut rewinds = Vec::new();
        for _ in 0..rounds {
            for (strategy, times) in Strategy::ALL.into_iter().zip(&mut times) {
                if strategy != Strategy::Emulate || pages * TABLES <= MOST_TOLD {
                    times.push(measure(strategy, pages)?);
                }
            }
            rewinds.push(as_rewinds(pages)?);
        }
        let median = |mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times.get(times.len() / 2).copied()
        };
        let medians = times.map(median);
        let chosen = evens.strategy(pages as f64);
        let of = |strategy: Strategy| {
            Strategy::ALL.iter().position(|any| *any == strategy).and_then(|at| medians[at])
        };
        let best = medians.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let text = |time: Option<f64>| time.map_or("–".to_owned(), |time| format!("{time:.0}"));
        let name = match row {
            ..DENSE => format!("{pages} of each {PAGES_PER_TABLE}"),
            _ => format!("{} of {PAGES}", pages * TABLES),
        };
        println!(
            "| {name} | {} | {} | {} | {} | {:.2} | {} |",
            text(medians[0]),
            text(medians[1]),
            text(medians[2]),
            format!("{chosen:?}").to_lowercase(),
            of(chosen).map_or(f64::NAN, |time| time / best),
            text(median(rewinds)),
        );
    }
    Ok(())
}

/// The pages, so many in each table.
fn written(pages: u64) -> impl Iterator<Item = u64> {
    let stride = PAGES_PER_TABLE / pages;
    let of = move |table| (0..pages).map(move |page| table * PAGES_PER_TABLE + page * stride);
    (0..TABLES).flat_map(of)
}

/// Writes to them, and finds and protects them as a rewind does: microseconds.
fn as_rewinds(pages: u64) -> Result<f64, Box<dyn Error>> {
    let area = Area::new(PAGES)?;
    let all = area.range();
    let pagemap = Pagemap::open(std::process::id() as i32)?;
    let mut tracker = Tracker::new(pagemap, Userfault::own(Writes::Resolved)?);
    tracker.follow(&all)?;
    tracker.arm()?;
    tracker.measure(all.start, TABLES)?;
    let mut found = Vec::new();
    let begun = Instant::now();
    written(pages).for_each(|page| area.write(page));
    tracker.written(&mut found)?;
    // The other mappings are not followed.
    let within = found.iter().map(|found| found.start.max(all.start)..found.end.min(all.end));
    let ranges: Vec<_> = within.filter(|range| !range.is_empty()).collect();
    let count = tracker.rearm(&ranges)?;
    let time = begun.elapsed();
    assert_eq!(count, pages * TABLES, "exactly what was written is found");
    Ok(time.as_secs_f64() * 1e6)
}

/// Writes to so many pages in each table, and finds and protects them again: microseconds.
fn measure(strategy: Strategy, pages: u64) -> Result<f64, Box<dyn Error>> {
    let area = Area::new(PAGES)?;
    let all = area.range();
    let mut pagemap = Pagemap::open(std::process::id() as i32)?;
    if strategy == Strategy::Emulate {
        let userfault = Userfault::own(Writes::Delivered)?;
        userfault.register(all.start, all.end - all.start)?;
        userfault.protect(all.start, all.end - all.start)?;
        let begun = Instant::now();
        return thread::scope(|scope| {
            let letting = scope.spawn(|| {
                written(pages).try_for_each(|page| {
                    userfault.next_fault()?;
                    let range = area.page(page);
                    userfault.unprotect(range.start, range.end - range.start)
                })
            });
            written(pages).for_each(|page| area.write(page));
            letting.join().expect("it does not panic")?;
            for page in written(pages) {
                let range = area.page(page);
                userfault.protect(range.start, range.end - range.start)?;
            }
            Ok(begun.elapsed().as_secs_f64() * 1e6)
        });
    }
    let userfault = Userfault::own(Writes::Resolved)?;
    userfault.register(all.start, all.end - all.start)?;
    pagemap.protect(all.clone(), Query::UNPROTECTED)?;
    let mut found = Vec::new();
    let begun = Instant::now();
    written(pages).for_each(|page| area.write(page));
    if strategy == Strategy::Batched {
        pagemap.scan_and_protect(all, Query::UNPROTECTED, &mut found)?;
    } else {
        pagemap.scan(all, Query::UNPROTECTED, &mut found)?;
        for region in &found {
            pagemap.protect(region.start..region.end, Query::UNPROTECTED)?;
        }
    }
    let time = begun.elapsed();
    let count: u64 = found.iter().map(|region| (region.end - region.start) / 4096).sum();
    assert_eq!(count, pages * TABLES, "exactly what was written is found");
    Ok(time.as_secs_f64() * 1e6)
}
