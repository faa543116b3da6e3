//! A directory that nobody but this user can write to.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use kernel::user;

/// The permissions that others than the owner have.
const OF_OTHERS: u32 = 0o077;

/// An open directory: whatever becomes of its path, what is read and written is in it.
#[derive(Debug)]
pub struct Folder(File);

impl Folder {
    /// Opens it, if it is there, is no symbolic link, is owned by this process's user, and others
    /// have no permission for it.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
        let folder = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        check_owned(&folder.metadata()?)?;
        Ok(Folder(folder))
    }

    /// Opens it, and makes it first if it is not there.
    pub fn create(path: &Path) -> io::Result<Folder> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        Folder::open(path)
    }

    /// Reads a file of at most `most` bytes, if it is one that this user's supervisor has written.
    pub fn read(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        // An open of a FIFO would wait.
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(self.path(name))?;
        let data = file.metadata()?;
        check_owned(&data)?;
        if !data.is_file() || data.len() > most {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut bytes = vec![0; data.len() as usize];
        (&file).read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Puts a file in the place of the one of this name, if there is one. Who reads it meanwhile
    /// finds the one or the other.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let new = self.path(&format!("new-{}-{count}", std::process::id()));
        let written = write_new(&new, bytes).and_then(|()| fs::rename(&new, self.path(name)));
        written.inspect_err(|_| {
            // It may not even be there.
            let _: io::Result<()> = fs::remove_file(&new);
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}/{name}", self.0.as_raw_fd()))
    }
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(bytes)
}

fn check_owned(data: &fs::Metadata) -> io::Result<()> {
    let ours = data.uid() == user::effective() && data.mode() & OF_OTHERS == 0;
    if ours { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}
