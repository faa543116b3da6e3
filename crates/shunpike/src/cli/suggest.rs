//! "Did you mean …?"

/// The candidate that differs least from the word, if one is near enough to be a slip of the
/// fingers: one change for each three letters, and at least one.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= limit)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters must be inserted, removed, replaced or swapped with their neighbour to make
/// one word the other.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    // changes[i][j]: from the first i letters of a to the first j of b.
    let mut changes = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i == 0 || j == 0 {
                changes[i][j] = i + j;
                continue;
            }
            let replaced = changes[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(changes[i - 1][j] + 1).min(changes[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(changes[i - 2][j - 2] + 1);
            }
            changes[i][j] = least;
        }
    }
    changes[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("openat", "openat"), 0);
        assert_eq!(distance("flie", "file"), 1);
    }

    #[test]
    fn only_slips_are_mended() {
        let names = ["open", "openat", "read", "readlink"];
        assert_eq!(nearest("opennat", names), Some("openat"));
        assert_eq!(nearest("raed", names), Some("read"));
        assert_eq!(nearest("rea", names), Some("read"));
        assert_eq!(nearest("frobnicate", names), None);
    }
}
