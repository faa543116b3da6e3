//! A path walked name by name, as the kernel does it (`path_resolution(7)`), in the guest's view.
//!
//! As long as it comes only to what the guest sees where the host has it, the kernel's own walk is the same.
//! Where all of it is, the kernel is given the path as it is; and a walk ends early where the kernel has
//! told the end ([`Leads::To`]).

use super::PATH_MAX;
use super::caller::{Caller, Follows, Last, ends_with_directory};
use super::errno::Errno;
use super::map::Map;
use super::plain::{Plain, names};
use super::proc_files::{self, Link};
use super::seen::Seen;
use super::tree::{Leads, Met, Tree};

/// So many symbolic links on one way are too many.
const MOST_LINKS: u32 = 40;

/// Walks a path from a directory. On the host, where all of it begins there, it leads to that.
pub(super) fn walk(
    map: &Map,
    tree: &dyn Tree,
    caller: &dyn Caller,
    (start, path, leads): (Plain, &[u8], Leads),
    last: Last,
) -> Result<Seen, Errno> {
    let mut walk = Walk {
        map,
        tree,
        caller,
        // The kernel knows no other root.
        is_same: caller.root() == &Plain::ROOT && map.is_same(&start),
        at: start,
        ahead: Vec::new(),
        links: 0,
        is_directory: true,
        leads,
    };
    walk.ahead_of(path);
    let end = walk.finish(last.follows(path))?;
    if walk.is_same {
        return Ok(match end {
            End::Known => Seen { path: None, guest: Some(walk.at), link: None },
            End::Missing(_) => Seen { path: None, guest: None, link: None },
            End::Magic(host) => Seen { path: None, guest: None, link: walk.is_at_end(host) },
        });
    }
    let path_of_host = match end {
        End::Known => path_to(&map.host(&walk.at), path, last),
        End::Missing(host) => return found(walk.rest_behind(host), None),
        End::Magic(host) => {
            let seen = found(walk.rest_behind(host.clone()), None)?;
            return Ok(Seen { link: walk.is_at_end(host), ..seen });
        }
    };
    found(path_of_host, Some(walk.at))
}

/// The path of what a walk came to by this path: what has to be a directory stays so, and dots as the last name
/// have errors of their own.
fn path_to(host: &Plain, path: &[u8], last: Last) -> Vec<u8> {
    let end: &[u8] = match names(path).next_back() {
        // It is not looked up, whatever lies above the directory.
        Some(b"..") if last == Last::Name => b"/..",
        Some(b"." | b"..") => b"/.",
        _ if ends_with_directory(path) => b"/",
        _ => return host.as_bytes().to_vec(),
    };
    [host.raw(), end].concat()
}

fn found(path: Vec<u8>, guest: Option<Plain>) -> Result<Seen, Errno> {
    if path.len() >= PATH_MAX {
        return Err(Errno::ENAMETOOLONG);
    }
    Ok(Seen { path: Some(path), guest, link: None })
}

struct Walk<'a> {
    map: &'a Map,
    tree: &'a dyn Tree,
    caller: &'a dyn Caller,
    /// How far it has come, by the guest's name.
    at: Plain,
    /// The names ahead, the next one last.
    ahead: Vec<Vec<u8>>,
    links: u32,
    /// Whether it stands at a directory, as far as is known.
    is_directory: bool,
    /// The guest has seen all the way what the host has there.
    is_same: bool,
    /// Where the path leads on the host.
    leads: Leads,
}

/// Where a walk ends.
enum End {
    /// Where it stands.
    Known,
    /// At this path of the host there is nothing, with the names that are still ahead.
    Missing(Plain),
    /// Behind this link of `/proc`, with the names that are still ahead: for the kernel to find.
    Magic(Plain),
}

