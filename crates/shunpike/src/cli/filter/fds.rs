//! Sets of descriptors: `-e read=`, `-e fd=`.

use std::collections::BTreeSet;

use super::{Set, UsageError, parse_set};

/// A set of file descriptors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FdSet {
    listed: BTreeSet<u32>,
    negated: bool,
}

impl FdSet {
    /// Whether the descriptor is in the set.
    pub fn contains(&self, fd: u32) -> bool {
        self.listed.contains(&fd) != self.negated
    }

    pub(in crate::cli) fn parse(text: &str) -> Result<FdSet, UsageError> {
        parse_set("descriptor", text, |set: &mut FdSet, item| {
            match item.parse::<i32>().ok().and_then(|fd| u32::try_from(fd).ok()) {
                Some(fd) => set.listed.insert(fd),
                None => {
                    return Err(UsageError::new(format!("invalid descriptor '{item}'"))
                        .way_out("a descriptor is a number from 0 to 2147483647"));
                }
            };
            Ok(())
        })
    }
}

impl Set for FdSet {
    const NONE: FdSet = FdSet { listed: BTreeSet::new(), negated: false };

    fn complement(mut self) -> FdSet {
        self.negated = !self.negated;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::FdSet;

    #[test]
    fn lists_and_their_complements() {
        let members = |text| -> Vec<u32> {
            let set = FdSet::parse(text).unwrap();
            (0..4).filter(|&fd| set.contains(fd)).collect()
        };
        assert_eq!(members("1,3"), [1, 3]);
        assert_eq!(members("!1,3"), [0, 2]);
        assert_eq!(members("all"), [0, 1, 2, 3]);
        assert!(members("!all").is_empty());
    }

    #[test]
    fn only_numbers_are_descriptors() {
        for text in ["", "x", "-1", "1-3", "2147483648"] {
            assert!(FdSet::parse(text).is_err(), "{text}");
        }
    }
}
