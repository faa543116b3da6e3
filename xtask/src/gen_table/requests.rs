//! Names of ioctl requests: `xtask/spec/requests.txt` → `crates/table/src/request`.
//!
//! Every header is read by itself, since some cannot be read together. Its requests are the macros
//! whose text calls `_IO` or one of its like, or a macro that does (`DRM_IOWR`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::compiler::{Compiler, Model};
use super::output::Output;
use super::spec::{self, Spec};

/// What makes a request of its parts.
const MAKERS: [&str; 5] = ["_IO", "_IOR", "_IOW", "_IOWR", "_IOC"];

/// Headers that only others include, though they have requests of their own.
const GENERIC: [&str; 2] = ["asm-generic/ioctls.h", "asm-generic/sockios.h"];

/// The names of each request.
type Names = BTreeMap<u64, BTreeSet<String>>;

/// All requests: a request says how large its argument is, which may differ by data model.
#[derive(Default)]
struct Requests {
    lp64: Names,
    ilp32: Names,
    /// The numbers of those that differ, by both models.
    moved: BTreeSet<(u64, u64)>,
}

impl Requests {
    /// Forgets the names of requests that go by another in 32-bit programs: `FS_IOC32_GETFLAGS` is
    /// there what `FS_IOC_GETFLAGS` is.
    fn leave_renamed(&mut self) {
        for (number, names) in &mut self.ilp32 {
            let Some(native) = self.lp64.get(number) else { continue };
            let renamed: BTreeSet<String> = native
                .iter()
                .filter(|name| name.contains("32"))
                .map(|name| name.replace("32", ""))
                .collect();
            names.retain(|name| native.contains(name) || !renamed.contains(name));
        }
    }

    fn add(&mut self, name: &str, lp64: u64, ilp32: u64) {
        self.lp64.entry(lp64).or_default().insert(name.to_owned());
        self.ilp32.entry(ilp32).or_default().insert(name.to_owned());
        if lp64 != ilp32 {
            self.moved.insert((lp64, ilp32));
        }
    }
}

/// Adds the list of requests.
pub fn generate(compiler: &Compiler, output: &mut Output) -> Result<()> {
    let spec = spec::read_file("requests.txt")?;
    let mut requests = Requests::default();
    for header in headers(compiler)? {
        if !words(&spec, "without").contains(&header.as_str()) {
            add_header(compiler, &spec, &header, &mut requests)
                .with_context(|| format!("in {header}"))?;
        }
    }
    for word in words(&spec, "also") {
        let (name, value) = word.split_once('=').context("not NAME=VALUE")?;
        let value = u64::from_str_radix(value.trim_start_matches("0x"), 16)?;
        requests.add(name, value, value);
    }
    requests.leave_renamed();
    let source = "xtask/spec/requests.txt";
    output.add("request/list.rs", source, &list(&requests.lp64))?;
    output.add("request/numbers.rs", source, &numbers(&requests.lp64))?;
    output.add("request/ilp32.rs", source, &ilp32(&requests))
}

fn list(names: &Names) -> String {
    let mut text = String::from(
        "//! The requests of `ioctl(2)`.\n\n/// Each request and its names, by number.\n\
         pub(super) static REQUESTS: &[(u32, &str)] = &[",
    );
    names.iter().for_each(|(value, names)| entry(&mut text, *value, names));
    text.push_str("];\n");
    text
}

fn entry(text: &mut String, value: u64, names: &BTreeSet<String>) {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let _ = write!(text, "({value:#x}, {:?}),", names.join(" or "));
}

/// What differs in 32-bit programs.
fn ilp32(requests: &Requests) -> String {
    let mut text = String::from(
        "//! The requests of `ioctl(2)` in 32-bit programs, so far as they differ.\n\n\
         /// Requests that have other names there, by number.\n\
         pub(super) static REQUESTS: &[(u32, &str)] = &[",
    );
    let differs =
        |(value, names): &(&u64, &BTreeSet<String>)| requests.lp64.get(value) != Some(names);
    for (value, names) in requests.ilp32.iter().filter(differs) {
        entry(&mut text, *value, names);
    }
    text.push_str(
        "];\n\n/// Requests that have another number there: their own, and that one.\n\
         pub static MOVED: &[(u64, u64)] = &[",
    );
    for (lp64, ilp32) in &requests.moved {
        let _ = write!(text, "({lp64:#x}, {ilp32:#x}),");
    }
    text.push_str("];\n");
    text
}

