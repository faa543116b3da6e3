//! The language of filter expressions: `[!]all`, `[!]none`, `[!]item[,item]…`.
//!
//! What an item is depends on the set: a call ([`calls`]), a signal ([`signals`]), a descriptor
//! ([`fds`]) or one of a few fixed names ([`named`]). The meaning is that of `strace(1)`: each
//! new expression replaces the one before, and a `!` in front turns the whole set around.

mod calls;
mod fds;
mod named;
mod signals;

use super::usage::UsageError;

pub(super) use calls::{call_candidates, call_set};
pub use fds::FdSet;
pub use named::{DecodeFds, DecodePids, QuietSet, SecurityContextSet, StatusSet};
pub use signals::SignalSet;
pub(super) use signals::signal_number;

/// A set that an expression can describe.
pub(super) trait Set {
    /// The empty set.
    const NONE: Self;
    /// Everything that is not in the set.
    #[must_use]
    fn complement(self) -> Self;
}

/// Parses an expression. `what` is what error messages call an item; `add` puts an item's
/// members into the set.
fn parse_set<S: Set>(
    what: &str,
    text: &str,
    mut add: impl FnMut(&mut S, &str) -> Result<(), UsageError>,
) -> Result<S, UsageError> {
    let list = text.trim_start_matches('!');
    let negated = (text.len() - list.len()) % 2 == 1;
    let mut set = S::NONE;
    match list {
        "all" => set = set.complement(),
        "none" => {}
        _ => {
            let mut items = list.split(',').filter(|item| !item.is_empty()).peekable();
            if items.peek().is_none() {
                return Err(UsageError::new(format!("invalid {what} '{text}'"))
                    .way_out("the list names nothing; 'none' is the empty set"));
            }
            items.try_for_each(|item| add(&mut set, item))?;
        }
    }
    Ok(if negated { set.complement() } else { set })
}
