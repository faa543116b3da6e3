//! System calls without the C library: they leave `errno` alone, which a child that shares this
//! process's memory has in common with the thread that made it.

use std::arch::asm;
use std::io;

use libc::{c_long, c_void};

/// Makes a call of up to five arguments. Async-signal-safe.
///
/// # Errors
/// What the kernel answers.
///
/// # Safety
/// As for that call: what its arguments point to is there, and may be read or written as it does.
pub(crate) unsafe fn call<const N: usize>(
    number: c_long,
    arguments: [usize; N],
) -> io::Result<usize> {
    const { assert!(N <= 5) };
    let [a, b, c, d, e] = std::array::from_fn(|at| arguments.get(at).copied().unwrap_or(0));
    let result: isize;
    // SAFETY: `syscall` changes rax, rcx and r11 and no other register, and no flag that counts; what
    // the kernel does to memory is our caller's promise.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") a,
            in("rsi") b,
            in("rdx") c,
            in("r10") d,
            in("r8") e,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    usize::try_from(result).map_err(|_| io::Error::from_raw_os_error(-result as i32))
}

/// The address of something, as an argument.
pub(crate) fn at<T>(pointer: *const T) -> usize {
    pointer.cast::<c_void>() as usize
}
