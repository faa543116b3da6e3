//! Clocks, as numbers.

use std::arch::x86_64::{__cpuid, _rdtsc};
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// Nanoseconds of `CLOCK_MONOTONIC`. Served by the vDSO: no crossing.
pub fn monotonic() -> u64 {
    nanoseconds(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds since 1970 of `CLOCK_REALTIME`.
pub fn realtime() -> u64 {
    nanoseconds(libc::CLOCK_REALTIME)
}

/// When the machine was started, in nanoseconds since 1970, by what the clocks say now.
pub fn started() -> u64 {
    realtime().saturating_sub(nanoseconds(libc::CLOCK_BOOTTIME))
}

/// The processor's time stamp counter and the clock at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pair {
    /// The time stamp counter.
    pub tsc: u64,
    /// Nanoseconds of `CLOCK_MONOTONIC`.
    pub nanoseconds: u64,
}

/// How often both are read, to find a moment at which nothing came in between.
const TRIES: usize = 5;

/// The processor's time stamp counter (`rdtsc`).
pub fn tsc() -> u64 {
    // SAFETY: the instruction reads a counter; Linux permits it to programs unless they ask for
    // the opposite (`PR_SET_TSC`).
    unsafe { _rdtsc() }
}

/// The counter and the clock at the same moment, up to some tens of nanoseconds: the closest of a
/// few tries. No crossing.
pub fn pair() -> Pair {
    let attempt = |_| {
        let before = tsc();
        let nanoseconds = monotonic();
        let took = tsc().wrapping_sub(before);
        (took, Pair { tsc: before.wrapping_add(took / 2), nanoseconds })
    };
    let closest = (0..TRIES).map(attempt).min_by_key(|(took, _)| *took);
    closest.expect("there is more than one try").1
}

/// Whether the counter runs at one speed whatever the processor does, and on all processors alike
/// (CPUID 0x80000007). Else it is no clock.
pub fn tsc_is_invariant() -> bool {
    const POWER: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    // In a virtual machine each look takes some microseconds.
    static LOOKED: OnceLock<bool> = OnceLock::new();
    let look = || __cpuid(0x8000_0000).eax >= POWER && __cpuid(POWER).edx & INVARIANT != 0;
    *LOOKED.get_or_init(look)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_lies_between_what_is_read_before_and_after() {
        let before = Pair { tsc: tsc(), nanoseconds: monotonic() };
        let pair = pair();
        let after = Pair { tsc: tsc(), nanoseconds: monotonic() };
        assert!((before.nanoseconds..=after.nanoseconds).contains(&pair.nanoseconds));
        if tsc_is_invariant() {
            assert!((before.tsc..=after.tsc).contains(&pair.tsc));
        }
    }

    #[test]
    fn the_kernel_and_we_agree_about_the_counter() {
        let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap();
        let flags = cpus.lines().find(|line| line.starts_with("flags")).unwrap();
        let invariant = flags.split_ascii_whitespace().any(|flag| flag == "nonstop_tsc");
        assert_eq!(tsc_is_invariant(), invariant);
    }
}
