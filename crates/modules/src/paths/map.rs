//! Which files of the host a guest sees, and where.

use super::plain::Plain;
use super::tree::{Met, Tree};

/// Whether guests may change what they see in a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// As far as the host lets them.
    Writable,
    /// They get `EROFS`.
    ReadOnly,
}

/// What a guest sees in a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// This directory or file of the host.
    Host(Plain),
    /// What it sees here too: another name for its own root directory (`/unreal`).
    Root,
}

/// A path of the guest at which it sees something other than the host has there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The path, as the guest gives it.
    pub guest: Plain,
    /// What it sees there.
    pub target: Target,
    /// Whether it may change that.
    pub access: Access,
}

impl Place {
    /// What it shows, in words.
    fn shows(&self) -> String {
        match (&self.target, self.access) {
            (Target::Root, _) => "as / once more".to_owned(),
            (Target::Host(host), Access::Writable) => format!("to {host}"),
            (Target::Host(host), Access::ReadOnly) => format!("to {host}, read-only"),
        }
    }
}

/// Where a guest's path leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot<'a> {
    /// The directory or file of the host at which its place begins.
    pub host: &'a Plain,
    /// What leads from there to it, with a slash before it.
    pub rest: &'a [u8],
    /// Whether it may be changed.
    pub access: Access,
    /// Which place it is, in an order that says nothing.
    pub place: usize,
}

/// Why a map cannot be honoured.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MapError {
    /// Two places at one path that show different things.
    #[error("{guest} is mapped twice: {first}, and {second}")]
    Twice {
        /// The path.
        guest: Plain,
        /// What was to be seen there first.
        first: String,
        /// What was to be seen there then.
        second: String,
    },
    /// A place below a file.
    #[error("{inner} cannot be mapped: {outer} is a file")]
    BelowFile {
        /// The place below.
        inner: Plain,
        /// The file.
        outer: Plain,
    },
    /// Nothing is to be seen in a place.
    #[error("{guest} cannot be mapped to {host}: {why}")]
    Missing {
        /// The place.
        guest: Plain,
        /// What was to be seen there.
        host: Plain,
        /// What the kernel says.
        why: String,
    },
    /// The root directory is a file.
    #[error("{0} cannot be the root: it is not a directory")]
    FileAsRoot(Plain),
    /// A name for the root directory within what lies below that name.
    #[error("{0} cannot be another name for /: it is /")]
    RootAsItself(Plain),
    /// A place that would be seen only by one of the root directory's names.
    #[error(
        "{inner} cannot be mapped: {alias} is / once more; what is mapped at {plain} is seen there too"
    )]
    BelowRootAgain {
        /// The place.
        inner: Plain,
        /// The other name.
        alias: Plain,
        /// The place by the root's own name.
        plain: Plain,
    },
}

/// All places, and so what a guest sees.
#[derive(Clone, Debug)]
pub struct Map {
    /// By depth: of those that hold a path the first counts. The root is the last.
    places: Vec<Real>,
    /// Other names for the root directory.
    aliases: Vec<Plain>,
    /// The names on the ways to all of them: a relative path that begins with none of these leads into
    /// none of them.
    names: Vec<Vec<u8>>,
}

/// A place with files of the host.
#[derive(Clone, Debug)]
struct Real {
    guest: Plain,
    host: Plain,
    access: Access,
    /// It only leads to others.
    is_way: bool,
}

impl Map {
    /// Of places, none of which need be the root: it is the host's then. What they lead to is looked up:
    /// it has to be there.
    pub fn new(places: Vec<Place>, tree: &dyn Tree) -> Result<Map, MapError> {
        let mut map = Map { places: Vec::new(), aliases: Vec::new(), names: Vec::new() };
        let mut known: Vec<Place> = Vec::new();
        for place in places {
            // Options and a configuration may well say the same.
            if known.contains(&place) {
                continue;
            }
            if let Some(other) = known.iter().find(|known| known.guest == place.guest) {
                let (first, second) = (other.shows(), place.shows());
                return Err(MapError::Twice { guest: place.guest, first, second });
            }
            known.push(place.clone());
            let Place { guest, target, access } = place;
            map.names.extend(guest.names().map(<[u8]>::to_vec));
            match target {
                Target::Root if guest == Plain::ROOT => return Err(MapError::RootAsItself(guest)),
                Target::Root => map.aliases.push(guest),
                Target::Host(host) => {
                    let found = tree.canonical(&host).map_err(|why| MapError::Missing {
                        guest: guest.clone(),
                        host: host.clone(),
                        why: why.to_string(),
                    })?;
                    if guest == Plain::ROOT && !matches!(tree.look(&found), Ok(Met::Directory)) {
                        return Err(MapError::FileAsRoot(found));
                    }
                    map.places.push(Real { guest, host: found, access, is_way: false });
                }
            }
        }
        if !map.has(&Plain::ROOT) {
            let root = Plain::ROOT;
            let access = Access::Writable;
            map.places.push(Real { guest: root.clone(), host: root, access, is_way: false });
        }
        map.sort();
        map.refuse_below_files(tree)?;
        map.refuse_below_aliases()?;
        Ok(map)
    }

