//! Calls picked by their end: `-z`, `-Z`, `-e status=`.

use record::Record;

/// Which calls are shown, by their end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StatusFilter {
    /// They returned without an error.
    pub successful: bool,
    /// They returned an error.
    pub failed: bool,
    /// They did not return: the thread ended within them.
    pub unfinished: bool,
    /// They returned, but what could not be seen.
    pub unavailable: bool,
    /// The thread was let go within them.
    pub detached: bool,
}

impl StatusFilter {
    /// All calls.
    pub const ALL: StatusFilter = StatusFilter {
        successful: true,
        failed: true,
        unfinished: true,
        unavailable: true,
        detached: true,
    };

    /// Whether a call that has returned is shown.
    pub fn shows(&self, record: &Record<'_>) -> bool {
        self.shows_outcome(record.result.as_ref().map(|result| result.failed))
    }

    /// The same of one that has failed or not, or whose outcome is unknown.
    pub fn shows_outcome(&self, failed: Option<bool>) -> bool {
        match failed {
            None => self.unavailable,
            Some(true) => self.failed,
            Some(false) => self.successful,
        }
    }
}

impl Default for StatusFilter {
    fn default() -> StatusFilter {
        StatusFilter::ALL
    }
}
