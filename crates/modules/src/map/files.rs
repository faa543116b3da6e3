//! Which files a call is about, by the guest's names for them: for modules that change no paths.

use std::rc::Rc;

use contract::{Capture, Guest};

use super::caller::OfCall;
use super::processes::Processes;
use super::{how, read_path};
use crate::paths::{HostTree, Map, Plain, Writes, name_of, path_calls, see};

/// Looks up which files calls are about.
#[derive(Debug)]
pub struct Files {
    map: Rc<Map>,
    /// Of no guest is another name known than the map tells.
    nobody: Processes,
}

/// A file that a call is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Its name, without symbolic links, and without other names of the root directory.
    pub name: Plain,
    /// What the call does to it.
    pub writes: Writes,
}

impl Files {
    /// Of guests that see files as this map says.
    pub fn new(map: Rc<Map>) -> Files {
        Files { map, nobody: Processes::default() }
    }

    /// The map.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// The files of a call, of those whose paths lead somewhere.
    pub fn of(&self, guest: &mut dyn Guest, call: &Capture) -> Vec<File> {
        let args = path_calls::of(call.arch, call.number);
        let (flags, _) = how(guest, call, args);
        let mut files = Vec::new();
        for arg in args {
            let Some(text) = read_path(guest, call, call.args[usize::from(arg.register)]) else {
                continue;
            };
            // Without a path it is about a descriptor.
            if text.is_empty() || !arg.is_path(&call.args, &text) {
                continue;
            }
            let tree = HostTree::of(guest.process(), guest.tid());
            let mut caller = OfCall::new(&self.map, guest, &self.nobody);
            if let Some(dirfd) = arg.dirfd {
                caller = caller.at(call.args[usize::from(dirfd)]);
            }
            let last = arg.links.last(&call.args, flags);
            let seen = see(&self.map, &tree, &caller, &text, last).ok();
            let name = seen.and_then(|seen| name_of(&seen, &caller, &text));
            let writes = arg.writes(&call.args, flags);
            files.extend(name.map(|name| File { name: self.map.without_alias(&name), writes }));
        }
        files
    }
}
