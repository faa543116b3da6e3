//! What the modules have decided together about a call.

use std::os::fd::BorrowedFd;

use contract::{Answer, Argument, Handed, Place, Reply, Verdict};

/// What the modules have decided together about the call in which a thread is.
#[derive(Debug, Default)]
pub struct Decided {
    /// What becomes of it.
    pub verdict: Verdict,
    /// Those who want to see its end, in the order in which they were asked.
    pub(super) watching: Vec<Watching>,
}

/// A module that wants to see a call's end.
#[derive(Debug)]
pub(super) struct Watching {
    /// Its place in the chain.
    pub link: usize,
    /// What those before it had changed of the call.
    pub changed: Vec<Argument>,
}

impl Decided {
    /// Whether the call is made, and nothing else happens.
    pub fn is_pass(&self) -> bool {
        self.verdict.is_pass() && self.watching.is_empty()
    }

    /// Whether something is to be done at the end of the call, if it is made.
    pub fn is_awaited(&self) -> bool {
        let Verdict { answer, instead, arguments, after, .. } = &self.verdict;
        let end = instead.is_some() || !after.is_nothing();
        end || answer.is_none() && (!arguments.is_empty() || !self.watching.is_empty())
    }

    /// Whether another call is made, by which the guest opens a file of the supervisor's.
    pub fn opens(&self) -> bool {
        matches!(self.verdict.handed, Some(Handed::Opened(..)))
    }

    /// What the guest gets as the supervisor has it, and where.
    pub fn passed(&self) -> Option<(BorrowedFd<'_>, Place)> {
        self.verdict.handed.as_ref()?.passed()
    }

    /// The guest has got what it was to get, or cannot: its call returns this.
    pub fn settle(&mut self, result: i64) {
        let reply = match u64::try_from(result) {
            Ok(value) => Reply::Value(value),
            Err(_) => Reply::Error(result.unsigned_abs() as u16),
        };
        self.verdict.handed = None;
        self.verdict.answer = Some(Answer::of(reply));
    }

    /// The call fails with this error, whatever was decided.
    pub fn refuse(&mut self, errno: u16) {
        *self = Decided { verdict: Verdict::error(errno), ..Decided::default() };
    }

    /// Adds the verdict of one more module.
    pub(super) fn add(&mut self, verdict: Verdict) {
        let Verdict { answer, handed, instead, mut arguments, behind: _, .. } = verdict;
        let Verdict { signal, before, after, as_if_made, .. } = verdict;
        let all = &mut self.verdict;
        all.as_if_made = as_if_made;
        if let Some(handed) = &handed {
            // It is another call, by which the guest gets it.
            arguments = handed.arguments(std::process::id()).unwrap_or_default();
            all.arguments.clear();
        }
        all.answer = answer;
        all.handed = handed;
        all.instead = instead;
        all.arguments.retain(|known| arguments.iter().all(|new| new.index != known.index));
        all.arguments.extend(arguments);
        all.signal = signal.or(all.signal);
        for (all, one) in [(&mut all.before, before), (&mut all.after, after)] {
            all.delay = one.delay.or(all.delay);
            all.pokes.extend(one.pokes);
        }
    }
}
