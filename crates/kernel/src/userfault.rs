//! Which pages of a guest are written: `userfaultfd(2)` with asynchronous write protection.
//!
//! A write to a protected page is resolved by the kernel itself, which takes the protection away:
//! the guest goes on at once, and [`crate::pagemap`] tells later which pages are protected no more.
//! So are the pages seen that the kernel writes, as `read(2)` does.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use libc::{c_int, c_ulong, pid_t};

use crate::remote::Call;
use crate::{pidfd, toll};

/// `UFFD_API` of `linux/userfaultfd.h`.
const API: u64 = 0xaa;
/// `UFFD_FEATURE_WP_UNPOPULATED`, `UFFD_FEATURE_WP_HUGETLBFS_SHMEM` and `UFFD_FEATURE_WP_ASYNC`.
const FEATURES: u64 = 1 << 13 | 1 << 12 | 1 << 15;
/// `UFFD_FEATURE_PAGEFAULT_FLAG_WP`: faults are delivered.
const DELIVERED: u64 = 1;
/// `UFFD_EVENT_PAGEFAULT`, the first byte of `struct uffd_msg`, and where in it the address is.
const EVENT_PAGEFAULT: u8 = 0x12;
const ADDRESS_AT: usize = 16;
/// `UFFDIO_REGISTER_MODE_WP`.
const MODE_WP: u64 = 1 << 1;
/// `UFFD_USER_MODE_ONLY`: what an ordinary user may have. Asynchronous protection resolves the
/// kernel's own writes all the same.
const USER_MODE_ONLY: c_int = 1;

/// `UFFDIO_API`, `UFFDIO_REGISTER`, `UFFDIO_UNREGISTER` and `UFFDIO_WRITEPROTECT`.
const UFFDIO_API: c_ulong = 0xc018_aa3f;
const UFFDIO_REGISTER: c_ulong = 0xc020_aa00;
const UFFDIO_UNREGISTER: c_ulong = 0x8010_aa01;
const UFFDIO_WRITEPROTECT: c_ulong = 0xc018_aa06;
/// `UFFDIO_WRITEPROTECT_MODE_WP`.
const PROTECT: u64 = 1;

/// The write protection of one address space, for as long as this lives.
#[derive(Debug)]
pub struct Userfault(OwnedFd);

/// What becomes of writes to protected pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writes {
    /// The kernel lets them happen, and takes the protection away.
    Resolved,
    /// They wait until [`Userfault::unprotect`]; [`Userfault::next_fault`] tells of them.
    Delivered,
}

impl Userfault {
    /// The call by which a guest makes one of its own address space: `userfaultfd(2)`. It fails with
    /// `ENOSYS` where the kernel is built without it, with `EPERM` where a sandbox forbids it.
    pub fn create() -> Call {
        let flags = (USER_MODE_ONLY | libc::O_CLOEXEC) as u64;
        Call { number: libc::SYS_userfaultfd, args: [flags, 0, 0, 0, 0, 0] }
    }

    /// Whether this process could have one of its own address space. Async-signal-safe.
    ///
    /// # Errors
    /// As [`Userfault::create`] and [`Userfault::of_guest`].
    pub fn is_permitted() -> io::Result<()> {
        Userfault::own(Writes::Resolved).map(drop)
    }

    /// One of our own address space. Async-signal-safe.
    ///
    /// # Errors
    /// As [`Userfault::create`] and [`Userfault::of_guest`].
    pub fn own(writes: Writes) -> io::Result<Userfault> {
        let features = match writes {
            Writes::Resolved => FEATURES,
            Writes::Delivered => DELIVERED,
        };
        let flags = USER_MODE_ONLY | libc::O_CLOEXEC;
        // SAFETY: `userfaultfd(2)` takes no memory.
        let fd = unsafe { libc::syscall(libc::SYS_userfaultfd, flags) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new, and nobody else's.
        let userfault = Userfault(unsafe { OwnedFd::from_raw_fd(fd as c_int) });
        userfault.control(UFFDIO_API, &mut [API, features, 0])?;
        Ok(userfault)
    }

    /// Waits for a thread to write to a protected page, where such writes are delivered: the address.
    ///
    /// # Errors
    /// `EINVAL` if something else was delivered.
    pub fn next_fault(&self) -> io::Result<u64> {
        let mut message = [0u8; 32];
        toll::count(toll::Kind::Other);
        let (fd, room) = (self.0.as_raw_fd(), message.as_mut_ptr().cast());
        // SAFETY: the kernel writes at most as many bytes as there are.
        let got = unsafe { libc::read(fd, room, message.len()) };
        if got < 0 {
            return Err(io::Error::last_os_error());
        }
        if got as usize != message.len() || message[0] != EVENT_PAGEFAULT {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        let address = message[ADDRESS_AT..].first_chunk().expect("it is 32 bytes long");
        Ok(u64::from_ne_bytes(*address))
    }

    /// Takes the protection of pages away, and lets threads go on that wait to write to them.
    pub fn unprotect(&self, start: u64, len: u64) -> io::Result<()> {
        self.control(UFFDIO_WRITEPROTECT, &mut [start, len, 0])
    }

    /// Takes over what a guest thread has made by that call, and knows by this descriptor. The guest
    /// may close it then.
    ///
    /// # Errors
    /// `EINVAL` before Linux 6.7, `EBADF` if there is no such descriptor, `EPERM` if we may not trace
    /// the thread.
    pub fn of_guest(process: pid_t, tid: pid_t, fd: c_int) -> io::Result<Userfault> {
        let userfault = Userfault(pidfd::copy_descriptor(process, tid, fd)?);
        userfault.control(UFFDIO_API, &mut [API, FEATURES, 0])?;
        Ok(userfault)
    }

    /// Has the pages of these mappings protectable; they are not protected yet. Both numbers are
    /// in bytes, and multiples of the page size.
    ///
    /// # Errors
    /// `EINVAL` if nothing is mapped there, or memory that knows no protection, such as a device's;
    /// `EBUSY` if another descriptor protects some of it.
    pub fn register(&self, start: u64, len: u64) -> io::Result<()> {
        self.control(UFFDIO_REGISTER, &mut [start, len, MODE_WP, 0])
    }

    /// Takes the protection of these mappings away, for good.
    pub fn unregister(&self, start: u64, len: u64) -> io::Result<()> {
        self.control(UFFDIO_UNREGISTER, &mut [start, len])
    }

    /// Protects the pages of registered mappings. Of pages that are not there this takes page tables:
    /// [`crate::pagemap`] can protect only those that are.
    ///
    /// # Errors
    /// `ENOENT` if something else is mapped there.
    pub fn protect(&self, start: u64, len: u64) -> io::Result<()> {
        self.control(UFFDIO_WRITEPROTECT, &mut [start, len, PROTECT])
    }

    fn control<const N: usize>(
        &self,
        request: c_ulong,
        arguments: &mut [u64; N],
    ) -> io::Result<()> {
        toll::count(toll::Kind::Other);
        // SAFETY: each request of this file reads and writes a struct of as many words as its
        // caller has, which live through the call.
        let result =
            unsafe { libc::ioctl(self.0.as_raw_fd(), request as _, arguments.as_mut_ptr()) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}
