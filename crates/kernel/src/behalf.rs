//! Calls that are made in a guest's place, with our own copies of what it passed.
//!
//! What a guest passes by a pointer can be changed by its other threads at any time. Who decides by it
//! has to copy it first, and to make the call itself, with the copy.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::sync::OnceLock;

use libc::{c_int, c_long};

use crate::toll;

/// What an argument of a call is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A number.
    Value,
    /// A descriptor to which the next path is relative; -100 is the working directory.
    Directory,
    /// A descriptor that is used.
    Descriptor,
    /// A path.
    Path,
    /// A string that is no path.
    Text,
    /// So many bytes that the call reads, or NULL.
    In(usize),
    /// As many bytes that the call reads as the argument of this index says, 64 KiB at most.
    InOf(u8),
    /// So many bytes that the call writes.
    Out(usize),
    /// As many bytes that the call writes as the argument of this index says, 64 KiB at most.
    OutOf(u8),
}

use Kind::{Descriptor, Directory, In, InOf, Out, OutOf, Path, Text, Value};

/// The most bytes that an argument has whose length another one tells.
pub const MOST: usize = 64 << 10;

const STAT: Kind = Out(size_of::<libc::stat>());
const STATFS: Kind = Out(size_of::<libc::statfs>());
const STATX: Kind = Out(size_of::<libc::statx>());
const TIMES: Kind = In(2 * size_of::<libc::timespec>());
const UTIMBUF: Kind = In(size_of::<libc::utimbuf>());

/// What the arguments of the calls are that can be made: those that are not listed are numbers that
/// the call has no use for. The pointers among them are all that these calls read and write by.
const SHAPES: &[(c_long, &[Kind])] = &[
    (libc::SYS_open, &[Path, Value, Value]),
    (libc::SYS_stat, &[Path, STAT]),
    (libc::SYS_lstat, &[Path, STAT]),
    (libc::SYS_newfstatat, &[Directory, Path, STAT, Value]),
    (libc::SYS_statx, &[Directory, Path, Value, Value, STATX]),
    (libc::SYS_statfs, &[Path, STATFS]),
    (libc::SYS_access, &[Path, Value]),
    (libc::SYS_faccessat, &[Directory, Path, Value]),
    (libc::SYS_faccessat2, &[Directory, Path, Value, Value]),
    (libc::SYS_readlink, &[Path, OutOf(2), Value]),
    (libc::SYS_readlinkat, &[Directory, Path, OutOf(3), Value]),
    (libc::SYS_chmod, &[Path, Value]),
    (libc::SYS_fchmodat, &[Directory, Path, Value]),
    (SYS_FCHMODAT2, &[Directory, Path, Value, Value]),
    (libc::SYS_fchmod, &[Descriptor, Value]),
    (libc::SYS_chown, &[Path, Value, Value]),
    (libc::SYS_lchown, &[Path, Value, Value]),
    (libc::SYS_fchownat, &[Directory, Path, Value, Value, Value]),
    (libc::SYS_fchown, &[Descriptor, Value, Value]),
    (libc::SYS_utime, &[Path, UTIMBUF]),
    (libc::SYS_utimes, &[Path, TIMES]),
    (libc::SYS_futimesat, &[Directory, Path, TIMES]),
    (libc::SYS_utimensat, &[Directory, Path, TIMES, Value]),
    (libc::SYS_truncate, &[Path, Value]),
    (libc::SYS_getxattr, &[Path, Text, OutOf(3), Value]),
    (libc::SYS_lgetxattr, &[Path, Text, OutOf(3), Value]),
    (libc::SYS_listxattr, &[Path, OutOf(2), Value]),
    (libc::SYS_llistxattr, &[Path, OutOf(2), Value]),
    (libc::SYS_setxattr, &[Path, Text, InOf(3), Value, Value]),
    (libc::SYS_lsetxattr, &[Path, Text, InOf(3), Value, Value]),
    (libc::SYS_fsetxattr, &[Descriptor, Text, InOf(3), Value, Value]),
    (libc::SYS_removexattr, &[Path, Text]),
    (libc::SYS_lremovexattr, &[Path, Text]),
    (libc::SYS_fremovexattr, &[Descriptor, Text]),
    (libc::SYS_mkdir, &[Path, Value]),
    (libc::SYS_mkdirat, &[Directory, Path, Value]),
    (libc::SYS_mknod, &[Path, Value, Value]),
    (libc::SYS_mknodat, &[Directory, Path, Value, Value]),
    (libc::SYS_rmdir, &[Path]),
    (libc::SYS_unlink, &[Path]),
    (libc::SYS_unlinkat, &[Directory, Path, Value]),
    (libc::SYS_symlink, &[Text, Path]),
    (libc::SYS_symlinkat, &[Text, Directory, Path]),
    (libc::SYS_link, &[Path, Path]),
    (libc::SYS_linkat, &[Directory, Path, Directory, Path, Value]),
    (libc::SYS_rename, &[Path, Path]),
    (libc::SYS_renameat, &[Directory, Path, Directory, Path]),
    (libc::SYS_renameat2, &[Directory, Path, Directory, Path, Value]),
    (libc::SYS_inotify_add_watch, &[Descriptor, Path, Value]),
    (libc::SYS_bind, &[Descriptor, InOf(2), Value]),
    (libc::SYS_connect, &[Descriptor, InOf(2), Value]),
];

