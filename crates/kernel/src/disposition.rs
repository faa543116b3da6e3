//! What becomes of a signal, as the kernel has it.

use libc::c_int;

use crate::bare;

/// `struct sigaction` of the kernel: handler, flags, restorer, mask.
type KernelSigaction = [usize; 4];

/// What becomes of a signal; the default where there is none such. Leaves `errno` alone.
pub(crate) fn disposition(signal: c_int) -> libc::sighandler_t {
    let mut action: KernelSigaction = [libc::SIG_DFL, 0, 0, 0];
    let place = bare::at(&raw mut action);
    // SAFETY: the kernel writes the action, which lives through the call; the mask has 8 bytes.
    let _ = unsafe { bare::call(libc::SYS_rt_sigaction, [signal as usize, 0, place, 8]) };
    action[0]
}

/// Sets what becomes of a signal: a default action, or nothing. Async-signal-safe, and leaves `errno` alone.
pub(crate) fn dispose(signal: c_int, disposition: libc::sighandler_t) {
    let action: KernelSigaction = [disposition, 0, 0, 0];
    let place = bare::at(&raw const action);
    // SAFETY: the kernel reads the action, which lives through the call; the mask has 8 bytes.
    let _ = unsafe { bare::call(libc::SYS_rt_sigaction, [signal as usize, place, 0, 8]) };
}

/// Whether this signal is ignored. Async-signal-safe.
pub fn is_ignored(signal: c_int) -> bool {
    disposition(signal) == libc::SIG_IGN
}
