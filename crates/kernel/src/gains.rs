//! What the file of a program gives to who executes it: `execve(2)`, `capabilities(7)`.

use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use libc::{gid_t, uid_t};

use crate::behalf::{self, Arg};
use crate::{probe, toll};

/// What a file gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gains {
    /// Its device and its inode.
    pub file: (u64, u64),
    /// The user as whom it is run (set-user-ID).
    pub user: Option<uid_t>,
    /// The group as which it is run (set-group-ID).
    pub group: Option<gid_t>,
    /// It has capabilities.
    pub capabilities: bool,
}

/// What a program's file gives, if anything, to who is not kept from it.
///
/// # Errors
/// We may not look at the file.
pub fn of_file(path: &Path) -> io::Result<Option<Gains>> {
    toll::count(toll::Kind::Other);
    let meta = std::fs::metadata(path)?;
    let path = CString::new(path.as_os_str().as_bytes())?;
    let has = |bits| meta.mode() & bits == bits;
    let name = c"security.capability";
    let texts = [path.as_c_str(), name].map(|text| Arg::In(text.to_bytes_with_nul()));
    let [path_text, name_text] = texts;
    let asked = [path_text, name_text, Arg::Value(0), Arg::Value(0)];
    let gains = Gains {
        file: (meta.dev(), meta.ino()),
        user: has(libc::S_ISUID).then_some(meta.uid()),
        // Without the other bit it means a lock.
        group: has(libc::S_ISGID | libc::S_IXGRP).then_some(meta.gid()),
        capabilities: behalf::make(libc::SYS_getxattr as u64, &mut { asked })
            .is_ok_and(|len| len > 0),
    };
    let gives = gains.user.is_some() || gains.group.is_some() || gains.capabilities;
    Ok((gives && !is_ignored(&path)?).then_some(gains))
}

/// Whether nobody gains anything here, traced or not.
pub fn are_off() -> bool {
    probe::no_new_privs()
}

/// Whether the file system is mounted with `nosuid`.
fn is_ignored(path: &CStr) -> io::Result<bool> {
    let mut found = MaybeUninit::<libc::statvfs>::zeroed();
    toll::count(toll::Kind::Other);
    // SAFETY: the path ends with a NUL, and the kernel's answer goes into one struct, of which all zeroes
    // is a valid value too.
    unsafe {
        if libc::statvfs(path.as_ptr(), found.as_mut_ptr()) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(found.assume_init().f_flag & libc::ST_NOSUID != 0)
    }
}
