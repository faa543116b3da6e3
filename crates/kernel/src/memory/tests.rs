use std::ptr;
use std::time::Duration;

use super::*;
use crate::fork::Child;
use crate::seccomp::{CallPolicy, install};

/// Pages that a child of the test holds: readable, except for holes where nothing is mapped.
///
/// The mapping is made before the fork, so its addresses are known; the test's own copy is
/// overwritten after it, so that only the child has the marks.
struct Guest {
    child: Child,
    base: *mut u8,
    pages: usize,
}

impl Guest {
    fn with_holes(pages: usize, holes: &[usize]) -> Guest {
        let len = pages * PAGE_SIZE;
        // SAFETY: a new private mapping, at an address that the kernel chooses.
        let base = unsafe {
            let prot = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(ptr::null_mut(), len, prot, flags, -1, 0).cast::<u8>()
        };
        assert_ne!(base.cast(), libc::MAP_FAILED);
        for page in 0..pages {
            // SAFETY: the byte lies in the mapping above.
            unsafe { base.add(page * PAGE_SIZE).write(mark(page)) };
        }
        let unmap_holes_and_wait = || {
            for &hole in holes {
                // SAFETY: a page of the mapping above, in the child's copy, which no one uses.
                unsafe { libc::munmap(base.add(hole * PAGE_SIZE).cast(), PAGE_SIZE) };
            }
            // SAFETY: both calls are async-signal-safe and take no memory.
            unsafe { libc::raise(libc::SIGSTOP) };
            // SAFETY: as above.
            unsafe { libc::pause() as u8 }
        };
        // SAFETY: munmap, raise and pause do nothing but make a system call.
        let child = unsafe { Child::start(Duration::from_secs(60), unmap_holes_and_wait) };
        let child = child.unwrap();
        // SAFETY: the mapping above, which only this function has used.
        unsafe { base.write_bytes(0, len) };
        let guest = Guest { child, base, pages };
        guest.stop_as_tracee();
        guest
    }

    /// Seizes the child and waits until it lies in a ptrace stop with its holes made.
    fn stop_as_tracee(&self) {
        // SAFETY: PTRACE_SEIZE takes no memory.
        let seized = unsafe { libc::ptrace(libc::PTRACE_SEIZE, self.child.pid(), 0, 0) };
        assert_eq!(seized, 0, "{}", io::Error::last_os_error());
        let mut status = 0;
        // SAFETY: the kernel writes one int to `status`.
        let got = unsafe { libc::waitpid(self.child.pid(), &mut status, libc::__WALL) };
        assert_eq!(got, self.child.pid());
        assert!(libc::WIFSTOPPED(status), "status {status:#x}");
    }

    fn addresses(&self) -> Vec<u64> {
        (0..self.pages).map(|page| self.base as u64 + (page * PAGE_SIZE) as u64).collect()
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `with_holes`, of which no reference exists.
        unsafe { libc::munmap(self.base.cast(), self.pages * PAGE_SIZE) };
    }
}

fn mark(page: usize) -> u8 {
    (page % 251) as u8 + 1
}

fn read(
    memory: &mut GuestMemory,
    tid: pid_t,
    pages: &[u64],
) -> Result<(Vec<bool>, Vec<Page>), ReadError> {
    let mut dest = vec![[0; PAGE_SIZE]; pages.len()];
    memory.read_pages(tid, pages, &mut dest).map(|read| (read, dest))
}

fn check_holes(method: Method, pages: usize, holes: &[usize]) {
    let guest = Guest::with_holes(pages, holes);
    let mut memory = GuestMemory::only(method);
    let (read, dest) = read(&mut memory, guest.child.pid(), &guest.addresses()).unwrap();
    for page in 0..pages {
        let readable = !holes.contains(&page);
        assert_eq!(read[page], readable, "{method:?}, page {page}");
        if readable {
            assert_eq!(dest[page][0], mark(page), "{method:?}, page {page}");
        }
    }
}

#[test]
fn every_method_tells_which_pages_it_read() {
    for method in Method::ALL {
        for holes in [&[][..], &[0], &[2], &[5], &[0, 1], &[1, 3, 4], &[0, 1, 2, 3, 4, 5]] {
            check_holes(method, 6, holes);
        }
    }
}

