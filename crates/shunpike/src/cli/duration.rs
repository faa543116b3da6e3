//! Times as options take them: `NUMBER[s|ms|us|ns]`.

use std::time::Duration;

/// The time that this says, in microseconds if it has no unit.
pub(super) fn duration_of(text: &str) -> Option<Duration> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let seconds_each = match &text[number.len()..] {
        "s" => 1.0,
        "ms" => 1e-3,
        "" | "us" => 1e-6,
        "ns" => 1e-9,
        _ => f64::NAN,
    };
    let count: f64 = number.trim_start().parse().unwrap_or(f64::NAN);
    Duration::try_from_secs_f64(count * seconds_each).ok()
}
