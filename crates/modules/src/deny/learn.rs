//! What guests touch, as rules.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use contract::{CallSet, Capture, Failure, Guest, Module, Verdict};

use crate::map::Files;
use crate::paths::{HostTree, Map, Plain, Tree, Writes, path_calls};

/// A module that changes nothing, and notes which files guests touch.
#[derive(Debug)]
pub struct Learn {
    files: Files,
    learned: Rc<RefCell<Learned>>,
}

/// Files that guests have touched.
#[derive(Debug, Default)]
pub struct Learned(BTreeSet<(Plain, &'static str)>);

impl Learn {
    /// One for guests that see files as this map says.
    pub fn new(map: Rc<Map>) -> Learn {
        Learn { files: Files::new(map), learned: Rc::default() }
    }

    /// What it learns, now and later.
    pub fn learned(&self) -> Rc<RefCell<Learned>> {
        Rc::clone(&self.learned)
    }
}

impl Learned {
    /// Each file, and the calls of a rule about what was done with it.
    pub fn files(&self) -> impl Iterator<Item = (&Plain, &'static str)> {
        self.0.iter().map(|(path, calls)| (path, *calls))
    }
}

impl Module for Learn {
    fn name(&self) -> &'static str {
        "learn"
    }

    fn claims(&self) -> CallSet {
        path_calls::set()
    }

    fn explain(&self) -> Vec<String> {
        vec![String::from(
            "files that the program touches are told at its end, as rules for --deny",
        )]
    }

    fn decide(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        let name = call.arch.call(call.number).map_or("?", |call| call.name);
        let tree = HostTree::of(guest.process(), guest.tid());
        for file in self.files.of(guest, call) {
            let is_there = || tree.look(&self.files.map().host(&file.name)).is_ok();
            let calls = match file.writes {
                Writes::Never if !is_there() => continue,
                Writes::Never => name,
                _ => "@write",
            };
            self.learned.borrow_mut().0.insert((file.name, calls));
        }
        Ok(Verdict::pass())
    }
}
