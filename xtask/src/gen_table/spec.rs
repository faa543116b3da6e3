//! The spec files in `xtask/spec`: lines of words, `#` comments, indented lines belong to the
//! entry above them.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::compiler::Prelude;

/// A spec file.
pub struct Spec {
    /// Its name without `.txt`: the name of the Rust module made from it.
    pub name: String,
    /// What the module is about: the first comment line.
    pub title: String,
    /// Headers and C declarations.
    pub prelude: Prelude,
    /// Whether it is about 32-bit programs alone: the line `only 32-bit`.
    pub only_ilp32: bool,
    /// The entries in their order.
    pub entries: Vec<Entry>,
}

/// A head line, its documentation, and the indented lines below.
pub struct Entry {
    /// The `///` lines above it.
    pub doc: Vec<String>,
    /// The head line.
    pub head: String,
    /// The lines below it.
    pub lines: Vec<String>,
}

/// Reads every spec file of a folder below `xtask/spec`, sorted by name.
pub fn read_folder(folder: &str) -> Result<Vec<Spec>> {
    let root = crate::workspace::root().join("xtask/spec").join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(&root)
        .with_context(|| format!("cannot list {}", root.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

/// Reads one spec file of entries directly below `xtask/spec`.
pub fn read_file(name: &str) -> Result<Spec> {
    read(&crate::workspace::root().join("xtask/spec").join(name))
}

fn read(path: &Path) -> Result<Spec> {
    let name = path.file_stem().and_then(|stem| stem.to_str());
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(name.context("a spec's name is not UTF-8")?, &text)
        .with_context(|| format!("in {}", path.display()))
}

/// Reads one spec file directly below `xtask/spec`.
pub fn read_text(name: &str) -> Result<String> {
    let path = crate::workspace::root().join("xtask/spec").join(name);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

fn parse(name: &str, text: &str) -> Result<Spec> {
    let mut lines = text.lines();
    let title = lines
        .next()
        .and_then(|line| line.strip_prefix("# "))
        .context("the first line must be a comment that says what the file is about")?;
    let mut spec = Spec {
        name: name.to_owned(),
        title: title.to_owned(),
        prelude: Prelude::default(),
        only_ilp32: false,
        entries: Vec::new(),
    };
    let mut doc = Vec::new();
    for line in lines {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if line.starts_with(' ') {
            let Some(entry) = spec.entries.last_mut() else {
                bail!("an indented line without an entry above it: {trimmed}");
            };
            entry.lines.push(trimmed.to_owned());
        } else if let Some(text) = line.strip_prefix("/// ") {
            doc.push(text.to_owned());
        } else if let Some(headers) = line.strip_prefix("include ") {
            let headers = headers.split_whitespace().map(str::to_owned);
            spec.prelude.headers.extend(headers);
        } else if line == "only 32-bit" {
            spec.only_ilp32 = true;
        } else if let Some(c) = line.strip_prefix("c ") {
            spec.prelude.lines.push(c.to_owned());
        } else {
            spec.entries.push(Entry {
                doc: std::mem::take(&mut doc),
                head: trimmed.to_owned(),
                lines: Vec::new(),
            });
        }
    }
    Ok(spec)
}
