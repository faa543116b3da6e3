//! Sets of signals: `-e signal=`.

use table::signal;

use super::{Set, UsageError, parse_set};

/// A set of signals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignalSet(u64);

impl SignalSet {
    /// No signal.
    pub const NONE: SignalSet = SignalSet(0);
    /// Every signal.
    pub const ALL: SignalSet = SignalSet(u64::MAX);

    /// Whether the signal with this number, from 1 to 64, is in the set.
    pub const fn contains(self, number: u32) -> bool {
        matches!(number, 1..=signal::COUNT) && self.0 >> (number - 1) & 1 == 1
    }

    pub(in crate::cli) fn parse(text: &str) -> Result<SignalSet, UsageError> {
        parse_set("signal", text, |set: &mut SignalSet, item| {
            if is_of_another_system(item) {
                return Ok(());
            }
            let number = signal_number(item).ok_or_else(|| {
                UsageError::new(format!("invalid signal '{item}'"))
                    .way_out("a signal is a name as SIGINT or int, or a number from 1 to 64")
            })?;
            set.0 |= 1 << (number - 1);
            Ok(())
        })
    }
}

impl Set for SignalSet {
    const NONE: SignalSet = SignalSet::NONE;

    fn complement(self) -> SignalSet {
        SignalSet(!self.0)
    }
}

/// Whether this is a number that no signal has here, or that those of other systems may have: `strace(1)`
/// takes it, and so no script fails by it.
fn is_of_another_system(item: &str) -> bool {
    item.parse::<u8>().is_ok_and(|number| number == 0 || u32::from(number) > signal::COUNT)
}

/// The number of a signal that is given by number or by name, in either case, with or without
/// `SIG`. Real-time signals are named as the table names them, `RTMIN` and `RT_1` to `RT_32`.
pub(in crate::cli) fn signal_number(text: &str) -> Option<u32> {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return text.parse().ok().filter(|number| (1..=signal::COUNT).contains(number));
    }
    let upper = text.to_ascii_uppercase();
    match upper.strip_prefix("SIG").unwrap_or(&upper) {
        "RTMAX" => Some(signal::COUNT),
        "POLL" => signal::by_name("IO"),
        "IOT" => signal::by_name("ABRT"),
        "CLD" => signal::by_name("CHLD"),
        name => signal::by_name(name),
    }
}

#[cfg(test)]
mod tests {
    use super::{SignalSet, signal_number};

    #[test]
    fn numbers_of_names() {
        let cases = [
            ("SIGINT", Some(2)),
            ("int", Some(2)),
            ("sigusr1", Some(10)),
            ("SYS", Some(31)),
            ("29", Some(29)),
            ("IO", Some(29)),
            ("RTMIN", Some(32)),
            ("SIGRT_1", Some(33)),
            ("RT_32", Some(64)),
            ("RT_33", None),
            ("0", None),
            ("65", None),
            ("+1", None),
            ("FOO", None),
            ("SIG", None),
        ];
        for (text, number) in cases {
            assert_eq!(signal_number(text), number, "{text}");
        }
    }

    #[test]
    fn sets() {
        let set = SignalSet::parse("int,10").unwrap();
        assert!(set.contains(2) && set.contains(10) && !set.contains(1) && !set.contains(0));
        let rest = SignalSet::parse("!int").unwrap();
        assert!(!rest.contains(2) && rest.contains(64) && !rest.contains(65));
        assert_eq!(SignalSet::parse("!none"), Ok(SignalSet::ALL));
        assert!(SignalSet::parse("usr1,!int").is_err());
    }
}
