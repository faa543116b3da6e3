//! Values that more than one flag takes.

use std::time::Duration;

use super::Given;
use crate::cli::duration::duration_of;
use crate::cli::options::Precision;
use crate::cli::usage::UsageError;

/// Precisions by their names.
pub(super) const PRECISIONS: [(&str, Precision); 4] = [
    ("s", Precision::Seconds),
    ("ms", Precision::Millis),
    ("us", Precision::Micros),
    ("ns", Precision::Nanos),
];

/// The names of these pairs.
pub(super) const fn names<T, const N: usize>(pairs: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = pairs[at].0;
        at += 1;
    }
    names
}

/// What stands beside this name in the pairs, however that is written.
pub(super) fn look_up<T: Copy>(name: &str, pairs: &[(&str, T)]) -> Option<T> {
    pairs.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, value)| value)
}

/// What stands in the pairs beside the name that was given.
pub(super) fn one_of<T: Copy>(given: &Given<'_>, pairs: &[(&str, T)]) -> Result<T, UsageError> {
    look_up(given.text()?, pairs).ok_or_else(|| {
        let names: Vec<&str> = pairs.iter().map(|&(name, _)| name).collect();
        given.invalid(format!("it is one of {}", names.join(", ")))
    })
}

/// The precision that was given, microseconds if none was.
pub(super) fn precision(given: &Given<'_>) -> Result<Precision, UsageError> {
    match given.value {
        Some(_) => one_of(given, &PRECISIONS),
        None => Ok(Precision::Micros),
    }
}

/// A whole number from 0 to `most`.
pub(super) fn number(given: &Given<'_>, most: usize) -> Result<usize, UsageError> {
    let number = given.text()?.trim_start().parse().ok().filter(|&number| number <= most);
    number.ok_or_else(|| given.invalid(format!("it takes a number from 0 to {most}")))
}

/// A time as `NUMBER[s|ms|us|ns]`, in microseconds if it has no unit.
pub(super) fn duration(given: &Given<'_>) -> Result<Duration, UsageError> {
    duration_of(given.text()?)
        .ok_or_else(|| given.invalid("it takes a number and one of s, ms, us, ns, as in 300ns"))
}
