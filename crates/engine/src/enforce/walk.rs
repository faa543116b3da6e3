//! Finds the files of guests' paths, without asking the kernel to follow a symbolic link.
//!
//! A link in `/proc` leads each process elsewhere (`/proc/self`), and others jump past all names: so
//! links are followed here, one by one. All guests' calls that change names pass the one broker, so that
//! none of them can change a path while it is walked.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use kernel::behalf;
use libc::{O_NOFOLLOW, pid_t};

use super::places::{name_in, name_of};

/// As many symbolic links does the kernel follow on one path.
const MOST_LINKS: usize = 40;
/// `PROC_SUPER_MAGIC` of `linux/magic.h`.
const PROC: u64 = 0x9fa0;
/// Where it is.
const PROC_DIRECTORY: &[u8] = b"/proc";

/// Whose path is walked.
#[derive(Clone, Copy, Debug)]
pub struct Walker<'a> {
    /// The root directory.
    pub root: &'a OwnedFd,
    /// The thread.
    pub tid: pid_t,
    /// Its process.
    pub tgid: pid_t,
}

/// What a path leads to.
#[derive(Debug)]
pub struct Found {
    /// The directory in which the last name stands, and that name: where it was asked for.
    pub entry: Option<(OwnedFd, Vec<u8>)>,
    /// The file, if there is one.
    pub file: Option<OwnedFd>,
    /// The last name has a slash behind it: it is a directory's, or nothing's.
    pub as_directory: bool,
}

impl Found {
    /// The file, which has to be there.
    pub fn there(&self) -> io::Result<&OwnedFd> {
        self.file.as_ref().ok_or_else(|| errno(libc::ENOENT))
    }

    /// A path of ours to the file: it leads to this one, whatever the names are.
    pub fn path(&self) -> io::Result<Vec<u8>> {
        Ok(path_of(self.there()?))
    }

    /// The kernel's path of the last name, with a NUL: nobody but guests' calls, which wait, is to change it.
    pub fn kernels_name(&self) -> io::Result<Vec<u8>> {
        let (directory, name) = self.entry.as_ref().ok_or_else(|| errno(libc::ENOENT))?;
        Ok(with_nul(&name_in(directory, name)?))
    }

    /// A path of ours to the last name.
    pub fn name(&self) -> io::Result<Vec<u8>> {
        let (directory, name) = self.entry.as_ref().ok_or_else(|| errno(libc::ENOENT))?;
        Ok(path_in(directory, name))
    }
}

/// An error of the kernel's.
pub fn errno(number: i32) -> io::Error {
    io::Error::from_raw_os_error(number)
}

/// A path of ours to a file that is open, with a NUL.
pub fn path_of(file: &OwnedFd) -> Vec<u8> {
    format!("/proc/self/fd/{}\0", file.as_raw_fd()).into_bytes()
}

/// A path of ours to what a directory has by this name, with a NUL.
pub fn path_in(directory: &OwnedFd, name: &[u8]) -> Vec<u8> {
    let mut path = format!("/proc/self/fd/{}/", directory.as_raw_fd()).into_bytes();
    path.extend_from_slice(name);
    path.push(0);
    path
}

