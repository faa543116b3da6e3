//! Rules that are kept whatever a guest tries.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use contract::{Enforcement, ForbiddenCalls, ForbiddenFiles, Refusals};

use super::mounts::Mounts;
use super::{Rule, What};
use crate::paths::{Map, Plain};

/// What these rules forbid to guests that see files as this map says. Refusals are noted there.
///
/// # Errors
/// A rule cannot be kept: why, with the way out.
pub fn enforcement(rules: &[Rule], map: &Map, refusals: Refusals) -> Result<Enforcement, String> {
    let mounts = Mounts::read().map_err(|error| format!("/proc/self/mountinfo: {error}"))?;
    let mut all = Enforcement { refusals, ..Enforcement::default() };
    for rule in rules {
        let path = match (&rule.what, &rule.path) {
            (What::Calls(calls), None) => {
                let (calls, errno) = (**calls, rule.errno);
                all.calls.push(ForbiddenCalls { calls, errno, rule: rule.to_string() });
                continue;
            }
            (What::Calls(calls), Some(_)) if !calls.is_all() => {
                return Err(format!(
                    "'{rule}' cannot be kept: other calls lead to the same file; name no calls \
                     ('PATH': nothing is done with it), or '@write:PATH'"
                ));
            }
            (_, path) => path.clone().unwrap_or(Plain::ROOT),
        };
        for host in hosts(&path, map, &mounts) {
            let inode = inode_of(Path::new(OsStr::from_bytes(&host)));
            all.files.push(ForbiddenFiles {
                host,
                inode,
                readable: rule.what == What::Writes,
                errno: rule.errno,
                rule: rule.to_string(),
            });
        }
    }
    Ok(all)
}

/// The file system and the number of a file that is no directory.
fn inode_of(path: &Path) -> Option<(u64, u64)> {
    let data = fs::symlink_metadata(path).ok().filter(|data| !data.is_dir())?;
    Some((data.dev(), data.ino()))
}

/// The kernel's names for a guest's file: of the link that it may be, of what that leads to, and of what
/// the guest sees below it. Others by which they are mounted too.
fn hosts(path: &Plain, map: &Map, mounts: &Mounts) -> Vec<Vec<u8>> {
    let host = map.host(path);
    let mut names = vec![kernels_name(host.as_path().to_owned(), false)];
    names.push(kernels_name(host.as_path().to_owned(), true));
    let below = map.places().filter(|(guest, ..)| guest.below(path).is_some());
    names.extend(below.map(|(_, host, _)| kernels_name(host.as_path().to_owned(), true)));
    let mut names: Vec<Vec<u8>> =
        names.into_iter().map(|name| name.into_os_string().into_vec()).collect();
    let plain = names.iter().filter_map(|name| Plain::of(name));
    let others: Vec<Plain> = plain.flat_map(|name| mounts.other_names(&name)).collect();
    names.extend(others.iter().map(|name| name.as_bytes().to_vec()));
    names.sort();
    names.dedup();
    names
}

/// The name that the kernel has for a path, as far as there is something; the last link is followed, or
/// not.
fn kernels_name(path: PathBuf, follow: bool) -> PathBuf {
    let is_there = |error: &io::Error| error.kind() != io::ErrorKind::NotFound;
    let mut missing: Vec<OsString> = Vec::new();
    let mut there = path.clone();
    if !follow {
        missing.extend(there.file_name().map(OsString::from));
        there.pop();
    }
    loop {
        match fs::canonicalize(&there) {
            Ok(mut name) => {
                missing.iter().rev().for_each(|last| name.push(last));
                return name;
            }
            Err(error) if is_there(&error) => return path,
            Err(_) => {
                let Some(last) = there.file_name().map(OsString::from) else { return path };
                missing.push(last);
                there.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::CallSet;

    use super::*;
    use crate::paths::HostTree;

    fn rule(what: What, path: Option<&str>) -> Rule {
        let path = path.map(|path| Plain::of(path.as_bytes()).expect("a plain path"));
        Rule { what, calls: String::new(), path, errno: 13 }
    }

    fn enforced(rules: &[Rule]) -> Result<Enforcement, String> {
        let map = Map::new(Vec::new(), &HostTree::NOBODY).expect("an empty map");
        enforcement(rules, &map, Refusals::default())
    }

    #[test]
    fn a_path_is_known_by_the_kernels_name() {
        // A link of every system.
        let all = || What::Calls(Box::new(CallSet::ALL));
        let found =
            enforced(&[rule(all(), Some("/proc/self/none/at/all"))]).expect("it can be kept");
        let own = format!("/proc/{}/none/at/all", std::process::id());
        assert_eq!(found.files.len(), 1);
        assert_eq!(found.files[0].host, own.as_bytes());
        assert!(!found.files[0].readable);
        let found = enforced(&[rule(What::Writes, None)]).expect("it can be kept");
        assert_eq!((found.files[0].host.as_slice(), found.files[0].readable), (&b"/"[..], true));
    }

    #[test]
    fn single_calls_on_a_path_cannot_be_kept() {
        let mut calls = CallSet::NONE;
        calls.insert(2);
        assert!(enforced(&[rule(What::Calls(Box::new(calls)), Some("/etc"))]).is_err());
        let found = enforced(&[rule(What::Calls(Box::new(calls)), None)]).expect("it can be kept");
        assert_eq!(found.calls.len(), 1);
    }
}
