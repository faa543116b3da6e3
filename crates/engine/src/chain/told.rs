//! Tells the modules what happens, without asking them.
//!
//! There is no call that could fail where one of them panics. The next one about which it is asked does, and
//! says why: what it has missed may be what it decides by.

use contract::{Birth, Capture, Failure, Module, Poke, Tid};

use super::ask::guarded;
use super::{Chain, Link};

impl Chain {
    /// There is a new thread.
    pub(super) fn born(&mut self, birth: &Birth) {
        self.tell("of a new thread", |module| module.born(birth));
    }

    /// A thread runs another program.
    pub fn executed(&mut self, from: Tid, to: Tid) {
        self.tell("of an exec", |module| module.executed(from, to));
    }

    /// A thread is no more, or is let go.
    pub fn ended(&mut self, tid: Tid) {
        self.tell("of a thread's end", |module| module.ended(tid));
    }

    /// A guest has opened this by an absolute path, without a stop.
    pub fn opened(&mut self, path: &[u8]) {
        self.tell("of a file that was opened", |module| module.opened(path));
    }

    /// What verdicts wanted to be written could not be. All are told: whose it was is not known any
    /// more.
    pub(super) fn poke_failed(&mut self, tid: Tid, call: &Capture, poke: &Poke) {
        self.tell("of memory that was not written", |module| module.poke_failed(tid, call, poke));
    }

    /// Whether all still change paths as they have said.
    pub fn redirects(&self) -> bool {
        let redirects = |link: &Link| guarded(|| Ok(link.module.redirects())).unwrap_or(false);
        self.links.iter().all(redirects)
    }

    fn tell(&mut self, what: &str, tell: impl Fn(&mut dyn Module)) {
        for link in &mut self.links {
            let told = || -> Result<(), Failure> {
                tell(link.module.as_mut());
                Ok(())
            };
            if let Err(cause) = guarded(told) {
                link.missed.get_or_insert(format!("told {what}, {cause}"));
            }
        }
    }
}
