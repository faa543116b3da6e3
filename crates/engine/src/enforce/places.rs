//! What is forbidden of a file, by the kernel's name for it.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;

use contract::ForbiddenFiles;

use super::calls::Use;

/// Files that are forbidden.
#[derive(Debug)]
pub struct Places(pub Vec<ForbiddenFiles>);

/// What the kernel puts behind the name of a file that has none any more.
const DELETED: &[u8] = b" (deleted)";

impl Places {
    /// What forbids that this is done with a file that is there.
    ///
    /// # Errors
    /// Its name cannot be told.
    pub fn of_file(&self, file: &OwnedFd, does: Use) -> io::Result<Option<&ForbiddenFiles>> {
        let name = name_of(file)?;
        let mut inode = None;
        if self.0.iter().any(|files| files.inode.is_some()) {
            let data = File::from(file.try_clone()?).metadata()?;
            inode = Some((data.dev(), data.ino()));
        }
        Ok(self.forbids(&name, inode, does))
    }

    /// What forbids that this is done with a file that goes by this name.
    pub fn of_name(&self, name: &[u8], does: Use) -> Option<&ForbiddenFiles> {
        self.forbids(name, None, does)
    }

    fn forbids(
        &self,
        name: &[u8],
        inode: Option<(u64, u64)>,
        does: Use,
    ) -> Option<&ForbiddenFiles> {
        let name = name.strip_suffix(DELETED).unwrap_or(name);
        let about = |files: &&ForbiddenFiles| {
            let moved = does == Use::Moved && name.starts_with(b"/") && files.is_on_the_way(name);
            (files.is(name, inode) || moved) && !(files.readable && does == Use::Looked)
        };
        self.0.iter().find(about)
    }
}

/// The kernel's name for a file; without a slash in front for what is not in the file system.
///
/// # Errors
/// It is too long to be told.
pub fn name_of(file: &OwnedFd) -> io::Result<Vec<u8>> {
    let link = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    Ok(link.into_os_string().into_vec())
}

/// The name of what a directory has by this name.
///
/// # Errors
/// It is too long to be told.
pub fn name_in(directory: &OwnedFd, name: &[u8]) -> io::Result<Vec<u8>> {
    let mut path = name_of(directory)?;
    if name == b"." || name == b".." {
        // The call will fail.
        return Ok(path);
    }
    if path != b"/" {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(host: &[u8], readable: bool) -> ForbiddenFiles {
        let (host, rule) = (host.to_vec(), String::new());
        ForbiddenFiles { host, inode: None, readable, errno: 1, rule }
    }

    #[test]
    fn the_first_that_is_about_a_file_counts() {
        let places = Places(vec![place(b"/a/b", false), place(b"/a", true)]);
        let forbids =
            |name: &[u8], does| places.of_name(name, does).map(|files| files.host.clone());
        assert_eq!(forbids(b"/a/b/c", Use::Looked), Some(b"/a/b".to_vec()));
        assert_eq!(forbids(b"/a/b (deleted)", Use::Looked), Some(b"/a/b".to_vec()));
        assert_eq!(forbids(b"/a/c", Use::Looked), None);
        assert_eq!(forbids(b"/a/c", Use::Changed), Some(b"/a".to_vec()));
        assert_eq!(forbids(b"/ab", Use::Moved), None);
        // Who moves what is above moves what is below.
        assert_eq!(forbids(b"/", Use::Moved), Some(b"/a/b".to_vec()));
        assert_eq!(forbids(b"pipe:[3]", Use::Changed), None);
    }
}