impl Walk<'_> {
    fn ahead_of(&mut self, path: &[u8]) {
        if path.starts_with(b"/") {
            self.at = self.caller.root().clone();
            self.is_directory = true;
            self.is_same &= self.map.is_same(&self.at);
        }
        self.ahead.extend(names(path).rev().map(<[u8]>::to_vec));
    }

    fn finish(&mut self, follows: bool) -> Result<End, Errno> {
        while let Some(name) = self.ahead.pop() {
            if !self.is_directory {
                return Err(Errno::ENOTDIR);
            }
            match name.as_slice() {
                b"." => {}
                b".." if self.at == *self.caller.root() => {}
                b".." => self.at.pop(),
                _ => {
                    if let Some(end) = self.step(&name, follows || !self.ahead.is_empty())? {
                        return Ok(end);
                    }
                }
            }
        }
        Ok(End::Known)
    }

    /// Goes on by a name other than `.` and `..`.
    fn step(&mut self, name: &[u8], follows: bool) -> Result<Option<End>, Errno> {
        self.at.push(name);
        self.is_same &= self.map.is_same(&self.at);
        if self.map.is_place(&self.at) {
            let host = self.map.host(&self.at);
            self.is_directory = !matches!(self.tree.look(&host), Ok(Met::File | Met::Special));
            return Ok(None);
        }
        let host = self.map.host(&self.at);
        match self.tree.look(&host) {
            Ok(Met::Directory) => self.is_directory = true,
            Ok(Met::File | Met::Special) => self.is_directory = false,
            Ok(Met::Link(text)) if follows => return self.follow(host, &text),
            Ok(Met::Link(_)) => {}
            // A way to a place need not be there on the host.
            Err(_) if self.map.is_above_place(&self.at) => {
                self.is_directory = true;
                self.is_same = false;
            }
            // There may be a link: only the kernel could come so deep.
            Err(Errno::ENAMETOOLONG) if host.as_bytes().len() >= PATH_MAX => {
                return Err(Errno::ENAMETOOLONG);
            }
            // It leads so deep that the kernel does not tell where to, but follows it all the same.
            Err(Errno::ENAMETOOLONG)
                if follows
                    && self.ahead.is_empty()
                    && proc_files::link(&host) == Some(Link::Magic) =>
            {
                return Ok(Some(End::Magic(host)));
            }
            // The kernel comes to the same error; where the last name is missing it may create it.
            Err(_) => return Ok(Some(End::Missing(host))).map(|end| self.known_if_last(end)),
        }
        Ok(None)
    }

    /// A missing file that is to be the last name has a name all the same.
    fn known_if_last(&self, end: Option<End>) -> Option<End> {
        if self.ahead.is_empty() { Some(End::Known) } else { end }
    }

    fn follow(&mut self, host: Plain, text: &[u8]) -> Result<Option<End>, Errno> {
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(Errno::ELOOP);
        }
        let kind = proc_files::link(&host);
        let needed = if kind == Some(Link::Magic) { Follows::All } else { Follows::Ordinary };
        if self.caller.follows() < needed {
            return Err(Errno::ELOOP);
        }
        match kind {
            None => {
                self.at.pop();
                if text.ends_with(b"/") {
                    // Then it has to lead to a directory.
                    self.ahead.push(b".".to_vec());
                }
                self.ahead_of(text);
                self.skip_to_end();
            }
            // It names the caller's own directory, which the kernel finds in the caller's namespace.
            Some(Link::Oneself) => self.is_directory = true,
            Some(Link::Magic) => {
                let named = self.caller.link_name(&host);
                let known = named.or_else(|| {
                    // What it leads to may have no path any more: the kernel follows it all the same.
                    let leads_on = !self.ahead.is_empty();
                    leads_on.then(|| Plain::of(text).and_then(|text| self.map.guest(&text)))?
                });
                let Some(guest) = known else { return Ok(Some(End::Magic(host))) };
                self.at = guest;
                self.is_same = false;
                self.is_directory = !matches!(
                    self.tree.look(&self.map.host(&self.at)),
                    Ok(Met::File | Met::Special)
                );
            }
        }
        Ok(None)
    }

    /// Goes to the end at once, if that is known to be ahead: where the kernel finds the file there is no
    /// symbolic link on the way.
    fn skip_to_end(&mut self) {
        let Leads::To(end) = &self.leads else { return };
        let names = self.at.names().chain(self.ahead.iter().rev().map(Vec::as_slice));
        if self.is_same && names.eq(end.names()) && self.map.is_same(end) {
            self.at = end.clone();
            self.ahead.clear();
        }
    }

    /// This link, if it is the last name.
    fn is_at_end(&self, link: Plain) -> Option<Plain> {
        self.ahead.is_empty().then_some(link)
    }

    /// The names that are still ahead, behind a path of the host.
    fn rest_behind(&self, host: Plain) -> Vec<u8> {
        let mut path = host.raw().to_vec();
        for name in self.ahead.iter().rev() {
            path.push(b'/');
            path.extend_from_slice(name);
        }
        path
    }
}
