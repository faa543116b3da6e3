//! What the agent does, compiled twice: into the image that runs in the guest, and into this
//! library for its tests. What differs between the two is the [`Machine`].
//!
//! Nothing here may panic, allocate, or move so much at once that the compiler takes vector
//! registers, which are the guest's: the image would not link, or its tests would fail.

pub mod call;
pub mod capture;
pub mod names;
pub mod paths;
pub mod ring;
pub mod slot;
pub mod tables;
pub mod usage;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

/// What the agent asks of the machine it runs on.
pub trait Machine {
    /// The time stamp counter.
    fn now(&self) -> u64;

    /// The 8 bytes of guest memory at `addr`, a multiple of 8; `None` where they are unreadable.
    fn word(&self, addr: u64) -> Option<u64>;

    /// Copies `len` bytes of guest memory at `from` to `to`, as far as they are readable. Returns
    /// how many were copied.
    ///
    /// # Safety
    /// `to` is the beginning of so many bytes that may be written, and that nothing refers to.
    unsafe fn copy(&self, to: *mut u8, from: u64, len: u64) -> u64;

    /// Makes a call of the agent's own, which changes nothing of the guest. Its result, as the kernel
    /// returns it.
    fn make(&self, number: u64, args: [u64; 4]) -> u64;

    /// Makes the guest's call, which may be made again. Its result, as the kernel returns it.
    ///
    /// # Safety
    /// Its six arguments lie at `args`, in memory that is the agent's.
    unsafe fn make_guests(&self, number: u64, args: u64) -> u64;
}

/// Whether what a call returns is an error.
fn is_error(result: u64) -> bool {
    /// The greatest number of an error: `MAX_ERRNO` of the kernel.
    const ERRNO_MAX: u64 = 4095;
    result > u64::MAX - ERRNO_MAX
}