#[test]
fn batches_beyond_iov_max_are_split() {
    check_holes(Method::Vectored, 2 * IOV_MAX + 3, &[]);
    check_holes(Method::Vectored, 2 * IOV_MAX + 3, &[5, IOV_MAX - 1, IOV_MAX, 2 * IOV_MAX]);
}

#[test]
fn every_method_bears_absurd_addresses() {
    let guest = Guest::with_holes(1, &[]);
    let top = !(PAGE_SIZE as u64 - 1);
    let pages = [0, top, 1 << 63, 0x8000_0000_0000, guest.addresses()[0]];
    for method in Method::ALL {
        let mut memory = GuestMemory::only(method);
        let (read, dest) = read(&mut memory, guest.child.pid(), &pages).unwrap();
        assert_eq!(read, [false, false, false, false, true], "{method:?}");
        assert_eq!(dest[4][0], mark(0), "{method:?}");
    }
}

#[test]
fn pages_may_come_in_any_order_and_twice() {
    let guest = Guest::with_holes(3, &[1]);
    let all = guest.addresses();
    let mut memory = GuestMemory::new();
    let pages = [all[2], all[1], all[0], all[2]];
    let (read, dest) = read(&mut memory, guest.child.pid(), &pages).unwrap();
    assert_eq!(read, [true, false, true, true]);
    assert_eq!([dest[0][0], dest[2][0], dest[3][0]], [mark(2), mark(0), mark(2)]);
}

/// A child that has ended; a zombie as long as it is not waited for.
fn ended_child() -> Child {
    // SAFETY: the body does nothing but return.
    let child = unsafe { Child::start(Duration::from_secs(60), || 0) }.unwrap();
    // SAFETY: the kernel writes one siginfo_t to `info`, for which all zeroes is a valid value.
    let waited = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let pid = child.pid() as libc::id_t;
        libc::waitid(libc::P_PID, pid, &mut info, libc::WEXITED | libc::WNOWAIT)
    };
    assert_eq!(waited, 0, "{}", io::Error::last_os_error());
    child
}

fn assert_gone(mut memory: GuestMemory, child: &Child) {
    let error = read(&mut memory, child.pid(), &[0]).unwrap_err();
    assert!(matches!(error, ReadError::Gone { .. }), "{memory:?}: {error:?}");
}

#[test]
fn a_dead_guest_is_not_an_unreadable_page() {
    let mut child = ended_child();
    // Not so /proc/TID/mem: a zombie's belongs to root, and others may not open it.
    assert_gone(GuestMemory::new(), &child);
    assert_gone(GuestMemory::only(Method::Vectored), &child);
    assert_gone(GuestMemory::only(Method::PeekData), &child);
    child.wait_exit().unwrap();
    assert_gone(GuestMemory::new(), &child);
    for method in Method::ALL {
        assert_gone(GuestMemory::only(method), &child);
    }
}

#[test]
fn nothing_to_read_is_nothing_read() {
    let (read, _) = read(&mut GuestMemory::new(), 1, &[]).unwrap();
    assert!(read.is_empty());
}

/// Reads a page of a guest in a thread where `calls` fail with `errno`; the method that was used
/// for it. `None` where such a thread cannot be had.
fn method_without(calls: &[libc::c_long], errno: c_int) -> Option<Method> {
    let program = CallPolicy::failing(calls, errno);
    let read_without = || {
        let guest = Guest::with_holes(2, &[1]);
        install(&program, 0).ok()?;
        let mut memory = GuestMemory::new();
        for _ in 0..2 {
            let (read, dest) = read(&mut memory, guest.child.pid(), &guest.addresses()).unwrap();
            assert_eq!(read, [true, false]);
            assert_eq!(dest[0][0], mark(0));
        }
        Some(memory.method())
    };
    std::thread::scope(|scope| scope.spawn(read_without).join().unwrap())
}

#[test]
fn a_refused_method_gives_way_to_the_next() {
    for errno in [libc::ENOSYS, libc::EPERM] {
        let vectored = libc::SYS_process_vm_readv;
        let Some(second) = method_without(&[vectored], errno) else {
            eprintln!("skipped: this kernel or sandbox has no seccomp filters");
            return;
        };
        assert_eq!(second, Method::ProcMem);
        let third = method_without(&[vectored, libc::SYS_openat, libc::SYS_open], errno);
        assert_eq!(third, Some(Method::PeekData));
    }
}
