//! Memory that a guest shares with the supervisor: a memory file of the guest's, sealed and mapped
//! here too.
//!
//! The guest can write all of it at any time. So there is never a Rust reference to its bytes: they
//! are read and written word by word, by volatile and atomic accesses, and what was read is a copy.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use libc::{c_int, c_void, off_t, pid_t};

use crate::{limits, pidfd, toll};

/// The file never changes its size again: nothing that a guest does can take the memory away
/// from under us (`SIGBUS`).
const SEALS: c_int = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

/// A mapping that guests share.
///
/// All accesses are little-endian, as the machine is. They are bounds-checked: offset and length
/// come from the caller, who has checked what a guest says of them.
#[derive(Debug)]
pub struct SharedMemory {
    start: NonNull<u8>,
    len: usize,
    file: File,
}

// SAFETY: the mapping belongs to the process, not to a thread, and each access stands for itself.
unsafe impl Send for SharedMemory {}

impl SharedMemory {
    /// Takes over the memory file behind a descriptor of a guest thread: gives it the size `len`,
    /// in bytes, seals it and maps it. `process` is the thread's process. The file was made by
    /// `memfd_create(2)` with `MFD_ALLOW_SEALING`, and is empty or has that size.
    ///
    /// # Errors
    /// `EBADF` if there is no such descriptor, `EINVAL` if it is no memory file, `EPERM` if it
    /// cannot be sealed or written, or we may not trace the thread, `InvalidData` if the guest has changed its
    /// size meanwhile, `EFBIG` where we may not make so large a file (`ulimit -f`), `ENOSYS` before
    /// Linux 5.6.
    pub fn of_guest(process: pid_t, tid: pid_t, fd: c_int, len: usize) -> io::Result<SharedMemory> {
        SharedMemory::seal(pidfd::copy_descriptor(process, tid, fd)?, len)
    }

    fn seal(fd: OwnedFd, len: usize) -> io::Result<SharedMemory> {
        let file = File::from(fd);
        if len as u64 > limits::file_size()? {
            return Err(io::Error::from_raw_os_error(libc::EFBIG));
        }
        // Adds nothing: the file must not be truncated if it turns out to be another one.
        add_seals(&file, 0)?;
        file.set_len(len as u64)?;
        add_seals(&file, SEALS)?;
        toll::count(toll::Kind::Other);
        toll::count(toll::Kind::Other);
        if file.metadata()?.len() != len as u64 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the guest resized its file"));
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        toll::count(toll::Kind::Other);
        // SAFETY: a new mapping, at a place of the kernel's choice, touches no memory of ours.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), len, protection, flags, file.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).expect("no mapping is at address 0");
        Ok(SharedMemory { start, len, file })
    }

    /// Its size, in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes; the kernel maps no such file.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number at a multiple of 8, loaded with acquire order: whatever its writer wrote before
    /// it is seen by later reads.
    ///
    /// # Panics
    /// Out of bounds, or not a multiple of 8.
    pub fn load_u64(&self, offset: usize) -> u64 {
        self.atomic_u64(offset).load(Ordering::Acquire)
    }

    /// Stores a number at a multiple of 8 with release order: whoever sees it by an acquire load
    /// sees also what was written before, and what was read before is read no more.
    ///
    /// # Panics
    /// Out of bounds, or not a multiple of 8.
    pub fn store_u64(&self, offset: usize, value: u64) {
        self.atomic_u64(offset).store(value, Ordering::Release);
    }

    /// As [`SharedMemory::load_u64`], at a multiple of 4.
    ///
    /// # Panics
    /// Out of bounds, or not a multiple of 4.
    pub fn load_u32(&self, offset: usize) -> u32 {
        self.atomic_u32(offset).load(Ordering::Acquire)
    }

    /// As [`SharedMemory::store_u64`], at a multiple of 4.
    ///
    /// # Panics
    /// Out of bounds, or not a multiple of 4.
    pub fn store_u32(&self, offset: usize, value: u32) {
        self.atomic_u32(offset).store(value, Ordering::Release);
    }

    /// Copies bytes out of it, whole words where they are aligned.
    ///
    /// # Panics
    /// Out of bounds.
    pub fn copy_out(&self, offset: usize, to: &mut [u8]) {
        let from = self.at(offset, to.len());
        let head = from.as_ptr().align_offset(8).min(to.len());
        let (head, rest) = to.split_at_mut(head);
        let (words, tail) = rest.as_chunks_mut::<8>();
        let tail_at = head.len() + 8 * words.len();
        for (index, byte) in head.iter_mut().enumerate() {
            // SAFETY: `at` has checked that all of the range is mapped; that never changes, as the
            // file's size is sealed. A volatile read makes no claim on what others do to the byte.
            *byte = unsafe { from.add(index).read_volatile() };
        }
        for (index, word) in words.iter_mut().enumerate() {
            // SAFETY: as above; behind the head the address is a multiple of 8.
            let at = unsafe { from.add(head.len() + 8 * index).cast::<u64>().read_volatile() };
            *word = at.to_le_bytes();
        }
        for (index, byte) in tail.iter_mut().enumerate() {
            // SAFETY: as above.
            *byte = unsafe { from.add(tail_at + index).read_volatile() };
        }
    }