    fn refuse_below_aliases(&self) -> Result<(), MapError> {
        for place in &self.places {
            let above = self.aliases.iter().find(|alias| place.guest.below(alias).is_some());
            if let Some(alias) = above {
                let (inner, alias) = (place.guest.clone(), alias.clone());
                let plain = self.without_alias(&inner);
                return Err(MapError::BelowRootAgain { inner, alias, plain });
            }
        }
        Ok(())
    }

    fn sort(&mut self) {
        self.places.sort_by_key(|place| std::cmp::Reverse(place.guest.names().count()));
    }

    /// The directories on the ways to places that the guest would not find there.
    pub fn missing_ways(&self, tree: &dyn Tree) -> Vec<Plain> {
        let mut missing = Vec::new();
        for place in self.places.iter().map(|place| &place.guest).chain(&self.aliases) {
            let mut way = place.clone();
            way.pop();
            while way != Plain::ROOT && tree.canonical(&self.host(&way)).is_err() {
                if !missing.contains(&way) {
                    missing.push(way.clone());
                }
                way.pop();
            }
        }
        missing
    }

    /// Has the guest see this empty directory of the host at each of these paths.
    pub fn show_ways(&mut self, ways: Vec<Plain>, empty: &Plain) {
        let access = Access::ReadOnly;
        let way = |guest| Real { guest, host: empty.clone(), access, is_way: true };
        self.places.extend(ways.into_iter().map(way));
        self.sort();
    }

    fn has(&self, guest: &Plain) -> bool {
        self.places.iter().any(|place| place.guest == *guest) || self.aliases.contains(guest)
    }

    /// What lies above a place is a directory, or nothing.
    fn refuse_below_files(&self, tree: &dyn Tree) -> Result<(), MapError> {
        for inner in self.places.iter().map(|place| &place.guest).chain(&self.aliases) {
            let mut outer = inner.clone();
            while outer != Plain::ROOT {
                outer.pop();
                if matches!(tree.look(&self.host(&outer)), Ok(Met::File | Met::Special)) {
                    return Err(MapError::BelowFile { inner: inner.clone(), outer });
                }
            }
        }
        Ok(())
    }

    /// Where a guest's path leads, without a look at symbolic links.
    pub fn spot<'a>(&'a self, guest: &'a Plain) -> Spot<'a> {
        self.spot_of(guest.raw())
    }

    /// The same of the bytes of a plain path, in which the root is empty.
    pub(super) fn spot_of<'a>(&'a self, guest: &'a [u8]) -> Spot<'a> {
        let guest = self.without_aliases(guest);
        let found = self.places.iter().enumerate().find_map(|(index, place)| {
            rest_below(guest, &place.guest).map(|rest| (index, place, rest))
        });
        let (place, Real { host, access, .. }, rest) = found.expect("the root holds every path");
        Spot { host, rest, access: *access, place }
    }

    /// The host's name for what a guest's path leads to, without a look at symbolic links.
    pub fn host(&self, guest: &Plain) -> Plain {
        let spot = self.spot(guest);
        spot.host.join(spot.rest)
    }

    /// Whether a guest sees at this path what the host has there, without a look at symbolic links.
    pub fn is_same(&self, guest: &Plain) -> bool {
        let spot = self.spot(guest);
        guest.raw().strip_prefix(spot.host.raw()) == Some(spot.rest)
    }

