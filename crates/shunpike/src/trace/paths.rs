//! `-P`: calls that name one of these paths, or use a descriptor of one.

use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use record::{Node, Record, Value};

/// Paths as the user gave them and as they resolve.
#[derive(Debug)]
pub(super) struct Paths {
    paths: Vec<Vec<u8>>,
}

impl Paths {
    /// The set of these paths and what they resolve to.
    pub(super) fn new(given: &[PathBuf]) -> Paths {
        let mut paths = Vec::new();
        for path in given {
            paths.push(path.as_os_str().as_bytes().to_vec());
            if let Ok(resolved) = fs::canonicalize(path) {
                paths.push(resolved.into_os_string().into_vec());
            }
        }
        Paths { paths }
    }

    /// Whether a call names one of them, by an argument or by a descriptor.
    pub(super) fn match_call(&self, record: &Record<'_>) -> bool {
        self.paths.is_empty() || record.args.all().any(|node| self.match_node(node))
    }

    fn match_node(&self, node: &Node<'_>) -> bool {
        match node.value {
            Value::Path { bytes, .. } => self.contains(bytes),
            Value::Fd(_, Some(info)) | Value::DirFd(_, Some(info)) => self.contains(&info.target),
            _ => false,
        }
    }

    fn contains(&self, path: &[u8]) -> bool {
        self.paths.iter().any(|known| known == path)
    }
}
