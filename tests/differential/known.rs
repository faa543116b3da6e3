//! The differences that are meant to be: those of known-differences.txt.

use regex_lite::Regex;

use crate::harness::tracer::Tracer;
use crate::harness::{launch, tools};
use crate::programs::Program;

/// The patterns of the lines that do not count for a program: those of known-differences.txt.
pub fn known_differences(program: &Program<'_>, tracer: Tracer) -> Result<Vec<Regex>, String> {
    let file = tools::tests().join("known-differences.txt");
    let text = launch::read_lossy(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let entries = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut patterns = Vec::new();
    if !launch::can_fix_addresses() {
        // How often malloc asks for the end of the heap depends on where the heap begins.
        patterns.push(Regex::new(r"^brk\(").expect("constant"));
    }
    for entry in entries {
        let (name, pattern) =
            entry.split_once(' ').ok_or_else(|| format!("known-differences.txt: {entry}"))?;
        let (of, by) = name.split_once('/').unwrap_or((name, tracer.name()));
        let with_options = format!("{}{}", program.name, program.options.concat());
        let family = program.name.split_once('-').map_or("", |(family, _)| family);
        let is_of = [program.name, &with_options, "*"].contains(&of)
            || of.strip_suffix("-*") == Some(family);
        if is_of && by == tracer.name() {
            patterns.push(Regex::new(pattern).map_err(|error| format!("{pattern}: {error}"))?);
        }
    }
    Ok(patterns)
}
