//! The robust locks that a thread holds: `get_robust_list(2)`.

use std::io;

use libc::pid_t;

use crate::{memory, toll};

/// Whether a thread holds any, or is about to: the kernel marks them when it ends, and wakes who waits for them.
///
/// # Errors
/// `EPERM` if we may not trace the thread.
pub fn are_held(tid: pid_t) -> io::Result<bool> {
    /// `struct robust_list_head`: the first entry, the offset of locks in entries, and what is being taken.
    const HEAD: usize = 24;
    let (mut head, mut len) = (0_u64, 0_usize);
    toll::count(toll::Kind::Other);
    // SAFETY: the kernel writes an address and a size, which live through the call.
    let told =
        unsafe { libc::syscall(libc::SYS_get_robust_list, tid, &raw mut head, &raw mut len) };
    if told < 0 {
        return Err(io::Error::last_os_error());
    }
    let mut words = [0; HEAD];
    if head == 0 || memory::read_ranges(tid, &mut [(head, words.as_mut_slice())])? != 1 {
        return Ok(false);
    }
    let word = |at: usize| u64::from_ne_bytes(*words[at..].first_chunk().expect("it is as long"));
    // An empty list leads to its head.
    Ok(word(0) != head || word(16) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_without_any_holds_none() {
        assert!(!are_held(0).unwrap());
    }
}
