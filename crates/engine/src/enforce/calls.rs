//! What calls do with files, and which are not made at all: of the 64-bit ABI.

use libc::c_long;
use table::request::changing::{ATTRIBUTES, SNAPSHOTS};

/// A call that is made in the guest's place. What its arguments are, [`kernel::behalf::shape`] tells.
#[derive(Clone, Copy, Debug)]
pub struct Performed {
    /// Its number.
    pub number: c_long,
    /// What it does with each of its paths.
    pub files: &'static [(Links, Use)],
}

/// Whether a symbolic link is followed that is a path's last name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Links {
    /// It is.
    Followed,
    /// It is not.
    Kept,
    /// It is not if this argument has this bit.
    KeptIf(u8, u64),
    /// It is if this argument has this bit.
    FollowedIf(u8, u64),
}

/// What is done with a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Use {
    /// It is looked at.
    Looked,
    /// It is changed.
    Changed,
    /// Its name is made or removed.
    Named,
    /// It gets another name, or it becomes a way to elsewhere: so does what lies below it.
    Moved,
}

impl Links {
    /// Whether a call with these arguments follows a last link.
    pub fn are_followed(self, args: &[u64; 6]) -> bool {
        match self {
            Links::Followed => true,
            Links::Kept => false,
            Links::KeptIf(index, bit) => args[usize::from(index)] & bit == 0,
            Links::FollowedIf(index, bit) => args[usize::from(index)] & bit != 0,
        }
    }
}

const NOFOLLOW: u64 = libc::AT_SYMLINK_NOFOLLOW as u64;
const FOLLOW: u64 = libc::AT_SYMLINK_FOLLOW as u64;
const DONT_FOLLOW: u64 = libc::IN_DONT_FOLLOW as u64;

const LOOKED: (Links, Use) = (Links::Followed, Use::Looked);
const LINK_LOOKED: (Links, Use) = (Links::Kept, Use::Looked);
const CHANGED: (Links, Use) = (Links::Followed, Use::Changed);
const LINK_CHANGED: (Links, Use) = (Links::Kept, Use::Changed);
const NAMED: (Links, Use) = (Links::Kept, Use::Named);
const MOVED: (Links, Use) = (Links::Kept, Use::Moved);

const fn looked_unless(index: u8, bit: u64) -> (Links, Use) {
    (Links::KeptIf(index, bit), Use::Looked)
}

const fn changed_unless(index: u8, bit: u64) -> (Links, Use) {
    (Links::KeptIf(index, bit), Use::Changed)
}

const fn call(number: c_long, files: &'static [(Links, Use)]) -> Performed {
    Performed { number, files }
}

