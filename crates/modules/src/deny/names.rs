//! The names of the files that rules are about.

use std::cell::Cell;
use std::io;

use crate::paths::{
    Caller, Errno, HostTree, Last, Leads, Link, Map, Met, Plain, Tree, link, name_of, see,
};

/// Where a rule's path begins: nowhere else than at the root.
struct Nobody;

impl Caller for Nobody {
    fn start_on_host(&self) -> Option<Plain> {
        None
    }

    fn start(&self) -> Option<Plain> {
        None
    }

    fn root(&self) -> &Plain {
        const ROOT: &Plain = &Plain::ROOT;
        ROOT
    }

    fn link_name(&self, _: &Plain) -> Option<Plain> {
        None
    }
}

/// The files of the machine, and whether a walk came to a link that leads each process to itself. It goes name
/// by name: what the kernel says of a whole path does not tell by which links it leads.
#[derive(Default)]
struct Steps {
    through_oneself: Cell<bool>,
}

impl Tree for Steps {
    fn look(&self, host: &Plain) -> Result<Met, Errno> {
        if link(host) == Some(Link::Oneself) {
            self.through_oneself.set(true);
        }
        HostTree::NOBODY.look(host)
    }

    fn is_there(&self, host: &Plain, follow: bool) -> bool {
        HostTree::NOBODY.is_there(host, follow)
    }

    fn leads(&self, _: &Plain, _: bool) -> Leads {
        Leads::Nowhere
    }

    fn canonical(&self, host: &Plain) -> io::Result<Plain> {
        HostTree::NOBODY.canonical(host)
    }
}

/// The guest's names for what this path leads to now: by which links lead there, of a link itself and of
/// what it leads to. Calls are told by such names. A way through `/proc/self` leads us elsewhere than guests.
pub fn names(path: &Plain, map: &Map) -> Vec<Plain> {
    let text = path.as_bytes();
    let steps = Steps::default();
    let mut names = Vec::new();
    for last in [Last::Keep, Last::Follow] {
        let seen = see(map, &steps, &Nobody, text, last);
        names.extend(seen.ok().and_then(|seen| name_of(&seen, &Nobody, text)));
    }
    if steps.through_oneself.get() {
        names.clear();
    }
    names.push(path.clone());
    names.iter_mut().for_each(|name| *name = map.without_alias(name));
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::{env, fs, process};

    use super::*;
    use crate::unreal;

    #[test]
    fn a_file_is_known_by_where_links_lead() {
        let folder = env::temp_dir().join(format!("rule-names-{}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("a")).expect("a folder");
        let folder = fs::canonicalize(folder).expect("it is there");
        fs::write(folder.join("a/file"), "").expect("a file");
        symlink("a", folder.join("way")).expect("a link");
        symlink("file", folder.join("a/link")).expect("a link");
        let map = Map::new(vec![unreal::place()], &HostTree::NOBODY).expect("a map");
        let of = |path: &str| {
            let path = Plain::of(path.as_bytes()).expect("a plain path");
            let names = names(&path, &map);
            let here = folder.to_str().expect("a name");
            names.iter().map(|name| name.to_string().replace(here, "")).collect::<Vec<_>>()
        };
        let here = folder.display();
        assert_eq!(of(&format!("{here}/way/link")), ["/a/file", "/a/link", "/way/link"]);
        assert_eq!(of(&format!("/unreal{here}/a/file")), ["/a/file"]);
        assert_eq!(of(&format!("{here}/way/none")), ["/a/none", "/way/none"]);
        symlink("/proc/self/fd/0", folder.join("stdin")).expect("a link");
        assert_eq!(of(&format!("{here}/stdin")), ["/stdin"], "what is ours is nobody else's");
        assert_eq!(of("/proc/self/exe"), ["/proc/self/exe"]);
        fs::remove_dir_all(&folder).expect("it is removed");
    }
}
