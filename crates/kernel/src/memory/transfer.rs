//! Many ranges of a guest's memory at once: `process_vm_readv(2)`, `process_vm_writev(2)`.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::FileExt;

use libc::{c_void, iovec, pid_t};

use super::{IOV_MAX, is_unreadable};
use crate::toll;

/// Reads each range of a guest's memory, by its address, to the bytes beside it.
///
/// The result is how many ranges were read, from the first one on: all of them, unless one cannot be
/// read.
///
/// # Errors
/// `ESRCH` if the thread is gone, `EPERM` if we may not trace it.
pub fn read_ranges(tid: pid_t, ranges: &mut [(u64, &mut [u8])]) -> io::Result<usize> {
    let local: Vec<iovec> = ranges
        .iter_mut()
        .map(|(_, bytes)| iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() })
        .collect();
    let remote = ranges.iter().map(|(address, bytes)| at(*address, bytes.len())).collect();
    transfer(&local, remote, |local, remote| {
        toll::count(toll::Kind::MemoryRead);
        // SAFETY: the local ranges are slices that are borrowed for us alone; the kernel looks into the
        // guest for the others.
        unsafe {
            let (locals, remotes) = (local.len() as _, remote.len() as _);
            libc::process_vm_readv(tid, local.as_ptr(), locals, remote.as_ptr(), remotes, 0)
        }
    })
}

/// Writes bytes to a guest's memory, each at the address beside it, in this order: also where the
/// guest itself may not write, where the kernel permits that.
///
/// The result is how many ranges were written, from the first one on: all of them, unless one
/// cannot be written.
///
/// # Errors
/// As [`read_ranges`].
pub fn write_ranges(tid: pid_t, ranges: &[(u64, &[u8])]) -> io::Result<usize> {
    let mut done = 0;
    loop {
        done += write_vectored(tid, &ranges[done..])?;
        let Some((address, bytes)) = ranges.get(done) else { return Ok(done) };
        if !write_by_force(tid, *address, bytes)? {
            return Ok(done);
        }
        done += 1;
    }
}

/// Writes these bytes, each at its address, where the guest may write itself: one
/// `process_vm_writev(2)` for each 1,024 pieces.
///
/// # Errors
/// `EFAULT` where not all of it may be written: some of it may have been. `EPERM` or `ENOSYS` where
/// the kernel does not permit the call; `ESRCH` when the thread is gone.
pub fn write(tid: pid_t, pieces: &[(u64, &[u8])]) -> io::Result<()> {
    match write_vectored(tid, pieces)? {
        written if written < pieces.len() => Err(io::Error::from_raw_os_error(libc::EFAULT)),
        _ => Ok(()),
    }
}

fn write_vectored(tid: pid_t, ranges: &[(u64, &[u8])]) -> io::Result<usize> {
    let local: Vec<iovec> = ranges
        .iter()
        .map(|(_, bytes)| iovec {
            iov_base: bytes.as_ptr().cast_mut().cast(),
            iov_len: bytes.len(),
        })
        .collect();
    let remote = ranges.iter().map(|(address, bytes)| at(*address, bytes.len())).collect();
    transfer(&local, remote, |local, remote| {
        toll::count(toll::Kind::MemoryWrite);
        // SAFETY: the kernel reads the local ranges, which are borrowed slices, and writes to the guest.
        unsafe {
            let (locals, remotes) = (local.len() as _, remote.len() as _);
            libc::process_vm_writev(tid, local.as_ptr(), locals, remote.as_ptr(), remotes, 0)
        }
    })
}

