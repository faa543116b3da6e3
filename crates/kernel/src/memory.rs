//! A guest's memory: reading it page by page, and many ranges at once.
//!
//! Three ways lead there, the cheapest first: see [`Method`]. [`GuestMemory`] takes the first one
//! that this kernel and user permit, and can be held to one of them.

use std::ffi::CString;
use std::io;
use std::iter;
use std::mem::MaybeUninit;

use libc::{c_int, c_void, pid_t};

use crate::toll;

mod transfer;

pub use transfer::{read_by_force, read_ranges, write, write_ranges};

/// The size of a page, in bytes, and the unit in which guest memory is read.
pub const PAGE_SIZE: usize = 4096;

/// The bytes of one page.
pub type Page = [u8; PAGE_SIZE];

/// The most ranges that one `process_vm_readv(2)` takes (`UIO_MAXIOV`).
const IOV_MAX: usize = 1024;

/// A way to read a guest's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// `process_vm_readv(2)`: one kernel call for many pages.
    Vectored,
    /// `pread(2)` of `/proc/TID/mem`: three kernel calls for the first page, one for each other.
    /// It also reads pages that the guest itself may not read (`PROT_NONE`), see `proc_pid_mem(5)`.
    ProcMem,
    /// `PTRACE_PEEKDATA` of `ptrace(2)`: one kernel call for each 8 bytes. The guest must be in a
    /// ptrace stop, and the caller must be the thread that traces it.
    PeekData,
}

impl Method {
    /// Every method, the cheapest first.
    pub const ALL: [Method; 3] = [Method::Vectored, Method::ProcMem, Method::PeekData];

    /// What the manual calls it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Vectored => "process_vm_readv",
            Method::ProcMem => "/proc/PID/mem",
            Method::PeekData => "PTRACE_PEEKDATA",
        }
    }
}

/// Why nothing could be read from a guest.
#[derive(thiserror::Error, Debug)]
pub enum ReadError {
    /// The guest's thread is gone (`ESRCH`), or has no memory left.
    #[error("the thread {tid} is gone")]
    Gone {
        /// The thread.
        tid: pid_t,
    },
    /// This kernel or this user's rights permit no way to the guest's memory.
    #[error(
        "reading the memory of thread {tid} with {} is not permitted; trace it as its own user \
         or as root", .method.name()
    )]
    Denied {
        /// The thread.
        tid: pid_t,
        /// The last way that was tried.
        method: Method,
        /// Why it failed: `EPERM`, `EACCES`, `ENOSYS` or, where `/proc` is missing, `ENOENT`.
        #[source]
        source: io::Error,
    },
    /// Any other error.
    #[error("cannot read the memory of thread {tid} with {}", .method.name())]
    Failed {
        /// The thread.
        tid: pid_t,
        /// The way that was tried.
        method: Method,
        /// What the kernel answered.
        #[source]
        source: io::Error,
    },
}

/// Reads guests' memory, and remembers which method works here.
#[derive(Debug)]
pub struct GuestMemory {
    method: Method,
    fixed: bool,
}

impl Default for GuestMemory {
    fn default() -> GuestMemory {
        GuestMemory::new()
    }
}

impl GuestMemory {
    /// Starts with the cheapest method; falls back to the next where one is not permitted.
    pub fn new() -> GuestMemory {
        GuestMemory { method: Method::Vectored, fixed: false }
    }

    /// Uses this method and no other.
    pub fn only(method: Method) -> GuestMemory {
        GuestMemory { method, fixed: true }
    }

