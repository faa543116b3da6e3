//! What is said on stderr of processes, where no trace is that would tell it: it is elsewhere, or only counts
//! are shown.

use contract::{Event, Tid, What};
use outputs::text;

use crate::cli::{QuietSet, SummaryMode, Target, TraceOptions};
use crate::errors::say;

/// Says it.
#[derive(Debug)]
pub(super) struct Messages {
    /// What the command was called by.
    name: String,
    /// Who is attached and detached.
    attach: bool,
    /// Whose calls go through another ABI.
    personality: bool,
    /// How many threads there are.
    threads: usize,
}

impl Messages {
    /// What the options want to be said.
    pub(super) fn new(options: &TraceOptions, name: &str) -> Messages {
        let to_stderr = options.output.target == Target::Stderr;
        let counts_only =
            to_stderr && options.is_shown() && options.summary.mode == SummaryMode::Only;
        let quiet = options.quiet();
        Messages {
            name: name.to_owned(),
            attach: (!to_stderr || counts_only) && !quiet.contains(QuietSet::ATTACH),
            personality: counts_only && !quiet.contains(QuietSet::PERSONALITY),
            threads: 0,
        }
    }

    /// Says what there is to say of an event. Nobody needs to be told that the process that was launched
    /// is traced.
    pub(super) fn tell(&mut self, event: &Event<'_>, launched: Option<Tid>) {
        let tid = event.tid;
        match event.what {
            What::Attached { parent, .. } => {
                self.threads += 1;
                if parent.is_some() && launched != Some(tid) {
                    self.process(tid, "attached");
                }
            }
            What::RunsIn { arch, .. } if self.personality => {
                let whose = if self.threads > 1 { text::whose(tid) } else { String::new() };
                say(format_args!("{whose}{}", text::runs_in(tid, arch)));
            }
            // A program that could not be started ends although it was never attached.
            What::Exited { .. } | What::Killed { .. } | What::Superseded { .. } => {
                self.threads = self.threads.saturating_sub(1);
            }
            What::Detached => {
                self.threads = self.threads.saturating_sub(1);
                self.process(tid, "detached");
            }
            _ => {}
        }
    }

    fn process(&self, tid: Tid, what: &str) {
        if self.attach {
            say(format_args!("{}: Process {tid} {what}", self.name));
        }
    }
}
