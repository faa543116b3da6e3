//! Which arguments of which calls are paths, and what the calls do with them.
//!
//! Where a path is among a call's arguments, and what it is relative to, the table's description says.
//! What is added here, by name, is whether the call follows a last symbolic link and what it does to the
//! file.

use contract::{Arch, CallSet};
use table::{Call, Dir, Kind, Target};

use super::view::Last;

/// A path among a call's arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathArg {
    /// The register that points to it, 0 to 5.
    pub register: u8,
    /// The register with the descriptor that it is relative to; `None`: it is the working directory.
    pub dirfd: Option<u8>,
    /// Whether a last symbolic link is followed.
    pub links: Links,
    /// What the call does to the file.
    pub does: Does,
}

/// Whether a call follows a symbolic link that is a path's last name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Links {
    /// It does.
    Followed,
    /// It does not.
    Kept,
    /// It does not if this register has one of these bits.
    KeptIf(u8, u64),
    /// It does if this register has one of these bits.
    FollowedIf(u8, u64),
    /// As `open(2)` with the flags of this register.
    Opened(u8),
    /// As `openat2(2)` with the struct to which this register points.
    OpenedAs(u8),
}

/// What a call does to the file of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Does {
    /// It changes nothing.
    Looks,
    /// It opens it as [`Links`] says.
    Opens,
    /// It empties it, or makes it (`creat(2)`).
    Empties,
    /// It makes a new name.
    Makes,
    /// It removes or replaces a name.
    Removes,
    /// It changes the file or what is known of it.
    Changes,
    /// It asks whether it may be changed, if this register has `W_OK`.
    Asks(u8),
    /// It mounts it, if this register has `MS_BIND` or `MS_MOVE`: else the text may be no path.
    Mounts(u8),
}

const AT_SYMLINK_NOFOLLOW: u64 = 0x100;
const AT_SYMLINK_FOLLOW: u64 = 0x400;
const UMOUNT_NOFOLLOW: u64 = 8;
const IN_DONT_FOLLOW: u64 = 0x0200_0000;
const FAN_MARK_DONT_FOLLOW: u64 = 4;
const FSPICK_SYMLINK_NOFOLLOW: u64 = 2;
const MOVE_MOUNT_F_SYMLINKS: u64 = 1;
const MOVE_MOUNT_T_SYMLINKS: u64 = 0x10;
const W_OK: u64 = 2;
/// `MS_BIND` and `MS_MOVE`.
const MS_OF_FILES: u64 = 0x1000 | 0x2000;

/// What a call does with one of its paths; `None`: the kernel looks for no such file (the text of a
/// symbolic link, the name of a queue).
type Rule = Option<(Links, Does)>;

const LOOKS: Rule = Some((Links::Followed, Does::Looks));
const LOOKS_AT_LINK: Rule = Some((Links::Kept, Does::Looks));
const CHANGES: Rule = Some((Links::Followed, Does::Changes));
const CHANGES_LINK: Rule = Some((Links::Kept, Does::Changes));
const MAKES: Rule = Some((Links::Kept, Does::Makes));
const REMOVES: Rule = Some((Links::Kept, Does::Removes));

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
    ("link", &[LOOKS_AT_LINK, MAKES]),
    ("linkat", &[Some((Links::FollowedIf(4, AT_SYMLINK_FOLLOW), Does::Looks)), MAKES]),
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

/// The calls of all ABIs that have paths among their arguments.
#[derive(Debug)]
pub struct PathCalls {
    known: Vec<(Arch, u64, Vec<PathArg>)>,
}

impl PathCalls {
    /// All that the table describes.
    pub fn new() -> PathCalls {
        let mut known = Vec::new();
        for (arch, number) in CallSet::ALL.calls() {
            let paths = arch.call(number).map(paths_of).unwrap_or_default();
            if !paths.is_empty() {
                known.push((arch, number, paths));
            }
        }
        PathCalls { known }
    }

    /// The numbers of these calls.
    pub fn set(&self) -> CallSet {
        let mut set = CallSet::NONE;
        self.known.iter().for_each(|(arch, number, _)| set.insert_of(*arch, *number));
        set
    }

    /// The calls of one ABI, by number, with their paths.
    pub fn all_of(&self, arch: Arch) -> impl Iterator<Item = (u64, &[PathArg])> {
        let of = self.known.iter().filter(move |(known, ..)| *known == arch);
        of.map(|(_, number, paths)| (*number, paths.as_slice()))
    }

    /// The paths of a call; none where it has none.
    pub fn of(&self, arch: Arch, number: u64) -> &[PathArg] {
        let place = self
            .known
            .partition_point(|(known, at, _)| (order(*known), *at) < (order(arch), number));
        match self.known.get(place) {
            Some((found, known, paths)) if (*found, *known) == (arch, number) => paths,
            _ => &[],
        }
    }
}

impl Default for PathCalls {
    fn default() -> PathCalls {
        PathCalls::new()
    }
}

