//! Which program is run, and where it begins, as it sees files itself.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use modules::paths::{Caller, HostTree, Last, Map, Plain, name_of, see};

use crate::trace::program::in_path;

/// The program before it is there: what its paths are relative to.
pub(super) struct Beginning<'a> {
    map: &'a Map,
    /// Its working directory.
    working: Plain,
    /// It begins where we are.
    stays: bool,
}

impl<'a> Beginning<'a> {
    /// One in this directory by its own name; without one where we are, or in `/` if it cannot see that.
    ///
    /// # Errors
    /// There is no such directory.
    pub fn new(map: &'a Map, directory: Option<&OsStr>) -> anyhow::Result<Beginning<'a>> {
        // A directory that was removed has no name.
        let here = env::current_dir().ok().and_then(|here| Plain::of(here.as_os_str().as_bytes()));
        let working = here.as_ref().and_then(|host| map.guest(host)).unwrap_or(Plain::ROOT);
        let stays = match &here {
            Some(here) => map.host(&working) == *here,
            None => map.host(&Plain::ROOT) == Plain::ROOT,
        };
        let mut beginning = Beginning { map, working, stays };
        if let Some(directory) = directory {
            let (name, _) =
                beginning.file(directory).filter(|(_, host)| host.is_dir()).with_context(|| {
                    format!("--cwd: the program sees no directory '{}'", directory.display())
                })?;
            beginning.working = name;
            beginning.stays = false;
        }
        Ok(beginning)
    }

    /// The working directory.
    pub fn name(&self) -> &Plain {
        &self.working
    }

    /// The directory of the host to which we have to go before it begins.
    pub fn directory(&self) -> Option<PathBuf> {
        (!self.stays).then(|| self.map.host(&self.working).as_path().to_owned())
    }

    /// The file of a command by the program's name for it, looked for as `execvp(3)` does.
    ///
    /// # Errors
    /// There is none that can be run.
    pub fn find(&self, name: &OsStr) -> anyhow::Result<PathBuf> {
        let root = self.map.host(&Plain::ROOT);
        self.found(name).map_err(|error| match root == Plain::ROOT {
            true => error,
            false => anyhow!("{error} in the root {root}"),
        })
    }

    fn found(&self, name: &OsStr) -> anyhow::Result<PathBuf> {
        let metadata = |path: &OsStr| fs::metadata(self.file(path)?.1).ok();
        if name.is_empty() || name.as_bytes().contains(&b'/') {
            metadata(name).with_context(|| {
                format!("Can't stat '{}': No such file or directory", name.display())
            })?;
            return Ok(name.into());
        }
        let links_stay = self.map.links_stay(&HostTree::NOBODY);
        in_path(name, |path| match self.is_as_on_host(path) && links_stay {
            true => fs::metadata(path).ok(),
            false => metadata(path.as_os_str()),
        })
    }

    /// Whether the program finds at this path what the host has there, if no link leads into a place.
    fn is_as_on_host(&self, path: &Path) -> bool {
        Plain::of(path.as_os_str().as_bytes()).is_some_and(|path| self.map.is_same(&path))
    }

    /// What a path leads to: the program's name for it, and the host's.
    fn file(&self, path: &OsStr) -> Option<(Plain, PathBuf)> {
        let text = path.as_bytes();
        let seen = see(self.map, &HostTree::NOBODY, self, text, Last::Follow).ok()?;
        let name = name_of(&seen, self, text)?;
        let host = match seen.path {
            Some(path) => PathBuf::from(OsString::from_vec(path)),
            None => self.map.host(&self.working).as_path().join(Path::new(path)),
        };
        Some((name, host))
    }
}

impl Caller for Beginning<'_> {
    fn start_on_host(&self) -> Option<Plain> {
        Some(self.map.host(&self.working))
    }

    fn start(&self) -> Option<Plain> {
        Some(self.working.clone())
    }

    fn root(&self) -> &Plain {
        const ROOT: &Plain = &Plain::ROOT;
        ROOT
    }

    fn link_name(&self, _: &Plain) -> Option<Plain> {
        None
    }
}

#[cfg(test)]
mod tests {
    use modules::paths::{Access, Place, Target};

    use super::*;

    #[test]
    fn a_program_is_missing_in_its_root() {
        let place = Place {
            guest: Plain::ROOT,
            target: Target::Host(Plain::of(b"/usr").expect("a path")),
            access: Access::Writable,
        };
        let map = Map::new(vec![place], &HostTree::NOBODY).expect("a map");
        let beginning = Beginning::new(&map, None).expect("a directory");
        let error = beginning.find("/usr/bin/env".as_ref()).expect_err("it is not there");
        assert_eq!(
            error.to_string(),
            "Can't stat '/usr/bin/env': No such file or directory in the root /usr"
        );
        assert_eq!(
            beginning.find("/bin/env".as_ref()).expect("it is there"),
            Path::new("/bin/env")
        );
    }
}