impl Walker<'_> {
    /// Walks a path that is relative to `start`, and not empty. `follow`: also a link that is its last
    /// name. `entry`: the last name's directory is wanted too, and the file need not be there.
    ///
    /// # Errors
    /// Those of `path_resolution(7)`.
    pub fn walk(
        &self,
        start: &OwnedFd,
        path: &[u8],
        follow: bool,
        entry: bool,
    ) -> io::Result<Found> {
        let absolute = path.starts_with(b"/");
        let start = if absolute { self.root } else { start };
        let mut names: Vec<Vec<u8>> = reversed(path);
        // Dots are directories anyway.
        let is_name = names.first().is_some_and(|name| *name != b"." && *name != b"..");
        let as_directory = is_name && path.ends_with(b"/");
        if names.is_empty() {
            names.push(b".".to_vec());
        }
        let follow = follow || as_directory;
        if follow && !entry {
            match find(start, &joined(&names, 0), 0) {
                Ok(file) => return Ok(Found { entry: None, file: Some(file), as_directory }),
                Err(error) if error.raw_os_error() != Some(libc::ELOOP) => return Err(error),
                Err(_) => {}
            }
        } else if names.len() > 1 {
            // The way is likely to be without a link.
            match find(start, &joined(&names, 1), 0) {
                Ok(directory) => {
                    names.truncate(1);
                    return self.by_names(directory, names, follow, as_directory);
                }
                Err(error) if error.raw_os_error() != Some(libc::ELOOP) => return Err(error),
                Err(_) => {}
            }
        }
        self.by_names(start.try_clone()?, names, follow, as_directory)
    }

    /// Walks name by name; the first of them is the last of the list.
    fn by_names(
        &self,
        mut here: OwnedFd,
        mut names: Vec<Vec<u8>>,
        follow: bool,
        as_directory: bool,
    ) -> io::Result<Found> {
        let mut links = 0;
        while let Some(name) = names.pop() {
            let is_last = names.is_empty();
            let found =
                |here, file| Ok(Found { entry: Some((here, name.clone())), file, as_directory });
            let next = match find(&here, &with_nul(&name), O_NOFOLLOW) {
                Ok(next) => next,
                Err(error) if is_last && error.raw_os_error() == Some(libc::ENOENT) => {
                    return found(here, None);
                }
                Err(error) => return Err(error),
            };
            if !File::from(next.try_clone()?).metadata()?.file_type().is_symlink() {
                if is_last {
                    return found(here, Some(next));
                }
                here = next;
                continue;
            }
            if is_last && !follow {
                return found(here, Some(next));
            }
            links += 1;
            if links > MOST_LINKS {
                return Err(errno(libc::ELOOP));
            }
            match self.follow(&here, &name)? {
                Step::Text(text) => {
                    if text.starts_with(b"/") {
                        here = self.root.try_clone()?;
                    }
                    names.extend(reversed(&text));
                    if names.is_empty() {
                        // It leads to the root.
                        names.push(b".".to_vec());
                    }
                }
                Step::File(file) if is_last => return found(here, Some(file)),
                Step::File(file) => here = file,
            }
        }
        Err(errno(libc::ENOENT))
    }

    /// Where a symbolic link leads.
    fn follow(&self, directory: &OwnedFd, name: &[u8]) -> io::Result<Step> {
        if behalf::file_system(directory.as_fd())? == PROC {
            let above = name_of(directory)?;
            return match self.own_link(&above, name) {
                Some(text) => Ok(Step::Text(text)),
                None if above == PROC_DIRECTORY => read(directory, name).map(Step::Text),
                // What other processes have open is their own.
                None if !self.is_own(&above) => Err(errno(libc::EACCES)),
                None => behalf::open(&path_in(directory, name), libc::O_PATH, 0).map(Step::File),
            };
        }
        read(directory, name).map(Step::Text)
    }

    /// Whether a path leads from its start by its own names to where something was found: then it is the
    /// same for everybody. No guest can change that before the call is made which decides by it.
    ///
    /// # Errors
    /// Names that are too long.
    pub fn is_plain(&self, start: &OwnedFd, path: &[u8], found: &Found) -> io::Result<bool> {
        let Some((directory, name)) = &found.entry else { return Ok(false) };
        let straight = if path.starts_with(b"/") { path.to_vec() } else { name_in(start, path)? };
        Ok(name_in(directory, name)? == straight)
    }

    /// Whether a path of `/proc` is about the guest's own process.
    pub fn is_own(&self, path: &[u8]) -> bool {
        process_of(path) == Some(self.tgid)
    }

    /// What reading a link of this directory tells, if it is one of `/proc` that leads each process elsewhere.
    pub fn own_link(&self, directory: &[u8], name: &[u8]) -> Option<Vec<u8>> {
        let text = match name {
            b"self" => self.tgid.to_string(),
            b"thread-self" => format!("{}/task/{}", self.tgid, self.tid),
            _ => return None,
        };
        (directory == PROC_DIRECTORY).then(|| text.into_bytes())
    }
}

/// Where a link leads.
enum Step {
    /// To this path.
    Text(Vec<u8>),
    /// To this file.
    File(OwnedFd),
}

