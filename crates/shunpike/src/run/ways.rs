//! The directories on the ways to places, where the host has none.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::{env, fs, process};

use anyhow::Context;
use modules::paths::{HostTree, Map, Plain};

/// An empty directory that the program sees there. It is removed at the end.
pub(super) struct Ways(Option<PathBuf>);

impl Ways {
    /// Has the program see what is missing on the ways to this map's places.
    ///
    /// # Errors
    /// No directory can be made for it.
    pub fn make(map: &mut Map) -> anyhow::Result<Ways> {
        let missing = map.missing_ways(&HostTree::NOBODY);
        if missing.is_empty() {
            return Ok(Ways(None));
        }
        let path = env::temp_dir().join(format!("shunpike-empty-{}", process::id()));
        let made = fs::create_dir(&path).and_then(|()| fs::canonicalize(&path));
        let path = made.with_context(|| {
            format!("cannot make the directory '{}' for {}", path.display(), missing[0])
        })?;
        let empty = Plain::of(path.as_os_str().as_bytes()).context("it has a plain path")?;
        map.show_ways(missing, &empty);
        Ok(Ways(Some(path)))
    }

    /// Removes the directory.
    pub fn remove(&self) {
        if let Some(path) = &self.0 {
            // It is the user's, if something is in it all the same.
            let _ = fs::remove_dir(path);
        }
    }
}

impl Drop for Ways {
    fn drop(&mut self) {
        self.remove();
    }
}
