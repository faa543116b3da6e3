//! The differences between two lists of lines: the longest common subsequence, after Myers,
//! "An O(ND) Difference Algorithm and Its Variations" (1986).

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A line that only one side has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// Only the first side, which is what is expected, has it.
    Missing(&'a str),
    /// Only the second side has it.
    Surplus(&'a str),
}

impl<'a> Change<'a> {
    /// The line.
    pub fn line(self) -> &'a str {
        match self {
            Self::Missing(line) | Self::Surplus(line) => line,
        }
    }
}

/// What a comparison found.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    Equal,
    Differs(Vec<Change<'a>>),
}

/// Above this many changes the rest counts as different: two traces that differ so much are not
/// worth the time.
const MOST_CHANGES: usize = 4000;

/// Compares two lists of lines.
pub fn compare<'a>(expected: &[&'a str], got: &[&'a str]) -> Verdict<'a> {
    let changes = changes(expected, got);
    if changes.is_empty() { Verdict::Equal } else { Verdict::Differs(changes) }
}

/// The fewest changes that lead from `expected` to `got`, in order.
pub fn changes<'a>(expected: &[&'a str], got: &[&'a str]) -> Vec<Change<'a>> {
    let steps = furthest_points(expected, got);
    let mut changes = Vec::new();
    let (mut x, mut y) = (expected.len(), got.len());
    let Some(mut depth) = steps.len().checked_sub(1) else {
        return whole(expected, got);
    };
    while depth > 0 {
        // From the end back: which step led to this diagonal?
        let diagonal = x as isize - y as isize;
        let before = &steps[depth - 1];
        let down = goes_down(before, diagonal, depth);
        let from = if down { diagonal + 1 } else { diagonal - 1 };
        let from_x = before[at(from, depth - 1)];
        let from_y = (from_x as isize - from) as usize;
        changes.push(if down {
            Change::Surplus(got[from_y])
        } else {
            Change::Missing(expected[from_x])
        });
        (x, y) = (from_x, from_y);
        depth -= 1;
    }
    changes.reverse();
    changes
}

/// The lines which only one of two sets has, in order.
pub fn set_changes<'a>(expected: &BTreeSet<&'a str>, got: &BTreeSet<&'a str>) -> Vec<Change<'a>> {
    let missing = expected.difference(got).map(|line| Change::Missing(line));
    missing.chain(got.difference(expected).map(|line| Change::Surplus(line))).collect()
}

/// Everything of both sides.
fn whole<'a>(expected: &[&'a str], got: &[&'a str]) -> Vec<Change<'a>> {
    let missing = expected.iter().map(|line| Change::Missing(line));
    missing.chain(got.iter().map(|line| Change::Surplus(line))).collect()
}

/// For each number of changes d, how far along `expected` each diagonal from -d to d gets. Empty
/// when more than [`MOST_CHANGES`] would be needed.
fn furthest_points(expected: &[&str], got: &[&str]) -> Vec<Vec<usize>> {
    let mut steps: Vec<Vec<usize>> = Vec::new();
    for depth in 0..=(expected.len() + got.len()).min(MOST_CHANGES) {
        let mut furthest = vec![0; 2 * depth + 1];
        for diagonal in (-(depth as isize)..=depth as isize).step_by(2) {
            let mut x = match steps.last() {
                None => 0,
                Some(before) if goes_down(before, diagonal, depth) => {
                    before[at(diagonal + 1, depth - 1)]
                }
                Some(before) => before[at(diagonal - 1, depth - 1)] + 1,
            };
            let mut y = x as isize - diagonal;
            while x < expected.len()
                && (y as usize) < got.len()
                && y >= 0
                && expected[x] == got[y as usize]
            {
                x += 1;
                y += 1;
            }
            furthest[at(diagonal, depth)] = x;
            if x >= expected.len() && y >= got.len() as isize {
                steps.push(furthest);
                return steps;
            }
        }
        steps.push(furthest);
    }
    Vec::new()
}

/// Whether the best way to this diagonal is a line more of the second side.
fn goes_down(before: &[usize], diagonal: isize, depth: usize) -> bool {
    let depth = depth as isize;
    let before_at = |diagonal| before[at(diagonal, depth as usize - 1)];
    diagonal == -depth || diagonal != depth && before_at(diagonal - 1) < before_at(diagonal + 1)
}

/// Where a diagonal from -depth to depth is kept.
fn at(diagonal: isize, depth: usize) -> usize {
    (diagonal + depth as isize) as usize
}

/// The first changes as text, `-` for missing and `+` for surplus lines.
pub fn shown(changes: &[Change], most: usize) -> String {
    let mut text = String::new();
    for change in changes.iter().take(most) {
        let sign = if matches!(change, Change::Missing(_)) { '-' } else { '+' };
        writeln!(text, "{sign} {}", change.line()).expect("writing to a string");
    }
    if changes.len() > most {
        writeln!(text, "… and {} more", changes.len() - most).expect("writing to a string");
    }
    text
}
