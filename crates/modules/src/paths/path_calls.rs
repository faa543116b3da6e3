//! Which arguments of which calls are paths.
//!
//! Where a path is among a call's arguments, and what it is relative to, the table's description says.
//! What is added here, by name, is whether the call follows a last symbolic link and what it does to the
//! file. All of it is put together by the compiler: each program that is run would wait for it.

use contract::{Arch, CallSet};
use table::{Call, Dir, Kind, Target};

use super::calls::{Does, Links, PathArg};

const AT_SYMLINK_NOFOLLOW: u64 = 0x100;
const AT_SYMLINK_FOLLOW: u64 = 0x400;
const UMOUNT_NOFOLLOW: u64 = 8;
const IN_DONT_FOLLOW: u64 = 0x0200_0000;
const FAN_MARK_DONT_FOLLOW: u64 = 4;
const FSPICK_SYMLINK_NOFOLLOW: u64 = 2;
const MOVE_MOUNT_F_SYMLINKS: u64 = 1;
const MOVE_MOUNT_T_SYMLINKS: u64 = 0x10;

/// What a call does with one of its paths; `None`: the kernel looks for no such file (the text of a
/// symbolic link, the name of a queue).
type Rule = Option<(Links, Does)>;

const LOOKS: Rule = Some((Links::Followed, Does::Looks));
const LOOKS_AT_LINK: Rule = Some((Links::Kept, Does::Looks));
const CHANGES: Rule = Some((Links::Followed, Does::Changes));
const LINKS: Rule = Some((Links::Kept, Does::Links));
const CHANGES_LINK: Rule = Some((Links::Kept, Does::Changes));
const MAKES: Rule = Some((Links::Named, Does::Makes));
const REMOVES: Rule = Some((Links::Named, Does::Removes));

const fn looks_unless(register: u8, bits: u64) -> Rule {
    Some((Links::KeptIf(register, bits), Does::Looks))
}

const fn changes_unless(register: u8, bits: u64) -> Rule {
    Some((Links::KeptIf(register, bits), Does::Changes))
}

