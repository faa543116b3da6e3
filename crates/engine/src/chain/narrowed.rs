//! What a filter can tell of a call about which somebody is asked.

use contract::CallSet;

/// Calls of the 64-bit ABI, by number, about which somebody is asked with certain arguments only.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Narrowed {
    /// With these first arguments, as numbers of 32 bits.
    pub by_first: Vec<(u64, Vec<u32>)>,
    /// Where the argument of this index is not 0.
    pub unless_null: Vec<(u64, u8)>,
}

impl Narrowed {
    /// Adds a call with these first arguments.
    pub fn add_by_first(&mut self, number: u64, firsts: &[u32]) {
        match self.by_first.iter_mut().find(|(known, _)| *known == number) {
            Some((_, known)) => known.extend(firsts),
            None => self.by_first.push((number, firsts.to_vec())),
        }
    }

    /// These calls.
    pub fn calls(&self) -> CallSet {
        let mut calls = CallSet::NONE;
        self.by_first.iter().for_each(|(number, _)| calls.insert(*number));
        self.unless_null.iter().for_each(|(number, _)| calls.insert(*number));
        calls
    }
}