    /// The guest's name for a file of the host, of which its name without symbolic links is given. Of
    /// several names it is that of the place that lies closest; `None`: the guest cannot see the file.
    pub fn guest(&self, host: &Plain) -> Option<Plain> {
        let mut best: Option<(usize, Plain)> = None;
        for place in &self.places {
            let Some(rest) = host.below(&place.host) else { continue };
            let depth = place.host.raw().len();
            let name = place.guest.join(rest);
            let closer = best.as_ref().is_none_or(|(closest, _)| depth > *closest);
            if closer && self.host(&name) == *host {
                best = Some((depth, name));
            }
        }
        best.map(|(_, name)| name)
    }

    /// Whether a place begins at this path: as a mount point it can be neither removed nor renamed.
    pub fn is_place(&self, guest: &Plain) -> bool {
        let real = self.without_aliases(guest.raw());
        *guest != Plain::ROOT
            && (real.is_empty() || self.places.iter().any(|place| place.guest.raw() == real))
    }

    /// Whether a place begins below this path, which need not be there on the host.
    pub(super) fn is_above_place(&self, guest: &Plain) -> bool {
        let guest = self.without_aliases(guest.raw());
        let all = self.places.iter().map(|place| &place.guest).chain(&self.aliases);
        all.into_iter()
            .any(|place| place.raw().strip_prefix(guest).is_some_and(|rest| rest.starts_with(b"/")))
    }

    /// Whether a name is on the way to a place: what begins with it may lead there from above.
    pub(crate) fn may_lead_into_place(&self, first: &[u8]) -> bool {
        self.names.iter().any(|name| name == first)
    }

    /// Whether a place is not to be changed.
    pub fn has_read_only(&self) -> bool {
        self.places.iter().any(|place| place.access == Access::ReadOnly)
    }

    /// Whether such a place was asked for: in others there is nothing.
    pub fn has_read_only_files(&self) -> bool {
        self.places().any(|(.., access)| access == Access::ReadOnly)
    }

    /// The places that were asked for, deepest first, the root last: the guest's path and the host's.
    pub fn places(&self) -> impl Iterator<Item = (&Plain, &Plain, Access)> {
        let places = self.places.iter().filter(|place| !place.is_way);
        places.map(|place| (&place.guest, &place.host, place.access))
    }

    /// All places, with those that only lead to others.
    pub fn all_places(&self) -> impl Iterator<Item = (&Plain, &Plain, Access)> {
        self.places.iter().map(|place| (&place.guest, &place.host, place.access))
    }

    /// Whether no path of the host outside of places leads into one, whatever symbolic links are on its
    /// way: the root is the host's own, and the host has nothing where places are.
    pub fn links_stay(&self, tree: &dyn Tree) -> bool {
        let (root, places) = self.places.split_last().expect("the root is a place");
        let guests = places.iter().map(|place| &place.guest).chain(&self.aliases);
        root.host == Plain::ROOT && guests.into_iter().all(|guest| tree.look(guest).is_err())
    }

    /// Whether `..` leads from this place, by whatever name a guest has gone there, to where the kernel goes
    /// from what is there.
    pub fn parent_stays(&self, guest: &Plain, host: &Plain) -> bool {
        let above = |path: &Plain| {
            let mut above = path.clone();
            above.pop();
            above
        };
        let is_root = |alias: &&Plain| self.host(alias) == *host;
        let names = self.aliases.iter().filter(is_root).chain([guest]);
        names.into_iter().all(|name| self.host(&above(name)) == above(host))
    }

    /// The names on the ways to places.
    pub fn names(&self) -> &[Vec<u8>] {
        &self.names
    }

    /// Other names for the root directory.
    pub fn aliases(&self) -> &[Plain] {
        &self.aliases
    }

    /// The same path below the root directory's own name.
    pub fn without_alias(&self, guest: &Plain) -> Plain {
        Plain::ROOT.join(self.without_aliases(guest.raw()))
    }

    /// A path with other names for the root taken away, however often they come.
    fn without_aliases<'a>(&self, mut guest: &'a [u8]) -> &'a [u8] {
        while let Some(rest) = self.aliases.iter().find_map(|alias| rest_below(guest, alias)) {
            guest = rest;
        }
        guest
    }
}

/// What leads from a path to one below it.
fn rest_below<'a>(path: &'a [u8], above: &Plain) -> Option<&'a [u8]> {
    let rest = path.strip_prefix(above.raw())?;
    (rest.is_empty() || rest[0] == b'/').then_some(rest)
}
