//! Modules decide the same under each mechanism.
#![forbid(unsafe_code)]

mod changes;
mod descriptors;
mod failures;
mod harness;
mod narrowed;
mod rules;

use std::rc::Rc;

use contract::{Answer, CallSet, Reply, Verdict};
use table::arch::x86_64;

use harness::{By, Decide, Heard, calls, nothing, run, same};

#[test]
fn births_execs_and_ends_are_told() {
    let heard = Heard::default();
    let modules = || {
        let decide: Decide = |_, _| Ok(Verdict::pass());
        vec![Box::new(By(CallSet::NONE, decide, nothing, Rc::clone(&heard))) as _]
    };
    for _ in run("(:); env true; :", &modules) {}
    let told = heard.borrow();
    let count = |what| told.iter().filter(|(known, _)| *known == what).count();
    assert!(count("born") > 0 && count("executed") > count("ended") - count("born"), "{told:?}");
    for (_, child) in told.iter().filter(|(what, _)| *what == "born") {
        assert!(told.contains(&("ended", *child)), "{told:?}");
    }
}

#[test]
fn a_guest_does_not_see_where_it_runs_while_its_calls_are_answered() {
    let modules = || {
        let decide: Decide = |_, _| Ok(Verdict::answer(Answer::of(Reply::Value(0))));
        vec![Box::new(By(calls(&[x86_64::KILL]), decide, nothing, Heard::default())) as _]
    };
    let script = "own() { while read -r name value; do case $name in Cpus_allowed:) echo $value;; \
                  esac; done < /proc/self/status; }; \
                  for round in 1 2 3; do i=0; while [ $i -lt 2000 ]; do kill -0 1; i=$((i+1)); done; \
                  own; (own); done";
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed:")).unwrap().trim();
    let (printed, complaints) = same(run(script, &modules));
    assert_eq!((printed, complaints), (format!("{mask}\n").repeat(6), Vec::new()));
}
