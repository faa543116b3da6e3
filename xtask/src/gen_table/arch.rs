//! Call numbers: `asm/unistd_*.h` and `xtask/spec/prototypes.txt` → `crates/table/src/arch`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};

use super::compiler::Compiler;
use super::output::Output;
use super::spec;

/// Adds the lists of all ABIs.
pub fn generate(compiler: &Compiler, output: &mut Output) -> Result<()> {
    let native = numbers(&compiler.header("asm/unistd_64.h")?)?;
    output.add("arch/x86_64/list.rs", "xtask/spec/prototypes.txt", &x86_64(&native)?)?;
    let compat = numbers(&compiler.header("asm/unistd_32.h")?)?;
    output.add("arch/i386/list.rs", "asm/unistd_32.h", &i386(&compat, &native)?)?;
    let x32 = x32_numbers(&compiler.header("asm/unistd_x32.h")?)?;
    output.add("arch/x32/list.rs", "asm/unistd_x32.h", &x32_list(&x32, &native))
}

/// Name and number of each call of a list, by number.
type Numbers = Vec<(String, u32)>;

fn numbers(header: &str) -> Result<Numbers> {
    let mut numbers = Numbers::new();
    for line in header.lines() {
        let Some(define) = line.strip_prefix("#define __NR_") else { continue };
        let (name, number) = define.split_once(' ').context("a number without a name")?;
        numbers.push((name.to_owned(), number.trim().parse()?));
    }
    numbers.sort_by_key(|(_, number)| *number);
    Ok(numbers)
}

/// The calls that only the x32 ABI has, without the bit that marks the ABI.
fn x32_numbers(header: &str) -> Result<Numbers> {
    let mut numbers = Numbers::new();
    for line in header.lines() {
        let Some(define) = line.strip_prefix("#define __NR_") else { continue };
        let (name, number) = define.split_once(" (__X32_SYSCALL_BIT + ").context("not x32's")?;
        let number = number.trim_end_matches(')').parse()?;
        if number >= X32_FIRST {
            numbers.push((name.to_owned(), number));
        }
    }
    Ok(numbers)
}

/// x32's own numbers begin here.
const X32_FIRST: u32 = 512;

fn x86_64(numbers: &Numbers) -> Result<String> {
    let prototypes = prototypes()?;
    let limit = numbers.last().context("an empty list")?.1 + 1;
    let mut text = format!(
        "//! The calls of the x86-64 ABI.\n\nuse ids::*;\nuse crate::call::{{Call, named, raw}};\n\n\
         /// One more than the highest number.\npub(super) const LIMIT: usize = {limit};\n\n{}",
        ids(numbers)
    );
    text.push_str(
        "\n/// Every call with the arguments of its prototype.\npub(super) static NAMED: &[Call] = &[",
    );
    for (name, _) in numbers {
        let args = prototypes.get(name).with_context(|| {
            format!("xtask/spec/prototypes.txt lacks {name}: add its prototype there")
        })?;
        let args: Vec<String> = args.iter().map(|arg| format!("raw({arg:?})")).collect();
        let konst = name.trim_start_matches('_').to_uppercase();
        let _ = write!(text, "named({konst}, &[{}]),", args.join(", "));
    }
    text.push_str("];\n");
    Ok(text)
}

fn i386(compat: &Numbers, native: &Numbers) -> Result<String> {
    let limit = compat.last().context("an empty list")?.1 + 1;
    Ok(format!(
        "//! The calls of the i386 ABI.\n\n/// One more than the highest number.\n\
         pub(super) const LIMIT: usize = {limit};\n\n{}\n{}",
        ids(compat),
        namesakes("Number, name, and the number of the x86-64 call of that name", compat, native)
    ))
}

fn x32_list(x32: &Numbers, native: &Numbers) -> String {
    format!(
        "//! The calls of the x32 ABI that are not the x86-64 calls of their numbers.\n\n{}",
        namesakes("Number, name, and the number of the x86-64 call of that name", x32, native)
    )
}

/// A module with a constant for each call.
fn ids(numbers: &Numbers) -> String {
    let mut text = String::from("/// The calls' identities.\npub mod ids {\nuse crate::Id;\n");
    for (name, number) in numbers {
        let _ = writeln!(
            text,
            "/// `{name}(2)`.\npub const {}: Id = Id {{ number: {number}, name: {name:?} }};",
            name.trim_start_matches('_').to_uppercase()
        );
    }
    text.push_str("}\n");
    text
}

/// The list `CALLS` of an ABI beside the x86-64 one.
fn namesakes(doc: &str, numbers: &Numbers, native: &Numbers) -> String {
    let native: BTreeMap<&str, u32> = native.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    let mut text =
        format!("/// {doc}; by number.\npub(super) static CALLS: &[(u16, &str, Option<u16>)] = &[");
    for (name, number) in numbers {
        let _ = write!(text, "({number}, {name:?}, {:?}),", native.get(name.as_str()));
    }
    text.push_str("];\n");
    text
}

/// The names of each call's arguments.
fn prototypes() -> Result<BTreeMap<String, Vec<String>>> {
    let text = spec::read_text("prototypes.txt")?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(prototype).collect()
}

fn prototype(line: &str) -> Result<(String, Vec<String>)> {
    let Some((name, rest)) = line.split_once('(') else {
        bail!("not a prototype: {line}");
    };
    let args = rest.strip_suffix(')').context("a prototype without )")?;
    if args == "void" {
        return Ok((name.to_owned(), Vec::new()));
    }
    let name_of = |arg: &str| {
        let start = arg.rfind(|c: char| !(c.is_alphanumeric() || c == '_'));
        arg[start.map_or(0, |at| at + 1)..].trim_start_matches('_').to_owned()
    };
    let names: Vec<String> = args.split(',').map(name_of).collect();
    ensure!(names.len() <= 6, "more than six arguments: {line}");
    Ok((name.to_owned(), names))
}
