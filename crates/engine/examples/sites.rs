//! Prints how many `syscall` instructions of executable files can be patched: `sites [-v] FILE…`.
//! With `-v`, also what was found at each place where the bytes of one are.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use engine::sites::{Decline, Text, Window};

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    let (options, paths): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument == "-v");
    for path in paths {
        match count(&path, !options.is_empty()) {
            Ok(counts) => println!("{path}\n{counts}"),
            Err(error) => {
                eprintln!("sites: {path}: {error}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

/// Plans every place where the bytes of a `syscall` are, and tells how it went.
fn count(path: &str, each: bool) -> Result<String, Box<dyn std::error::Error>> {
    let bytes = fs::read(path)?;
    let begin = Instant::now();
    let text = Text::open(File::open(path)?)?;
    let opened = begin.elapsed();

    let mut outcomes: BTreeMap<String, u32> = BTreeMap::new();
    let mut times = Vec::new();
    for offset in (1..bytes.len()).filter(|end| bytes[end - 1..=*end] == [0x0f, 0x05]) {
        let Some(site) = text.vaddr(offset as u64 - 1) else { continue };
        let begin = Instant::now();
        let plan = text.plan(site);
        times.push(begin.elapsed());
        let outcome = match plan {
            Ok(window) => kind(&window),
            Err(Decline::Read(error)) => return Err(error.into()),
            Err(decline) => format!("declined: {decline}"),
        };
        if each {
            println!("{site:#x} {outcome}");
        }
        *outcomes.entry(outcome).or_default() += 1;
    }
    let mut lines: Vec<String> =
        outcomes.iter().map(|(outcome, count)| format!("{count:6} {outcome}")).collect();
    lines.push(format!("       open {opened:?}, {}", summary(&mut times)));
    Ok(lines.join("\n"))
}

fn kind(window: &Window) -> String {
    format!(
        "window: {}{}{}{}",
        if window.single() { "single" } else { "several" },
        if window.branches() { ", branches" } else { "" },
        if window.bypassed { ", bypassed" } else { "" },
        if window.one_word() { ", one word" } else { "" },
    )
}

fn summary(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
    let longest = times.last().copied().unwrap_or_default();
    format!("plan: median {:?}, 99 % {:?}, longest {longest:?}", at(50), at(99))
}
