//! The guest thread that makes a call, as the paths in it need it.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use contract::{Guest, Tid};

use super::processes::Processes;
use crate::paths::{Caller, Map, Plain, process_of};

/// What a path begins at that is relative to the working directory (`AT_FDCWD`).
const AT_FDCWD: i32 = -100;

/// A guest thread, and the descriptor to which a path is relative.
pub(super) struct OfCall<'a> {
    pub map: &'a Map,
    pub guest: &'a dyn Guest,
    pub processes: &'a Processes,
    pub root: Plain,
    dirfd: i32,
}

impl<'a> OfCall<'a> {
    /// Of a path that is relative to the working directory.
    pub fn new(map: &'a Map, guest: &'a dyn Guest, processes: &'a Processes) -> OfCall<'a> {
        let root = processes.root(guest.tid());
        OfCall { map, guest, processes, root, dirfd: AT_FDCWD }
    }

    /// Of one that is relative to the descriptor in a register.
    pub fn at(self, register: u64) -> OfCall<'a> {
        OfCall { dirfd: register as i32, ..self }
    }

    /// The working directory: as the kernel knows it, and by the guest's name.
    pub fn working(&self) -> Option<(Plain, Plain)> {
        let host = plain(&self.guest.working_directory().ok()?)?;
        let guest = self.processes.working(self.guest.tid(), &host);
        let guest = guest.or_else(|| self.name(&host))?;
        Some((host, guest))
    }

    /// The guest's name for a file that the kernel knows by this one.
    pub fn name(&self, host: &Plain) -> Option<Plain> {
        self.processes.opened(host).cloned().or_else(|| self.map.guest(host))
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

    fn link_name(&self, host: &Plain) -> Option<Plain> {
        let own = self.guest.process();
        let (process, rest) = process_of(host, own.0)?;
        match rest {
            b"/exe" => self.processes.program(Tid(process)).map(|known| known.guest.clone()),
            b"/cwd" if process == own.0 => self.working().map(|(_, guest)| guest),
            b"/root" if process == own.0 => Some(self.root.clone()),
            _ => None,
        }
    }
}

/// A path that the kernel has told; `None`: what it told is none.
pub(super) fn plain(path: &Path) -> Option<Plain> {
    Plain::of(path.as_os_str().as_bytes())
}
