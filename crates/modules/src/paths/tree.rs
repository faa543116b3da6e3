//! The host's files, as far as walking needs them.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use contract::{Pid, Tid};

use super::errno::Errno;
use super::plain::{Plain, names};

/// What a name stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Met {
    /// A directory.
    Directory,
    /// A symbolic link with this text.
    Link(Vec<u8>),
    /// A regular file.
    File,
    /// A device, a pipe or a socket.
    Special,
}

/// Where a path leads on the host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Leads {
    /// The kernel meets no symbolic link on the way. Where something is missing, that is so as far as it
    /// comes.
    Straight,
    /// To the file that the kernel knows by this path.
    To(Plain),
    /// To nothing that is there, or that is known.
    Nowhere,
}

/// The files of the host.
pub trait Tree {
    /// What is there; a symbolic link is not followed.
    fn look(&self, host: &Plain) -> Result<Met, Errno>;

    /// Whether there is a file. One that is a symbolic link counts without `follow`.
    fn is_there(&self, host: &Plain, follow: bool) -> bool;

    /// Where a path leads. Whether its last name is a symbolic link counts only with `follow`.
    fn leads(&self, host: &Plain, follow: bool) -> Leads;

    /// The path by which the kernel knows the file, all symbolic links followed.
    fn canonical(&self, host: &Plain) -> io::Result<Plain>;
}

/// The files of the machine, as this thread of a guest finds them: `/proc/self` is its own.
#[derive(Clone, Copy, Debug)]
pub struct HostTree {
    caller: Option<(Pid, Tid)>,
}

impl HostTree {
    /// As the supervisor finds them.
    pub const NOBODY: HostTree = HostTree { caller: None };

    /// As this thread finds them.
    pub fn of(process: Pid, thread: Tid) -> HostTree {
        HostTree { caller: Some((process, thread)) }
    }

    /// The same file for the supervisor.
    fn name<'a>(&self, host: &'a Plain) -> Cow<'a, Plain> {
        let Some((process, thread)) = self.caller else { return Cow::Borrowed(host) };
        if let Some(rest) = host.raw().strip_prefix(b"/proc/self/") {
            let own = format!("/proc/{}/", process.0);
            return Cow::Owned(Plain::ROOT.join(&[own.as_bytes(), rest].concat()));
        }
        if let Some(rest) = host.raw().strip_prefix(b"/proc/thread-self/") {
            let own = format!("/proc/{}/task/{}/", process.0, thread.0);
            return Cow::Owned(Plain::ROOT.join(&[own.as_bytes(), rest].concat()));
        }
        Cow::Borrowed(host)
    }
}

impl Tree for HostTree {
    fn look(&self, host: &Plain) -> Result<Met, Errno> {
        let host = self.name(host);
        let path = host.as_path();
        // A link is what is asked for, mostly: other files cost the second call.
        match fs::read_link(path) {
            Ok(text) => Ok(Met::Link(text.into_os_string().into_encoded_bytes())),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
                let meta = fs::symlink_metadata(path).map_err(Errno::of)?;
                Ok(match meta.file_type() {
                    kind if kind.is_dir() => Met::Directory,
                    kind if kind.is_file() => Met::File,
                    _ => Met::Special,
                })
            }
            Err(error) => Err(Errno::of(error)),
        }
    }

    fn is_there(&self, host: &Plain, follow: bool) -> bool {
        let host = self.name(host);
        let path = host.as_path();
        let meta = if follow { fs::metadata(path) } else { fs::symlink_metadata(path) };
        meta.is_ok()
    }

    fn leads(&self, host: &Plain, follow: bool) -> Leads {
        let mut path = self.name(host).into_owned();
        let mut follow = follow;
        let mut is_there = true;
        loop {
            match kernel_name(&path, follow) {
                Ok(name) if name.as_os_str().as_bytes() == path.as_bytes() => {
                    return Leads::Straight;
                }
                Ok(name) if is_there => {
                    let name = Plain::of(name.as_os_str().as_bytes());
                    return name.map_or(Leads::Nowhere, Leads::To);
                }
                // The last name is missing, or it is a link to what is missing. Else the way to it counts.
                Err(error) if error.raw_os_error() == Some(libc::ENOENT) && path != Plain::ROOT => {
                    if follow && kernel_name(&path, false).is_ok() {
                        return Leads::Nowhere;
                    }
                    is_there = false;
                    path.pop();
                    follow = true;
                }
                Ok(_) | Err(_) => return Leads::Nowhere,
            }
        }
    }

    fn canonical(&self, host: &Plain) -> io::Result<Plain> {
        let path = fs::canonicalize(host.as_path())?;
        Ok(Plain::of(path.as_os_str().as_bytes()).unwrap_or_default())
    }
}

/// The path by which the kernel knows a file. Two calls more than `openat2(2)` would need, but by the
/// standard library, and on every kernel.
fn kernel_name(path: &Plain, follow: bool) -> io::Result<PathBuf> {
    fs::read_link(link_of(&hold(path.as_path(), follow)?))
}

/// Whether the kernel meets a symbolic link on the way of a path without `..` from this directory. It is asked
/// name by name: the path of what it comes to may be too long. Whether the last name is a link counts only
/// with `follow`.
pub fn meets_link(directory: &Path, path: &[u8], follow: bool) -> bool {
    let Ok(mut at) = hold(directory, true) else { return false };
    let mut ahead = names(path).filter(|name| *name != b".").peekable();
    while let Some(name) = ahead.next() {
        if ahead.peek().is_none() && !follow {
            break;
        }
        match hold(&link_of(&at).join(OsStr::from_bytes(name)), false) {
            Ok(next) => at = next,
            // The guest comes no further either.
            Err(_) => break,
        }
        if at.metadata().is_ok_and(|meta| meta.is_symlink()) {
            return true;
        }
    }
    false
}

/// Takes hold of a file without opening it.
fn hold(path: &Path, follow: bool) -> io::Result<File> {
    let flags = if follow { libc::O_PATH } else { libc::O_PATH | libc::O_NOFOLLOW };
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// The link by which the kernel leads to a file that we hold.
fn link_of(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}
