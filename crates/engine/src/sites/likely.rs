//! The sites of a file that most programs use.
//!
//! A program that lives shortly makes few calls from each site, but many from those of its C
//! library. To find them one by one would cost more than to patch them all at once.

use std::io;

use table::Id;
use table::arch::x86_64::*;

use super::elf::{Text, u32_at};

/// More code than this is not searched, in bytes: it would take as long as some stops.
const SEARCHED_MAX: u64 = 4 << 20;
/// `mov $NUMBER,%eax`.
const MOV_EAX: u8 = 0xb8;
/// `syscall`.
const SYSCALL: [u8; 2] = [0x0f, 0x05];
/// Size of both together, in bytes.
const PATTERN_LEN: usize = 7;

/// What programs do at their start, and what short ones do at all.
const LIKELY: [Id; 47] = [
    READ,
    WRITE,
    CLOSE,
    STAT,
    FSTAT,
    LSTAT,
    LSEEK,
    MMAP,
    MPROTECT,
    MUNMAP,
    BRK,
    RT_SIGACTION,
    RT_SIGPROCMASK,
    IOCTL,
    PREAD64,
    READV,
    WRITEV,
    ACCESS,
    DUP,
    DUP2,
    GETPID,
    FCNTL,
    GETCWD,
    CHDIR,
    RENAME,
    MKDIR,
    UNLINK,
    READLINK,
    CHMOD,
    UMASK,
    GETUID,
    GETGID,
    GETEUID,
    GETEGID,
    GETPPID,
    GETPGRP,
    SYSINFO,
    UNAME,
    FUTEX,
    GETDENTS64,
    SET_TID_ADDRESS,
    OPENAT,
    NEWFSTATAT,
    SET_ROBUST_LIST,
    PRLIMIT64,
    GETRANDOM,
    RSEQ,
];

impl Text {
    /// Addresses that look like sites of such calls: `mov $NUMBER,%eax; syscall`. Some may be none,
    /// which [`Text::plan`] finds out.
    pub fn likely_sites(&self) -> io::Result<Vec<u64>> {
        if self.code().iter().map(|part| part.len).sum::<u64>() > SEARCHED_MAX {
            return Ok(Vec::new());
        }
        let mut sites = Vec::new();
        for part in self.code() {
            let code = self.read_part(part)?;
            let places =
                code.windows(PATTERN_LEN).enumerate().filter(|(_, bytes)| is_likely(bytes));
            sites.extend(places.map(|(at, _)| part.vaddr + (at + PATTERN_LEN - 2) as u64));
        }
        Ok(sites)
    }
}

fn is_likely(bytes: &[u8]) -> bool {
    bytes[0] == MOV_EAX
        && bytes[PATTERN_LEN - 2..] == SYSCALL
        && LIKELY.iter().any(|id| u32::from(id.number) == u32_at(bytes, 1))
}