    /// The method in use: the last one that could read a page.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Reads the pages of thread `tid` which begin at the addresses `pages` to `dest`.
    ///
    /// The result has one element a page: whether that page could be read. `dest` is unspecified
    /// (but initialised) where it could not.
    ///
    /// With [`Method::Vectored`] this is one kernel call for each 1,024 pages and one more for
    /// each unreadable page that others follow.
    ///
    /// # Panics
    /// When `pages` and `dest` differ in length.
    pub fn read_pages(
        &mut self,
        tid: pid_t,
        pages: &[u64],
        dest: &mut [Page],
    ) -> Result<Vec<bool>, ReadError> {
        assert_eq!(pages.len(), dest.len(), "one destination for each page");
        let mut read = vec![false; pages.len()];
        let mut method = self.method;
        loop {
            let result = match method {
                Method::Vectored => read_vectored(tid, pages, dest, &mut read),
                Method::ProcMem => read_proc_mem(tid, pages, dest, &mut read),
                Method::PeekData => read_peek_data(tid, pages, dest, &mut read),
            };
            let Err(source) = result else {
                // A refusal is remembered only when another method could read: it was about the
                // method then. Otherwise it was about this guest, whose memory no one may read.
                if read.contains(&true) {
                    self.method = method;
                }
                return Ok(read);
            };
            match (source.raw_os_error(), next(method)) {
                (Some(libc::ESRCH), _) => return Err(ReadError::Gone { tid }),
                (Some(errno), Some(next)) if !self.fixed && is_refusal(errno) => method = next,
                (Some(errno), _) if is_refusal(errno) => {
                    return Err(ReadError::Denied { tid, method, source });
                }
                _ => {
                    return Err(ReadError::Failed { tid, method, source });
                }
            }
        }
    }
}

/// Lets room of ours that is not used yet be of huge pages, where the kernel has some: who copies a page here
/// and a page there from it later finds their addresses sooner. It is a wish; nothing tells whether it came true.
pub fn prefer_huge_pages(room: &mut [MaybeUninit<u8>]) {
    /// The size of a huge page, in bytes.
    const HUGE: usize = 1 << 21;
    if room.len() < HUGE {
        return;
    }
    toll::count(toll::Kind::Other);
    let start = room.as_mut_ptr_range().start.addr().next_multiple_of(PAGE_SIZE);
    let end = room.as_mut_ptr_range().end.addr() / PAGE_SIZE * PAGE_SIZE;
    let start = room.as_mut_ptr().with_addr(start).cast();
    // SAFETY: the whole pages of `room`, which is borrowed; what they hold stays.
    unsafe { libc::madvise(start, end - start.addr(), libc::MADV_HUGEPAGE) };
}

/// The method to try after this one.
fn next(method: Method) -> Option<Method> {
    match method {
        Method::Vectored => Some(Method::ProcMem),
        Method::ProcMem => Some(Method::PeekData),
        Method::PeekData => None,
    }
}

/// The errors that speak of the method and not of the address.
fn is_refusal(errno: c_int) -> bool {
    matches!(errno, libc::EPERM | libc::EACCES | libc::ENOSYS | libc::ENOENT)
}

/// The errors that speak of the address: nothing is mapped there, or the guest may not read it.
fn is_unreadable(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EFAULT | libc::EIO | libc::EINVAL))
}

fn read_vectored(
    tid: pid_t,
    pages: &[u64],
    dest: &mut [Page],
    read: &mut [bool],
) -> io::Result<()> {
    let page_at =
        |&address: &u64| libc::iovec { iov_base: address as *mut c_void, iov_len: PAGE_SIZE };
    // One range a page: a short count then ends at the page that cannot be read.
    let remote: Vec<libc::iovec> = pages.iter().map(page_at).collect();
    let mut start = 0;
    while start < remote.len() {
        let wanted = (remote.len() - start).min(IOV_MAX);
        let local = &mut dest[start..start + wanted];
        let got = read_some(tid, &remote[start..start + wanted], local)?;
        read[start..start + got].fill(true);
        start += got;
        if got < wanted {
            start += 1;
        }
    }
    Ok(())
}

/// One `process_vm_readv(2)`: how many of the ranges, from the first on, were read.
fn read_some(tid: pid_t, remote: &[libc::iovec], local: &mut [Page]) -> io::Result<usize> {
    toll::count(toll::Kind::MemoryRead);
    let local = libc::iovec { iov_base: local.as_mut_ptr().cast(), iov_len: size_of_val(local) };
    // SAFETY: `local` describes the bytes of a slice that is borrowed for us alone; the remote
    // addresses are the guest's and are only ever dereferenced by the kernel, in its memory.
    let bytes =
        unsafe { libc::process_vm_readv(tid, &local, 1, remote.as_ptr(), remote.len() as _, 0) };
    match usize::try_from(bytes) {
        Ok(bytes) => Ok(bytes / PAGE_SIZE),
        Err(_) => {
            let error = io::Error::last_os_error();
            if is_unreadable(&error) { Ok(0) } else { Err(error) }
        }
    }
}

