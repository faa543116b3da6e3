//! `deny`: calls that fail with a chosen error.
//!
//! Calls are chosen by their names, by the files that they are about, or both. What was refused is
//! counted, and reported at the end. It shows how a program copes, and is no sandbox: a guest that is
//! out to deceive can change a path after it was looked at.

mod learn;
mod rule;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use contract::{CallSet, Capture, Failure, Guest, Module, Verdict};

use crate::map::Files;
use crate::paths::{Map, PathCalls};
pub use learn::{Learn, Learned};
pub use rule::{Rule, What};

/// The module.
#[derive(Debug)]
pub struct Deny {
    rules: Vec<Rule>,
    files: Files,
    refused: Rc<RefCell<Refused>>,
}

/// What was refused.
#[derive(Debug, Default)]
pub struct Refused(BTreeMap<Refusal, u64>);

/// One kind of refusal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Refusal {
    /// The rule, as it was given.
    pub rule: String,
    /// The call's name.
    pub call: &'static str,
    /// The file, by the guest's name for it, where the rule is about one.
    pub path: Option<String>,
}

impl Deny {
    /// One with these rules, the first of which counts that a call meets. Guests see files as this map
    /// says.
    pub fn new(rules: Vec<Rule>, map: Rc<Map>, calls: Rc<PathCalls>) -> Deny {
        Deny { rules, files: Files::new(map, calls), refused: Rc::default() }
    }

    /// What it refuses, now and later.
    pub fn refused(&self) -> Rc<RefCell<Refused>> {
        Rc::clone(&self.refused)
    }
}

impl Refused {
    /// What was refused, and how often, in the order of the rules' texts.
    pub fn all(&self) -> impl Iterator<Item = (&Refusal, u64)> {
        self.0.iter().map(|(refusal, count)| (refusal, *count))
    }
}

impl Module for Deny {
    fn name(&self) -> &'static str {
        "deny"
    }

    fn claims(&self) -> CallSet {
        let paths = self.files.calls().set();
        let of = |rule: &Rule| match (&rule.what, &rule.path) {
            (What::Calls(calls), None) => **calls,
            (What::Calls(calls), Some(_)) => calls.intersection(paths),
            (What::Writes, _) => paths,
        };
        self.rules.iter().map(of).fold(CallSet::NONE, CallSet::union)
    }

    fn explain(&self) -> Vec<String> {
        self.rules.iter().map(ToString::to_string).collect()
    }

    fn decide(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        if guest.is_starting() {
            return Ok(Verdict::pass());
        }
        let mut names = None;
        for rule in &self.rules {
            if !rule.is_about_call(call) {
                continue;
            }
            let mut path = None;
            if rule.path.is_some() || rule.what == What::Writes {
                let names = names.get_or_insert_with(|| self.files.of(guest, call));
                let Some(found) = names.iter().find(|file| rule.is_about_file(file)) else {
                    continue;
                };
                path = Some(found.name.to_string());
            }
            let name = call.arch.call(call.number).map_or("?", |call| call.name);
            let refusal = Refusal { rule: rule.to_string(), call: name, path };
            *self.refused.borrow_mut().0.entry(refusal).or_default() += 1;
            return Ok(Verdict::error(rule.errno));
        }
        Ok(Verdict::pass())
    }
}