/// All calls that are made in the guest's place but for those that open files, and those of sockets.
/// Those that look at no path are about a descriptor, and change its file.
pub const PERFORMED: &[Performed] = &[
    call(libc::SYS_stat, &[LOOKED]),
    call(libc::SYS_lstat, &[LINK_LOOKED]),
    call(libc::SYS_newfstatat, &[looked_unless(3, NOFOLLOW)]),
    call(libc::SYS_statx, &[looked_unless(2, NOFOLLOW)]),
    call(libc::SYS_statfs, &[LOOKED]),
    call(libc::SYS_access, &[LOOKED]),
    call(libc::SYS_faccessat, &[LOOKED]),
    call(libc::SYS_faccessat2, &[looked_unless(3, NOFOLLOW)]),
    call(libc::SYS_readlink, &[LINK_LOOKED]),
    call(libc::SYS_readlinkat, &[LINK_LOOKED]),
    call(libc::SYS_getxattr, &[LOOKED]),
    call(libc::SYS_lgetxattr, &[LINK_LOOKED]),
    call(libc::SYS_listxattr, &[LOOKED]),
    call(libc::SYS_llistxattr, &[LINK_LOOKED]),
    call(libc::SYS_inotify_add_watch, &[(Links::KeptIf(2, DONT_FOLLOW), Use::Looked)]),
    call(libc::SYS_chmod, &[CHANGED]),
    call(libc::SYS_fchmodat, &[CHANGED]),
    call(kernel::behalf::SYS_FCHMODAT2, &[changed_unless(3, NOFOLLOW)]),
    call(libc::SYS_fchmod, &[]),
    call(libc::SYS_chown, &[CHANGED]),
    call(libc::SYS_lchown, &[LINK_CHANGED]),
    call(libc::SYS_fchownat, &[changed_unless(4, NOFOLLOW)]),
    call(libc::SYS_fchown, &[]),
    call(libc::SYS_utime, &[CHANGED]),
    call(libc::SYS_utimes, &[CHANGED]),
    call(libc::SYS_futimesat, &[CHANGED]),
    call(libc::SYS_utimensat, &[changed_unless(3, NOFOLLOW)]),
    call(libc::SYS_truncate, &[CHANGED]),
    call(libc::SYS_setxattr, &[CHANGED]),
    call(libc::SYS_lsetxattr, &[LINK_CHANGED]),
    call(libc::SYS_fsetxattr, &[]),
    call(libc::SYS_removexattr, &[CHANGED]),
    call(libc::SYS_lremovexattr, &[LINK_CHANGED]),
    call(libc::SYS_fremovexattr, &[]),
    call(libc::SYS_mkdir, &[NAMED]),
    call(libc::SYS_mkdirat, &[NAMED]),
    call(libc::SYS_mknod, &[NAMED]),
    call(libc::SYS_mknodat, &[NAMED]),
    call(libc::SYS_rmdir, &[NAMED]),
    call(libc::SYS_unlink, &[NAMED]),
    call(libc::SYS_unlinkat, &[NAMED]),
    call(libc::SYS_symlink, &[MOVED]),
    call(libc::SYS_symlinkat, &[MOVED]),
    // Who has another name for a file can change it by that.
    call(libc::SYS_link, &[LINK_CHANGED, NAMED]),
    call(libc::SYS_linkat, &[(Links::FollowedIf(4, FOLLOW), Use::Changed), NAMED]),
    call(libc::SYS_rename, &[MOVED, MOVED]),
    call(libc::SYS_renameat, &[MOVED, MOVED]),
    call(libc::SYS_renameat2, &[MOVED, MOVED]),
];

/// The calls that open files, with the index of their flags.
pub const OPENING: &[(c_long, Option<u8>)] =
    &[(libc::SYS_open, Some(1)), (libc::SYS_creat, None), (libc::SYS_openat, Some(2))];

/// The argument with the flags of a call that opens a file, if it has one; `None`: it opens none.
fn opens_by(number: u64) -> Option<Option<u8>> {
    OPENING.iter().find(|(known, _)| *known as u64 == number).map(|(_, index)| *index)
}

/// The flags with which a call opens a file; `None`: it opens none.
pub fn flags_of(number: u64, args: &[u64; 6]) -> Option<i32> {
    let index = opens_by(number)?;
    let creat = libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC;
    Some(index.map_or(creat, |index| args[usize::from(index)] as i32))
}

/// What stands above the flags of an open that is to read in the place of naming. The kernel does not look
/// there. A guest that sets it gains no more than that.
const INSTEAD_OF_NAMING: u64 = 1 << 32;
/// What counts beside `O_PATH`.
const BESIDE_NAMING: u64 = (libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC) as u64;

/// The argument by which an open that only names (`O_PATH`) becomes one that reads in the place of that:
/// the listener is asked about it then.
pub fn reading_instead(number: u64, args: &[u64; 6]) -> Option<(u8, u64)> {
    let index = opens_by(number)??;
    Some((index, args[usize::from(index)] & BESIDE_NAMING | INSTEAD_OF_NAMING))
}

/// The flags of an open about which the listener is asked, `O_PATH` among them where it reads in the place
/// of that.
pub fn flags_at_listener(number: u64, args: &[u64; 6]) -> Option<i32> {
    let index = opens_by(number)?;
    let is_marked = |index: u8| args[usize::from(index)] & INSTEAD_OF_NAMING != 0;
    let named = if index.is_some_and(is_marked) { libc::O_PATH } else { 0 };
    flags_of(number, args).map(|flags| flags | named)
}

/// How a call of this number is made in the guest's place.
pub fn performed(number: u64) -> Option<&'static Performed> {
    PERFORMED.iter().find(|call| call.number as u64 == number)
}

/// The argument of such a call that has the flags `AT_SYMLINK_NOFOLLOW` and `AT_EMPTY_PATH`.
pub fn at_flags(number: u64) -> Option<u8> {
    performed(number)?.files.iter().find_map(|(links, _)| match links {
        Links::KeptIf(index, NOFOLLOW) | Links::FollowedIf(index, FOLLOW) => Some(*index),
        _ => None,
    })
}