/// The process that a path of `/proc` is about.
pub fn process_of(path: &[u8]) -> Option<pid_t> {
    let rest = path.strip_prefix(b"/proc/")?;
    let number = rest.split(|&byte| byte == b'/').next()?;
    str::from_utf8(number).ok()?.parse().ok()
}

/// Whether a file is of `/proc`.
pub fn is_of_proc(file: &OwnedFd) -> bool {
    behalf::file_system(file.as_fd()).is_ok_and(|system| system == PROC)
}

/// Whether to open a file may take until somebody else does something.
pub fn may_block(data: &Metadata) -> bool {
    /// Major number of `/dev/null` and the like.
    const MEMORY: u32 = 1;
    let kind = data.file_type();
    kind.is_fifo() || kind.is_char_device() && libc::major(data.rdev()) != MEMORY
}

fn read(directory: &OwnedFd, name: &[u8]) -> io::Result<Vec<u8>> {
    let path = path_in(directory, name);
    let path = std::ffi::OsString::from_vec(path[..path.len() - 1].to_vec());
    Ok(fs::read_link(path)?.into_os_string().into_vec())
}

fn find(directory: &OwnedFd, path: &[u8], flags: i32) -> io::Result<OwnedFd> {
    behalf::find(directory.as_fd(), path, flags)
}

fn with_nul(name: &[u8]) -> Vec<u8> {
    [name, &[0]].concat()
}

/// The names of a path, the last one first.
fn reversed(path: &[u8]) -> Vec<Vec<u8>> {
    let names = path.split(|&byte| byte == b'/').filter(|name| !name.is_empty());
    let mut names: Vec<Vec<u8>> = names.map(<[u8]>::to_vec).collect();
    names.reverse();
    names
}

/// A relative path of reversed names, without the first `left` of the list.
fn joined(names: &[Vec<u8>], left: usize) -> Vec<u8> {
    let mut path = Vec::new();
    for name in names[left..].iter().rev() {
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(name);
    }
    path.push(0);
    path
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn walk(path: &str, follow: bool) -> io::Result<Vec<u8>> {
        let root = behalf::open(b"/\0", libc::O_PATH, 0).expect("the root");
        let walker = Walker { root: &root, tid: 1, tgid: std::process::id() as pid_t };
        let found = walker.walk(&root, path.as_bytes(), follow, false)?;
        name_of(found.there()?)
    }

    #[test]
    fn a_path_leads_where_the_kernel_goes() {
        let folder = std::env::temp_dir().join(format!("walk-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("a/b")).expect("a folder");
        fs::write(folder.join("a/file"), "").expect("a file");
        symlink("../a/b/../file", folder.join("a/relative")).expect("a link");
        symlink(folder.join("a"), folder.join("absolute")).expect("a link");
        symlink("loop", folder.join("loop")).expect("a link");
        symlink("/", folder.join("root")).expect("a link");
        let name = folder.to_str().expect("a name");
        for path in [
            "a/b/..",
            "a/relative",
            "absolute/b",
            "absolute/relative",
            "absolute/../a/b/.",
            "root",
            "root/usr/..",
            "a//b///",
        ] {
            let path = format!("{name}/{path}");
            let expected = fs::canonicalize(&path).expect("it is there");
            let expected = expected.into_os_string().into_vec();
            assert_eq!(walk(&path, true).expect("it is found"), expected, "{path}");
        }
        for (path, error) in [("loop", libc::ELOOP), ("none", libc::ENOENT)] {
            let result = walk(&format!("{name}/{path}"), true);
            assert_eq!(result.unwrap_err().raw_os_error(), Some(error), "{path}");
        }
        let kept = walk(&format!("{name}/absolute"), false).expect("the link itself");
        assert!(kept.ends_with(b"/absolute"));
        fs::remove_dir_all(&folder).expect("it is removed");
    }

    #[test]
    fn links_of_processes_are_the_guests() {
        let own = format!("/proc/{}", std::process::id()).into_bytes();
        assert_eq!(walk("/proc/self", true).expect("it is there"), own);
        let file = fs::File::open("/usr").expect("a descriptor");
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        assert_eq!(walk(&path, true).expect("it is there"), b"/usr");
        // Another process's is nobody's business.
        let error = walk("/proc/1/cwd", true).unwrap_err().raw_os_error();
        assert_eq!(error, Some(libc::EACCES));
    }
}