    /// Copies bytes into it, whole words where they are aligned.
    ///
    /// # Panics
    /// Out of bounds.
    pub fn copy_in(&self, offset: usize, from: &[u8]) {
        let to = self.at(offset, from.len());
        let head = to.as_ptr().align_offset(8).min(from.len());
        let (head, rest) = from.split_at(head);
        let (words, tail) = rest.as_chunks::<8>();
        let tail_at = head.len() + 8 * words.len();
        for (index, byte) in head.iter().enumerate() {
            // SAFETY: `at` has checked that all of the range is mapped, writable and for good. No
            // reference to it exists.
            unsafe { to.add(index).write_volatile(*byte) };
        }
        for (index, word) in words.iter().enumerate() {
            let word = u64::from_le_bytes(*word);
            // SAFETY: as above; behind the head the address is a multiple of 8.
            unsafe { to.add(head.len() + 8 * index).cast::<u64>().write_volatile(word) };
        }
        for (index, byte) in tail.iter().enumerate() {
            // SAFETY: as above.
            unsafe { to.add(tail_at + index).write_volatile(*byte) };
        }
    }

    /// Writes bytes to it by a call: that is cheaper for pages that nobody has touched yet.
    ///
    /// # Panics
    /// Out of bounds.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> io::Result<()> {
        self.at(offset, bytes.len());
        toll::count(toll::Kind::Other);
        self.file.write_all_at(bytes, offset as u64)
    }

    /// Gives memory back to the kernel (`FALLOC_FL_PUNCH_HOLE` of `fallocate(2)`): the whole pages
    /// of the range read as zeroes from now on, and so do the bytes of others.
    ///
    /// # Panics
    /// Out of bounds.
    pub fn punch_hole(&self, offset: usize, len: usize) -> io::Result<()> {
        self.at(offset, len);
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        toll::count(toll::Kind::Other);
        // SAFETY: the call takes no memory of ours but the mapping's, to which nothing refers.
        let result =
            unsafe { libc::fallocate(self.file.as_raw_fd(), mode, offset as off_t, len as off_t) };
        cvt(result).map(drop)
    }

    /// Where so many bytes are.
    fn at(&self, offset: usize, len: usize) -> NonNull<u8> {
        let end = offset.checked_add(len).filter(|end| *end <= self.len);
        assert!(end.is_some(), "{len} bytes at {offset} in {} bytes of shared memory", self.len);
        // SAFETY: within the mapping, or right behind it.
        unsafe { self.start.add(offset) }
    }

    fn atomic_u64(&self, offset: usize) -> &AtomicU64 {
        let at = self.at(offset, 8).cast::<u64>();
        assert!(at.is_aligned(), "a misaligned number at {offset}");
        // SAFETY: the eight bytes are mapped for as long as `self` lives, and aligned. An atomic
        // may change behind its reference, whoever changes it.
        unsafe { AtomicU64::from_ptr(at.as_ptr()) }
    }

    fn atomic_u32(&self, offset: usize) -> &AtomicU32 {
        let at = self.at(offset, 4).cast::<u32>();
        assert!(at.is_aligned(), "a misaligned number at {offset}");
        // SAFETY: as for eight bytes.
        unsafe { AtomicU32::from_ptr(at.as_ptr()) }
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and with `self` the last that refers to it goes.
        unsafe { libc::munmap(self.start.as_ptr().cast::<c_void>(), self.len) };
    }
}

fn add_seals(file: &File, seals: c_int) -> io::Result<()> {
    toll::count(toll::Kind::Other);
    // SAFETY: sealing takes no memory.
    cvt(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) }).map(drop)
}