/// Writes where the guest may not: a private mapping gets pages of its own. Whether that could be.
fn write_by_force(tid: pid_t, address: u64, bytes: &[u8]) -> io::Result<bool> {
    toll::count(toll::Kind::Other);
    let file = OpenOptions::new().write(true).open(format!("/proc/{tid}/mem"))?;
    toll::count(toll::Kind::Other);
    match file.write_all_at(bytes, address) {
        Ok(()) => Ok(true),
        Err(error) if is_unreadable(&error) || error.kind() == io::ErrorKind::WriteZero => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Reads all of a range, also where the guest itself may not.
///
/// # Errors
/// `EIO` when not all of it is mapped; as [`read_ranges`].
pub fn read_by_force(tid: pid_t, address: u64, bytes: &mut [u8]) -> io::Result<()> {
    toll::count(toll::Kind::MemoryRead);
    let file = OpenOptions::new().read(true).open(format!("/proc/{tid}/mem"))?;
    toll::count(toll::Kind::MemoryRead);
    file.read_exact_at(bytes, address)
}

/// A range of the guest's.
fn at(address: u64, len: usize) -> iovec {
    iovec { iov_base: address as *mut c_void, iov_len: len }
}

/// Has `call` transfer all ranges, as many at a time as the kernel takes. How many were, from the
/// first one on.
fn transfer(
    local: &[iovec],
    remote: Vec<iovec>,
    call: impl Fn(&[iovec], &[iovec]) -> isize,
) -> io::Result<usize> {
    let mut done = 0;
    for (local, remote) in local.chunks(IOV_MAX).zip(remote.chunks(IOV_MAX)) {
        let mut bytes = match usize::try_from(call(local, remote)) {
            Ok(bytes) => bytes,
            Err(_) => {
                let error = io::Error::last_os_error();
                return if is_unreadable(&error) { Ok(done) } else { Err(error) };
            }
        };
        for range in remote {
            if bytes < range.iov_len {
                return Ok(done);
            }
            bytes -= range.iov_len;
            done += 1;
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_copied_up_to_the_first_that_is_not_there() {
        // SAFETY: takes no memory.
        let own = unsafe { libc::getpid() };
        let source = [1u8, 2, 3, 4, 5, 6, 7, 8];
        let (mut one, mut two, mut three) = ([0; 2], [0; 3], [0; 1]);
        let address = source.as_ptr() as u64;
        let mut ranges =
            [(address, &mut one[..]), (address + 4, &mut two[..]), (0x10, &mut three[..])];
        assert_eq!(read_ranges(own, &mut ranges).unwrap(), 2);
        assert_eq!((one, two), ([1, 2], [5, 6, 7]));
        let mut target = [0u8; 3000];
        let bytes: Vec<[u8; 1]> = (0..3000).map(|at| [at as u8]).collect();
        let start = target.as_mut_ptr() as u64;
        let mut writes: Vec<(u64, &[u8])> =
            bytes.iter().zip(start..).map(|(byte, at)| (at, byte.as_slice())).collect();
        writes.insert(2500, (0x10, b"nowhere"));
        assert_eq!(write_ranges(own, &writes).unwrap(), 2500);
        // SAFETY: within the array, which was written behind the compiler's back.
        let written: Vec<u8> =
            (0..3000).map(|at| unsafe { (&raw const target[at]).read_volatile() }).collect();
        let expected: Vec<u8> = (0..3000).map(|at| if at < 2500 { at as u8 } else { 0 }).collect();
        assert_eq!(written, expected);
        assert!(write_ranges(-1, &[(start, b"x")]).is_err());
    }

    #[test]
    fn many_pieces_are_one_kernel_call() {
        let mut room = vec![0u8; 64 << 10];
        let tid = std::process::id() as i32;
        let start = room.as_mut_ptr().expose_provenance() as u64;
        let piece = |page: u64| (start + (page << 10), &[7u8; 512][..]);
        let pieces: Vec<(u64, &[u8])> = (0..64).map(piece).collect();
        let before = toll::snapshot().of(toll::Kind::MemoryWrite);
        write(tid, &pieces).unwrap();
        assert!(toll::snapshot().of(toll::Kind::MemoryWrite) > before);
        assert_eq!(room.iter().filter(|byte| **byte == 7).count(), 64 * 512);
        let errno = write(tid, &[(16, b"x")]).unwrap_err().raw_os_error();
        assert_eq!(errno, Some(libc::EFAULT));
    }
}
