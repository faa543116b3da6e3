//! The contexts by which SELinux knows processes and files: `selinux(8)`.
//!
//! A file's is an extended attribute (`xattr(7)`), which it has also where SELinux is not in use.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use libc::pid_t;

use super::{path_of, read};
use crate::toll;

/// The most bytes of a context: a page, as of what `/proc/PID/attr` takes.
const LONGEST: usize = 4096;

/// Whether SELinux is in use.
pub fn are_in_use() -> bool {
    Path::new("/sys/fs/selinux/enforce").exists()
}

/// The context of a process or thread, where it can be read and SELinux is in use.
pub fn of_process(pid: pid_t) -> Option<Vec<u8>> {
    let context = read(&path_of(pid, "attr/current")).ok()?;
    without_nul(context)
}

/// What the file at the end of this path is labelled with; symbolic links are followed.
pub fn of_file(path: &Path) -> Option<Vec<u8>> {
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    let mut context = vec![0; LONGEST];
    toll::count(toll::Kind::ProcRead);
    // SAFETY: both strings end with a NUL, and the kernel writes at most `LONGEST` bytes, of which
    // `context` has as many.
    let length = unsafe {
        libc::getxattr(
            path.as_ptr(),
            c"security.selinux".as_ptr(),
            context.as_mut_ptr().cast(),
            LONGEST,
        )
    };
    context.truncate(usize::try_from(length).ok()?);
    without_nul(context)
}

/// A context ends with a NUL, or not; nothing is none.
fn without_nul(mut context: Vec<u8>) -> Option<Vec<u8>> {
    context.pop_if(|last| matches!(last, 0 | b'\n'));
    (!context.is_empty()).then_some(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_has_no_nul() {
        assert_eq!(without_nul(b"a:b:c\0".to_vec()).as_deref(), Some(&b"a:b:c"[..]));
        assert_eq!(without_nul(b"a:b:c".to_vec()).as_deref(), Some(&b"a:b:c"[..]));
        assert_eq!(without_nul(b"\0".to_vec()), None);
    }

    #[test]
    fn what_is_not_there_has_none() {
        assert_eq!(of_file(Path::new("/nowhere")), None);
        assert_eq!(of_file(Path::new("/proc/self")).is_some(), are_in_use());
        assert_eq!(of_process(-1), None);
    }
}