fn cvt(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

#[cfg(test)]
mod tests {
    use std::os::fd::FromRawFd;
    use std::os::unix::fs::MetadataExt;
    use std::time::Duration;

    use super::*;
    use crate::fork::Child;

    const LEN: usize = 4 * 4096;
    const LIMIT: Duration = Duration::from_secs(60);

    fn memory_file(flags: libc::c_uint) -> OwnedFd {
        // SAFETY: the name is a static string.
        let fd = cvt(unsafe { libc::memfd_create(c"test".as_ptr(), flags) }).unwrap();
        // SAFETY: a successful call returns a new descriptor, which no one else knows of.
        unsafe { OwnedFd::from_raw_fd(fd) }
    }

    fn shared() -> SharedMemory {
        SharedMemory::seal(memory_file(libc::MFD_ALLOW_SEALING), LEN).unwrap()
    }

    #[test]
    fn a_guests_file_is_shared_with_it() {
        let fd = memory_file(libc::MFD_ALLOW_SEALING);
        let raw = fd.as_raw_fd();
        let (go, wait) = (io::pipe().unwrap(), io::pipe().unwrap());
        // The guest writes to the file where it is told, and tries to take the memory away.
        let body = || {
            let mut byte = 0u8;
            // SAFETY: the calls read and write local memory.
            unsafe {
                libc::read(go.0.as_raw_fd(), (&raw mut byte).cast(), 1);
                let word = 0x1122_3344_5566_7788u64;
                let wrote = libc::pwrite(raw, (&raw const word).cast(), 8, 4096);
                let shrunk = libc::ftruncate(raw, 0);
                libc::write(wait.1.as_raw_fd(), (&raw const byte).cast(), 1);
                u8::from(wrote == 8 && shrunk == -1)
            }
        };
        // SAFETY: the body makes system calls only.
        let mut guest = unsafe { Child::start(LIMIT, body) }.unwrap();
        drop(fd);
        let memory = SharedMemory::of_guest(guest.pid(), guest.pid(), raw, LEN).unwrap();
        assert_eq!((memory.len(), memory.load_u64(4096)), (LEN, 0));
        io::Write::write_all(&mut &go.1, &[0]).unwrap();
        assert_eq!(guest.wait_exit().unwrap().code(), Some(1));
        assert_eq!(memory.load_u64(4096), 0x1122_3344_5566_7788);
    }

    #[test]
    fn what_goes_in_comes_out() {
        let memory = shared();
        let bytes: Vec<u8> = (1..=100).collect();
        for offset in 4090..4102 {
            for len in [0, 1, 7, 8, 9, 30, 100] {
                memory.copy_in(offset - 8, &[0xff; 120]);
                memory.copy_in(offset, &bytes[..len]);
                let mut out = [0; 102];
                memory.copy_out(offset - 1, &mut out[..len + 2]);
                assert_eq!(&out[1..=len], &bytes[..len]);
                assert_eq!((out[0], out[len + 1]), (0xff, 0xff));
            }
        }
        memory.store_u64(LEN - 8, 0x0807_0605_0403_0201);
        assert_eq!(memory.load_u32(LEN - 4), 0x0807_0605);
        memory.store_u32(LEN - 4, 9);
        let mut out = [0; 8];
        memory.copy_out(LEN - 8, &mut out);
        assert_eq!(out, [1, 2, 3, 4, 9, 0, 0, 0]);
    }

    #[test]
    fn a_hole_reads_as_zeroes_and_takes_no_memory() {
        let memory = shared();
        memory.copy_in(0, &[1; LEN]);
        let blocks = || memory.file.metadata().unwrap().blocks();
        let before = blocks();
        memory.punch_hole(4096, 8192).unwrap();
        assert!(blocks() < before);
        assert_eq!(memory.load_u32(4092), 0x0101_0101);
        assert_eq!((memory.load_u64(4096), memory.load_u64(12280)), (0, 0));
        assert_eq!(memory.load_u32(12288), 0x0101_0101);
    }

    #[test]
    fn only_a_file_that_can_be_sealed_is_mapped() {
        let errno = |fd| SharedMemory::seal(fd, LEN).unwrap_err().raw_os_error();
        assert_eq!(errno(memory_file(0)), Some(libc::EPERM));
        let (_, pipe) = io::pipe().unwrap();
        assert_eq!(errno(pipe.into()), Some(libc::EINVAL));
        let sealed = || shared().file.try_clone().unwrap();
        assert_eq!(errno(sealed().into()), Some(libc::EPERM));
        let regular = File::open("/proc/self/exe").unwrap();
        assert_eq!(errno(regular.into()), Some(libc::EPERM));
    }

    #[test]
    fn a_limit_of_file_sizes_does_not_kill() {
        let fd = memory_file(libc::MFD_ALLOW_SEALING);
        let limit = libc::rlimit { rlim_cur: LEN as u64 - 1, rlim_max: LEN as u64 - 1 };
        let body = || {
            // SAFETY: the call reads the limit, which lives through it.
            unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) };
            let refused = SharedMemory::seal(fd, LEN).err();
            u8::from(refused.and_then(|error| error.raw_os_error()) == Some(libc::EFBIG))
        };
        // SAFETY: the body makes system calls only, as long as no file is mapped.
        let mut child = unsafe { Child::start(LIMIT, body) }.unwrap();
        assert_eq!(child.wait_exit().unwrap().code(), Some(1));
    }

    #[test]
    fn what_lies_outside_is_not_touched() {
        let memory = shared();
        let panics = |access: &dyn Fn()| {
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(access)).is_err()
        };
        for offset in [LEN - 7, LEN, usize::MAX - 7] {
            assert!(panics(&|| assert_eq!(memory.load_u64(offset), 0)), "{offset}");
        }
        assert!(panics(&|| memory.store_u32(2, 0)));
        assert!(panics(&|| memory.copy_out(LEN - 1, &mut [0; 2])));
        assert!(panics(&|| memory.copy_in(LEN + 1, &[])));
        assert!(!panics(&|| memory.copy_in(LEN, &[])));
    }
}
