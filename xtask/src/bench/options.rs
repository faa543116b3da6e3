//! What is to be measured.

use std::path::PathBuf;

/// What to measure, and how thoroughly.
#[derive(Debug, Default, PartialEq)]
pub struct Options {
    /// The rows asked for; none means all.
    pub rows: Vec<String>,
    /// Exactly so many rounds for each row, however long they take.
    pub runs: Option<usize>,
    /// Small counts and few rounds: to see that everything works.
    pub quick: bool,
    /// The peers asked for; `None` means all that are installed.
    pub peers: Option<Vec<String>>,
    /// Where to write the results as JSON.
    pub json: Option<PathBuf>,
}

impl Options {
    /// Whether this row was asked for: by its name, or by what stands before a dash in it.
    pub fn selects(&self, name: &str) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|row| matches(row, name))
    }
}

/// Whether this names the row or its family.
pub fn matches(row: &str, name: &str) -> bool {
    name == row || name.strip_prefix(row).is_some_and(|rest| rest.starts_with('-'))
}
