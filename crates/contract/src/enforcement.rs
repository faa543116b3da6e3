//! What guests must not do, whatever they try.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::CallSet;

/// What is forbidden to guests, and kept by the kernel, or by the supervisor on copies that no guest can
/// change. Modules change what guests see; this is what they can do at most.
#[derive(Clone, Debug, Default)]
pub struct Enforcement {
    /// Calls that fail, whatever their arguments are.
    pub calls: Vec<ForbiddenCalls>,
    /// Files that are not touched, or not changed. The first counts that is about a file.
    pub files: Vec<ForbiddenFiles>,
    /// Where refusals are noted.
    pub refusals: Refusals,
}

impl Enforcement {
    /// Whether there are files that are not even looked at.
    pub fn hides(&self) -> bool {
        self.files.iter().any(|files| !files.readable)
    }

    /// Whether there are files that may be read, but not changed.
    pub fn keeps(&self) -> bool {
        self.files.iter().any(|files| files.readable)
    }
}

/// Calls that fail. Those of other ABIs than the 64-bit one fail anyway.
#[derive(Clone, Debug)]
pub struct ForbiddenCalls {
    /// The calls.
    pub calls: CallSet,
    /// The error, from 1 to 4095.
    pub errno: u16,
    /// The rule by which this is so, as the user gave it.
    pub rule: String,
}

/// A file, or a directory with all that lies below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForbiddenFiles {
    /// Its absolute path on the host, without symbolic links.
    pub host: Vec<u8>,
    /// Its file system and its number there, if it is no directory: it may have more names.
    pub inode: Option<(u64, u64)>,
    /// It may be read, but not changed.
    pub readable: bool,
    /// The error, from 1 to 4095.
    pub errno: u16,
    /// The rule by which this is so, as the user gave it.
    pub rule: String,
}

impl ForbiddenFiles {
    /// Whether a file is it, or lies below it: by its absolute path, or by its file system and number.
    pub fn is(&self, path: &[u8], inode: Option<(u64, u64)>) -> bool {
        path.starts_with(b"/") && self.holds(path) || self.inode.is_some() && self.inode == inode
    }

    /// Whether this absolute path is it, or lies below it.
    pub fn holds(&self, path: &[u8]) -> bool {
        is_below(path, &self.host)
    }

    /// Whether this absolute path leads to it: whoever moves that moves it too.
    pub fn is_on_the_way(&self, path: &[u8]) -> bool {
        is_below(&self.host, path)
    }
}

/// Whether a path is `above`, or lies below it.
fn is_below(path: &[u8], above: &[u8]) -> bool {
    let above = above.strip_suffix(b"/").unwrap_or(above);
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

/// One kind of refusal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Refusal {
    /// The rule as it was given, or why.
    pub rule: String,
    /// The call's name.
    pub call: &'static str,
    /// The file, where the rule is about one.
    pub path: Option<String>,
}

/// What was refused, and how often: one tally, however often it is cloned.
#[derive(Clone, Debug, Default)]
pub struct Refusals(Arc<Mutex<BTreeMap<Refusal, u64>>>);

/// Of so many files it is told which they were.
const MOST_REFUSALS: usize = 10_000;

impl Refusals {
    /// Counts one more. Of too many files they are counted together: a guest can think of more than we
    /// have memory for.
    pub fn note(&self, mut refusal: Refusal) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_REFUSALS && !all.contains_key(&refusal) {
            refusal.path = None;
        }
        *all.entry(refusal).or_default() += 1;
    }

    /// What was refused so far, in the order of the rules' texts.
    pub fn all(&self) -> Vec<(Refusal, u64)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(refusal, count)| (refusal.clone(), *count)).collect()
    }
}

/// A path for a message.
pub fn shown(path: &[u8]) -> String {
    OsStr::from_bytes(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_held_by_whole_names() {
        let files = |host: &[u8]| ForbiddenFiles {
            host: host.to_vec(),
            inode: Some((1, 2)),
            readable: false,
            errno: 1,
            rule: String::new(),
        };
        let home = files(b"/home/user");
        assert!(home.holds(b"/home/user") && home.holds(b"/home/user/a"));
        assert!(!home.holds(b"/home/users") && !home.holds(b"/home"));
        assert!(home.is_on_the_way(b"/home") && home.is_on_the_way(b"/"));
        assert!(!home.is_on_the_way(b"/ho") && !home.is_on_the_way(b"/home/user/a"));
        assert!(home.is(b"/home/user", None) && home.is(b"/another/name", Some((1, 2))));
        assert!(!home.is(b"/another/name", None) && !home.is(b"pipe:[2]", Some((2, 2))));
        assert!(files(b"/").holds(b"/anything") && files(b"/").holds(b"/"));
    }

    #[test]
    fn refusals_of_a_kind_are_counted_together() {
        let refusals = Refusals::default();
        let one = Refusal { rule: "r".into(), call: "open", path: None };
        refusals.clone().note(one.clone());
        refusals.note(one.clone());
        assert_eq!(refusals.all(), [(one, 2)]);
    }
}
