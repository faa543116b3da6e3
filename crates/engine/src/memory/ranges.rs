//! Ordered lists of ranges that do not overlap.

use std::ops::Range;

/// What two ordered lists of ranges have in common.
pub fn common(one: &[Range<u64>], other: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut common = Vec::new();
    let (mut at, mut other_at) = (0, 0);
    while let (Some(a), Some(b)) = (one.get(at), other.get(other_at)) {
        let both = a.start.max(b.start)..a.end.min(b.end);
        if !both.is_empty() {
            common.push(both);
        }
        if a.end <= b.end { at += 1 } else { other_at += 1 }
    }
    common
}

/// What of an ordered list of ranges is not in the other.
pub fn without(one: &[Range<u64>], other: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut rest = Vec::new();
    let mut other = other.iter().peekable();
    for range in one {
        let mut at = range.start;
        while let Some(taken) = other.peek().filter(|taken| taken.start < range.end) {
            if taken.start > at {
                rest.push(at..taken.start);
            }
            at = at.max(taken.end);
            if taken.end > range.end {
                break;
            }
            other.next();
        }
        if at < range.end {
            rest.push(at..range.end);
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Ordered ranges of a small space, and the numbers in them.
    fn ranges() -> impl Strategy<Value = (Vec<Range<u64>>, Vec<u64>)> {
        proptest::collection::vec(any::<bool>(), 40).prop_map(|bits| {
            let numbers: Vec<u64> = (0..40).filter(|at| bits[*at as usize]).collect();
            let mut ranges: Vec<Range<u64>> = Vec::new();
            for &number in &numbers {
                match ranges.last_mut() {
                    Some(last) if last.end == number => last.end += 1,
                    _ => ranges.push(number..number + 1),
                }
            }
            (ranges, numbers)
        })
    }

    fn numbers(ranges: Vec<Range<u64>>) -> Vec<u64> {
        ranges.into_iter().flatten().collect()
    }

    proptest! {
        #[test]
        fn ranges_are_sets(one in ranges(), other in ranges()) {
            let in_other = |number: &u64| other.1.contains(number);
            let (both, rest): (Vec<u64>, Vec<u64>) = one.1.iter().partition(|number| in_other(number));
            prop_assert_eq!(numbers(common(&one.0, &other.0)), both);
            prop_assert_eq!(numbers(without(&one.0, &other.0)), rest);
        }
    }
}