/// By name, in the order of the alphabet: a rule for each path that the description has.
const RULES: &[(&str, &[Rule])] = &[
    ("access", &[Some((Links::Followed, Does::Asks(1)))]),
    ("acct", &[CHANGES]),
    ("chdir", &[LOOKS]),
    ("chmod", &[CHANGES]),
    ("chown", &[CHANGES]),
    ("chown32", &[CHANGES]),
    ("chroot", &[LOOKS]),
    ("creat", &[Some((Links::Followed, Does::Empties))]),
    ("execve", &[LOOKS]),
    ("execveat", &[looks_unless(4, AT_SYMLINK_NOFOLLOW)]),
    ("faccessat", &[Some((Links::Followed, Does::Asks(2)))]),
    ("faccessat2", &[Some((Links::KeptIf(3, AT_SYMLINK_NOFOLLOW), Does::Asks(2)))]),
    ("fanotify_mark", &[looks_unless(1, FAN_MARK_DONT_FOLLOW)]),
    ("fchmodat", &[CHANGES]),
    ("fchmodat2", &[changes_unless(3, AT_SYMLINK_NOFOLLOW)]),
    ("fchownat", &[changes_unless(4, AT_SYMLINK_NOFOLLOW)]),
    ("file_getattr", &[looks_unless(4, AT_SYMLINK_NOFOLLOW)]),
    ("file_setattr", &[changes_unless(4, AT_SYMLINK_NOFOLLOW)]),
    ("fspick", &[looks_unless(2, FSPICK_SYMLINK_NOFOLLOW)]),
    ("fstatat64", &[looks_unless(3, AT_SYMLINK_NOFOLLOW)]),
    ("futimesat", &[CHANGES]),
    ("getxattr", &[LOOKS]),
    ("getxattrat", &[looks_unless(2, AT_SYMLINK_NOFOLLOW)]),
    ("inotify_add_watch", &[looks_unless(2, IN_DONT_FOLLOW)]),
    ("lchown", &[CHANGES_LINK]),
    ("lchown32", &[CHANGES_LINK]),
    ("lgetxattr", &[LOOKS_AT_LINK]),
    ("link", &[LINKS, MAKES]),
    ("linkat", &[Some((Links::FollowedIf(4, AT_SYMLINK_FOLLOW), Does::Links)), MAKES]),
    ("listxattr", &[LOOKS]),
    ("listxattrat", &[looks_unless(2, AT_SYMLINK_NOFOLLOW)]),
    ("llistxattr", &[LOOKS_AT_LINK]),
    ("lremovexattr", &[CHANGES_LINK]),
    ("lsetxattr", &[CHANGES_LINK]),
    ("lstat", &[LOOKS_AT_LINK]),
    ("lstat64", &[LOOKS_AT_LINK]),
    ("mkdir", &[MAKES]),
    ("mkdirat", &[MAKES]),
    ("mknod", &[MAKES]),
    ("mknodat", &[MAKES]),
    ("mount", &[Some((Links::Followed, Does::Mounts(3))), LOOKS]),
    ("mount_setattr", &[looks_unless(2, AT_SYMLINK_NOFOLLOW)]),
    (
        "move_mount",
        &[
            Some((Links::FollowedIf(4, MOVE_MOUNT_F_SYMLINKS), Does::Looks)),
            Some((Links::FollowedIf(4, MOVE_MOUNT_T_SYMLINKS), Does::Looks)),
        ],
    ),
    ("mq_open", &[None]),
    ("mq_unlink", &[None]),
    ("name_to_handle_at", &[Some((Links::FollowedIf(4, AT_SYMLINK_FOLLOW), Does::Looks))]),
    ("newfstatat", &[looks_unless(3, AT_SYMLINK_NOFOLLOW)]),
    ("oldlstat", &[LOOKS_AT_LINK]),
    ("oldstat", &[LOOKS]),
    ("open", &[Some((Links::Opened(1), Does::Opens))]),
    ("open_tree", &[looks_unless(2, AT_SYMLINK_NOFOLLOW)]),
    ("open_tree_attr", &[looks_unless(2, AT_SYMLINK_NOFOLLOW)]),
    ("openat", &[Some((Links::Opened(2), Does::Opens))]),
    ("openat2", &[Some((Links::OpenedAs(2), Does::Opens))]),
    ("pivot_root", &[LOOKS, LOOKS]),
    ("quotactl", &[LOOKS]),
    ("readlink", &[LOOKS_AT_LINK]),
    ("readlinkat", &[LOOKS_AT_LINK]),
    ("removexattr", &[CHANGES]),
    ("removexattrat", &[changes_unless(2, AT_SYMLINK_NOFOLLOW)]),
    ("rename", &[REMOVES, REMOVES]),
    ("renameat", &[REMOVES, REMOVES]),
    ("renameat2", &[REMOVES, REMOVES]),
    ("rmdir", &[REMOVES]),
    ("setxattr", &[CHANGES]),
    ("setxattrat", &[changes_unless(2, AT_SYMLINK_NOFOLLOW)]),
    ("stat", &[LOOKS]),
    ("stat64", &[LOOKS]),
    ("statfs", &[LOOKS]),
    ("statfs64", &[LOOKS]),
    ("statx", &[looks_unless(2, AT_SYMLINK_NOFOLLOW)]),
    ("swapoff", &[LOOKS]),
    ("swapon", &[LOOKS]),
    ("symlink", &[None, MAKES]),
    ("symlinkat", &[None, MAKES]),
    ("truncate", &[CHANGES]),
    ("truncate64", &[CHANGES]),
    ("umount", &[LOOKS]),
    ("umount2", &[looks_unless(1, UMOUNT_NOFOLLOW)]),
    ("unlink", &[REMOVES]),
    ("unlinkat", &[REMOVES]),
    ("uselib", &[LOOKS]),
    ("utime", &[CHANGES]),
    ("utimensat", &[changes_unless(3, AT_SYMLINK_NOFOLLOW)]),
    ("utimensat_time64", &[changes_unless(3, AT_SYMLINK_NOFOLLOW)]),
    ("utimes", &[CHANGES]),
];

/// A call that has paths among its arguments.
#[derive(Clone, Copy)]
struct PathCall {
    arch: Arch,
    number: u64,
    paths: Paths,
}

/// The paths of one call.
#[derive(Clone, Copy)]
struct Paths {
    list: [PathArg; MOST_PATHS],
    count: usize,
}

/// No call has more paths.
const MOST_PATHS: usize = 2;
const ARCHS: [Arch; 3] = [Arch::X86_64, Arch::I386, Arch::X32];

impl Paths {
    const NONE: Paths = Paths {
        list: [PathArg { register: 0, dirfd: None, links: Links::Kept, does: Does::Looks };
            MOST_PATHS],
        count: 0,
    };

    fn as_slice(&self) -> &[PathArg] {
        &self.list[..self.count]
    }
}

/// The calls of all ABIs that have paths, in the order of [`ARCHS`] and by number.
static KNOWN: [PathCall; COUNT] = listed();
const COUNT: usize = {
    let (mut arch, mut count) = (0, 0);
    while arch < ARCHS.len() {
        let mut number = 0;
        while number < CallSet::LIMIT {
            count += (paths_at(ARCHS[arch], number).count > 0) as usize;
            number += 1;
        }
        arch += 1;
    }
    count
};

