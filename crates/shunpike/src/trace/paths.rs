//! `-P`: calls that name one of these paths, or use a descriptor of one.

use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use outputs::text::quoted;
use record::{Node, Value};

/// Paths as the user gave them and as they resolve.
///
/// A path that the guest names is compared as it is, whatever directory it is relative to: so does
/// strace.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    given: Vec<Vec<u8>>,
    /// What those resolve to that lead elsewhere, beside the number of the given one.
    resolved: Vec<(usize, Vec<u8>)>,
}

impl Paths {
    /// The set of these paths and what they resolve to.
    pub(super) fn new(given: &[PathBuf]) -> Paths {
        let resolve =
            |path| fs::canonicalize(path).ok().map(|path| path.into_os_string().into_vec());
        let given: Vec<Vec<u8>> =
            given.iter().map(|path| path.as_os_str().as_bytes().into()).collect();
        let resolved = given.iter().enumerate().filter_map(|(place, path)| {
            let resolved = resolve(std::ffi::OsStr::from_bytes(path))?;
            (resolved != *path).then_some((place, resolved))
        });
        let resolved = resolved.collect();
        Paths { given, resolved }
    }

    /// What the user should know of the paths that lead elsewhere.
    pub(super) fn resolutions(&self) -> impl Iterator<Item = String> {
        self.resolved.iter().map(|(place, resolved)| {
            let [given, resolved] = [&self.given[*place], resolved].map(|path| quoted(path));
            format!("Requested path {given} resolved into {resolved}")
        })
    }

    /// Whether none is asked for.
    pub(super) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Whether this is one of them, or a descriptor of one. The working directory is not used just
    /// because a path may be relative to it.
    pub(super) fn match_node(&self, node: &Node<'_>) -> bool {
        match node.value {
            Value::Path { bytes, .. } => self.contains(bytes),
            Value::Fd(0.., Some(info)) | Value::DirFd(0.., Some(info)) => {
                self.contains(&info.target)
            }
            _ => false,
        }
    }

    fn contains(&self, path: &[u8]) -> bool {
        let resolved = self.resolved.iter().map(|(_, path)| path);
        self.given.iter().chain(resolved).any(|known| known == path)
    }
}

#[cfg(test)]
mod tests {
    use record::FdInfo;

    use super::*;

    #[test]
    fn paths_match_as_given_and_as_resolved() {
        let paths = Paths::new(&["/proc/self/../version".into(), "/nonexistent".into()]);
        let messages: Vec<String> = paths.resolutions().collect();
        let message = r#"Requested path "/proc/self/../version" resolved into "/proc/version""#;
        assert_eq!(messages, [message]);
        let is_matched = |value| paths.match_node(&Node { value, ..Node::default() });
        let names = |bytes| is_matched(Value::Path { bytes, cut: false, context: None });
        assert!(names(b"/proc/self/../version") && names(b"/proc/version"));
        assert!(names(b"/nonexistent") && !names(b"/proc") && !names(b"version"));
        let info = FdInfo { target: b"/proc/version".into(), ..FdInfo::default() };
        assert!(is_matched(Value::Fd(3, Some(&info))) && !is_matched(Value::Fd(3, None)));
        assert!(!is_matched(Value::DirFd(-100, Some(&info))));
    }
}
