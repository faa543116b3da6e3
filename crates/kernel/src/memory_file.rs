//! Files without a name: `memfd_create(2)`.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

use crate::toll;

/// A new file, empty, that is gone with its last descriptor. The name is seen in `/proc` only.
///
/// # Errors
/// `EMFILE` where we may have no more descriptors.
pub fn create(name: &CStr) -> io::Result<File> {
    toll::count(toll::Kind::Other);
    // SAFETY: the name ends with a NUL and lives through the call.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a successful call returns a new descriptor, which no one else knows of.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(fd) });
    // Of a file that was opened, and of no other, the kernel has who writes at once write one behind the other.
    File::options().read(true).write(true).open(format!("/proc/self/fd/{fd}")).or(Ok(file))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn who_writes_at_once_writes_one_behind_the_other() {
        use std::io::Write;
        const WRITES: usize = 20_000;
        let file = create(c"test").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..WRITES).for_each(|_| (&file).write_all(&[7]).unwrap()));
            }
        });
        assert_eq!(file.metadata().unwrap().len(), 2 * WRITES as u64);
    }

    #[test]
    fn a_file_keeps_what_is_written() {
        let file = create(c"test").unwrap();
        file.write_all_at(b"abc", 0).unwrap();
        let mut read = [0; 3];
        file.read_exact_at(&mut read, 0).unwrap();
        assert_eq!(&read, b"abc");
    }
}
