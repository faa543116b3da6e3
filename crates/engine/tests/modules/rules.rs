//! Rules answer calls of which no module is asked.

use contract::{CallSet, Capture, Condition, Failure, Guest, Module, Reply, Rule, Verdict};
use table::arch::x86_64;

use crate::harness::{calls, run, same};

/// A module that is never asked.
#[derive(Debug)]
struct Rules(Vec<Rule>);

impl Module for Rules {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn claims(&self) -> CallSet {
        CallSet::NONE
    }

    fn rules(&self) -> Vec<Rule> {
        self.0.clone()
    }

    fn explain(&self) -> Vec<String> {
        Vec::new()
    }

    fn decide(&mut self, _: &mut dyn Guest, _: &Capture) -> Result<Verdict, Failure> {
        panic!("it is asked")
    }
}

#[test]
fn rules_answer_wherever_they_are_evaluated() {
    let modules = || {
        let kill = Condition { argument: 1, mask: 0xff, value: 10 };
        let rules = vec![
            // A value, an error, a condition; and what a later rule says counts no more.
            Rule::always(calls(&[x86_64::UMASK]), Reply::Value(0o27)),
            Rule::always(calls(&[x86_64::CHDIR]), Reply::Error(13)),
            Rule { calls: calls(&[x86_64::KILL]), when: vec![kill], reply: Reply::Value(0) },
            Rule::always(calls(&[x86_64::CHDIR, x86_64::UMASK]), Reply::Error(5)),
        ];
        vec![Box::new(Rules(rules)) as _]
    };
    let script = "umask; umask; umask; cd /nowhere; kill -10 $$ && kill -0 $$ && echo alive";
    let (printed, complaints) = same(run(script, &modules));
    assert!(printed.starts_with("0027\n0027\n0027\n"), "{printed}");
    assert!(printed.ends_with("alive\n") && printed.contains("cd"), "{printed}");
    assert!(complaints.is_empty(), "{complaints:?}");
}
