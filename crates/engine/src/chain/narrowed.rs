//! What a filter can tell of a call about which somebody is asked.

use contract::{ByArgument, CallSet};

/// Calls of the 64-bit ABI, by number, about which somebody is asked with certain arguments only.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Narrowed {
    /// With these. A call that is there with several arguments always stops.
    pub by_argument: Vec<(u64, ByArgument)>,
    /// Where the argument of this index is not 0.
    pub unless_null: Vec<(u64, u8)>,
}

impl Narrowed {
    /// These calls.
    pub fn calls(&self) -> CallSet {
        let mut calls = CallSet::NONE;
        self.by_argument.iter().for_each(|(number, _)| calls.insert(*number));
        self.unless_null.iter().for_each(|(number, _)| calls.insert(*number));
        calls
    }
}
