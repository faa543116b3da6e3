//! Asks the modules, one after the other, and puts what they say together.

use std::any::Any;
use std::mem;
use std::panic::{self, AssertUnwindSafe};

use contract::{
    Answer, Argument, Capture, Content, Element, Failure, Handed, Outcome, Reply, Rule,
    SCRATCH_LEN, Tid, VECTOR_LEN, Verdict,
};
use kernel::memory;

use super::decided::{Decided, Watching};
use super::guest::Seen;
use super::{Link, may_decide};
use crate::memory::PageCache;
use crate::observer::{ModuleFailure, Observer};
use crate::session::Session;
use crate::tracee::Tracee;

/// What a guest gets where a module could not decide.
pub(super) const EIO: u16 = 5;
/// What it gets where bytes cannot be written.
const EFAULT: u16 = 14;
/// What it gets where its new arguments are too long.
const E2BIG: u16 = 7;

/// Calls that write the numbers of descriptors to memory. What they return is none.
const WRITING_DESCRIPTORS: [&str; 6] =
    ["pipe", "pipe2", "socketpair", "recvmsg", "recvmmsg", "recvmmsg_time64"];

impl Session {
    /// What becomes of the call before which a thread stands, whose entry half is captured.
    pub(super) fn ask(&mut self, tid: Tid, observer: &mut dyn Observer) -> Decided {
        let mut decided = Decided::default();
        let Some(tracee) = self.tracees.get(tid) else { return decided };
        if !may_decide(tracee, tracee.call.number) {
            return decided;
        }
        self.chain.pages.clear();
        let mut view = None;
        for (place, link) in self.chain.links.iter_mut().enumerate() {
            let call = view.as_ref().unwrap_or(&tracee.call);
            if let Some(rule) = rule_for(link, tracee, call) {
                decided.add(Verdict::answer(Answer::of(rule.reply)));
                break;
            }
            if !link.is_asked_about(call) {
                continue;
            }
            let mut guest = seen(tid, tracee, &mut self.chain.pages, call);
            let ask =
                || link.module.decide(&mut guest, call).and_then(|verdict| checked(call, verdict));
            let verdict = match link.missed.take().map_or_else(|| guarded(ask), Err) {
                Ok(verdict) => verdict,
                Err(cause) => {
                    let module = link.module.name();
                    observer.module_failed(&ModuleFailure { tid, module, call, cause: &cause });
                    Verdict::error(EIO)
                }
            };
            if verdict.behind {
                let changed = decided.verdict.arguments.clone();
                decided.watching.push(Watching { link: place, changed });
            }
            let is_answered = verdict.answer.is_some() || verdict.handed.is_some();
            let changes = !verdict.arguments.is_empty();
            decided.add(verdict);
            if is_answered {
                break;
            }
            if changes {
                view = Some(tracee.call.with(&decided.verdict.arguments));
            }
        }
        decided
    }

    /// Gives the guest what stands in the place of its call, as far as it is memory, and lets the
    /// modules see it that want to. Returns what the call returns.
    pub(super) fn answer(
        &mut self,
        tid: Tid,
        decided: &mut Decided,
        observer: &mut dyn Observer,
    ) -> Option<Reply> {
        let answer = decided.verdict.answer.as_mut()?;
        answer.result = written(tid, mem::take(&mut answer.writes), answer.result);
        let result = answer.result;
        if decided.watching.is_empty() {
            return Some(result);
        }
        let watching = mem::take(&mut decided.watching);
        let outcome = Outcome::chosen(result, crate::session::now(), 0);
        Some(self.ask_behind(tid, &watching, outcome, observer).unwrap_or(result))
    }

    /// Has the modules see the end of a call that was made, which ended like this. What they return in
    /// its place, if they do.
    pub(super) fn show_end(
        &mut self,
        tid: Tid,
        decided: &Decided,
        outcome: Outcome,
        observer: &mut dyn Observer,
    ) -> Option<Reply> {
        self.ask_behind(tid, &decided.watching, outcome, observer)
    }

