//! Rules about calls that fail.

use std::fmt;

use contract::{CallSet, Capture};
use table::errno;

use crate::map::File;
use crate::paths::{Plain, Writes};

/// Which calls fail, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// Which calls.
    pub what: What,
    /// How the user named them.
    pub calls: String,
    /// Only those about this file, or one below this directory.
    pub path: Option<Plain>,
    /// The error, from 1 to 4095.
    pub errno: u16,
}

/// Which calls a rule is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// These.
    Calls(Box<CallSet>),
    /// Those that would change a file, by its path.
    Writes,
}

impl Rule {
    /// Whether the rule may be about a call, whatever its files.
    pub(super) fn is_about_call(&self, call: &Capture) -> bool {
        match &self.what {
            What::Calls(calls) => calls.contains_of(call.arch, call.number),
            What::Writes => true,
        }
    }

    /// Whether it is about one of the call's files; `names` are those of its own.
    pub(super) fn is_about_file(&self, names: &[Plain], file: &File) -> bool {
        let writes = self.what != What::Writes || file.writes != Writes::Never;
        let is_below = |name: &Plain| file.name.below(name).is_some();
        writes && (self.path.is_none() || names.iter().any(is_below))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.calls.as_str(), &self.path) {
            (calls, None) => f.write_str(calls)?,
            ("", Some(path)) => write!(f, "{path}")?,
            (calls, Some(path)) => write!(f, "{calls}:{path}")?,
        }
        match errno::name(self.errno.into()) {
            Some(name) => write!(f, "={name}"),
            None => write!(f, "={}", self.errno),
        }
    }
}
