//! The chain of those who decide about calls: asks for verdicts, and carries them out.
//!
//! A verdict is asked for once a call, at its entry ([`ask`]), and carried out at the stops that the
//! mechanism makes anyway ([`carry`]). An answered call costs the one stop that a filter makes, unless
//! something is to be done behind it; many in a row are made cheaper ([`runs`]). Arguments that are
//! changed to other bytes need room in the guest's memory ([`scratch`]). What a guest cannot open itself is
//! passed to it ([`passing`]). Modules are told of threads and programs, too ([`told`]).

mod arguments;
mod ask;
mod carry;
mod decided;
mod deferred;
mod guest;
mod narrowed;
mod passing;
mod prepare;
mod runs;
mod scratch;
mod told;

use std::collections::BTreeSet;

use contract::{
    About, Arch, Birth, ByArgument, CallSet, Capture, Module, Narrowing, PlaceRule, Redirection,
    Reply, Rule, Tid,
};
use kernel::kcmp::{self, Shared};

use crate::memory::PageCache;
use crate::session::Session;
use crate::tracee::Tracee;

pub(crate) use carry::Ready;
pub use decided::Decided;
pub use deferred::Deferred;
pub use narrowed::Narrowed;
pub use runs::Run;
pub use scratch::Room;

/// Those who decide about calls.
#[derive(Debug)]
pub struct Chain {
    /// The first is nearest to the guest.
    links: Vec<Link>,
    claims: CallSet,
    /// What modules read at a stop.
    pages: PageCache,
    /// Marks our room in guests.
    cookie: scratch::Cookie,
}

/// A module, and what it claims.
#[derive(Debug)]
struct Link {
    module: Box<dyn Module>,
    /// The calls about which it is asked.
    claims: CallSet,
    /// Of these those that have to be about certain things.
    narrowed: Vec<Narrowing>,
    /// What it answers without being asked.
    rules: Vec<Rule>,
    /// Why it has missed something that it was told, until a guest has got an error for it.
    missed: Option<String>,
}

impl Chain {
    /// These modules, of which the first is nearest to the guest.
    pub fn new(modules: Vec<Box<dyn Module>>) -> Chain {
        let link = |module: Box<dyn Module>| Link {
            claims: module.claims(),
            narrowed: module.narrowed(),
            rules: module.rules(),
            module,
            missed: None,
        };
        let links: Vec<Link> = modules.into_iter().map(link).collect();
        Chain {
            claims: links.iter().fold(CallSet::NONE, |all, link| all.union(link.all_claims())),
            links,
            pages: PageCache::new(None),
            cookie: scratch::Cookie::new(),
        }
    }

    /// The calls about which anybody is asked.
    pub fn claims(&self) -> &CallSet {
        &self.claims
    }

    /// Whether anybody is asked about this call.
    pub fn is_asked(&self, arch: Arch, number: u64) -> bool {
        self.claims.contains_of(arch, number)
    }

    /// The calls of the 64-bit ABI that are answered always in the same way, whatever their arguments
    /// are, and how. Nobody has to be asked about them.
    pub fn constants(&self) -> impl Iterator<Item = (u64, Reply)> + '_ {
        self.claims.numbers().filter_map(|number| {
            let first = self.links.iter().find(|link| link.has(number))?;
            let rule = first.rules.iter().find(|rule| rule.calls.contains(number))?;
            rule.is_about_all(Arch::X86_64, number).then_some((number, rule.reply))
        })
    }

    /// The calls of the 64-bit ABI about which a filter can tell whether anybody is asked.
    pub fn narrowed(&self) -> Narrowed {
        let mut narrowed = Narrowed::default();
        for number in self.claims.numbers() {
            let asked = || self.links.iter().filter(|link| link.has(number));
            let argument = ByArgument::of_all(asked().map(|link| link.by_argument(number)));
            let pointers: Option<Vec<u8>> = asked().map(|link| link.pointer(number)).collect();
            match (argument, pointers.as_deref()) {
                (Some(argument), _) => narrowed.by_argument.push((number, argument)),
                (None, Some([first, others @ ..])) if others.iter().all(|other| other == first) => {
                    narrowed.unless_null.push((number, *first));
                }
                _ => {}
            }
        }
        narrowed
    }

    /// How the paths of calls are changed about which nobody else is asked, but where they are about some
    /// paths. Of several modules that can say it, the one that can of most calls.
    pub fn redirection(&self) -> Option<Redirection> {
        let all = self.links.iter().enumerate();
        let rules = all.filter_map(|(place, link)| Some((place, link.module.redirection()?)));
        let (place, mut redirection) = rules.max_by_key(|(_, rules)| rules.calls.len())?;
        let others = || self.links.iter().enumerate().filter(|(other, _)| *other != place);
        let mut asked = BTreeSet::new();
        redirection.calls.retain(|(number, _)| {
            let claiming = others().filter(|(_, link)| link.has(*number));
            let paths: Option<Vec<_>> = claiming.map(|(_, link)| link.paths(*number)).collect();
            let is_kept = paths.is_some();
            asked.extend(paths.into_iter().flatten().flatten());
            is_kept
        });
        redirection.asked.retain(|(number, _)| !others().any(|(_, link)| link.has(*number)));
        let place = |path| PlaceRule { asked: true, ..PlaceRule::same(path) };
        redirection.places.splice(..0, asked.into_iter().map(place));
        Some(redirection)
    }

    /// Whether nobody decides about anything.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }
}