const fn listed() -> [PathCall; COUNT] {
    let mut known = [PathCall { arch: Arch::X86_64, number: 0, paths: Paths::NONE }; COUNT];
    let (mut arch, mut count) = (0, 0);
    while arch < ARCHS.len() {
        let mut number = 0;
        while number < CallSet::LIMIT {
            let paths = paths_at(ARCHS[arch], number);
            if paths.count > 0 {
                known[count] = PathCall { arch: ARCHS[arch], number, paths };
                count += 1;
            }
            number += 1;
        }
        arch += 1;
    }
    known
}

const fn paths_at(arch: Arch, number: u64) -> Paths {
    match arch.call(number) {
        Some(call) => paths_of(call),
        None => Paths::NONE,
    }
}

/// The paths that a description has, as far as the kernel looks for files by them.
const fn paths_of(call: &Call) -> Paths {
    let mut paths = Paths::NONE;
    let (mut place, mut nth) = (0, 0);
    while place < call.args.len() {
        if is_path(&call.args[place].kind) {
            if let Some((links, does)) = rule(call.name, nth) {
                let is_relative = place > 0 && matches!(call.args[place - 1].kind, Kind::DirFd);
                let dirfd = if is_relative { Some(call.register(place - 1) as u8) } else { None };
                let register = call.register(place) as u8;
                paths.list[paths.count] = PathArg { register, dirfd, links, does };
                paths.count += 1;
            }
            nth += 1;
        }
        place += 1;
    }
    paths
}

/// What the call of this name does with its path of this place among its paths.
const fn rule(name: &str, nth: usize) -> Rule {
    let mut at = 0;
    while at < RULES.len() {
        if is_same(RULES[at].0, name) {
            return RULES[at].1[nth];
        }
        at += 1;
    }
    panic!("a call with a path has no rule")
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

const fn is_path(kind: &Kind) -> bool {
    matches!(kind, Kind::Ptr(Dir::In, Target::Path))
}

/// The numbers of the calls that have paths among their arguments.
pub fn set() -> CallSet {
    let mut set = CallSet::NONE;
    KNOWN.iter().for_each(|call| set.insert_of(call.arch, call.number));
    set
}

/// Those of one ABI, by number, with their paths.
pub fn all_of(arch: Arch) -> impl Iterator<Item = (u64, &'static [PathArg])> {
    let of = KNOWN.iter().filter(move |call| call.arch == arch);
    of.map(|call| (call.number, call.paths.as_slice()))
}

/// The paths of a call; none where it has none.
pub fn of(arch: Arch, number: u64) -> &'static [PathArg] {
    let place = |call: &PathCall| (order(call.arch), call.number);
    match KNOWN.binary_search_by_key(&(order(arch), number), place) {
        Ok(at) => KNOWN[at].paths.as_slice(),
        Err(_) => &[],
    }
}

/// The place of an ABI among [`ARCHS`].
fn order(arch: Arch) -> u8 {
    match arch {
        Arch::X86_64 => 0,
        Arch::I386 => 1,
        Arch::X32 => 2,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_path_of_the_table_has_a_rule() {
        let mut used = BTreeSet::new();
        for (arch, number) in CallSet::ALL.calls() {
            let Some(call) = arch.call(number) else { continue };
            let paths = call.args.iter().filter(|arg| is_path(&arg.kind)).count();
            if paths == 0 {
                continue;
            }
            let place = RULES.binary_search_by_key(&call.name, |(name, _)| name);
            let place = place.unwrap_or_else(|_| panic!("{} of {arch:?} has no rule", call.name));
            assert_eq!(RULES[place].1.len(), paths, "{} of {arch:?}", call.name);
            used.insert(call.name);
        }
        for (name, _) in RULES {
            assert!(used.contains(name), "no call {name} has paths");
        }
    }

    #[test]
    fn a_path_is_relative_to_the_descriptor_before_it() {
        let linkat = of(Arch::X86_64, table::arch::x86_64::LINKAT.number.into());
        let places: Vec<_> = linkat.iter().map(|path| (path.register, path.dirfd)).collect();
        assert_eq!(places, [(1, Some(0)), (3, Some(2))]);
        let watch = of(Arch::X86_64, table::arch::x86_64::INOTIFY_ADD_WATCH.number.into());
        assert_eq!((watch[0].register, watch[0].dirfd), (1, None));
        assert!(of(Arch::X86_64, table::arch::x86_64::READ.number.into()).is_empty());
    }
}
