//! Syscall user dispatch of a stopped thread: its calls raise `SIGSYS`, but for those made from
//! some addresses. `prctl(2)`, `PR_SET_SYSCALL_USER_DISPATCH`; a tracer can set it since Linux 6.4.

use std::io;
use std::ops::Range;

use libc::c_int;

use super::{Stopped, Tracee, request};

/// Which calls raise `SIGSYS`: those from outside of `allowed`, while the byte at `selector` is
/// [`Dispatch::BLOCK`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispatch {
    /// The address of a byte. Where it cannot be read or is neither of the constants, the thread's
    /// next call ends its process.
    pub selector: u64,
    /// Addresses behind `syscall` instructions.
    pub allowed: Range<u64>,
}

impl Dispatch {
    /// In the selector: calls are made (`SYSCALL_DISPATCH_FILTER_ALLOW`).
    pub const ALLOW: u8 = 0;
    /// In the selector: calls raise `SIGSYS` (`SYSCALL_DISPATCH_FILTER_BLOCK`).
    pub const BLOCK: u8 = 1;
    /// The `si_code` of that signal (`SYS_USER_DISPATCH`). The kernel has undone the call: `rax` is
    /// its number, the instruction pointer is behind the instruction, as `si_call_addr` is.
    pub const SIGNAL_CODE: i32 = 2;
}

const PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG: c_int = 0x4210;
const PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG: c_int = 0x4211;
/// `PR_SYS_DISPATCH_ON`.
const ON: u64 = 1;

/// `struct ptrace_sud_config` of `linux/ptrace.h`. All zeroes is off.
#[repr(C)]
#[derive(Default)]
struct Config {
    mode: u64,
    selector: u64,
    offset: u64,
    len: u64,
}

impl Tracee<Stopped> {
    /// Sets which calls of the thread raise `SIGSYS`; none where there is no `dispatch`. An exec
    /// ends it, and new threads do not inherit it.
    ///
    /// # Errors
    /// `EIO` before Linux 6.4.
    pub fn set_dispatch(&self, dispatch: Option<&Dispatch>) -> io::Result<()> {
        let mut config = dispatch.map_or_else(Config::default, |dispatch| Config {
            mode: ON,
            selector: dispatch.selector,
            offset: dispatch.allowed.start,
            len: dispatch.allowed.end - dispatch.allowed.start,
        });
        let data = (&raw mut config).cast();
        let set = PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG;
        request(set, self.tid, size_of::<Config>(), data).map(drop)
    }

    /// Whether some calls of the thread raise `SIGSYS`.
    ///
    /// # Errors
    /// `EIO` before Linux 6.4.
    pub fn has_dispatch(&self) -> io::Result<bool> {
        let mut config = Config::default();
        let data = (&raw mut config).cast();
        let get = PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG;
        request(get, self.tid, size_of::<Config>(), data)?;
        Ok(config.mode != 0)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::fork::Child;
    use crate::ptrace::{Options, Registers, Resume};
    use crate::wait::{self, Stop, What};

    /// What ends the guest's loop.
    const LAST: i64 = 1 << 40;

    fn next(tid: i32) -> (Tracee<Stopped>, Stop) {
        match wait::next_of(tid).unwrap().what {
            What::Stopped(tracee, stop) => (tracee, stop),
            what => panic!("{what:?}"),
        }
    }

    #[test]
    fn a_call_raises_a_signal_and_can_be_made_after_it() {
        static SELECTOR: u8 = Dispatch::BLOCK;
        let body = || {
            // SAFETY: an async-signal-safe call that takes no memory.
            while unsafe { libc::syscall(libc::SYS_getppid) } != LAST {}
            7
        };
        // SAFETY: as above; the rest is a comparison.
        let mut child = unsafe { Child::start(Duration::from_secs(60), body) }.unwrap();
        let running = Tracee::seize(child.pid(), Options::default()).unwrap();
        running.interrupt().unwrap();
        let (mut tracee, _) = next(child.pid());
        // It has calls to make before the loop, and stops twice for each.
        while tracee.registers().unwrap().orig_rax != libc::SYS_getppid as u64 {
            tracee.resume(Resume::Syscall, 0).unwrap();
            (tracee, _) = next(child.pid());
        }
        let dispatch = Dispatch { selector: (&raw const SELECTOR) as u64, allowed: 0..0x1000 };
        match tracee.set_dispatch(Some(&dispatch)) {
            Err(error) if error.raw_os_error() == Some(libc::EIO) => {
                return eprintln!("skipped: Linux before 6.4");
            }
            result => result.unwrap(),
        }
        assert!(tracee.has_dispatch().unwrap());

        tracee.resume(Resume::Continue, 0).unwrap();
        let (tracee, stop) = next(child.pid());
        assert_eq!(stop, Stop::Signal(libc::SIGSYS));
        let registers = tracee.registers().unwrap();
        assert_eq!(registers.rax, libc::SYS_getppid as u64);
        let info = tracee.signal_info().unwrap();
        assert_eq!(i32::from_ne_bytes(info[8..12].try_into().unwrap()), Dispatch::SIGNAL_CODE);
        assert_eq!(u64::from_ne_bytes(info[16..24].try_into().unwrap()), registers.rip);

        tracee.set_dispatch(None).unwrap();
        assert!(!tracee.has_dispatch().unwrap());
        let again = Registers { rip: registers.rip - 2, orig_rax: u64::MAX, ..registers };
        tracee.set_registers(&again).unwrap();
        tracee.resume(Resume::Syscall, 0).unwrap();
        let (tracee, stop) = next(child.pid());
        let entry = tracee.registers().unwrap();
        assert_eq!((stop, entry.rip), (Stop::Syscall, registers.rip));
        tracee.resume(Resume::Syscall, 0).unwrap();
        let (tracee, stop) = next(child.pid());
        let exit = tracee.registers().unwrap();
        // SAFETY: takes no memory.
        assert_eq!((stop, exit.rax), (Stop::Syscall, unsafe { libc::getpid() } as u64));
        tracee.set_registers(&Registers { rax: LAST as u64, ..exit }).unwrap();
        tracee.resume(Resume::Continue, 0).unwrap();
        assert_eq!(child.wait_exit().unwrap().code(), Some(7));
    }
}
