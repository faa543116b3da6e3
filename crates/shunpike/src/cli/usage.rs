//! What is wrong with a command line.

use std::fmt;

/// A command line that cannot be followed: the cause, and the way out where there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UsageError {
    cause: String,
    way_out: Option<String>,
    subcommand: Option<&'static str>,
}

impl UsageError {
    pub(super) fn new(cause: impl Into<String>) -> UsageError {
        UsageError { cause: cause.into(), way_out: None, subcommand: None }
    }

    /// The same error with a way out.
    #[must_use]
    pub(super) fn way_out(mut self, way_out: impl Into<String>) -> UsageError {
        self.way_out = Some(way_out.into());
        self
    }

    /// The same error, met in the arguments of this subcommand.
    #[must_use]
    pub(super) fn within(mut self, subcommand: &'static str) -> UsageError {
        self.subcommand = Some(subcommand);
        self
    }

    /// The subcommand in whose arguments the error is, if one was named.
    pub(super) fn subcommand(&self) -> Option<&'static str> {
        self.subcommand
    }

    /// The same error, with the candidate most like the word that was not understood.
    #[must_use]
    pub(super) fn nearest<'a>(
        self,
        word: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> UsageError {
        match super::suggest::nearest(word, candidates) {
            Some(nearest) => self.way_out(format!("did you mean '{nearest}'?")),
            None => self,
        }
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)?;
        match &self.way_out {
            Some(way_out) => write!(f, "; {way_out}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UsageError {}