/// The order in which [`CallSet::calls`] tells of ABIs.
fn order(arch: Arch) -> u8 {
    match arch {
        Arch::X86_64 => 0,
        Arch::I386 => 1,
        Arch::X32 => 2,
    }
}

/// The paths that a description has, as far as the kernel looks for files by them.
fn paths_of(call: &Call) -> Vec<PathArg> {
    // Few calls have any, and each program that is run waits for this.
    if !call.args.iter().any(|arg| is_path(&arg.kind)) {
        return Vec::new();
    }
    let Ok(place) = RULES.binary_search_by_key(&call.name, |(name, _)| name) else {
        return Vec::new();
    };
    let paths = call.args.iter().enumerate().filter(|(_, arg)| is_path(&arg.kind));
    let rules = paths.zip(RULES[place].1);
    rules
        .filter_map(|((index, _), rule)| {
            let (links, does) = (*rule)?;
            let before = index.checked_sub(1);
            let dirfd = before.filter(|&before| matches!(call.args[before].kind, Kind::DirFd));
            Some(PathArg {
                register: call.register(index) as u8,
                dirfd: dirfd.map(|index| call.register(index) as u8),
                links,
                does,
            })
        })
        .collect()
}

fn is_path(kind: &Kind) -> bool {
    matches!(kind, Kind::Ptr(Dir::In, Target::Path))
}

impl Links {
    /// Whether a call with these registers follows a last link. `how` are the flags of `openat2(2)`.
    pub fn last(self, args: &[u64; 6], how: u64) -> Last {
        let of = |register: u8| args[usize::from(register)];
        let opened = |flags: u64| {
            let kept = flags & libc::O_NOFOLLOW as u64 != 0
                || flags & libc::O_CREAT as u64 != 0 && flags & libc::O_EXCL as u64 != 0;
            if kept { Last::Keep } else { Last::Follow }
        };
        match self {
            Links::Followed => Last::Follow,
            Links::Kept => Last::Keep,
            Links::KeptIf(register, bits) if of(register) & bits != 0 => Last::Keep,
            Links::KeptIf(..) => Last::Follow,
            Links::FollowedIf(register, bits) if of(register) & bits != 0 => Last::Follow,
            Links::FollowedIf(..) => Last::Keep,
            Links::Opened(register) => opened(of(register)),
            Links::OpenedAs(_) => opened(how),
        }
    }
}

/// What a call would do to a file that is not to be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writes {
    /// Nothing.
    Never,
    /// It changes it if it is there, and makes it if not.
    File,
    /// It changes it if it is there.
    IfThere,
    /// It changes the directory, if the name is not there already.
    UnlessThere,
    /// It changes the directory.
    Directory,
}

impl PathArg {
    /// Whether this text is a path to a call with these registers: only an absolute one may be the name of a
    /// device.
    pub fn is_path(&self, args: &[u64; 6], text: &[u8]) -> bool {
        match self.does {
            Does::Mounts(register) => {
                args[usize::from(register)] & MS_OF_FILES != 0 || text.starts_with(b"/")
            }
            _ => true,
        }
    }

    /// What a call with these registers writes. `how` are the flags of `openat2(2)`.
    pub fn writes(&self, args: &[u64; 6], how: u64) -> Writes {
        let of = |register: u8| args[usize::from(register)];
        let opened = |flags: u64| {
            let flags = flags as i32;
            let writes = flags & libc::O_ACCMODE != libc::O_RDONLY || flags & libc::O_TRUNC != 0;
            match (flags & libc::O_PATH != 0, flags & libc::O_CREAT != 0) {
                (true, _) => Writes::Never,
                _ if flags & libc::O_TMPFILE == libc::O_TMPFILE => Writes::Directory,
                (false, true) if writes => Writes::File,
                (false, true) => Writes::UnlessThere,
                (false, false) if writes => Writes::IfThere,
                (false, false) => Writes::Never,
            }
        };
        match (self.does, self.links) {
            (Does::Opens, Links::Opened(register)) => opened(of(register)),
            (Does::Opens, _) => opened(how),
            (Does::Looks | Does::Mounts(_), _) => Writes::Never,
            (Does::Empties, _) => Writes::File,
            (Does::Makes, _) => Writes::UnlessThere,
            (Does::Removes, _) => Writes::Directory,
            (Does::Changes, _) => Writes::IfThere,
            (Does::Asks(register), _) if of(register) & W_OK != 0 => Writes::IfThere,
            (Does::Asks(_), _) => Writes::Never,
        }
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
        let calls = PathCalls::new();
        let linkat = calls.of(Arch::X86_64, table::arch::x86_64::LINKAT.number.into());
        let places: Vec<_> = linkat.iter().map(|path| (path.register, path.dirfd)).collect();
        assert_eq!(places, [(1, Some(0)), (3, Some(2))]);
        let watch = calls.of(Arch::X86_64, table::arch::x86_64::INOTIFY_ADD_WATCH.number.into());
        assert_eq!((watch[0].register, watch[0].dirfd), (1, None));
        assert!(calls.of(Arch::X86_64, table::arch::x86_64::READ.number.into()).is_empty());
    }
}
