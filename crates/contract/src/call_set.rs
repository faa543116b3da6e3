use std::fmt;

/// How many call numbers a [`CallSet`] tells apart: x86-64 reaches into the 400s, and the numbers
/// from 512 to 547 are x32's.
const NUMBERS: usize = 576;

/// A set of x86-64 system calls, by number. Whether it holds a call of another ABI is asked with
/// [`crate::Arch::native_number`].
///
/// A number past every known call is one bit: a full set holds it, so that calls which this build
/// does not know are not lost.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CallSet {
    bits: [u64; NUMBERS / 64],
    beyond: bool,
}

impl CallSet {
    /// No call.
    pub const NONE: CallSet = CallSet { bits: [0; NUMBERS / 64], beyond: false };
    /// Every call, also the unknown ones.
    pub const ALL: CallSet = CallSet { bits: [u64::MAX; NUMBERS / 64], beyond: true };

    /// Whether the call with this number is in the set.
    pub fn contains(&self, number: u64) -> bool {
        match usize::try_from(number) {
            Ok(n) if n < NUMBERS => self.bits[n / 64] >> (n % 64) & 1 == 1,
            _ => self.beyond,
        }
    }

    /// Adds the call with this number. A number of [`NUMBERS`] or more adds all of those.
    pub fn insert(&mut self, number: u64) {
        match usize::try_from(number) {
            Ok(n) if n < NUMBERS => self.bits[n / 64] |= 1 << (n % 64),
            _ => self.beyond = true,
        }
    }

    /// Every call that is not in the set.
    #[must_use]
    pub fn complement(self) -> CallSet {
        CallSet { bits: self.bits.map(|word| !word), beyond: !self.beyond }
    }

    /// Whether every call is in the set.
    pub fn is_all(&self) -> bool {
        *self == CallSet::ALL
    }

    /// Whether no call is in the set.
    pub fn is_none(&self) -> bool {
        *self == CallSet::NONE
    }

    /// The numbers in the set, ascending, without those past every known call.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        (0..NUMBERS as u64).filter(|&number| self.contains(number))
    }
}

impl fmt::Debug for CallSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_all(), self.beyond) {
            (true, _) => f.write_str("CallSet::ALL"),
            (_, false) => f.debug_set().entries(self.numbers()).finish(),
            (_, true) => {
                f.write_str("all but ")?;
                f.debug_set().entries(self.complement().numbers()).finish()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CallSet;

    #[test]
    fn complement_keeps_unknown_numbers() {
        let mut set = CallSet::NONE;
        set.insert(0);
        set.insert(575);
        assert_eq!(set.numbers().collect::<Vec<_>>(), [0, 575]);
        assert!(!set.contains(576) && !set.contains(u64::MAX));

        let rest = set.complement();
        assert!(!rest.contains(0) && rest.contains(1) && rest.contains(u64::MAX));
        assert!(CallSet::NONE.is_none() && CallSet::NONE.complement().is_all());
    }
}
