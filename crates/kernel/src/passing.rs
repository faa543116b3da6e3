//! Descriptors that go from one process to another, over a Unix socket: `SCM_RIGHTS`.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use libc::c_int;

/// Room for a message that carries one descriptor, aligned as `cmsghdr` is.
#[repr(align(8))]
struct Control([u8; 64]);

/// Sends a copy of a descriptor this way, with one byte. Async-signal-safe.
///
/// # Errors
/// What the kernel answers.
pub fn send(way: BorrowedFd<'_>, descriptor: BorrowedFd<'_>) -> io::Result<()> {
    let mut control = Control([0; 64]);
    let byte = 0u8;
    let mut data =
        libc::iovec { iov_base: (&raw const byte).cast_mut().cast(), iov_len: size_of_val(&byte) };
    // SAFETY: all zeroes is a valid message; it leads to the byte and to the room above, which holds
    // one header with one descriptor, and lives through the call.
    unsafe {
        let mut message = MaybeUninit::<libc::msghdr>::zeroed().assume_init();
        message.msg_iov = &raw mut data;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(size_of::<c_int>() as u32) as usize;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<c_int>() as u32) as usize;
        libc::CMSG_DATA(header).cast::<c_int>().write_unaligned(descriptor.as_raw_fd());
        // Who holds the other end cannot make us wait.
        let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
        if libc::sendmsg(way.as_raw_fd(), &raw const message, flags) < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Waits for the descriptor that comes this way; `None` if nobody will send any.
///
/// # Errors
/// What the kernel answers.
pub fn receive(way: BorrowedFd<'_>) -> io::Result<Option<OwnedFd>> {
    let mut byte = [0u8];
    let mut control = Control([0; 64]);
    let mut data = IoSliceMut::new(&mut byte);
    loop {
        // SAFETY: as above; `IoSliceMut` has the layout of an `iovec`. The descriptor of a message
        // that was received is new, and no one else knows of it.
        unsafe {
            let mut message = MaybeUninit::<libc::msghdr>::zeroed().assume_init();
            message.msg_iov = (&raw mut data).cast();
            message.msg_iovlen = 1;
            message.msg_control = control.0.as_mut_ptr().cast();
            message.msg_controllen = control.0.len();
            match libc::recvmsg(way.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) {
                0 => return Ok(None),
                got if got > 0 => {
                    let header = libc::CMSG_FIRSTHDR(&raw const message);
                    if header.is_null() {
                        return Ok(None);
                    }
                    let descriptor = libc::CMSG_DATA(header).cast::<c_int>().read_unaligned();
                    return Ok(Some(OwnedFd::from_raw_fd(descriptor)));
                }
                _ => {
                    let error = io::Error::last_os_error();
                    if error.kind() != io::ErrorKind::Interrupted {
                        return Err(error);
                    }
                }
            }
        }
    }
}
