//! What a run would be: for `--explain`.

use std::fmt::Write;

use contract::{CallSet, Module};

use super::program::Beginning;
use crate::cli::{RunOptions, TraceOptions, in_toml};
use crate::trace::{choose_mechanism, may_lose_rights};
use crate::wrap::wrap;

/// Longest line, without what makes it a comment.
const WIDTH: usize = 98;

/// What was asked for, as a file that `--config` reads; in comments the modules with what they do and
/// claim, and the mechanism.
///
/// # Errors
/// The mechanism that was asked for is not to be had.
pub(super) fn explain(
    options: &TraceOptions,
    run: &RunOptions,
    beginning: &Beginning<'_>,
    modules: &[Box<dyn Module>],
) -> anyhow::Result<String> {
    let mut run = run.clone();
    // The file may be read elsewhere.
    run.files.working = run.files.working.map(|_| beginning.name().as_path().into());
    if let Some(report) = &mut run.files.report {
        *report = std::path::absolute(&*report)?;
    }
    let mut text = in_toml(&run);
    if !text.is_empty() {
        text.push('\n');
    }
    in_words(options, modules)?.lines().for_each(|line| comment(&mut text, line));
    Ok(text)
}

fn in_words(options: &TraceOptions, modules: &[Box<dyn Module>]) -> anyhow::Result<String> {
    let mut text = String::new();
    for module in modules {
        let _ = writeln!(text, "{}", module.name());
        module.explain().iter().for_each(|line| item(&mut text, line));
        let claims = claimed(&module.claims());
        item(&mut text, &format!("is asked about {claims}"));
    }
    if modules.is_empty() {
        let _ = writeln!(text, "the program sees what is there");
    }
    let _ = writeln!(text, "mechanism");
    item(&mut text, choose_mechanism(options)?.described().trim_end());
    if may_lose_rights(options) && options.launch.user.is_none() {
        item(
            &mut text,
            "programs run without the rights of set-user-ID bits and file capabilities",
        );
    }
    Ok(text)
}

fn item(text: &mut String, line: &str) {
    for (nth, line) in wrap(line, WIDTH - 4).into_iter().enumerate() {
        let _ = writeln!(text, "{}{line}", if nth == 0 { "  " } else { "    " });
    }
}

/// A comment may have no control characters.
fn comment(text: &mut String, line: &str) {
    text.push_str("# ");
    for c in line.chars() {
        match c.is_control() {
            true => text.extend(c.escape_default()),
            false => text.push(c),
        }
    }
    text.push('\n');
}

/// The names of calls, of the 64-bit ABI and of those that only others have.
fn claimed(calls: &CallSet) -> String {
    if calls.is_all() {
        return "every call".to_owned();
    }
    let mut names: Vec<&str> =
        calls.calls().filter_map(|(arch, number)| Some(arch.call(number)?.name)).collect();
    names.sort_unstable();
    names.dedup();
    match names.len() {
        0 => "no call".to_owned(),
        _ => names.join(", "),
    }
}
