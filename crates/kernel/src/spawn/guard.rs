//! What a guest must not do: rights it gives up before it starts, and a filter with a listener.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use libc::{c_int, c_ulong};

use crate::seccomp::{self, LISTENING, Listener};

/// Capabilities by which a guest could reach files past any decision about their names, or change
/// what names mean (`linux/capability.h`).
const GIVEN_UP: &[c_ulong] = &[
    2,  // CAP_DAC_READ_SEARCH: files by their handles
    16, // CAP_SYS_MODULE
    17, // CAP_SYS_RAWIO
    18, // CAP_SYS_CHROOT
    19, // CAP_SYS_PTRACE
    20, // CAP_SYS_PACCT
    21, // CAP_SYS_ADMIN
    22, // CAP_SYS_BOOT
    24, // CAP_SYS_RESOURCE: a limit of the size of core files
    27, // CAP_MKNOD
    32, // CAP_MAC_OVERRIDE
    33, // CAP_MAC_ADMIN
    38, // CAP_PERFMON
    39, // CAP_BPF
    40, // CAP_CHECKPOINT_RESTORE
];

/// Where a listener comes from, once the guest has installed its filter.
#[derive(Debug)]
pub struct Promised(UnixStream);

/// The two ends of the way that a listener takes: the supervisor's and the guest's.
pub(super) fn way() -> io::Result<(Promised, UnixStream)> {
    let (ours, guests) = UnixStream::pair()?;
    Ok((Promised(ours), guests))
}

/// Gives up the capabilities that a guest shall not have: from the next exec on. Who has none may not
/// give them up either, so failures say nothing. Async-signal-safe.
pub(super) fn give_up() {
    // SAFETY: these calls take numbers.
    unsafe {
        for &capability in GIVEN_UP {
            libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
        libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    }
}

/// Installs a filter whose listener goes this way. There are no core files from now on: the kernel
/// would write them to the working directory, whatever it is. Async-signal-safe.
pub(super) fn enter(filter: &seccomp::Program, way: RawFd) -> io::Result<()> {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit lives through the call.
    if unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) } < 0 {
        return Err(io::Error::last_os_error());
    }
    seccomp::set_no_new_privileges()?;
    let listener = seccomp::install(filter, LISTENING)?.listener;
    listener.map_or(Ok(()), |listener| send(way, &listener))
}

/// Room for a message that carries one descriptor, aligned as `cmsghdr` is.
#[repr(align(8))]
struct Control([u8; 64]);

fn send(way: RawFd, descriptor: &OwnedFd) -> io::Result<()> {
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
        if libc::sendmsg(way, &raw const message, 0) < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

impl Promised {
    /// Waits for the listener; `None` if the guest has ended without one.
    ///
    /// # Errors
    /// What the kernel answers.
    pub fn wait(self) -> io::Result<Option<Listener>> {
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
                let flags = libc::MSG_CMSG_CLOEXEC;
                match libc::recvmsg(self.0.as_raw_fd(), &raw mut message, flags) {
                    0 => return Ok(None),
                    got if got > 0 => {
                        let header = libc::CMSG_FIRSTHDR(&raw const message);
                        if header.is_null() {
                            return Ok(None);
                        }
                        let descriptor = libc::CMSG_DATA(header).cast::<c_int>().read_unaligned();
                        return Ok(Some(Listener::new(OwnedFd::from_raw_fd(descriptor))));
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
}
