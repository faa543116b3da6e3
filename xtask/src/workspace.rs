//! Where things lie in this workspace.

use std::path::PathBuf;

/// The workspace's root.
pub fn root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}