impl Performed {
    /// Whether it changes anything.
    pub fn writes(&self) -> bool {
        self.files.is_empty() || self.files.iter().any(|(_, does)| *does > Use::Looked)
    }
}

/// Why a call is refused that nobody has forbidden.
pub const TOO_NEW: &str = "it cannot be decided upon by a copy; the program can do without it";
const OTHERS: &str = "it reaches into other processes";
const NAMES: &str = "it changes what paths mean";
const PAST: &str = "it reaches files without their paths";
const MACHINE: &str = "it is for who may do everything";
/// What a program forbids itself so is not forbidden to who makes its calls.
const OWN_RULES: &str = "its calls are made by another, whom its own rules would not bind";

/// Calls that are not made: what they could do cannot be decided upon, or undoes what was decided. The
/// errors that make programs go another way, where there is one.
pub const REFUSED: &[(c_long, i32, &str)] = &[
    (libc::SYS_io_uring_setup, libc::ENOSYS, TOO_NEW),
    (libc::SYS_io_uring_enter, libc::ENOSYS, TOO_NEW),
    (libc::SYS_io_uring_register, libc::ENOSYS, TOO_NEW),
    (libc::SYS_clone3, libc::ENOSYS, TOO_NEW),
    (libc::SYS_openat2, libc::ENOSYS, TOO_NEW),
    (libc::SYS_userfaultfd, libc::ENOSYS, TOO_NEW),
    (libc::SYS_open_tree, libc::ENOSYS, NAMES),
    (libc::SYS_move_mount, libc::ENOSYS, NAMES),
    (libc::SYS_fsopen, libc::ENOSYS, NAMES),
    (libc::SYS_fsconfig, libc::ENOSYS, NAMES),
    (libc::SYS_fsmount, libc::ENOSYS, NAMES),
    (libc::SYS_fspick, libc::ENOSYS, NAMES),
    (libc::SYS_mount_setattr, libc::ENOSYS, NAMES),
    (libc::SYS_mount, libc::EPERM, NAMES),
    (libc::SYS_umount2, libc::EPERM, NAMES),
    (libc::SYS_pivot_root, libc::EPERM, NAMES),
    (libc::SYS_chroot, libc::EPERM, NAMES),
    (libc::SYS_setns, libc::EPERM, NAMES),
    (libc::SYS_ptrace, libc::EPERM, OTHERS),
    (libc::SYS_process_vm_readv, libc::EPERM, OTHERS),
    (libc::SYS_process_vm_writev, libc::EPERM, OTHERS),
    (libc::SYS_process_madvise, libc::EPERM, OTHERS),
    (libc::SYS_pidfd_getfd, libc::EPERM, OTHERS),
    (libc::SYS_kcmp, libc::EPERM, OTHERS),
    (libc::SYS_perf_event_open, libc::EPERM, OTHERS),
    (libc::SYS_bpf, libc::EPERM, MACHINE),
    (libc::SYS_name_to_handle_at, libc::EOPNOTSUPP, PAST),
    (libc::SYS_open_by_handle_at, libc::EPERM, PAST),
    (libc::SYS_landlock_create_ruleset, libc::ENOSYS, OWN_RULES),
    (libc::SYS_landlock_add_rule, libc::ENOSYS, OWN_RULES),
    (libc::SYS_landlock_restrict_self, libc::ENOSYS, OWN_RULES),
    (libc::SYS_fanotify_init, libc::EPERM, PAST),
    (libc::SYS_fanotify_mark, libc::EPERM, PAST),
    (libc::SYS_quotactl, libc::EPERM, MACHINE),
    (libc::SYS_quotactl_fd, libc::EPERM, MACHINE),
    (libc::SYS_acct, libc::EPERM, MACHINE),
    (libc::SYS_uselib, libc::ENOSYS, TOO_NEW),
    (libc::SYS_swapon, libc::EPERM, MACHINE),
    (libc::SYS_swapoff, libc::EPERM, MACHINE),
    (libc::SYS_iopl, libc::EPERM, MACHINE),
    (libc::SYS_ioperm, libc::EPERM, MACHINE),
    (libc::SYS_kexec_load, libc::EPERM, MACHINE),
    (libc::SYS_kexec_file_load, libc::EPERM, MACHINE),
    (libc::SYS_init_module, libc::EPERM, MACHINE),
    (libc::SYS_finit_module, libc::EPERM, MACHINE),
    (libc::SYS_delete_module, libc::EPERM, MACHINE),
    (libc::SYS_reboot, libc::EPERM, MACHINE),
];