/// `fchmodat2(2)`, Linux 6.6.
pub const SYS_FCHMODAT2: c_long = 452;

/// What the arguments of a call are; `None` if it cannot be made in another's place.
pub fn shape(number: u64) -> Option<&'static [Kind]> {
    let found = SHAPES.iter().find(|(known, _)| *known as u64 == number);
    found.map(|(_, kinds)| *kinds)
}

/// An argument of a call that is made.
#[derive(Debug)]
pub enum Arg<'a> {
    /// A number, or NULL.
    Value(u64),
    /// A descriptor of ours.
    Descriptor(BorrowedFd<'a>),
    /// Bytes that the call reads. Paths and texts end with a NUL.
    In(&'a [u8]),
    /// Room that the call writes to.
    Out(&'a mut [u8]),
}

/// Makes a call. `args` has one for each kind of its [`shape`]. What it returns.
///
/// # Errors
/// What the kernel answers; `EINVAL` if the arguments are not of the call's shape.
pub fn make(number: u64, args: &mut [Arg<'_>]) -> io::Result<u64> {
    let invalid = || io::Error::from_raw_os_error(libc::EINVAL);
    let kinds = shape(number).ok_or_else(invalid)?;
    let len_of = |index: u8| match args.get(usize::from(index)) {
        Some(Arg::Value(len)) => usize::try_from(*len).ok(),
        _ => None,
    };
    let fits = |(kind, arg): (&Kind, &Arg<'_>)| match (kind, arg) {
        (Value | Directory | In(_) | Out(_) | InOf(_) | OutOf(_), Arg::Value(0)) => {
            // NULL is for the kernel to refuse.
            true
        }
        (Value | Directory, Arg::Value(_)) => true,
        (Directory | Descriptor, Arg::Descriptor(_)) => true,
        (Path | Text, Arg::In(bytes)) => bytes.last() == Some(&0),
        (In(len), Arg::In(bytes)) => bytes.len() == *len,
        (Out(len), Arg::Out(room)) => room.len() == *len,
        (InOf(index), Arg::In(bytes)) => len_of(*index) == Some(bytes.len()),
        (OutOf(index), Arg::Out(room)) => len_of(*index).is_some_and(|len| len <= room.len()),
        _ => false,
    };
    if kinds.len() != args.len() || !kinds.iter().zip(args.iter()).all(fits) {
        return Err(invalid());
    }
    let mut raw = [0u64; 6];
    for (raw, arg) in raw.iter_mut().zip(args) {
        *raw = match arg {
            Arg::Value(value) => *value,
            Arg::Descriptor(descriptor) => descriptor.as_raw_fd() as u64,
            Arg::In(bytes) => bytes.as_ptr() as u64,
            Arg::Out(room) => room.as_mut_ptr() as u64,
        };
    }
    toll::count(toll::Kind::Other);
    // SAFETY: by its shape the call reads and writes no memory but what these arguments lead to, as
    // far as was checked above; all of it is borrowed for the time of the call. Of our descriptors it
    // changes none but the one that an open returns.
    let result =
        unsafe { libc::syscall(number as c_long, raw[0], raw[1], raw[2], raw[3], raw[4], raw[5]) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result as u64) }
}

/// Opens a file: `open(2)`. The descriptor is closed on an exec of ours.
///
/// # Errors
/// What the kernel answers.
pub fn open(path: &[u8], flags: c_int, mode: u32) -> io::Result<OwnedFd> {
    let flags = (flags | libc::O_CLOEXEC) as u32;
    let mut args = [Arg::In(path), Arg::Value(flags.into()), Arg::Value(mode.into())];
    let opened = make(libc::SYS_open as u64, &mut args)?;
    // SAFETY: a successful call returns a new descriptor, which no one else knows of.
    Ok(unsafe { OwnedFd::from_raw_fd(opened as c_int) })
}

/// Whether `stat` calls take NULL for an empty path (`AT_EMPTY_PATH`, Linux 6.11).
pub fn stat_takes_null() -> bool {
    static TAKES: OnceLock<bool> = OnceLock::new();
    *TAKES.get_or_init(|| {
        let mut found = [0u8; size_of::<libc::statx>()];
        let (here, flags) = (libc::AT_FDCWD, libc::AT_EMPTY_PATH);
        // SAFETY: the kernel writes one struct of this size, and fails if it wants to read the path.
        let result = unsafe {
            let (path, found) = (ptr::null::<u8>(), found.as_mut_ptr());
            libc::syscall(libc::SYS_statx, here, path, flags, 0, found)
        };
        result == 0
    })
}

/// `struct open_how` of `linux/openat2.h`.
#[repr(C)]
struct How {
    flags: u64,
    mode: u64,
    resolve: u64,
}

/// `RESOLVE_NO_SYMLINKS`.
const NO_SYMLINKS: u64 = 0x04;

/// The file of a path (`O_PATH`, with more flags), if there is no symbolic link on the way to it.
///
/// # Errors
/// `ELOOP` if there is one; else what the kernel answers.
pub fn find(directory: BorrowedFd<'_>, path: &[u8], flags: c_int) -> io::Result<OwnedFd> {
    assert_eq!(path.last(), Some(&0), "a path ends with a NUL");
    let flags = (flags | libc::O_PATH | libc::O_CLOEXEC) as u64;
    let how = How { flags, mode: 0, resolve: NO_SYMLINKS };
    toll::count(toll::Kind::Other);
    // SAFETY: the kernel reads a path that ends with a NUL, and one struct of this size.
    let found = unsafe {
        let (path, how) = (path.as_ptr(), &raw const how);
        libc::syscall(libc::SYS_openat2, directory.as_raw_fd(), path, how, size_of::<How>())
    };
    if found < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a successful call returns a new descriptor, which no one else knows of.
    Ok(unsafe { OwnedFd::from_raw_fd(found as c_int) })
}

/// What kind of file system a file is on: the `f_type` of `statfs(2)`.
///
/// # Errors
/// What the kernel answers.
pub fn file_system(file: BorrowedFd<'_>) -> io::Result<u64> {
    let mut found = std::mem::MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: the kernel writes one struct, of which all zeroes is a valid value too.
    unsafe {
        if libc::fstatfs(file.as_raw_fd(), found.as_mut_ptr()) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(found.assume_init().f_type as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errno<T: std::fmt::Debug>(result: io::Result<T>) -> Option<i32> {
        result.expect_err("it fails").raw_os_error()
    }

    #[test]
    fn a_call_is_made_with_copies() {
        let mut found = [0; size_of::<libc::stat>()];
        let mut args = [Arg::In(b"/\0"), Arg::Out(&mut found)];
        make(libc::SYS_stat as u64, &mut args).unwrap();
        assert_ne!(found, [0; size_of::<libc::stat>()]);
    }

    #[test]
    fn what_is_not_of_the_shape_is_refused() {
        let stat = libc::SYS_stat as u64;
        let mut short = [0; 8];
        let mut args = [Arg::In(b"/\0"), Arg::Out(&mut short)];
        assert_eq!(errno(make(stat, &mut args)), Some(libc::EINVAL));
        let mut args = [Arg::In(b"/"), Arg::Value(0)];
        assert_eq!(errno(make(stat, &mut args)), Some(libc::EINVAL));
        let mut room = [0; 8];
        let mut args = [Arg::In(b"/proc/self/exe\0"), Arg::Out(&mut room), Arg::Value(9)];
        assert_eq!(errno(make(libc::SYS_readlink as u64, &mut args)), Some(libc::EINVAL));
        assert_eq!(errno(make(libc::SYS_munmap as u64, &mut [])), Some(libc::EINVAL));
    }

    #[test]
    fn a_symbolic_link_on_the_way_is_told() {
        let root = open(b"/\0", libc::O_PATH, 0).unwrap();
        let find = |path: &[u8]| find(std::os::fd::AsFd::as_fd(&root), path, 0);
        assert_eq!(errno(find(b"proc/self/exe\0")), Some(libc::ELOOP));
        find(b"proc/1\0").unwrap();
    }
}
