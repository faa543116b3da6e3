//! What a path of a guest is for the kernel.

use super::PATH_MAX;
use super::caller::{Caller, Last};
use super::errno::Errno;
use super::map::Map;
use super::plain::{Plain, names};
use super::seen::Seen;
use super::tree::{Leads, Tree};
use super::walk::walk;

/// What the kernel is to be given for this path. Errors that the kernel itself would return are left to
/// it.
pub fn see(
    map: &Map,
    tree: &dyn Tree,
    caller: &dyn Caller,
    path: &[u8],
    last: Last,
) -> Result<Seen, Errno> {
    if path.is_empty() {
        return Ok(Seen::UNCHANGED);
    }
    let follows = last.follows(path);
    if path.starts_with(b"/") {
        return from(map, tree, caller, (caller.root().clone(), path), last);
    }
    let first = names(path).find(|name| *name != b".").unwrap_or_default();
    if names(path).any(|name| name == b"..") || map.may_lead_into_place(first) {
        let Some(start) = caller.start() else { return Ok(Seen::UNCHANGED) };
        return from(map, tree, caller, (start, path), last);
    }
    // It stays where it begins, unless a symbolic link leads away.
    if !follows && names(path).nth(1).is_none() {
        return Ok(Seen::UNCHANGED);
    }
    let host = caller.start_on_host().map(|mut host| {
        names(path).filter(|name| *name != b".").for_each(|name| host.push(name));
        host
    });
    let Some(host) = host.filter(|host| host.as_bytes().len() < PATH_MAX) else {
        // The kernel goes on from where the guest is, and would follow a link in the host's view.
        let is_certain = !caller.meets_link(path, follows);
        return if is_certain { Ok(Seen::UNCHANGED) } else { Err(Errno::ENAMETOOLONG) };
    };
    let leads = tree.leads(&host, follows);
    if leads == Leads::Straight {
        return Ok(Seen::UNCHANGED);
    }
    match caller.start() {
        Some(start) => walk(map, tree, caller, (start, path, leads), last),
        None => Ok(Seen::UNCHANGED),
    }
}

/// The same of a path that begins at a directory of which the guest's name is known.
fn from(
    map: &Map,
    tree: &dyn Tree,
    caller: &dyn Caller,
    (start, path): (Plain, &[u8]),
    last: Last,
) -> Result<Seen, Errno> {
    let follows = last.follows(path);
    let mut leads = Leads::Nowhere;
    if let Some(Way { end, turns, kept }) = stays(map, caller.root(), &start, path) {
        let is_straight = |turn: &Plain| tree.leads(&map.host(turn), true) == Leads::Straight;
        if turns.iter().all(is_straight) {
            leads = tree.leads(&map.host(&end), follows);
        }
        let kept = match kept {
            Kept::All => None,
            Kept::Below(place, from) => Some(behind(&place, &path[from..])),
        };
        // A walk leaves out what says nothing.
        let fits = kept.as_ref().is_none_or(|kept| kept.len() < PATH_MAX);
        if leads == Leads::Straight && fits {
            return Ok(Seen { path: kept, guest: Some(end), link: None });
        }
    }
    walk(map, tree, caller, (start, path, leads), last)
}

/// Where a path leads if there is no symbolic link on it.
struct Way {
    /// The guest's name for its end.
    end: Plain,
    /// Where it turns round, by `..`.
    turns: Vec<Plain>,
    /// What of the path may be kept.
    kept: Kept,
}

/// What of a path the kernel may be given as it is.
enum Kept {
    /// All of it.
    All,
    /// What begins at this byte, below this directory of the host.
    Below(Plain, usize),
}

/// The way of a path that leaves the place at which it begins only by going into one.
fn stays(map: &Map, root: &Plain, start: &Plain, path: &[u8]) -> Option<Way> {
    let mut at = start.clone();
    let spot = map.spot(&at);
    let is_same_below = spot.host == &Plain::ROOT && spot.rest.is_empty();
    let mut kept = match path.starts_with(b"/") {
        true if is_same_below => Kept::All,
        true => Kept::Below(spot.host.join(spot.rest), 0),
        false => Kept::All,
    };
    let mut here = (spot.place, at.raw().len() - spot.rest.len());
    let mut turns = Vec::new();
    let mut goes_down = false;
    for name in names(path) {
        match name {
            b"." => continue,
            b".." => {
                if at == *root || map.spot(&at).rest.is_empty() {
                    return None;
                }
                if goes_down {
                    turns.push(at.clone());
                }
                at.pop();
                goes_down = false;
            }
            name => {
                at.push(name);
                goes_down = true;
            }
        }
        let spot = map.spot(&at);
        let now = (spot.place, at.raw().len() - spot.rest.len());
        if now == here {
            continue;
        }
        if !turns.is_empty() || !goes_down || now.1 < here.1 {
            return None;
        }
        let behind_name = name.as_ptr() as usize - path.as_ptr() as usize + name.len();
        kept = Kept::Below(spot.host.join(spot.rest), behind_name);
        here = now;
    }
    Some(Way { end: at, turns, kept })
}

/// The rest of a path below a directory of the host.
fn behind(place: &Plain, rest: &[u8]) -> Vec<u8> {
    match (place.raw(), rest) {
        ([], []) => b"/".to_vec(),
        (place, rest) => [place, rest].concat(),
    }
}
