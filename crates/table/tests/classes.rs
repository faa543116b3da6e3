//! Calls belong to the classes that users of strace know them by.
#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};

use table::Classes;
use table::arch::x86_64;

/// The last call that the list of classes knows of.
const LAST: u16 = x86_64::SET_MEMPOLICY_HOME_NODE.number;

/// The names in each class.
fn listed() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let mut classes = BTreeMap::<_, BTreeSet<_>>::new();
    let mut class = "";
    for line in include_str!("classes.txt").lines().filter(|line| !line.starts_with('#')) {
        let names = match line.split_once(':') {
            Some((name, names)) => {
                class = name;
                names
            }
            None => line,
        };
        classes.entry(class).or_default().extend(names.split_whitespace());
    }
    classes
}

#[test]
fn calls_belong_to_the_classes_that_users_know() {
    let known: Vec<_> = x86_64::calls().filter(|call| call.number <= LAST).collect();
    let mut wrong = Vec::new();
    for (name, members) in listed() {
        let (_, class) = Classes::NAMES.iter().find(|(known, _)| *known == name).expect(name);
        for call in &known {
            let belongs = call.classes.intersects(*class);
            if belongs != members.contains(call.name) {
                let verb = if belongs { "is wrongly" } else { "should be" };
                wrong.push(format!("{} {verb} in {name}", call.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
