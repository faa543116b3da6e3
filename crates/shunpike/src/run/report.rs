//! What is told at a run's end: what was refused, and what was touched.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::rc::Rc;

use anyhow::Context;
use contract::Refusals;
use modules::deny::Learned;

use crate::cli::{denial_of, list};
use crate::errors::say;

/// What there will be to tell.
#[derive(Default)]
pub(super) struct Report {
    /// What was refused.
    pub refused: Option<Refusals>,
    /// What was touched.
    pub learned: Option<Rc<RefCell<Learned>>>,
    /// Where it is written, if not to stderr: open since before the program began, which could have put
    /// a link in its place.
    pub file: Option<(PathBuf, File)>,
}

impl Report {
    /// Tells it. `name` is what the command was called by.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn tell(&self, name: &str) -> anyhow::Result<()> {
        let text = self.text();
        match &self.file {
            Some((path, file)) => (&*file)
                .write_all(text.as_bytes())
                .with_context(|| format!("--report: cannot write '{}'", path.display())),
            None => {
                // What was learned is for a file, so it comes without a name in front.
                let prefix =
                    if self.learned.is_some() { String::new() } else { format!("{name}: ") };
                text.lines().for_each(|line| say(format_args!("{prefix}{line}")));
                Ok(())
            }
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        if let Some(refused) = &self.refused {
            let comment = if self.learned.is_some() { "# " } else { "" };
            for (refusal, count) in refused.all() {
                let of =
                    refusal.path.as_ref().map(|path| format!(" of {path}")).unwrap_or_default();
                let (call, rule) = (refusal.call, &refusal.rule);
                let _ = writeln!(text, "{comment}refused: {count} x {call}{of}, by {rule}");
            }
        }
        if let Some(learned) = &self.learned {
            let learned = learned.borrow();
            list(&mut text, "deny", learned.files().map(|(path, calls)| denial_of(calls, path)));
        }
        text
    }
}
