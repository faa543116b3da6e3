//! Clocks, as numbers.

use std::mem::MaybeUninit;

/// Nanoseconds of `CLOCK_MONOTONIC`. Served by the vDSO: no crossing.
pub fn monotonic() -> u64 {
    nanoseconds(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds since 1970 of `CLOCK_REALTIME`.
pub fn realtime() -> u64 {
    nanoseconds(libc::CLOCK_REALTIME)
}

fn nanoseconds(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `clock_gettime(2)` writes one `timespec`, and the clock is one that always exists.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// How far local time is ahead of UTC at this moment (in seconds since 1970), in seconds
/// (`localtime_r(3)`).
pub fn utc_offset(at: i64) -> i64 {
    let mut local = MaybeUninit::<libc::tm>::zeroed();
    // SAFETY: `localtime_r` reads the number, and writes one `tm` or nothing; all zeroes is a valid
    // `tm` whose zone pointer nobody follows.
    unsafe {
        libc::localtime_r(&at, local.as_mut_ptr());
        local.assume_init().tm_gmtoff
    }
}
