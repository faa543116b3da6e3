//! Sets of system calls.

use std::fmt;

use table::Classes;

use crate::Arch;

/// How many call numbers a [`CallSet`] tells apart: x86-64 reaches into the 400s, x32 to 547, and
/// i386's calls without a number of their own have those from 512 on.
const NUMBERS: usize = 576;

/// A set of system calls, by ABI and number.
///
/// A number past every known call is one bit: a full set holds it, so that calls which this build
/// does not know are not lost.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CallSet {
    x86_64: Numbers,
    i386: Numbers,
    x32: Numbers,
}

/// Numbers of one ABI's calls.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Numbers {
    bits: [u64; NUMBERS / 64],
    beyond: bool,
}

impl Numbers {
    const NONE: Numbers = Numbers { bits: [0; NUMBERS / 64], beyond: false };
    const ALL: Numbers = Numbers { bits: [u64::MAX; NUMBERS / 64], beyond: true };

    fn contains(&self, number: u64) -> bool {
        match usize::try_from(number) {
            Ok(n) if n < NUMBERS => self.bits[n / 64] >> (n % 64) & 1 == 1,
            _ => self.beyond,
        }
    }

    fn insert(&mut self, number: u64) {
        match usize::try_from(number) {
            Ok(n) if n < NUMBERS => self.bits[n / 64] |= 1 << (n % 64),
            _ => self.beyond = true,
        }
    }

    fn complement(self) -> Numbers {
        Numbers { bits: self.bits.map(|word| !word), beyond: !self.beyond }
    }

    fn union(self, other: Numbers) -> Numbers {
        let mut bits = self.bits;
        bits.iter_mut().zip(other.bits).for_each(|(word, more)| *word |= more);
        Numbers { bits, beyond: self.beyond || other.beyond }
    }

    fn known(&self) -> impl Iterator<Item = u64> + '_ {
        (0..NUMBERS as u64).filter(|&number| self.contains(number))
    }
}

impl CallSet {
    /// No call.
    pub const NONE: CallSet =
        CallSet { x86_64: Numbers::NONE, i386: Numbers::NONE, x32: Numbers::NONE };
    /// Every call, also the unknown ones.
    pub const ALL: CallSet =
        CallSet { x86_64: Numbers::ALL, i386: Numbers::ALL, x32: Numbers::ALL };

    /// Every call that is known has a lower number than this, in each ABI.
    pub const LIMIT: u64 = NUMBERS as u64;

    /// Whether the x86-64 call with this number is in the set.
    pub fn contains(&self, number: u64) -> bool {
        self.x86_64.contains(number)
    }

    /// Whether the call with this number in that ABI is in the set.
    pub fn contains_of(&self, arch: Arch, number: u64) -> bool {
        match arch {
            Arch::X86_64 => self.x86_64.contains(number),
            Arch::I386 => self.i386.contains(number),
            Arch::X32 => self.x32.contains(number),
        }
    }

    /// Adds the x86-64 call with this number. A number of [`NUMBERS`] or more adds all of those.
    pub fn insert(&mut self, number: u64) {
        self.x86_64.insert(number);
    }

    /// Adds the call with this number in that ABI.
    pub fn insert_of(&mut self, arch: Arch, number: u64) {
        self.of_mut(arch).insert(number);
    }

    /// Every call of this ABI.
    pub fn all_of(arch: Arch) -> CallSet {
        let mut set = CallSet::NONE;
        *set.of_mut(arch) = Numbers::ALL;
        set
    }

    /// The calls of all ABIs that belong to one of these classes.
    pub fn of_classes(classes: Classes) -> CallSet {
        let mut set = CallSet::NONE;
        for (arch, number) in CallSet::ALL.calls() {
            if arch.call(number).is_some_and(|call| call.classes.intersects(classes)) {
                set.insert_of(arch, number);
            }
        }
        set
    }

    /// The calls of either set.
    #[must_use]
    pub fn union(self, other: CallSet) -> CallSet {
        CallSet {
            x86_64: self.x86_64.union(other.x86_64),
            i386: self.i386.union(other.i386),
            x32: self.x32.union(other.x32),
        }
    }

    /// The calls of both sets.
    #[must_use]
    pub fn intersection(self, other: CallSet) -> CallSet {
        self.complement().union(other.complement()).complement()
    }

    fn of_mut(&mut self, arch: Arch) -> &mut Numbers {
        match arch {
            Arch::X86_64 => &mut self.x86_64,
            Arch::I386 => &mut self.i386,
            Arch::X32 => &mut self.x32,
        }
    }

    /// Every call that is not in the set.
    #[must_use]
    pub fn complement(self) -> CallSet {
        CallSet {
            x86_64: self.x86_64.complement(),
            i386: self.i386.complement(),
            x32: self.x32.complement(),
        }
    }

    /// Whether every call is in the set.
    pub fn is_all(&self) -> bool {
        *self == CallSet::ALL
    }

    /// Whether no call is in the set.
    pub fn is_none(&self) -> bool {
        *self == CallSet::NONE
    }

    /// The numbers of x86-64 calls in the set, ascending, without those past every known call.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.x86_64.known()
    }

    /// Every call in the set, without those past every known call.
    pub fn calls(&self) -> impl Iterator<Item = (Arch, u64)> + '_ {
        let of =
            |arch, numbers: &Numbers| numbers.known().map(move |number| (arch, number)).collect();
        let each: [Vec<_>; 3] =
            [of(Arch::X86_64, &self.x86_64), of(Arch::I386, &self.i386), of(Arch::X32, &self.x32)];
        each.into_iter().flatten()
    }
}

impl fmt::Debug for CallSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_all(), self.x86_64.beyond) {
            (true, _) => f.write_str("CallSet::ALL"),
            (_, false) => f.debug_set().entries(self.calls()).finish(),
            (_, true) => {
                f.write_str("all but ")?;
                f.debug_set().entries(self.complement().calls()).finish()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_class_has_the_calls_of_all_abis() {
        let set = CallSet::of_classes(Classes::NETWORK);
        assert!(set.contains_of(Arch::X86_64, 41) && set.contains_of(Arch::I386, 359), "socket");
        assert!(!set.contains_of(Arch::X86_64, 0) && !set.contains(u64::MAX), "read, unknown");
    }

    #[test]
    fn a_number_counts_in_its_abi() {
        let mut set = CallSet::NONE;
        set.insert_of(Arch::I386, 7);
        assert!(set.contains_of(Arch::I386, 7));
        assert!(!set.contains(7) && !set.contains_of(Arch::X32, 7));
        assert_eq!(set.calls().collect::<Vec<_>>(), [(Arch::I386, 7)]);
        assert!(!set.is_none() && set.numbers().next().is_none());
    }
}