/// The last call that is known here to reach no files but those above. Newer ones do not exist for
/// guests.
pub const LAST_KNOWN: c_long = libc::SYS_mseal;
pub const UNKNOWN: &str = "it is newer than what is known here";
pub const OTHER_ABI: &str = "32-bit and x32 calls are not there";

/// Calls that are refused only with certain arguments, which are in registers: nobody can change those.
pub const REFUSED_IF: &[(c_long, &[Condition], i32, &str)] = &[
    (libc::SYS_clone, &[Condition::Bits(0, NEW_NAMES | UNTRACED)], libc::EPERM, NAMES),
    (libc::SYS_unshare, &[Condition::Bits(0, NEW_NAMES | NEW_TIME)], libc::EPERM, NAMES),
    (libc::SYS_ioctl, &[Condition::OneOf(1, TYPING)], libc::EPERM, "it types for the user"),
    (libc::SYS_ioctl, &[Condition::OneOf(1, SNAPSHOTS)], libc::EPERM, NAMES),
    // All calls would wait with the one that opens the file.
    (libc::SYS_fcntl, &[Condition::OneOf(1, LEASE)], libc::EINVAL, "it holds up who opens a file"),
];

/// The same, where files are forbidden that may not even be read. The types `SOCK_DGRAM` and `SOCK_RAW`
/// have this bit, others not.
pub const REFUSED_IF_HIDDEN: &[(c_long, &[Condition], i32, &str)] = &[
    (libc::SYS_socket, UNIX_DATAGRAMS, libc::EACCES, DATAGRAMS),
    (libc::SYS_socketpair, UNIX_DATAGRAMS, libc::EACCES, DATAGRAMS),
];

/// The same, where files may only be read: these change a file that is open for reading.
pub const REFUSED_IF_READABLE: &[(c_long, &[Condition], i32, &str)] =
    &[(libc::SYS_ioctl, &[Condition::OneOf(1, ATTRIBUTES)], libc::EPERM, "it changes a file")];

/// The error of a 64-bit call that is not made by anybody, and why; `None`: it is not refused.
pub fn refused(number: u64, args: &[u64; 6]) -> Option<(i32, &'static str)> {
    let is = |known: &c_long| *known as u64 == number;
    let always = REFUSED.iter().find(|(known, ..)| is(known));
    let always = always.map(|(_, error, why)| (*error, *why));
    // Which of the lists counts here, the filter has decided.
    let conditional = [REFUSED_IF, REFUSED_IF_HIDDEN, REFUSED_IF_READABLE];
    let sometimes = conditional.iter().copied().flatten().find(|(known, conditions, ..)| {
        is(known) && conditions.iter().all(|condition| condition.holds(args))
    });
    always.or(sometimes.map(|(_, _, error, why)| (*error, *why)))
}

/// What holds for an argument's lower half.
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// It has one of these bits.
    Bits(u8, u32),
    /// It is one of these.
    OneOf(u8, &'static [u32]),
}

const NEW_NAMES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32;
const NEW_TIME: u32 = libc::CLONE_NEWTIME as u32;
/// Who is not traced could execute what nobody looks at.
const UNTRACED: u32 = libc::CLONE_UNTRACED as u32;
const UNIX_DATAGRAMS: &[Condition] =
    &[Condition::OneOf(0, &[libc::AF_UNIX as u32]), Condition::Bits(1, libc::SOCK_DGRAM as u32)];
const DATAGRAMS: &str = "the address of a datagram cannot be decided upon by a copy";
/// `TIOCSTI` and `TIOCLINUX`: whoever reads the terminal next gets it.
const TYPING: &[u32] = &[0x5412, 0x541c];
/// `F_SETLEASE`, and `F_SETDELEG` of Linux 6.19.
const LEASE: &[u32] = &[libc::F_SETLEASE as u32, 1040];
impl Condition {
    /// Whether it holds for these arguments.
    pub fn holds(self, args: &[u64; 6]) -> bool {
        match self {
            Condition::Bits(index, bits) => args[usize::from(index)] as u32 & bits != 0,
            Condition::OneOf(index, values) => values.contains(&(args[usize::from(index)] as u32)),
        }
    }
}
