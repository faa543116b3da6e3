//! The guest thread that makes a call, as the paths in it need it.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use contract::{Guest, Tid};

use super::processes::Processes;
use crate::paths::{Caller, Follows, Map, Plain, meets_link, process_of};

/// What a path begins at that is relative to the working directory (`AT_FDCWD`).
const AT_FDCWD: i32 = -100;
/// What the kernel adds to the path of a file that was removed.
pub(super) const DELETED: &[u8] = b" (deleted)";

/// A guest thread, and the descriptor to which a path is relative.
pub(super) struct OfCall<'a> {
    pub map: &'a Map,
    pub guest: &'a dyn Guest,
    pub processes: &'a Processes,
    pub root: Plain,
    dirfd: i32,
    follows: Follows,
}

impl<'a> OfCall<'a> {
    /// Of a path that is relative to the working directory.
    pub fn new(map: &'a Map, guest: &'a dyn Guest, processes: &'a Processes) -> OfCall<'a> {
        let root = processes.root(guest.tid());
        OfCall { map, guest, processes, root, dirfd: AT_FDCWD, follows: Follows::All }
    }

    /// Of one that is relative to the descriptor in a register.
    pub fn at(self, register: u64) -> OfCall<'a> {
        OfCall { dirfd: register as i32, ..self }
    }

    /// Of a path of which only these links are followed.
    pub fn resolving(self, follows: Follows) -> OfCall<'a> {
        OfCall { follows, ..self }
    }

    /// The working directory: as the kernel knows it, and by the guest's name.
    pub fn working(&self) -> Option<(Plain, Plain)> {
        let host = plain(&self.guest.working_directory().ok()?)?;
        let named = before_removal(&host).unwrap_or_else(|| host.clone());
        let guest = self.processes.working(self.guest.tid(), &named);
        let guest = guest.or_else(|| self.name(&named))?;
        Some((host, guest))
    }

    /// By what name a program with this path finds itself, and whether it cannot open itself by that, since
    /// the descriptor is closed by then.
    pub fn called(&self, text: &[u8]) -> (Vec<u8>, bool) {
        if self.dirfd == AT_FDCWD || text.starts_with(b"/") {
            return (text.to_vec(), false);
        }
        let mut name = format!("/dev/fd/{}", self.dirfd).into_bytes();
        if !text.is_empty() {
            name.push(b'/');
            name.extend_from_slice(text);
        }
        (name, closes_on_exec(self.guest.tid(), self.dirfd))
    }

    /// The guest's name for a file that the kernel knows by this one.
    pub fn name(&self, host: &Plain) -> Option<Plain> {
        let opened = self.processes.opened(self.guest.tid(), host);
        let opened = opened.filter(|name| self.map.host(name) == *host);
        opened.or_else(|| self.map.guest(host))
    }

    /// Whether a relative path begins in a directory whose own path is too long for the kernel to tell it.
    pub fn is_too_deep(&self, path: &[u8]) -> bool {
        !path.starts_with(b"/") && self.start_on_host().is_none() && self.link_of_start().is_dir()
    }

    /// The link by which the kernel leads to where a relative path begins.
    fn link_of_start(&self) -> PathBuf {
        let thread = self.guest.tid().0;
        match self.dirfd {
            AT_FDCWD => format!("/proc/{thread}/cwd").into(),
            fd => format!("/proc/{thread}/fd/{fd}").into(),
        }
    }

    /// The guest's name for a directory as the process sees it that has another root.
    pub fn below_root(&self, guest: &Plain) -> Option<Plain> {
        guest.below(&self.root).map(|rest| Plain::ROOT.join(rest))
    }
}

impl Caller for OfCall<'_> {
    fn start_on_host(&self) -> Option<Plain> {
        match self.dirfd {
            AT_FDCWD => plain(&self.guest.working_directory().ok()?),
            fd => plain(&self.guest.descriptor(fd).ok()?),
        }
    }

    fn start(&self) -> Option<Plain> {
        match self.dirfd {
            AT_FDCWD => self.working().map(|(_, guest)| guest),
            _ => self.name(&self.start_on_host()?),
        }
    }

    fn root(&self) -> &Plain {
        &self.root
    }

    fn follows(&self) -> Follows {
        self.follows
    }

    fn meets_link(&self, path: &[u8], follow: bool) -> bool {
        meets_link(&self.link_of_start(), path, follow)
    }

    fn link_name(&self, host: &Plain) -> Option<Plain> {
        let own = self.guest.process();
        let (process, thread, rest) = process_of(host, own.0, self.guest.tid().0)?;
        match rest {
            b"/exe" => self.processes.program(Tid(process)).map(|known| known.guest.clone()),
            b"/cwd" if process == own.0 => self.working().map(|(_, guest)| guest),
            b"/cwd" => {
                let kernels = plain(&std::fs::read_link(host.as_path()).ok()?)?;
                self.processes.working(Tid(thread), &kernels)
            }
            b"/root" if process == own.0 || self.processes.is_guest(Tid(thread)) => {
                Some(self.processes.root(Tid(thread)))
            }
            _ => None,
        }
    }
}

/// The name that a directory had which was removed; `None` if it was not.
pub(super) fn before_removal(host: &Plain) -> Option<Plain> {
    let name = host.as_bytes().strip_suffix(DELETED)?;
    // Anything may be called so.
    let is_there = host.as_path().symlink_metadata().is_ok();
    (!is_there).then(|| Plain::of(name)).flatten()
}

/// Whether a thread's descriptor is closed when it runs another program.
fn closes_on_exec(tid: Tid, fd: i32) -> bool {
    flags_of(tid, fd).is_some_and(|flags| flags & libc::O_CLOEXEC != 0)
}

/// The flags with which a thread's descriptor was opened.
pub(super) fn flags_of(tid: Tid, fd: i32) -> Option<i32> {
    let told = std::fs::read_to_string(format!("/proc/{}/fdinfo/{fd}", tid.0)).ok()?;
    let flags = told.lines().find_map(|line| line.strip_prefix("flags:"))?;
    i32::from_str_radix(flags.trim(), 8).ok()
}

/// A path that the kernel has told; `None`: what it told is none.
pub(super) fn plain(path: &Path) -> Option<Plain> {
    Plain::of(path.as_os_str().as_bytes())
}
