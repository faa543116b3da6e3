//! What was found, in words and numbers.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::harness::diff::{self, Change};
use crate::harness::trace;

/// What all comparisons of a run found.
pub struct Totals {
    comparisons: AtomicUsize,
    lines: AtomicUsize,
    different: AtomicUsize,
    unexplained: AtomicUsize,
}

pub static TOTALS: Totals = Totals {
    comparisons: AtomicUsize::new(0),
    lines: AtomicUsize::new(0),
    different: AtomicUsize::new(0),
    unexplained: AtomicUsize::new(0),
};

impl Totals {
    pub fn add(&self, lines: usize, different: usize, unexplained: usize) {
        self.comparisons.fetch_add(1, Relaxed);
        self.lines.fetch_add(lines, Relaxed);
        self.different.fetch_add(different, Relaxed);
        self.unexplained.fetch_add(unexplained, Relaxed);
    }

    pub fn shown(&self) -> String {
        let [comparisons, lines, different, unexplained] =
            [&self.comparisons, &self.lines, &self.different, &self.unexplained]
                .map(|number| number.load(Relaxed));
        format!(
            "{comparisons} comparisons, {lines} lines, {:.3} % equal; of {different} others \
             {unexplained} are not in known-differences.txt\n",
            equal(lines, different)
        )
    }
}

/// The share of equal lines, in percent.
pub fn equal(lines: usize, different: usize) -> f64 {
    100.0 * (1.0 - different as f64 / lines.max(1) as f64)
}

/// The changes grouped by call, the most frequent call first.
pub fn by_call(changes: &[Change]) -> String {
    let mut calls: HashMap<&str, Vec<Change>> = HashMap::new();
    for change in changes {
        let call = trace::call_name(change.line()).unwrap_or("signals and exits");
        calls.entry(call).or_default().push(*change);
    }
    let mut calls: Vec<_> = calls.into_iter().collect();
    calls.sort_by_key(|(call, changes)| (std::cmp::Reverse(changes.len()), *call));
    let mut text = String::new();
    for (call, changes) in calls {
        let shown = diff::shown(&changes, 20);
        write!(text, "  {call}: {}\n{shown}", changes.len()).expect("writing to a string");
    }
    text
}
