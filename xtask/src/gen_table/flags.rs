//! Flag names: `xtask/spec/flags/*.txt` → `crates/table/src/flags/*.rs`.
//!
//! ```text
//! include linux/fcntl.h
//! /// The flags of `open(2)`.
//! bits OPEN O_???
//!   field O_ACCMODE O_RDONLY O_WRONLY O_RDWR
//!   O_CREAT O_EXCL
//! enum WHENCE SEEK_???
//!   SEEK_*  !SEEK_MAX
//! consts
//!   F_GETFL F_SETFL
//! ```
//! `number MASK oct` in a set stands for bits that hold a number; `number MASK dec NAME` for one
//! that is told as shifted by `NAME`. `field MASK FIELD_??? NAMES` has a word for an unknown value of
//! the field, which else is one of the unknown bits; in a set that is `apart` field and bits are
//! told as two numbers; where `decimal` stands, numbers are decimal and signed, where `unsigned` does,
//! decimal. `like NAME` takes the names of another set. `consts` gives numbers that descriptions depend on.
//!
//! An item is a name, `NAME=EXPRESSION` for what the headers lack, `PREFIX_*` for every macro that
//! starts so (in the order of the values), `NAME..` for the enumeration of the headers that begins
//! with this name, or `!NAME` for one that these must not bring.
//! Where the second word is `-`, an unknown value stands for itself, with no comment.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};

use super::compiler::Compiler;
use super::output::Output;
use super::spec::{self, Entry, Spec};

/// Adds every flags module.
pub fn generate(compiler: &Compiler, output: &mut Output) -> Result<()> {
    let mut index = String::from("//! Names of flags and of enumerated values.\n\n");
    let specs = spec::read_folder("flags")?;
    for spec in &specs {
        let text = module(compiler, spec).with_context(|| format!("in flags/{}", spec.name))?;
        let (path, from) =
            (format!("flags/{}.rs", spec.name), format!("xtask/spec/flags/{}.txt", spec.name));
        output.add(&path, &from, &text)?;
        let _ = writeln!(index, "mod {};", spec.name);
    }
    for spec in &specs {
        let _ = writeln!(index, "pub use {}::*;", spec.name);
    }
    output.add("flags/mod.rs", "xtask/spec/flags", &index)
}

/// One set as the spec says it, prefixes resolved.
struct Set<'a> {
    entry: &'a Entry,
    name: &'a str,
    unknown: &'a str,
    mask: String,
    field_unknown: &'a str,
    field: Vec<Item>,
    apart: bool,
    /// How numbers are told, if not in hexadecimal.
    numerals: Option<&'a str>,
    bits: Vec<Item>,
    numbers: Vec<NumberBits<'a>>,
    like: Option<&'a str>,
}

struct NumberBits<'a> {
    mask: &'a str,
    base: &'static str,
    shift: Option<&'a str>,
}

/// A name, and the C expression of its value.
pub struct Item {
    pub name: String,
    pub expression: String,
}

fn module(compiler: &Compiler, spec: &Spec) -> Result<String> {
    let macros = compiler.macros(&spec.prelude)?;
    let resolver = Resolver { compiler, spec, macros: &macros };
    let (consts, sets): (Vec<_>, Vec<_>) =
        spec.entries.iter().partition(|entry| entry.head == "consts");
    let sets = sets.into_iter().map(|entry| resolver.set(entry)).collect::<Result<Vec<_>>>()?;
    let consts: Vec<&str> =
        consts.iter().flat_map(|entry| &entry.lines).flat_map(|line| line.split(' ')).collect();

    let body = consts_text(&resolver, &consts)? + &sets_text(&resolver, &sets)?;
    let imports = ["Base", "FlagSet", "NumberBits", "Numerals", "named"];
    let imports: Vec<&str> = imports.into_iter().filter(|name| body.contains(name)).collect();
    Ok(format!("//! {}.\n\nuse crate::{{{}}};\n{body}", spec.title, imports.join(", ")))
}

