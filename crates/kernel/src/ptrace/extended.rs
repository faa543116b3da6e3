//! What a thread has beyond its general registers: floating point, vectors, protection keys; and its
//! restartable sequences.

use std::io;

use libc::c_int;

use super::{Stopped, Tracee, request};

/// `NT_X86_XSTATE` of `linux/elf.h`.
const NT_X86_XSTATE: usize = 0x202;
/// More than any processor of today has, in bytes.
const ROOM: usize = 1 << 14;

/// The state of a thread that `xsave` saves, in the kernel's layout of this machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtendedState(Vec<u8>);

/// `PTRACE_GET_RSEQ_CONFIGURATION` of `linux/ptrace.h`.
const PTRACE_GET_RSEQ_CONFIGURATION: c_int = 0x420f;

/// The restartable sequences of a thread, as it has registered them by `rseq(2)`:
/// `struct ptrace_rseq_configuration`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rseq {
    /// Where the kernel tells on which processor the thread runs; 0 if nowhere.
    pub address: u64,
    /// The size of that, in bytes.
    pub len: u32,
    /// What stands before the code to which it goes when a sequence is broken off.
    pub signature: u32,
    flags: u32,
    pad: u32,
}

impl Tracee<Stopped> {
    /// Its restartable sequences.
    ///
    /// # Errors
    /// `EIO` before Linux 5.13.
    pub fn rseq(&self) -> io::Result<Rseq> {
        let mut rseq = Rseq::default();
        let data = (&raw mut rseq).cast();
        request(PTRACE_GET_RSEQ_CONFIGURATION, self.tid(), size_of::<Rseq>(), data)?;
        Ok(rseq)
    }

    /// Its floating point and vector registers, and whatever else `xsave` saves.
    ///
    /// # Errors
    /// `ENODEV` where the processor has no `xsave`.
    pub fn extended_state(&self) -> io::Result<ExtendedState> {
        let mut bytes = vec![0u8; ROOM];
        let mut iov = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: ROOM };
        let data = (&raw mut iov).cast();
        request(libc::PTRACE_GETREGSET as c_int, self.tid(), NT_X86_XSTATE, data)?;
        bytes.truncate(iov.iov_len);
        bytes.shrink_to_fit();
        Ok(ExtendedState(bytes))
    }

    /// Changes them to what [`Tracee::extended_state`] of a thread on this machine has told.
    pub fn set_extended_state(&self, state: &ExtendedState) -> io::Result<()> {
        let mut iov =
            libc::iovec { iov_base: state.0.as_ptr().cast_mut().cast(), iov_len: state.0.len() };
        let data = (&raw mut iov).cast();
        request(libc::PTRACE_SETREGSET as c_int, self.tid(), NT_X86_XSTATE, data).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::arch::asm;
    use std::arch::x86_64::{_mm_cvtsi64_si128, _mm_cvtsi128_si64};
    use std::io::{self, Write};
    use std::os::fd::AsRawFd;
    use std::time::Duration;

    use crate::fork::Child;
    use crate::ptrace::{Options, Resume, Tracee};
    use crate::wait::{self, Stop, What};

    const LIMIT: Duration = Duration::from_secs(60);

    /// Waits for a byte, sets a vector register, traps, and tells what the register is then.
    fn body(question: i32) -> u8 {
        let mut byte = 0u8;
        // SAFETY: the call writes one byte. The code changes the registers that it names, and stops.
        unsafe {
            libc::read(question, (&raw mut byte).cast(), 1);
            let mut vector = _mm_cvtsi64_si128(5);
            asm!("int3", inout("xmm7") vector, options(nostack));
            _mm_cvtsi128_si64(vector) as u8
        }
    }

    #[test]
    fn vectors_are_put_back() {
        let (question, mut answer) = io::pipe().unwrap();
        // SAFETY: the body makes a system call, and traps.
        let mut child = unsafe { Child::start(LIMIT, || body(question.as_raw_fd())) }.unwrap();
        Tracee::seize(child.pid(), Options::default()).unwrap();
        answer.write_all(b"x").unwrap();
        let What::Stopped(tracee, Stop::Signal(libc::SIGTRAP)) =
            wait::next_of(child.pid()).unwrap().what
        else {
            panic!("it has not come to the breakpoint");
        };
        // glibc has registered them in the process that forked it, musl has not.
        assert!([0, 32].contains(&tracee.rseq().unwrap().len));
        let state = tracee.extended_state().unwrap();
        // `xmm7` lies at a fixed place of the legacy area.
        let at = 160 + 7 * 16;
        assert_eq!(state.0[at], 5);
        let mut changed = state.clone();
        changed.0[at] = 77;
        tracee.set_extended_state(&changed).unwrap();
        assert_eq!(tracee.extended_state().unwrap(), changed);
        tracee.resume(Resume::Continue, 0).unwrap();
        assert_eq!(child.wait_exit().unwrap().code(), Some(77));
    }
}
