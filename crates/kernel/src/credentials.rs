//! Who the calling thread is for the kernel when it opens files: `credentials(7)`.
//!
//! Threads may differ in it from the rest of their process, which the C library hides: so these are
//! the kernel's own calls.

use std::io;

use libc::{c_int, gid_t, mode_t, uid_t};

/// Whose rights count for files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileRights {
    /// The user.
    pub uid: uid_t,
    /// The group.
    pub gid: gid_t,
    /// The supplementary groups.
    pub groups: Vec<gid_t>,
    /// The effective capabilities, as bits.
    pub capabilities: u64,
}

/// `struct __user_cap_header_struct`.
#[repr(C)]
struct Header {
    version: u32,
    pid: c_int,
}

/// `struct __user_cap_data_struct`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Data {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// `_LINUX_CAPABILITY_VERSION_3`.
const VERSION: u32 = 0x2008_0522;

/// The calling thread uses these rights from now on. Its real and saved ids and what it may make
/// effective again stay as they are.
///
/// # Errors
/// `EPERM` where it may not.
pub fn assume(rights: &FileRights) -> io::Result<()> {
    let groups = &rights.groups;
    // To become somebody else takes capabilities that whom we are now need not have.
    set_effective(u64::MAX)?;
    // SAFETY: `setgroups(2)` reads the list, which lives through the call; the others take numbers.
    unsafe {
        let result = libc::syscall(libc::SYS_setgroups, groups.len(), groups.as_ptr());
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        libc::syscall(libc::SYS_setfsgid, rights.gid);
        libc::syscall(libc::SYS_setfsuid, rights.uid);
        // These tell what was before; asked once more, what is now.
        let is = (
            libc::syscall(libc::SYS_setfsgid, gid_t::MAX) as gid_t,
            libc::syscall(libc::SYS_setfsuid, uid_t::MAX) as uid_t,
        );
        if is != (rights.gid, rights.uid) {
            return Err(io::Error::from_raw_os_error(libc::EPERM));
        }
    }
    set_effective(rights.capabilities)
}

/// The effective capabilities of the calling thread: bit `n` is number `n`.
///
/// # Errors
/// What the kernel answers.
pub fn effective_capabilities() -> io::Result<u64> {
    let [low, high] = capabilities()?.map(|half| u64::from(half.effective));
    Ok(high << 32 | low)
}

/// The effective capabilities of the calling thread become these, as far as it is permitted them.
fn set_effective(wanted: u64) -> io::Result<()> {
    let mut data = capabilities()?;
    for (half, data) in data.iter_mut().enumerate() {
        data.effective = (wanted >> (32 * half)) as u32 & data.permitted;
    }
    let header = Header { version: VERSION, pid: 0 };
    // SAFETY: with this version the kernel reads two of these structs.
    let result = unsafe { libc::syscall(libc::SYS_capset, &raw const header, data.as_ptr()) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// What the calling thread has of capabilities: `capget(2)`, in two halves.
fn capabilities() -> io::Result<[Data; 2]> {
    let header = Header { version: VERSION, pid: 0 };
    let mut data = [Data::default(); 2];
    // SAFETY: with this version the kernel writes two of these structs.
    let result = unsafe { libc::syscall(libc::SYS_capget, &raw const header, data.as_mut_ptr()) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(data) }
}

/// The calling thread has a working directory and an umask of its own from now on: `unshare(2)`.
///
/// # Errors
/// What the kernel answers.
pub fn leave_directory() -> io::Result<()> {
    // SAFETY: the call takes no memory.
    let result = unsafe { libc::unshare(libc::CLONE_FS) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The umask of the calling thread, if it has left the others' ([`leave_directory`]).
pub fn set_umask(mask: u32) {
    // SAFETY: the call takes no memory.
    unsafe { libc::umask(mask as mode_t) };
}
