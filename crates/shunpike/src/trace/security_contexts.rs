//! `--secontext`: which security contexts are looked up, and what cannot be told here.

use engine::SecurityContexts;
use kernel::proc::security_contexts::are_in_use;

use crate::cli::{SecurityContextSet, SummaryMode, TraceOptions};
use crate::errors::say;

/// The contexts of files that the engine is to look up. Says what of those that are asked for there
/// is not.
pub(super) fn wanted(options: &TraceOptions, name: &str) -> SecurityContexts {
    let Some(set) = options.values.contexts else { return SecurityContexts::None };
    if options.summary.mode == SummaryMode::Only {
        return SecurityContexts::None;
    }
    let warn = |what: String| say(format_args!("{name}: --secontext: {what}"));
    if !are_in_use() {
        warn(
            "SELinux is not in use here: processes have no contexts, and files only those that \
             they are labelled with"
                .to_owned(),
        );
    }
    if !set.contains(SecurityContextSet::MISMATCH) {
        return SecurityContexts::Actual;
    }
    SecurityContexts::compared().unwrap_or_else(|error| {
        warn(format!("mismatch: there is no policy to compare with: {error}"));
        SecurityContexts::Actual
    })
}
