//! `deny`: calls that fail with a chosen error.
//!
//! Calls are chosen by their names, by the files that they are about, or both. What was refused is
//! counted, and reported at the end. By itself it shows how a program copes, and is no sandbox: a guest
//! that is out to deceive can change a path after it was looked at. What is to be kept whatever a guest
//! tries, others keep ([`enforcement`]); the module then decides only about the calls that they leave to
//! it ([`Deny::beside_enforcement`]).

mod enforced;
mod learn;
mod mounts;
mod names;
mod rule;

use std::rc::Rc;

use contract::{Arch, CallSet, Capture, Failure, Guest, Module, Refusal, Refusals, Verdict};
use table::arch::x86_64;

use crate::map::Files;
use crate::paths::{Map, Plain, path_calls};
pub use enforced::enforcement;
pub use learn::{Learn, Learned};
pub use rule::{Rule, What};

/// The module.
#[derive(Debug)]
pub struct Deny {
    rules: Vec<Rule>,
    /// The names of the file that each of them is about, if of one.
    names: Vec<Vec<Plain>>,
    files: Files,
    refused: Refusals,
    /// What is kept whatever a guest tries is nothing to ask about.
    enforced: bool,
}

/// Calls about paths that nobody can make in a guest's place: what they could reach is decided upon
/// behind them.
const LEFT: [table::Id; 3] = [x86_64::EXECVE, x86_64::EXECVEAT, x86_64::CHDIR];

impl Deny {
    /// One with these rules, the first of which counts that a call meets. Guests see files as this map
    /// says.
    pub fn new(rules: Vec<Rule>, map: Rc<Map>) -> Deny {
        let names =
            |rule: &Rule| rule.path.iter().flat_map(|path| names::names(path, &map)).collect();
        let names = rules.iter().map(names).collect();
        let files = Files::new(map);
        Deny { rules, names, files, refused: Refusals::default(), enforced: false }
    }

    /// The same where the rules are kept whatever a guest tries: about calls that have to stop for it.
    #[must_use]
    pub fn beside_enforcement(self) -> Deny {
        Deny { enforced: true, ..self }
    }

    /// What it refuses, now and later.
    pub fn refused(&self) -> Refusals {
        self.refused.clone()
    }
}

impl Module for Deny {
    fn name(&self) -> &'static str {
        "deny"
    }

    fn claims(&self) -> CallSet {
        let paths = if self.enforced { left() } else { path_calls::set() };
        let of = |rule: &Rule| match (&rule.what, &rule.path) {
            (What::Calls(calls), None) => **calls,
            (What::Calls(calls), Some(_)) => calls.intersection(paths),
            (What::Writes, _) => paths,
        };
        self.rules.iter().map(of).fold(CallSet::NONE, CallSet::union)
    }

    fn explain(&self) -> Vec<String> {
        let rules = self.rules.iter().map(ToString::to_string);
        let kept = self.enforced.then(|| {
            String::from("is enforced: by the kernel, and by the supervisor on copies of paths")
        });
        rules.chain(kept).collect()
    }

    fn decide(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        if guest.is_starting() {
            return Ok(Verdict::pass());
        }
        let mut files = None;
        for (rule, names) in self.rules.iter().zip(&self.names) {
            if !rule.is_about_call(call) {
                continue;
            }
            let mut path = None;
            if rule.path.is_some() || rule.what == What::Writes {
                let files = files.get_or_insert_with(|| self.files.of(guest, call));
                let Some(found) = files.iter().find(|file| rule.is_about_file(names, file)) else {
                    continue;
                };
                path = Some(found.name.to_string());
            }
            let name = call.arch.call(call.number).map_or("?", |call| call.name);
            let refusal = Refusal { rule: rule.to_string(), call: name, path };
            self.refused.note(refusal);
            return Ok(Verdict::error(rule.errno));
        }
        Ok(Verdict::pass())
    }
}

fn left() -> CallSet {
    let mut left = CallSet::NONE;
    LEFT.iter().for_each(|id| left.insert_of(Arch::X86_64, id.number.into()));
    left
}
