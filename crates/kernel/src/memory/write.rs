//! Writing to a guest's memory, as the guest itself may write.

use std::io;

use libc::{c_void, pid_t};

use super::IOV_MAX;
use crate::toll;

/// Writes these bytes, each at its address, where the guest may write itself: one
/// `process_vm_writev(2)` for each 1,024 pieces.
///
/// # Errors
/// `EFAULT` where not all of it may be written: some of it may have been. `EPERM` or `ENOSYS` where
/// the kernel does not permit the call; `ESRCH` when the thread is gone.
pub fn write(tid: pid_t, pieces: &[(u64, &[u8])]) -> io::Result<()> {
    for pieces in pieces.chunks(IOV_MAX) {
        let remote: Vec<libc::iovec> = pieces
            .iter()
            .map(|(at, bytes)| libc::iovec { iov_base: *at as *mut c_void, iov_len: bytes.len() })
            .collect();
        let local: Vec<libc::iovec> = pieces
            .iter()
            .map(|(_, bytes)| libc::iovec {
                iov_base: bytes.as_ptr().cast_mut().cast(),
                iov_len: bytes.len(),
            })
            .collect();
        let wanted: usize = pieces.iter().map(|(_, bytes)| bytes.len()).sum();
        toll::count(toll::Kind::MemoryWrite);
        // SAFETY: `local` describes slices that live through the call, and the kernel only reads
        // them; the remote addresses are the guest's and are only ever dereferenced by the kernel, in
        // its memory.
        let written = unsafe {
            libc::process_vm_writev(
                tid,
                local.as_ptr(),
                local.len() as _,
                remote.as_ptr(),
                remote.len() as _,
                0,
            )
        };
        match usize::try_from(written) {
            Err(_) => return Err(io::Error::last_os_error()),
            Ok(written) if written < wanted => {
                return Err(io::Error::from_raw_os_error(libc::EFAULT));
            }
            Ok(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
