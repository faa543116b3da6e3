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

    /// Has the kernel take this for the list of this thread.
    fn set_list(head: *const [u64; 3]) {
        // SAFETY: the kernel reads the list when the thread ends; before, there is another or none again.
        let set = unsafe { libc::syscall(libc::SYS_set_robust_list, head, size_of::<[u64; 3]>()) };
        assert_eq!(set, 0);
    }

    #[test]
    fn a_lock_is_held_that_is_in_the_list_or_about_to_be() {
        // The list of a thread of the C library is its own to tell of: this one has none of its locks.
        let held = std::thread::spawn(|| {
            // SAFETY: `gettid(2)` takes no memory.
            let tid = unsafe { libc::gettid() };
            let (mut head, lock) = ([0; 3], [0_u64; 3]);
            let (own, entry) = (head.as_ptr() as u64, lock.as_ptr() as u64);
            let mut is_held = Vec::new();
            for words in [[own, 0, 0], [entry, 0, 0], [own, 0, entry]] {
                head = words;
                set_list(&raw const head);
                is_held.push(are_held(tid).unwrap());
            }
            set_list(std::ptr::null());
            is_held.push(are_held(tid).unwrap());
            is_held
        });
        assert_eq!(held.join().unwrap(), [false, true, true, false]);
    }
}
