//! What a descriptor has besides its file: whether an exec closes it, and whether it holds locks.

use kernel::proc::{DescriptorText, ProcError};
use kernel::remote::Call;
use libc::c_int;

use crate::memory::annex::Annex;

/// What a descriptor has besides its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Marks {
    pub close_on_exec: bool,
    pub locked: bool,
    /// The flags of its file: `F_GETFL` of `fcntl(2)`, but for [`Marks::close_on_exec`].
    pub flags: i32,
}

impl Marks {
    /// Those of now.
    pub fn told_by(text: &DescriptorText) -> Result<Marks, ProcError> {
        let mut room = [0; 1024];
        Ok(Marks::parse(text.read(&mut room)?))
    }

    fn parse(text: &[u8]) -> Marks {
        let field = |name: &[u8]| {
            let mut lines = text.split(|byte| *byte == b'\n');
            lines.find_map(|line| line.strip_prefix(name))
        };
        let flags = field(b"flags:").and_then(|value| std::str::from_utf8(value).ok());
        let flags = flags.and_then(|value| i32::from_str_radix(value.trim(), 8).ok());
        let flags = flags.unwrap_or_default();
        let close_on_exec = flags & libc::O_CLOEXEC != 0;
        Marks { close_on_exec, locked: field(b"lock:").is_some(), flags }
    }
}

/// The call by which an exec closes this descriptor, or does not.
pub fn close_on_exec(fd: i32, closes: bool) -> Call {
    let flag = if closes { libc::FD_CLOEXEC } else { 0 };
    Call { number: libc::SYS_fcntl, args: [fd as u64, libc::F_SETFD as u64, flag as u64, 0, 0, 0] }
}

/// The calls by which a process gives up its locks by this descriptor; a `struct flock` lies here in the annex.
pub fn unlock(fd: i32, annex: &Annex, at: usize) -> [Call; 3] {
    /// The size of `struct flock`, whose first word is what is wanted, and the rest zero: the whole file.
    const LOCK: usize = 32;
    let mut lock = [0; LOCK];
    lock[..2].copy_from_slice(&(libc::F_UNLCK as i16).to_ne_bytes());
    annex.put(at, &lock);
    let by = |command: c_int| Call {
        number: libc::SYS_fcntl,
        args: [fd as u64, command as u64, Annex::address(at), 0, 0, 0],
    };
    let whole =
        Call { number: libc::SYS_flock, args: [fd as u64, libc::LOCK_UN as u64, 0, 0, 0, 0] };
    [whole, by(libc::F_SETLK), by(libc::F_OFD_SETLK)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_and_flags_are_told() {
        let text = b"pos:\t0\nflags:\t02100002\nmnt_id:\t1\nlock:\t1: FLOCK  ADVISORY  WRITE 1 0:2:3 0 EOF\n";
        let marks = Marks::parse(text);
        assert!(marks.close_on_exec && marks.locked);
        assert_eq!(marks.flags & libc::O_ACCMODE, libc::O_RDWR);
        let none = Marks::parse(b"pos:\t0\nflags:\t0100000\n");
        assert!(!none.close_on_exec && !none.locked);
    }
}
