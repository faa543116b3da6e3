//! Which of the calls that are told of are shown: where only those are that use some path or descriptor
//! (`-P`, `-e fd=`), and where others are told of for the sake of their numbers (`-n`).

use contract::{CallSet, Capture};
use record::{Decoder, Node, Record, Value};

use super::calls;
use super::paths::Paths;
use crate::cli::{FdSet, TraceOptions};

/// Some calls, with some paths or descriptors; or all, where none is named.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    calls: CallSet,
    paths: Paths,
    fds: Option<FdSet>,
}

impl Selection {
    /// What the options name.
    pub(super) fn of(options: &TraceOptions) -> Selection {
        Selection {
            calls: calls::shown(options),
            paths: Paths::new(&options.filter.paths),
            fds: options.filter.fds.clone(),
        }
    }

    /// The paths that are named.
    pub(super) fn paths(&self) -> &Paths {
        &self.paths
    }

    /// Whether a call is shown, of which the entry half is known.
    pub(super) fn wants(&self, call: &Capture) -> bool {
        // All arguments count, also those behind one that is shown at the call's return, and however
        // they are shown.
        self.calls.contains_of(call.arch, call.number)
            && (self.has_all_files() || self.names(&Decoder::default().exit(call)))
    }

    fn has_all_files(&self) -> bool {
        self.paths.is_empty() && self.fds.is_none()
    }

    /// Whether a call uses one of the paths or one of the descriptors, as far as its arguments are
    /// known before it runs.
    fn names(&self, record: &Record<'_>) -> bool {
        let has_fd = |node: &Node<'_>| match (node.value, &self.fds) {
            (Value::Fd(fd, _) | Value::DirFd(fd, _), Some(fds)) => {
                u32::try_from(fd).is_ok_and(|fd| fds.contains(fd))
            }
            _ => false,
        };
        record.args.all().any(|node| self.paths.match_node(node) || has_fd(node))
    }
}
