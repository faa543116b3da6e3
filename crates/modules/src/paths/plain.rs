//! Paths as the kernel tells them: nothing in them is left to be followed.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// An absolute path without `.`, `..` and empty names, and without a slash at its end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Plain(Vec<u8>);

impl Plain {
    /// The root directory.
    pub const ROOT: Plain = Plain(Vec::new());

    /// An absolute path, if it is plain but for slashes that say nothing.
    pub fn of(path: &[u8]) -> Option<Plain> {
        let mut plain = Plain::ROOT;
        if !path.starts_with(b"/") {
            return None;
        }
        for name in names(path) {
            if name == b"." || name == b".." {
                return None;
            }
            plain.push(name);
        }
        Some(plain)
    }

    /// Goes into the directory.
    pub fn push(&mut self, name: &[u8]) {
        self.0.push(b'/');
        self.0.extend_from_slice(name);
    }

    /// Goes to the directory above; the root's is the root.
    pub fn pop(&mut self) {
        let end = self.0.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        self.0.truncate(end);
    }

    /// What leads from `above` to here, empty or with a slash before it; `None` where this does not
    /// lie at or below `above`.
    pub fn below(&self, above: &Plain) -> Option<&[u8]> {
        let rest = self.0.strip_prefix(above.0.as_slice())?;
        (rest.is_empty() || rest[0] == b'/').then_some(rest)
    }

    /// This with the rest of a path behind it, as [`Plain::below`] gives it.
    #[must_use]
    pub fn join(&self, rest: &[u8]) -> Plain {
        Plain([self.0.as_slice(), rest].concat())
    }

    /// As a path for a call: the root is `/`.
    pub fn as_bytes(&self) -> &[u8] {
        if self.0.is_empty() { b"/" } else { &self.0 }
    }

    /// As a path for the standard library.
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.as_bytes()))
    }

    /// The names on the way.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        names(&self.0)
    }

    /// Its bytes without a name for the root.
    pub(crate) fn raw(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_path().display().fmt(f)
    }
}

/// The names of a path.
pub(super) fn names(path: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    path.split(|&byte| byte == b'/').filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(path: &str) -> Plain {
        Plain::of(path.as_bytes()).expect("a plain path")
    }

    #[test]
    fn only_plain_paths_are_taken() {
        assert_eq!(plain("//a///b/").as_bytes(), b"/a/b");
        assert_eq!(plain("/").as_bytes(), b"/");
        for path in ["", "a", "/a/../b", "/./a"] {
            assert_eq!(Plain::of(path.as_bytes()), None, "{path}");
        }
    }

    #[test]
    fn a_name_is_not_below_another_that_it_begins_with() {
        assert_eq!(plain("/ab").below(&plain("/a")), None);
        assert_eq!(plain("/a/b").below(&plain("/a")), Some(&b"/b"[..]));
        assert_eq!(plain("/a").below(&plain("/a")), Some(&b""[..]));
        assert_eq!(plain("/a").below(&Plain::ROOT), Some(&b"/a"[..]));
    }

    #[test]
    fn above_the_root_is_the_root() {
        let mut path = plain("/a/b");
        path.pop();
        assert_eq!(path, plain("/a"));
        path.pop();
        path.pop();
        assert_eq!(path, Plain::ROOT);
    }
}