fn numbers(names: &Names) -> String {
    let mut text = String::from(
        "//! The requests of `ioctl(2)`, each as a constant of its name.\n#![allow(missing_docs)]\n\n",
    );
    for (value, names) in names {
        for name in names {
            let _ = writeln!(text, "pub const {name}: u64 = {value:#x};");
        }
    }
    text
}

/// The words below the heads that begin so.
fn words<'s>(spec: &'s Spec, head: &str) -> Vec<&'s str> {
    let entries = spec.entries.iter().filter(|entry| entry.head == head);
    entries.flat_map(|entry| &entry.lines).flat_map(|line| line.split_whitespace()).collect()
}

/// The headers below the given directories, by their names between `<` and `>`.
fn headers(compiler: &Compiler) -> Result<BTreeSet<String>> {
    let mut headers = BTreeSet::new();
    for root in compiler.includes() {
        collect(root, root, &mut headers)?;
    }
    headers.retain(|name| !name.starts_with("asm-generic/") || GENERIC.contains(&name.as_str()));
    Ok(headers)
}

fn collect(root: &Path, folder: &Path, into: &mut BTreeSet<String>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, into)?;
        } else {
            let name = path.strip_prefix(root)?.to_str().context("a path is not UTF-8")?;
            into.insert(name.to_owned());
        }
    }
    Ok(())
}

/// Adds the requests that a header defines.
fn add_header(
    compiler: &Compiler,
    spec: &Spec,
    header: &str,
    requests: &mut Requests,
) -> Result<()> {
    let text = compiler.header(header)?;
    let plain = words(spec, &format!("plain {header}"));
    if plain.is_empty() && !text.contains("_IO") && !text.contains("_SIO") {
        return Ok(());
    }
    let mut prelude = spec.prelude.clone();
    prelude.lines.push(format!("#include <{header}>"));
    let macros = compiler.macros(&prelude)?;
    let own: BTreeSet<&str> = text.lines().filter_map(defined).collect();
    let makers = makers(&macros);
    let made = macros.iter().filter(|(name, text)| {
        own.contains(name.as_str()) && !name.contains('(') && calls_one_of(text, &makers)
    });
    let mut found: Vec<String> = made.map(|(name, _)| name.clone()).collect();
    found.retain(|name| !is_left_out(name, &words(spec, "not")));
    found.extend(plain.into_iter().map(str::to_owned));
    if found.is_empty() {
        return Ok(());
    }
    let values = compiler.values(&prelude, &found)?;
    // A few headers are for 64-bit programs only.
    let short = compiler.values_by(Model::Ilp32, &prelude, &found).unwrap_or(values.clone());
    for ((name, lp64), ilp32) in found.iter().zip(values).zip(short) {
        ensure!(lp64.max(ilp32) <= u32::MAX.into(), "{name} is wider than a request");
        requests.add(name, lp64, ilp32);
    }
    Ok(())
}

/// The name that a line defines.
fn defined(line: &str) -> Option<&str> {
    let define = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
    define.trim_start().split(|c: char| !is_word(c)).next()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_left_out(name: &str, not: &[&str]) -> bool {
    not.iter().any(|word| match word.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == *word,
    })
}

/// The macros with which requests are made: those of the kernel, other names of them, and macros
/// with parameters that call one.
fn makers(macros: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut makers: BTreeSet<String> = MAKERS.map(str::to_owned).into();
    loop {
        let more: Vec<String> = macros
            .iter()
            .filter_map(|(name, text)| match name.split_once('(') {
                Some((name, _)) => calls_one_of(text, &makers).then_some(name),
                None => makers.contains(text).then_some(name.as_str()),
            })
            .filter(|name| !makers.contains(*name))
            .map(str::to_owned)
            .collect();
        if more.is_empty() {
            return makers;
        }
        makers.extend(more);
    }
}

fn calls_one_of(text: &str, makers: &BTreeSet<String>) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find(is_word) {
        let word = &rest[at..];
        let end = word.find(|c| !is_word(c)).unwrap_or(word.len());
        rest = &word[end..];
        if rest.trim_start().starts_with('(') && makers.contains(&word[..end]) {
            return true;
        }
    }
    false
}
