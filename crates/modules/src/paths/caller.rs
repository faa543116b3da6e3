//! Who gives a path, and which of its links are followed.

use super::plain::{Plain, names};

/// Whether a symbolic link is followed that is the last name of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Last {
    /// It is.
    Follow,
    /// The call is about the link itself, unless a slash behind it asks for a directory.
    Keep,
    /// The call is about the name, whatever stands behind it: it makes or removes it.
    Name,
}

impl Last {
    /// Whether a link is followed that is the last name of this path.
    pub fn follows(self, path: &[u8]) -> bool {
        match self {
            Last::Follow => true,
            Last::Keep => ends_with_directory(path),
            Last::Name => ends_with_dots(path),
        }
    }
}

/// Which symbolic links may be on the way of a path: any other is an error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Follows {
    /// None (`RESOLVE_NO_SYMLINKS`).
    None,
    /// Those that have a text, not those by which `/proc` leads to files (`RESOLVE_NO_MAGICLINKS`).
    Ordinary,
    /// All.
    All,
}

/// Who gives a path: what it is relative to. Only looked up where it counts.
pub trait Caller {
    /// The directory at which a relative path begins, as the kernel knows it; `None` where it has no
    /// path (it was removed, or is none).
    fn start_on_host(&self) -> Option<Plain>;

    /// The same directory by the guest's name for it.
    fn start(&self) -> Option<Plain>;

    /// The directory that is the guest's `/` (`chroot(2)`), by its name without such a change.
    fn root(&self) -> &Plain;

    /// Which links are followed.
    fn follows(&self) -> Follows {
        Follows::All
    }

    /// Whether a symbolic link is on the way of a relative path without `..`, where its name on the host is
    /// too long to ask by it. Whether the last name is one counts only with `follow`.
    fn meets_link(&self, _path: &[u8], _follow: bool) -> bool {
        true
    }

    /// The guest's name for what a link of `/proc/PID` leads to, where it is another than the map says.
    fn link_name(&self, host: &Plain) -> Option<Plain>;
}

/// Whether a path can only mean a directory, so that a link which is its last name is followed.
pub(super) fn ends_with_directory(path: &[u8]) -> bool {
    path.ends_with(b"/") || ends_with_dots(path)
}

/// Whether the last name of a path is `.` or `..`.
pub(crate) fn ends_with_dots(path: &[u8]) -> bool {
    names(path).next_back().is_some_and(|name| name == b"." || name == b"..")
}
