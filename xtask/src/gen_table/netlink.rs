//! Attributes of netlink messages: `xtask/spec/netlink/*.txt` → `crates/table/src/netlink/attributes/*.rs`.
//!
//! ```text
//! include linux/if_link.h
//! /// Attributes of a link.
//! LINK IFLA_???
//!   names IFLA_UNSPEC..
//!   IFLA_IFNAME TEXT
//!   IFLA_MTU    U32
//! ```
//! `names` lists the attributes, in the notation of the flags (`NAME..` stands for the enumeration of
//! the headers that begins with this name); a line for each of which more is known than that it is
//! bytes says what it holds: one of the words of `crates/table/src/netlink.rs`, or any other
//! `Content`.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};

use super::compiler::Compiler;
use super::flags::{Item, Resolver};
use super::output::Output;
use super::spec::{self, Entry};

/// Adds every module of attributes.
pub fn generate(compiler: &Compiler, output: &mut Output) -> Result<()> {
    let mut index = String::from("//! Attributes of netlink messages.\n\n");
    let specs = spec::read_folder("netlink")?;
    for spec in &specs {
        let macros = compiler.macros(&spec.prelude)?;
        let resolver = Resolver { compiler, spec, macros: &macros };
        let mut text = format!(
            "//! {}.\n\nuse super::*;\nuse crate::netlink::shorthand::*;\n\
             use crate::netlink::{{Attributes, Content}};\n\
             use crate::{{Base, FlagSet, Kind, Special, Width, flags, named, structs}};\n",
            spec.title
        );
        for entry in &spec.entries {
            let table = table(&resolver, entry).with_context(|| format!("in {}", entry.head))?;
            text.push_str(&table);
        }
        let path = format!("netlink/attributes/{}.rs", spec.name);
        output.add(&path, &format!("xtask/spec/netlink/{}.txt", spec.name), &used_only(&text))?;
        let _ = writeln!(index, "mod {};", spec.name);
    }
    for spec in &specs {
        let _ = writeln!(index, "pub use {}::*;", spec.name);
    }
    output.add("netlink/attributes/mod.rs", "xtask/spec/netlink", &index)
}

fn table(resolver: &Resolver<'_>, entry: &Entry) -> Result<String> {
    let (name, unknown) = entry.head.split_once(' ').context("not `NAME UNKNOWN`")?;
    let unknown = if unknown == "-" { "" } else { unknown };
    let mut words = Vec::new();
    let mut known = Vec::new();
    for line in &entry.lines {
        match line.split_once(' ').context("neither `names …` nor `ATTRIBUTE CONTENT`")? {
            ("names", names) => words.extend(names.split_whitespace()),
            (attribute, content) => known.push((attribute, content.trim())),
        }
    }
    let mut items = resolver.items(&words)?;
    let listed = |name: &str| items.iter().any(|item| item.name == name);
    let stray = known.iter().find(|(name, _)| !listed(name));
    ensure!(stray.is_none(), "{} is not among the names", stray.map_or("", |(name, _)| name));
    let expressions: Vec<String> = items.iter().map(|item| item.expression.clone()).collect();
    let values = resolver.compiler.values(&resolver.spec.prelude, &expressions)?;
    let mut numbered: Vec<(u64, Item)> = values.into_iter().zip(items.drain(..)).collect();
    numbered.sort_by_key(|(value, _)| *value);

    let mut text = String::from("\n");
    for line in &entry.doc {
        let _ = writeln!(text, "/// {line}");
    }
    let _ = write!(
        text,
        "pub static {name}: Attributes = Attributes {{ names: &FlagSet {{ unknown: {unknown:?}, \
         field_mask: u64::MAX, field: &["
    );
    for (value, item) in &numbered {
        let _ = write!(text, "named({value:#x}, {:?}),", item.name);
    }
    text.push_str("], ..FlagSet::EMPTY }, known: &[");
    let mut last = None;
    for (value, item) in &numbered {
        let content = known.iter().find(|(name, _)| *name == item.name);
        if let Some((_, content)) = content.filter(|_| last != Some(*value)) {
            let _ = write!(text, "({value}, {content}),");
            last = Some(*value);
        }
    }
    text.push_str("] };\n");
    Ok(text)
}

/// Without the imports that nothing in the text needs.
fn used_only(text: &str) -> String {
    let (head, body) = text.split_once("\n\n/// ").unwrap_or((text, ""));
    let has = |word: &str| {
        body.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|other| other == word)
    };
    let mut kept: Vec<&str> = head.lines().filter(|line| !line.starts_with("use ")).collect();
    let mut lines = Vec::new();
    let imports = |names: &[&'static str]| -> Vec<&'static str> {
        names.iter().copied().filter(|name| has(name)).collect()
    };
    let tables = body.split("nested(&").skip(1).filter_map(|rest| rest.split(')').next());
    if tables.into_iter().any(|table| !body.contains(&format!("static {table}:"))) {
        lines.push(String::from("use super::*;"));
    }
    lines.push(String::from("use crate::netlink::shorthand::*;"));
    lines.push(format!(
        "use crate::netlink::{{{}}};",
        imports(&["Attributes", "Content"]).join(", ")
    ));
    lines.push(format!(
        "use crate::{{{}}};",
        imports(&["Base", "FlagSet", "Kind", "Special", "Width", "flags", "named", "structs"])
            .join(", ")
    ));
    kept.extend(lines.iter().map(String::as_str));
    kept.join("\n") + "\n\n/// " + body
}