    fn ask_behind(
        &mut self,
        tid: Tid,
        watching: &[Watching],
        mut outcome: Outcome,
        observer: &mut dyn Observer,
    ) -> Option<Reply> {
        let mut replaced = None;
        for Watching { link, changed } in watching.iter().rev() {
            let tracee = self.tracees.get_mut(tid)?;
            tracee.call.outcome = Some(outcome);
            let view = (!changed.is_empty()).then(|| tracee.call.with(changed));
            let call = view.as_ref().unwrap_or(&tracee.call);
            self.chain.pages.clear();
            let mut guest = seen(tid, tracee, &mut self.chain.pages, call);
            let module = &mut self.chain.links[*link].module;
            let reply = match guarded(|| module.behind(&mut guest, call)) {
                Ok(None) => continue,
                Ok(Some(Answer { result, writes })) => written(tid, writes, result),
                Err(cause) => {
                    let module = module.name();
                    observer.module_failed(&ModuleFailure { tid, module, call, cause: &cause });
                    Reply::Error(EIO)
                }
            };
            outcome = Outcome::chosen(reply, outcome.time, outcome.cpu);
            replaced = Some(reply);
        }
        replaced
    }
}

/// The rule of a module that is about this call, once the guest's program has begun.
fn rule_for<'a>(link: &'a Link, tracee: &Tracee, call: &Capture) -> Option<&'a Rule> {
    link.rules.iter().find(|rule| !tracee.starting && rule.is_about(call))
}

fn seen<'a>(tid: Tid, tracee: &Tracee, pages: &'a mut PageCache, call: &'a Capture) -> Seen<'a> {
    Seen { tid, process: tracee.process, starting: tracee.starting, pages, call }
}

/// Writes what an answer has to write. What the call returns then.
fn written(tid: Tid, writes: Vec<contract::Write>, result: Reply) -> Reply {
    if writes.is_empty() {
        return result;
    }
    let pieces: Vec<(u64, &[u8])> =
        writes.iter().map(|write| (write.at.0, write.bytes.as_slice())).collect();
    match memory::write(tid.0, &pieces) {
        Ok(()) => result,
        Err(_) => Reply::Error(EFAULT),
    }
}

/// A verdict that can be carried out.
fn checked(call: &Capture, verdict: Verdict) -> Result<Verdict, Failure> {
    if verdict.arguments.iter().any(|argument| argument.index > 5) {
        return Err("a call has six arguments, 0 to 5".into());
    }
    if verdict.handed.is_some() && (verdict.answer.is_some() || !verdict.arguments.is_empty()) {
        return Err("a call that hands out a file has no other answer, and no arguments".into());
    }
    if verdict.handed.as_ref().is_some_and(Handed::is_returned)
        && let Some(description) = call.arch.call(call.number)
        && WRITING_DESCRIPTORS.contains(&description.name)
    {
        return Err(format!(
            "{} writes its descriptors to memory, and none can be handed out there: have it made, \
             and replace the descriptors by calls that return one",
            description.name
        )
        .into());
    }
    let len: usize = bytes_of(&verdict.arguments).map(|(_, bytes)| bytes.len()).sum();
    if len > SCRATCH_LEN {
        return Err(format!("its {len} bytes of arguments are more than {SCRATCH_LEN}").into());
    }
    if let Some((_, elements)) = vector_of(&verdict.arguments) {
        let len: usize = elements.iter().map(len_of).sum();
        if len > VECTOR_LEN {
            return Ok(Verdict::error(E2BIG));
        }
    }
    Ok(verdict)
}

/// What a module says; else why it does not.
pub(super) fn guarded<T>(ask: impl FnOnce() -> Result<T, Failure>) -> Result<T, String> {
    match panic::catch_unwind(AssertUnwindSafe(ask)) {
        Ok(said) => said.map_err(|failure| failure.to_string()),
        Err(panic) => Err(format!("it panicked: {}", message(panic.as_ref()))),
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

/// The bytes among changed arguments, with their places.
pub(super) fn bytes_of(arguments: &[Argument]) -> impl Iterator<Item = (u8, &[u8])> {
    arguments.iter().filter_map(|argument| match &argument.content {
        Content::Bytes(bytes) => Some((argument.index, bytes.as_slice())),
        Content::Value(_) | Content::Vector(_) => None,
    })
}

/// The vector among changed arguments, with its place.
pub(super) fn vector_of(arguments: &[Argument]) -> Option<(u8, &[Element])> {
    arguments.iter().find_map(|argument| match &argument.content {
        Content::Vector(elements) => Some((argument.index, elements.as_slice())),
        Content::Value(_) | Content::Bytes(_) => None,
    })
}

/// How much room an element of a vector needs, with its pointer.
fn len_of(element: &Element) -> usize {
    let bytes = match element {
        Element::At(_) => 0,
        Element::Bytes(bytes) => bytes.len().next_multiple_of(8),
    };
    bytes + 8
}