fn consts_text(resolver: &Resolver, words: &[&str]) -> Result<String> {
    let items = resolver.items(words)?;
    let expressions: Vec<String> = items.iter().map(|item| item.expression.clone()).collect();
    let values = resolver.compiler.values(&resolver.spec.prelude, &expressions)?;
    let mut text = String::new();
    for (item, value) in items.iter().zip(values) {
        let name = &item.name;
        let _ = writeln!(text, "\n/// `{name}`.\npub const {name}: u64 = {value:#x};");
    }
    Ok(text)
}

fn sets_text(resolver: &Resolver, sets: &[Set]) -> Result<String> {
    let mut expressions = Vec::new();
    for set in sets {
        expressions.push(set.mask.clone());
        let items = set.field.iter().chain(&set.bits);
        expressions.extend(items.map(|item| item.expression.clone()));
    }
    let values = resolver.compiler.values(&resolver.spec.prelude, &expressions)?;
    let mut values = values.into_iter();

    let mut text = String::new();
    for set in sets {
        let mask = values.next().context("a value for each mask")?;
        text.push('\n');
        for line in &set.entry.doc {
            let _ = writeln!(text, "/// {line}");
        }
        let _ = write!(
            text,
            "pub static {}: FlagSet = FlagSet {{ unknown: {:?}, field_mask: {mask:#x},",
            set.name, set.unknown
        );
        if let Some(other) = set.like {
            let _ = write!(text, "field: {other}.field, bits: {other}.bits,");
        } else {
            text.push_str("field: &[");
            named_list(&mut text, &set.field, &mut values)?;
            text.push_str("], bits: &[");
            named_list(&mut text, &set.bits, &mut values)?;
            text.push_str("],");
        }
        text.push_str("numbers: &[");
        for NumberBits { mask, base, shift } in &set.numbers {
            let _ = write!(
                text,
                "NumberBits {{ mask: {mask}, base: Base::{base}, shift: {shift:?} }},"
            );
        }
        text.push(']');
        if !set.field_unknown.is_empty() {
            let _ = write!(text, ", field_unknown: {:?}", set.field_unknown);
        }
        if set.apart {
            text.push_str(", apart: true");
        }
        if let Some(numerals) = set.numerals {
            let _ = write!(text, ", numerals: Numerals::{numerals}");
        }
        text.push_str(", ..FlagSet::EMPTY");
        text.push_str(" };\n");
    }
    Ok(text)
}

fn named_list(
    text: &mut String,
    items: &[Item],
    values: &mut impl Iterator<Item = u64>,
) -> Result<()> {
    for item in items {
        let value = values.next().context("a value for each name")?;
        let _ = write!(text, "named({value:#x}, {:?}),", item.name);
    }
    Ok(())
}

fn number_bits(text: &str) -> Result<NumberBits<'_>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        [mask, "oct"] => Ok(NumberBits { mask, base: "Oct", shift: None }),
        [mask, "hex"] => Ok(NumberBits { mask, base: "Hex", shift: None }),
        [mask, "dec"] => Ok(NumberBits { mask, base: "Dec", shift: None }),
        [mask, "dec", shift] => Ok(NumberBits { mask, base: "Dec", shift: Some(shift) }),
        _ => bail!(
            "not `number MASK oct`, `number MASK hex` or `number MASK dec [SHIFT-NAME]`: {text}"
        ),
    }
}

/// Finds what a spec's words stand for.
pub struct Resolver<'a> {
    pub compiler: &'a Compiler,
    pub spec: &'a Spec,
    pub macros: &'a BTreeMap<String, String>,
}

