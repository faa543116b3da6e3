//! What is known of the sites of files, kept on disk from one session to the next.
//!
//! There is a file of ours for each executable file, in a directory that is this user's alone
//! ([`folder`]), under a name made of its file system and inode. There are [`NAMES`] names: so the
//! cache is bounded, and of two files with the same name the later takes the place. An entry is of
//! one [`Version`] of a file and of no other. What is not as it should be is not there.
//!
//! What windows rest on that their own bytes do not show (where instructions begin, and that nothing
//! branches to the middle) is believed of an entry: only this user can have written it, and the file
//! has not changed since. Whoever patches compares the bytes.

mod folder;
mod format;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use kernel::proc::mappings::Version;

use super::Window;
use folder::Folder;
use format::checksum;

/// How many files are remembered at most.
const NAMES: u64 = 1 << 12;
/// A file that was changed less than so many seconds ago may change again within the resolution of
/// its times.
const SETTLED: i64 = 2;

/// Sites of a file that programs have made calls from, by their offsets in it, as are the
/// addresses of their windows. Those without a window stay as they are.
pub type Sites = BTreeMap<u64, Option<Rc<Window>>>;

/// From where a program makes its calls: for each file, by device and inode, the offsets of sites in
/// it.
pub type Habits = BTreeMap<(u64, u64), BTreeSet<u64>>;

/// What is known of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// Its sites.
    pub sites: Sites,
    /// Where it is a program: what that does.
    pub habits: Habits,
}

/// The cache; where no directory is given or possible, one that holds nothing.
#[derive(Debug)]
pub struct Cache {
    path: Option<PathBuf>,
    /// Opened when it is first needed: most sessions that may have an agent get none.
    folder: OnceCell<Option<Folder>>,
}

impl Cache {
    /// The cache in a directory, which need not be there yet.
    pub fn new(path: Option<PathBuf>) -> Cache {
        Cache { path, folder: OnceCell::new() }
    }

    /// What is known of a file.
    pub fn load(&self, version: &Version) -> Entry {
        let read = |folder: &Folder| folder.read(&name(version), format::LEN_MAX).ok();
        let bytes = self.folder().and_then(read);
        bytes.and_then(|bytes| format::decode(&bytes, version)).unwrap_or_default()
    }

    /// Keeps what is known of a file, if that can be.
    pub fn save(&mut self, version: &Version, entry: &Entry) {
        if self.folder().is_none() {
            self.folder = self.path.as_deref().and_then(|path| Folder::create(path).ok()).into();
        }
        let Some(folder) = self.folder() else { return };
        // A full disk, for one: then it is learned again.
        let _: std::io::Result<()> =
            folder.replace(&name(version), &format::encode(version, entry));
    }

    fn folder(&self) -> Option<&Folder> {
        let open = || self.path.as_deref().and_then(|path| Folder::open(path).ok());
        self.folder.get_or_init(open).as_ref()
    }
}

/// Whether whatever may still be written to a file will give it another version.
pub fn is_settled(version: &Version) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let [changed, _] = version.changed;
    changed.saturating_add(SETTLED) < now as i64
}

fn name(version: &Version) -> String {
    let words = [version.device, version.inode].map(u64::to_le_bytes);
    format!("sites-{:03x}", checksum(words.as_flattened()) % NAMES)
}

#[cfg(test)]
mod tests;
