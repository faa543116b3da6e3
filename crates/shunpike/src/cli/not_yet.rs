//! Abilities of strace which Shunpike does not have yet.
//!
//! Their flags are understood, and refused: nothing is started. When an ability comes, its line
//! here goes.

use super::usage::UsageError;

/// The long names of these flags, and what they would do.
pub(super) const NOT_YET: &[(&str, &str)] = &[("debug", "telling what the tracer does")];

/// What a flag would do, if that is not there yet.
pub(super) fn missing(long: &str) -> Option<&'static str> {
    NOT_YET.iter().find(|(flag, _)| *flag == long).map(|&(_, ability)| ability)
}

/// The error for an option, as it was written, that asks for such an ability.
pub(super) fn refusal(spelling: &str, ability: &str) -> UsageError {
    UsageError::new(format!("{spelling}: {ability} is not there yet")).way_out("leave it out")
}

#[cfg(test)]
mod tests {
    use super::NOT_YET;
    use crate::cli::flags;

    #[test]
    fn every_line_names_a_flag() {
        for (long, _) in NOT_YET {
            assert!(flags::all().any(|flag| flag.long == *long), "{long}");
        }
    }
}
