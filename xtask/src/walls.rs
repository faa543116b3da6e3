//! `cargo xtask walls`: the arrows between the crates are those which ARCHITECTURE.md draws, and
//! unsafe code lives where it may live.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// Which siblings each crate may import. A crate that is not listed may not exist.
const ARROWS: &[(&str, &[&str])] = &[
    ("shunpike-table", &[]),
    ("shunpike-contract", &["shunpike-table"]),
    ("shunpike-modules", &["shunpike-table", "shunpike-contract"]),
    ("shunpike-record", &["shunpike-table", "shunpike-contract"]),
    ("shunpike-outputs", &["shunpike-record"]),
    ("shunpike-kernel", &[]),
    ("shunpike-agent", &[]),
    (
        "shunpike-engine",
        &[
            "shunpike-table",
            "shunpike-contract",
            "shunpike-record",
            "shunpike-kernel",
            "shunpike-agent",
        ],
    ),
    (
        "shunpike",
        &[
            "shunpike-table",
            "shunpike-contract",
            "shunpike-modules",
            "shunpike-record",
            "shunpike-outputs",
            "shunpike-kernel",
            "shunpike-engine",
        ],
    ),
    ("xtask", &[]),
];

/// The crates in which unsafe code may live.
const MAY_BE_UNSAFE: [&str; 2] = ["shunpike-kernel", "shunpike-agent"];

/// Fails with every broken wall of the workspace.
pub fn check() -> Result<()> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps"])
        .output()
        .context("cannot run cargo metadata")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata = serde_json::from_slice(&output.stdout).context("cargo metadata")?;

    let mut broken = wrong_arrows(&metadata);
    broken.extend(unguarded_roots(&metadata)?);
    if broken.is_empty() {
        return Ok(());
    }
    let mut message = String::from("broken walls:");
    for wall in broken {
        write!(message, "\n  {wall}")?;
    }
    bail!(message);
}

/// One sentence for each import of a sibling that [`ARROWS`] does not allow.
fn wrong_arrows(metadata: &Value) -> Vec<String> {
    let packages = list(metadata, "packages");
    let siblings: Vec<&str> = packages.iter().map(|package| text(package, "name")).collect();
    let mut wrong = Vec::new();
    for package in packages {
        let name = text(package, "name");
        let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
            wrong.push(format!("{name} has no place in the walls: add it to xtask/src/walls.rs"));
            continue;
        };
        for dependency in list(package, "dependencies") {
            let import = text(dependency, "name");
            if siblings.contains(&import) && import != name && !allowed.contains(&import) {
                wrong.push(format!(
                    "{name} imports {import}; it may import only {allowed:?}: \
                     move the code to where its imports are allowed"
                ));
            }
        }
    }
    wrong
}

/// One sentence for each crate root outside [`MAY_BE_UNSAFE`] that does not forbid unsafe code.
/// Tests and benches count as roots too.
fn unguarded_roots(metadata: &Value) -> Result<Vec<String>> {
    let mut unguarded = Vec::new();
    for package in list(metadata, "packages") {
        let name = text(package, "name");
        if MAY_BE_UNSAFE.contains(&name) {
            continue;
        }
        for target in list(package, "targets") {
            let root = Path::new(text(target, "src_path"));
            let source = std::fs::read_to_string(root)
                .with_context(|| format!("cannot read {}", root.display()))?;
            if !forbids_unsafe(&source) {
                unguarded.push(format!(
                    "{} of {name} lacks #![forbid(unsafe_code)]; unsafe code lives in kernel and agent",
                    root.display()
                ));
            }
        }
    }
    Ok(unguarded)
}

fn forbids_unsafe(source: &str) -> bool {
    source.lines().any(|line| line.trim() == "#![forbid(unsafe_code)]")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A workspace of the crates given, each with its imports.
    fn workspace(crates: &[(&str, &[&str])]) -> Value {
        let packages: Vec<Value> = crates
            .iter()
            .map(|(name, imports)| {
                let dependencies: Vec<Value> =
                    imports.iter().map(|import| json!({ "name": import })).collect();
                json!({ "name": name, "dependencies": dependencies, "targets": [] })
            })
            .collect();
        json!({ "packages": packages })
    }

    #[test]
    fn the_drawn_arrows_pass() {
        assert_eq!(wrong_arrows(&workspace(ARROWS)), [""; 0]);
    }

    #[test]
    fn a_wrong_arrow_is_seen() {
        let wrong = wrong_arrows(&workspace(&[
            ("shunpike-kernel", &["libc"]),
            ("shunpike-outputs", &["shunpike-kernel", "serde_json"]),
        ]));
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(wrong[0].starts_with("shunpike-outputs imports shunpike-kernel"), "{wrong:?}");
    }

    #[test]
    fn a_crate_without_a_place_is_seen() {
        let wrong = wrong_arrows(&workspace(&[("shunpike-shed", &[])]));
        assert!(wrong[0].starts_with("shunpike-shed has no place"), "{wrong:?}");
    }

    #[test]
    fn forbidding_in_a_comment_is_not_forbidding() {
        assert!(forbids_unsafe("//! A crate.\n#![forbid(unsafe_code)]\n"));
        assert!(!forbids_unsafe("// #![forbid(unsafe_code)]\n"));
        assert!(!forbids_unsafe("#![deny(unsafe_code)]\n"));
    }
}