impl Resolver<'_> {
    fn set<'a>(&self, entry: &'a Entry) -> Result<Set<'a>> {
        let words: Vec<&str> = entry.head.split_whitespace().collect();
        let [form, name, unknown] = words[..] else {
            bail!("not `bits NAME UNKNOWN` or `enum NAME UNKNOWN`: {}", entry.head);
        };
        ensure!(!entry.doc.is_empty(), "{name} has no /// line");
        let mut set = Set {
            entry,
            name,
            unknown: if unknown == "-" { "" } else { unknown },
            mask: String::from("0"),
            field_unknown: "",
            field: Vec::new(),
            apart: false,
            numerals: None,
            bits: Vec::new(),
            numbers: Vec::new(),
            like: None,
        };
        let mut listed = Vec::new();
        for line in &entry.lines {
            if let Some(field) = line.strip_prefix("field ") {
                let (mask, names) = field.split_once(' ').context("a field without names")?;
                set.mask = String::from(mask);
                let names: Vec<&str> = names.split_whitespace().collect();
                let unknown = names.iter().position(|name| name.ends_with("???"));
                set.field_unknown = unknown.map_or("", |place| names[place]);
                let known: Vec<&str> =
                    names.into_iter().filter(|name| !name.ends_with("???")).collect();
                set.field = self.items(&known)?;
            } else if let Some(other) = line.strip_prefix("like ") {
                set.like = Some(other);
            } else if line == "apart" {
                set.apart = true;
            } else if line == "decimal" {
                set.numerals = Some("Signed");
            } else if line == "unsigned" {
                set.numerals = Some("Unsigned");
            } else if let Some(number) = line.strip_prefix("number ") {
                set.numbers.push(number_bits(number)?);
            } else {
                listed.extend(line.split_whitespace());
            }
        }
        let listed = self.items(&listed).with_context(|| format!("in {name}"))?;
        match form {
            "bits" => set.bits = listed,
            "enum" => {
                set.mask = String::from("~0ull");
                set.field = listed;
            }
            _ => bail!("neither bits nor enum: {}", entry.head),
        }
        Ok(set)
    }

    /// What a list of items stands for.
    pub fn items(&self, words: &[&str]) -> Result<Vec<Item>> {
        let mut taken: BTreeSet<&str> = words
            .iter()
            .map(|word| word.trim_start_matches('!'))
            .map(|word| word.split('=').next().unwrap_or(word))
            .collect();
        let mut items = Vec::new();
        for word in words {
            if word.starts_with('!') {
                continue;
            }
            if let Some(first) = word.strip_suffix("..") {
                let names = self.enumeration(first)?;
                items.extend(names.into_iter().filter(|item| !taken.contains(item.name.as_str())));
            } else if let Some(prefix) = word.strip_suffix('*') {
                items.extend(self.with_prefix(prefix, &mut taken)?);
            } else {
                let (name, expression) = word.split_once('=').unwrap_or((word, word));
                items
                    .push(Item { name: name.replace('~', " "), expression: expression.to_owned() });
            }
        }
        Ok(items)
    }

    /// The names of the enumeration in the headers that begins with this one, without those that
    /// only count the others.
    fn enumeration(&self, first: &str) -> Result<Vec<Item>> {
        for header in &self.spec.prelude.headers {
            let text = without_comments(&self.compiler.header(header)?);
            for body in text.split("enum").skip(1).filter_map(|part| part.split_once('{')) {
                let body = body.1.split('}').next().unwrap_or_default();
                let lines = body.lines().filter(|line| !line.trim_start().starts_with('#'));
                let all = lines.collect::<Vec<_>>().join(" ");
                let names = all.split(',').filter_map(|name| name.split('=').next());
                let mut names: Vec<&str> =
                    names.map(str::trim).filter(|name| !name.is_empty()).collect();
                if names.first() == Some(&first) {
                    names.pop_if(|last| last.ends_with("_MAX"));
                    names.retain(|name| !name.starts_with("__"));
                    let item = |name: &str| Item { name: name.into(), expression: name.into() };
                    return Ok(names.into_iter().map(item).collect());
                }
            }
        }
        bail!("no enumeration begins with {first}")
    }

    /// Macros with this prefix that are not named otherwise, by value; of equal values the first.
    fn with_prefix(&self, prefix: &str, taken: &mut BTreeSet<&str>) -> Result<Vec<Item>> {
        let names: Vec<String> = self
            .macros
            .keys()
            .filter(|name| name.starts_with(prefix) && !name.contains('('))
            .filter(|name| !taken.contains(name.as_str()))
            .cloned()
            .collect();
        ensure!(!names.is_empty(), "no macro starts with {prefix}");
        let values = self.compiler.values(&self.spec.prelude, &names)?;
        let mut by_value = BTreeMap::new();
        for (name, value) in names.into_iter().zip(values) {
            by_value.entry(value).or_insert(name);
        }
        let item = |name: String| Item { expression: name.clone(), name };
        Ok(by_value.into_values().map(item).collect())
    }
}

/// A header's text without comments.
fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once("*/").map_or("", |(_, rest)| rest));
    }
    let lines = plain.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}