impl Link {
    /// The calls about which it is asked, and those of its rules.
    fn all_claims(&self) -> CallSet {
        self.rules.iter().fold(self.claims, |all, rule| all.union(rule.calls))
    }

    /// Whether it is asked about this call.
    fn is_asked_about(&self, call: &Capture) -> bool {
        let mut narrowed = self
            .narrowed
            .iter()
            .filter(|narrowing| narrowing.calls.contains_of(call.arch, call.number));
        let about = |narrowing: &Narrowing| narrowing.is_about(call);
        let is_claimed = self.claims.contains_of(call.arch, call.number);
        is_claimed && (narrowed.clone().next().is_none() || narrowed.any(about))
    }

    /// The argument of the calls of this number about which it is asked, if that tells.
    fn by_argument(&self, number: u64) -> Option<ByArgument> {
        ByArgument::of_all(self.narrowings(number).map(|narrowing| narrowing.by_argument(number)))
    }

    /// The argument that is not NULL of the calls of this number about which it is asked, if that tells.
    fn pointer(&self, number: u64) -> Option<u8> {
        let mut narrowings = self.narrowings(number);
        let pointer = narrowings.next()?.pointer()?;
        narrowings.next().is_none().then_some(pointer)
    }

    /// The paths that the calls of this number have to be about for it to be asked, if that tells.
    fn paths(&self, number: u64) -> Option<Vec<Vec<u8>>> {
        let abouts = self.narrowings(number).flat_map(|narrowing| &narrowing.about);
        let paths: Option<Vec<Vec<u8>>> = abouts
            .map(|about| match about {
                About::Path(path) if path.starts_with(b"/") => {
                    Some(path.strip_suffix(b"/").unwrap_or(path).to_vec())
                }
                _ => None,
            })
            .collect();
        paths.filter(|paths| !paths.is_empty())
    }

    /// What the calls of this number have to be about: nothing where a rule is about them.
    fn narrowings(&self, number: u64) -> impl Iterator<Item = &Narrowing> {
        let has_rule = self.rules.iter().any(|rule| rule.calls.contains(number));
        let narrowed = self.narrowed.iter().filter(move |_| !has_rule);
        narrowed.filter(move |narrowing| narrowing.calls.contains(number))
    }

    /// Whether it has to do with the call of this number.
    fn has(&self, number: u64) -> bool {
        self.all_claims().contains(number)
    }
}

impl Session {
    /// A thread has made another, of which nobody has told the modules yet. Whether they share their
    /// memory, where that has been asked.
    pub(crate) fn note_birth(&mut self, parent: Tid, child: Tid) -> Option<bool> {
        self.placement.born(parent, child);
        let process = self.tracees.get(child).map(|tracee| tracee.process)?;
        if self.chain.is_empty() {
            return None;
        }
        let same_process = self.tracees.get(parent).is_some_and(|maker| maker.process == process);
        let asked = |what| kcmp::share(parent.0, child.0, what).ok();
        let share = |what| asked(what).unwrap_or(same_process);
        let shares_memory = asked(Shared::Memory);
        let birth = Birth {
            child,
            process,
            parent,
            memory: shares_memory.unwrap_or(same_process),
            directory: share(Shared::Directory),
            descriptors: share(Shared::Descriptors),
        };
        let room = self.tracees.get(parent).and_then(|maker| maker.room.as_ref());
        let room = room.map(|room| if birth.memory { room.clone() } else { room.copied() });
        if let Some(tracee) = self.tracees.get_mut(child) {
            tracee.room = room;
        }
        self.chain.born(&birth);
        shares_memory
    }
}

/// Whether a thread is at the `execve(2)` by which its program starts, or past it.
fn may_decide(tracee: &Tracee, number: u64) -> bool {
    !tracee.starting || number == u64::from(table::arch::x86_64::EXECVE.number)
}