fn read_proc_mem(
    tid: pid_t,
    pages: &[u64],
    dest: &mut [Page],
    read: &mut [bool],
) -> io::Result<()> {
    let file = ProcMem::open(tid)?;
    for ((&address, page), read) in iter::zip(pages, dest).zip(read) {
        *read = match file.read(address, page) {
            Ok(0) => return Err(io::Error::from_raw_os_error(libc::ESRCH)),
            Ok(bytes) => bytes == PAGE_SIZE,
            Err(error) if is_unreadable(&error) => false,
            Err(error) => return Err(error),
        };
    }
    Ok(())
}

/// An open `/proc/TID/mem`. It stays bound to the memory of its opening, so an exec makes it
/// stale: it lives for one read only.
struct ProcMem(c_int);

impl ProcMem {
    fn open(tid: pid_t) -> io::Result<ProcMem> {
        toll::count(toll::Kind::MemoryRead);
        let path = CString::new(format!("/proc/{tid}/mem")).expect("the path has no NUL");
        // SAFETY: `path` ends with NUL and lives through the call.
        let fd = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        if fd >= 0 {
            return Ok(ProcMem(fd));
        }
        let error = io::Error::last_os_error();
        // ENOENT: the thread is gone, or no /proc is mounted here.
        let gone = error.raw_os_error() == Some(libc::ENOENT) && !exists(tid);
        Err(if gone { io::Error::from_raw_os_error(libc::ESRCH) } else { error })
    }

    /// How many bytes were read; none when the memory is gone.
    fn read(&self, address: u64, page: &mut Page) -> io::Result<usize> {
        toll::count(toll::Kind::MemoryRead);
        // SAFETY: the kernel writes at most `PAGE_SIZE` bytes to `page`, borrowed for us alone.
        let bytes =
            unsafe { libc::pread64(self.0, page.as_mut_ptr().cast(), PAGE_SIZE, address as i64) };
        usize::try_from(bytes).map_err(|_| io::Error::last_os_error())
    }
}

impl Drop for ProcMem {
    fn drop(&mut self) {
        toll::count(toll::Kind::MemoryRead);
        // SAFETY: the descriptor is ours, and is not used after this.
        unsafe { libc::close(self.0) };
    }
}

/// Whether there is such a thread or process.
fn exists(tid: pid_t) -> bool {
    toll::count(toll::Kind::MemoryRead);
    // SAFETY: signal 0 is sent to no one, and `kill(2)` takes no memory.
    let sent = unsafe { libc::kill(tid, 0) };
    sent == 0 || io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

fn read_peek_data(
    tid: pid_t,
    pages: &[u64],
    dest: &mut [Page],
    read: &mut [bool],
) -> io::Result<()> {
    for ((&address, page), read) in iter::zip(pages, dest).zip(read) {
        *read = match peek_page(tid, address, page) {
            Ok(()) => true,
            Err(error) if is_unreadable(&error) => false,
            Err(error) => return Err(error),
        };
    }
    Ok(())
}

fn peek_page(tid: pid_t, address: u64, page: &mut Page) -> io::Result<()> {
    for (index, bytes) in page.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        *bytes = peek_word(tid, address + 8 * index as u64)?.to_ne_bytes();
    }
    Ok(())
}

/// The word at this address of a thread in a ptrace stop.
pub(crate) fn peek_word(tid: pid_t, address: u64) -> io::Result<u64> {
    toll::count(toll::Kind::MemoryRead);
    let mut word = 0u64;
    // The bare call, and not libc's wrapper, whose result cannot be told from an error.
    // SAFETY: the kernel writes one word to `word`, which lives through the call.
    let result =
        unsafe { libc::syscall(libc::SYS_ptrace, libc::PTRACE_PEEKDATA, tid, address, &mut word) };
    if result == 0 { Ok(word) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests;
