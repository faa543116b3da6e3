//! Struct layouts: `xtask/spec/structs/*.txt` → `crates/table/src/structs/*.rs`.
//!
//! ```text
//! include asm/stat.h
//! /// What `stat(2)` stores.
//! STAT struct stat
//!   st_mode             Kind::FileMode(Width::U32)
//!   st_ino           -v Kind::ULONG
//!   name=inner.member   Kind::INT
//!   count        beside Kind::INT
//! ```
//! `-v` and `beside` stand for what the layout calls `verbose` and `beside`.
//! Offsets and sizes come from the compiler, for 64-bit and for 32-bit programs. In a kind,
//! `@member` stands for the place of that field in the list. In a file with the line `only 32-bit`,
//! the structs are those of 32-bit programs alone.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use super::compiler::{Compiler, Model};
use super::output::Output;
use super::spec::{self, Entry, Spec};

/// What a spec's kinds may name; imported where they do.
const NAMES: [&str; 13] = [
    "Base",
    "Fraction",
    "Dir",
    "Kind",
    "Layout",
    "Len",
    "Retold",
    "Source",
    "Special",
    "Target",
    "Width",
    "field",
    "verbose_field",
];

/// Adds every structs module.
pub fn generate(compiler: &Compiler, output: &mut Output) -> Result<()> {
    let mut index = String::from("//! Layouts of the structs that calls read and write.\n\n");
    let specs = spec::read_folder("structs")?;
    for spec in &specs {
        let text = module(compiler, spec).with_context(|| format!("in structs/{}", spec.name))?;
        let (path, from) =
            (format!("structs/{}.rs", spec.name), format!("xtask/spec/structs/{}.txt", spec.name));
        output.add(&path, &from, &text)?;
        let _ = writeln!(index, "mod {};", spec.name);
    }
    for spec in &specs {
        let _ = writeln!(index, "pub use {}::*;", spec.name);
    }
    output.add("structs/mod.rs", "xtask/spec/structs", &index)
}

/// Kinds that take no room in their struct.
const ONLY_THERE: [&str; 4] = ["Kind::Following", "Kind::Behind", "Kind::Rest", "Kind::Folded"];

struct Member<'a> {
    name: &'a str,
    path: &'a str,
    verbose: bool,
    beside: bool,
    kind: &'a str,
}

fn module(compiler: &Compiler, spec: &Spec) -> Result<String> {
    let shapes = spec.entries.iter().map(Shape::of).collect::<Result<Vec<_>>>()?;
    let expressions: Vec<String> = shapes.iter().flat_map(Shape::expressions).collect();
    // One program for all structs of a file.
    let models = [if spec.only_ilp32 { Model::Ilp32 } else { Model::Lp64 }, Model::Ilp32];
    let [lp64, ilp32] = models.map(|model| compiler.values_by(model, &spec.prelude, &expressions));
    let (lp64, ilp32) = (lp64?, ilp32?);
    let (mut lp64, mut ilp32) = (lp64.into_iter(), ilp32.into_iter());
    let mut text = String::new();
    for shape in &shapes {
        layout(shape, spec.only_ilp32, [&mut lp64, &mut ilp32], &mut text)
            .with_context(|| format!("in {}", shape.entry.head))?;
    }
    let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let mut imports: Vec<&str> =
        NAMES.iter().copied().filter(|name| words.contains(name)).collect();
    imports
        .extend(["flags", "structs"].iter().filter(|module| text.contains(&format!("{module}::"))));
    Ok(format!("//! {}.\n\nuse crate::{{{}}};\n{text}", spec.title, imports.join(", ")))
}

/// A struct as the spec says it.
struct Shape<'a> {
    entry: &'a Entry,
    konst: &'a str,
    c_type: &'a str,
    members: Vec<Member<'a>>,
}

impl<'a> Shape<'a> {
    fn of(entry: &'a Entry) -> Result<Shape<'a>> {
        let (konst, c_type) = entry.head.split_once(' ').context("not `NAME C-TYPE`")?;
        let members = entry.lines.iter().map(|line| member(line)).collect::<Result<Vec<_>>>()?;
        Ok(Shape { entry, konst, c_type, members })
    }

    /// The struct's size, and offset and size of each member.
    fn expressions(&self) -> Vec<String> {
        let c_type = self.c_type;
        let mut expressions = vec![format!("sizeof({c_type})")];
        for Member { path, kind, .. } in &self.members {
            expressions.push(format!("__builtin_offsetof({c_type}, {path})"));
            expressions.push(match ONLY_THERE.iter().any(|start| kind.contains(start)) {
                true => String::from("0"),
                false => format!("sizeof((({c_type} *)0)->{path})"),
            });
        }
        expressions
    }
}

/// Appends a layout, for which the values of its expressions come next.
fn layout(
    shape: &Shape,
    only_ilp32: bool,
    [lp64, ilp32]: [&mut dyn Iterator<Item = u64>; 2],
    text: &mut String,
) -> Result<()> {
    let Shape { entry, konst, c_type, members } = shape;
    let mut next = || lp64.next().zip(ilp32.next()).context("a value for each expression");
    for line in &entry.doc {
        let _ = writeln!(text, "\n/// {line}");
    }
    let name = c_type.rsplit(' ').next().unwrap_or(c_type);
    let (lp64, ilp32) = next()?;
    let _ = write!(
        text,
        "pub static {konst}: Layout = Layout {{ name: {name:?}, size: [{lp64}, {ilp32}], fields: &["
    );
    let mut sizes = Vec::new();
    for member in members {
        let make = if member.verbose { "verbose_field" } else { "field" };
        let kind = with_places(member.kind, members)?;
        let [(offset, ilp32_offset), (size, ilp32_size)] = [next()?, next()?];
        let beside = if member.beside { ".beside()" } else { "" };
        let _ = write!(
            text,
            "{make}({:?}, {offset}, {kind}).ilp32({ilp32_offset}, {ilp32_size}){beside},",
            member.name
        );
        sizes.push(match only_ilp32 {
            true => ilp32_size.to_string(),
            false => format!("[{size}, {ilp32_size}]"),
        });
    }
    let check = if only_ilp32 { "has_ilp32_sizes" } else { "has_sizes" };
    let _ = write!(text, "] }};\nconst _: () = {konst}.{check}(&[{}]);\n", sizes.join(", "));
    Ok(())
}

fn member(line: &str) -> Result<Member<'_>> {
    let (names, rest) = line.split_once(' ').context("a field without a kind")?;
    let (name, path) = names.split_once('=').unwrap_or((names, names));
    let (verbose, rest) = marked("-v ", rest.trim_start());
    let (beside, kind) = marked("beside ", rest);
    Ok(Member { name, path, verbose, beside, kind })
}

/// Whether `rest` begins with the mark, and what stands behind it.
fn marked<'a>(mark: &str, rest: &'a str) -> (bool, &'a str) {
    rest.strip_prefix(mark).map_or((false, rest), |behind| (true, behind.trim_start()))
}

/// Replaces each `@member` by that field's place.
fn with_places(kind: &str, members: &[Member]) -> Result<String> {
    let mut parts = kind.split('@');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(part.len());
        let place = members
            .iter()
            .position(|member| member.name == &part[..end])
            .with_context(|| format!("no field @{}", &part[..end]))?;
        let _ = write!(text, "{place}{}", &part[end..]);
    }
    Ok(text)
}
