//! Putting a filter in force.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

use libc::{c_int, c_ulong};

use super::{Action, Program};
use crate::bare;

/// How a filter came into force.
#[derive(Debug)]
pub struct Installed {
    /// `NO_NEW_PRIVS` had to be set: from now on no exec gains rights, by set-user-ID bits or file
    /// capabilities. False when it was set before, or is not needed (`CAP_SYS_ADMIN`).
    pub set_no_new_privs: bool,
    /// The listener, for a filter installed with `SECCOMP_FILTER_FLAG_NEW_LISTENER`.
    pub listener: Option<OwnedFd>,
}

/// Installs `program` for the calling thread, and for all it starts or executes afterwards.
///
/// `flags` are `SECCOMP_FILTER_FLAG_` constants, see `seccomp(2)`. `NO_NEW_PRIVS` is set when the
/// kernel asks for it.
///
/// Async-signal-safe: it allocates nothing, takes no lock and leaves `errno` alone, also when it fails.
///
/// # Errors
/// `ENOSYS` or `EINVAL` where the kernel lacks seccomp filters (or one of the flags), `ENOMEM` when
/// the filters of this thread grow too long together, `ESRCH` when another thread could not be
/// synchronised (`SECCOMP_FILTER_FLAG_TSYNC`), `EBUSY` when there is a listener already.
pub fn install(program: &Program, flags: c_ulong) -> io::Result<Installed> {
    let (result, set_no_new_privs) = match set_filter(program, flags) {
        Err(error) if error.raw_os_error() == Some(libc::EACCES) => {
            set_no_new_privileges()?;
            (set_filter(program, flags)?, true)
        }
        result => (result?, false),
    };
    let listener = if flags & libc::SECCOMP_FILTER_FLAG_NEW_LISTENER != 0 {
        // SAFETY: with this flag a successful call returns a new descriptor, which no one else
        // knows of.
        Some(unsafe { OwnedFd::from_raw_fd(result) })
    } else if result != 0 {
        // The id of a thread that has other filters, which TSYNC could not bring in line.
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    } else {
        None
    };
    Ok(Installed { set_no_new_privs, listener })
}

/// `seccomp(2)` itself: `EACCES` where `NO_NEW_PRIVS` is needed and not set.
pub(crate) fn set_filter(program: &Program, flags: c_ulong) -> io::Result<c_int> {
    let code = program.instructions();
    // The kernel only reads through the pointer, though its type does not say so.
    let filter = libc::sock_fprog { len: code.len() as u16, filter: code.as_ptr().cast_mut() };
    // SAFETY: `filter` describes `code`, which lives through the call and has at most 4,096
    // instructions, so that its length is not truncated.
    let installed = unsafe {
        let mode = libc::SECCOMP_SET_MODE_FILTER as usize;
        bare::call(libc::SYS_seccomp, [mode, flags as usize, bare::at(&raw const filter)])
    };
    installed.map(|result| result as c_int)
}

/// Whether the kernel says that filters may return this (`SECCOMP_GET_ACTION_AVAIL`, Linux 4.14).
/// False also where it does not answer.
pub(crate) fn has_action(action: Action) -> bool {
    /// The part of a filter's answer that is the action (`SECCOMP_RET_ACTION_FULL`).
    const ACTION: u32 = 0xffff_0000;
    let action = action.value() & ACTION;
    // SAFETY: the kernel reads 32 bits from `action`, which lives through the call.
    let result = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action)
    };
    result == 0
}

pub(crate) fn set_no_new_privileges() -> io::Result<()> {
    // SAFETY: this prctl takes no memory.
    unsafe { bare::call(libc::SYS_prctl, [libc::PR_SET_NO_NEW_PRIVS as usize, 1, 0, 0, 0]) }?;
    Ok(())
}
