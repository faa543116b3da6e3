//! The names of the files that rules are about.

use crate::paths::{
    Caller, HostTree, Last, Link, MOST_LINKS, Map, Met, Plain, Tree, link, name_of, see,
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

/// The guest's names for what this path leads to now: by which links lead there, of a link itself and of
/// what it leads to. Calls are told by such names. A way through `/proc/self` leads us elsewhere than guests.
pub fn names(path: &Plain, map: &Map) -> Vec<Plain> {
    let text = path.as_bytes();
    let is_ours = leads_through_oneself(&map.host(path));
    let ways = [Last::Keep, Last::Follow].into_iter().filter(|_| !is_ours);
    let found = ways.filter_map(|last| {
        let seen = see(map, &HostTree::NOBODY, &Nobody, text, last).ok()?;
        name_of(&seen, &Nobody, text)
    });
    let mut names: Vec<Plain> =
        found.chain([path.clone()]).map(|name| map.without_alias(&name)).collect();
    names.sort();
    names.dedup();
    names
}

/// Whether the way by this path of the host goes through a link that leads each process to itself.
fn leads_through_oneself(path: &Plain) -> bool {
    let reversed = |text: &[u8]| -> Vec<Vec<u8>> {
        text.rsplit(|byte| *byte == b'/').map(<[u8]>::to_vec).collect()
    };
    let (mut at, mut rest, mut links) = (Plain::ROOT, reversed(path.as_bytes()), 0);
    while let Some(name) = rest.pop() {
        match name.as_slice() {
            b"" | b"." => continue,
            b".." => {
                at.pop();
                continue;
            }
            name => at.push(name),
        }
        if link(&at) == Some(Link::Oneself) {
            return true;
        }
        if let Ok(Met::Link(text)) = HostTree::NOBODY.look(&at) {
            links += 1;
            if links > MOST_LINKS {
                return false;
            }
            if text.starts_with(b"/") {
                at = Plain::ROOT;
            } else {
                at.pop();
            }
            rest.extend(reversed(&text));
        }
    }
    false
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
