//! `ptrace(2)` with the tracee's state in its type.
//!
//! A [`Tracee<Running>`] takes the few requests that the kernel permits on a running thread; every
//! other request needs a [`Tracee<Stopped>`], which only [`crate::wait`] hands out and which
//! resuming consumes:
//!
//! ```compile_fail
//! use kernel::ptrace::{Options, Tracee};
//! let running = Tracee::seize(1, Options::default()).unwrap();
//! running.event_message(); // a request on a running tracee: does not compile
//! ```
//!
//! ```compile_fail
//! use kernel::ptrace::{Resume, Stopped, Tracee};
//! fn twice(tracee: Tracee<Stopped>) {
//!     tracee.resume(Resume::Continue, 0).unwrap();
//!     tracee.resume(Resume::Continue, 0).unwrap(); // it runs already: does not compile
//! }
//! ```
//!
//! Any request fails with `ESRCH` when the thread was killed meanwhile: [`is_gone`].

use std::io;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};
use std::ptr;

use libc::{c_int, c_long, c_void, pid_t};

use crate::toll;

mod code_spot;
mod dispatch;
mod extended;
mod queued_signals;
mod registers;
mod write;

pub(crate) use code_spot::CodeSpot;
pub use dispatch::Dispatch;
pub use extended::{ExtendedState, Rseq};
pub use queued_signals::Queue;
pub use registers::{ERESTARTNOINTR, RESTARTS, Registers};

/// The state of a tracee that runs, or that has not yet reported its stop.
#[derive(Debug)]
pub enum Running {}

/// The state of a tracee in a ptrace stop.
#[derive(Debug)]
pub enum Stopped {}

/// A guest thread that this thread traces.
#[derive(Debug)]
pub struct Tracee<State> {
    tid: pid_t,
    state: PhantomData<State>,
}

/// What the kernel is to report and do: the `PTRACE_O_*` options that vary.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// New processes and threads are traced from their first instruction.
    pub follow: bool,
    /// `SECCOMP_RET_TRACE` stops the tracee.
    pub seccomp: bool,
    /// The tracees are killed when the tracer ends.
    pub exit_kill: bool,
}

/// How a tracee goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resume {
    /// Until an event, a signal or a seccomp stop.
    Continue,
    /// As `Continue`, but no further than the next entry to or exit from a system call.
    Syscall,
    /// As `Continue`, but no further than the next entry to a system call, which is not made: the
    /// thread goes on behind it, with the result that it is given at that stop (`PTRACE_SYSEMU`). A
    /// thread that is resumed so inside of a call does not stop at its exit.
    Emulate,
    /// As `Continue`, but no further than one instruction, after which the thread stops as if by a
    /// `SIGTRAP`.
    Step,
}

/// How to learn about a system call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyscallSource {
    /// `PTRACE_GET_SYSCALL_INFO` (Linux 5.3): knows entry from exit, and the ABI.
    Info,
    /// `PTRACE_GETREGSET`: the caller must know entry from exit, and a 64-bit thread that calls
    /// by `int 0x80` cannot be told from one that does not.
    Registers,
}

/// The side of a call on which a tracee stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Before it.
    Entry,
    /// After it.
    Exit,
}

/// A system call stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyscallStop {
    /// The instruction pointer.
    pub ip: u64,
    /// The stack pointer.
    pub sp: u64,
    /// The rest.
    pub what: SyscallStopKind,
}

/// The two kinds of system call stop, and the case of neither.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyscallStopKind {
    /// Before the call; also at a seccomp stop.
    Entry {
        /// The `AUDIT_ARCH_*` value.
        arch: u32,
        /// The number, with the x32 bit if it is there.
        number: u64,
        /// The arguments.
        args: [u64; 6],
    },
    /// After the call.
    Exit {
        /// The result; an error is `-errno`.
        value: i64,
        /// Whether it is an error.
        failed: bool,
    },
    /// The tracee is in no system call stop.
    None,
}

/// `AUDIT_ARCH_X86_64` of `linux/audit.h`.
pub const AUDIT_ARCH_X86_64: u32 = 0xc000_003e;
/// `AUDIT_ARCH_I386` of `linux/audit.h`.
pub const AUDIT_ARCH_I386: u32 = 0x4000_0003;

/// Whether a request failed since the tracee is dead or dying: its end will be reported by
/// [`crate::wait`].
pub fn is_gone(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ESRCH)
}

/// The error of a request on a tracee that is dead or dying, as [`is_gone`] knows it.
pub fn gone() -> io::Error {
    io::Error::from_raw_os_error(libc::ESRCH)
}

/// One ptrace request, counted.
fn request(request: c_int, tid: pid_t, addr: usize, data: *mut c_void) -> io::Result<c_long> {
    toll::count(toll::Kind::Ptrace);
    // SAFETY: each caller in this module passes as `data` either a number, or a pointer to a live
    // object of its own of the size that the request reads or writes; `addr` is a number, a size, or the
    // address of such an object that is read. The requests of this module have no other effect on our memory.
    let result = unsafe { libc::ptrace(request as _, tid, addr, data) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// A number in the place of `data`.
fn number(value: usize) -> *mut c_void {
    ptr::without_provenance_mut(value)
}

impl<State> Tracee<State> {
    /// The thread's id.
    pub fn tid(&self) -> pid_t {
        self.tid
    }
}

/// Asks for a stop of a thread that this thread traces: [`Tracee::interrupt`].
pub fn interrupt(tid: pid_t) -> io::Result<()> {
    request(libc::PTRACE_INTERRUPT as c_int, tid, 0, number(0)).map(drop)
}

impl Tracee<Running> {
    /// Begins to trace a thread, without stopping it (`PTRACE_SEIZE`).
    pub fn seize(tid: pid_t, options: Options) -> io::Result<Tracee<Running>> {
        request(libc::PTRACE_SEIZE as c_int, tid, 0, number(options.bits()))?;
        Ok(Tracee { tid, state: PhantomData })
    }

    /// Asks for a stop, reported as [`crate::wait::Stop::Trap`] unless another stop comes first.
    pub fn interrupt(&self) -> io::Result<()> {
        interrupt(self.tid)
    }
}

impl Tracee<Stopped> {
    /// Only [`crate::wait`] knows which threads have stopped.
    pub(crate) fn reported(tid: pid_t) -> Tracee<Stopped> {
        Tracee { tid, state: PhantomData }
    }

    /// Lets the thread go on; `signal`, if not 0, is delivered to it.
    pub fn resume(self, how: Resume, signal: i32) -> io::Result<Tracee<Running>> {
        let how = match how {
            Resume::Continue => libc::PTRACE_CONT,
            Resume::Syscall => libc::PTRACE_SYSCALL,
            Resume::Emulate => libc::PTRACE_SYSEMU,
            Resume::Step => libc::PTRACE_SINGLESTEP,
        };
        self.restart(how as c_int, signal)
    }

    /// Leaves the thread in its group stop, until `SIGCONT` (`PTRACE_LISTEN`).
    pub fn listen(self) -> io::Result<Tracee<Running>> {
        self.restart(libc::PTRACE_LISTEN as c_int, 0).map_err(|error| match error.raw_os_error() {
            // Another stop: this one's thread is gone, and its id was taken over by an exec.
            Some(libc::EIO) => gone(),
            _ => error,
        })
    }

    fn restart(self, how: c_int, signal: i32) -> io::Result<Tracee<Running>> {
        request(how, self.tid, 0, number(signal as usize))?;
        Ok(Tracee { tid: self.tid, state: PhantomData })
    }

    /// Ends the tracing; the thread goes on.
    pub fn detach(self, signal: i32) -> io::Result<()> {
        request(libc::PTRACE_DETACH as c_int, self.tid, 0, number(signal as usize)).map(drop)
    }

    /// Changes what the kernel reports of this thread.
    pub fn set_options(&self, options: Options) -> io::Result<()> {
        request(libc::PTRACE_SETOPTIONS as c_int, self.tid, 0, number(options.bits())).map(drop)
    }

    /// The message of the event at which the thread stopped: the new thread's id after fork, the
    /// former id after exec.
    pub fn event_message(&self) -> io::Result<u64> {
        let mut message: libc::c_ulong = 0;
        let data = (&raw mut message).cast();
        request(libc::PTRACE_GETEVENTMSG as c_int, self.tid, 0, data)?;
        Ok(message)
    }

    /// The signal at whose delivery the thread stopped, as the kernel's `siginfo_t`.
    pub fn signal_info(&self) -> io::Result<[u8; 128]> {
        let mut info = [0u8; size_of::<libc::siginfo_t>()];
        let data = info.as_mut_ptr().cast();
        request(libc::PTRACE_GETSIGINFO as c_int, self.tid, 0, data)?;
        Ok(info)
    }

    /// The system call at which the thread stopped. `expected` is the side to assume where
    /// `source` cannot tell.
    pub fn syscall(&self, source: SyscallSource, expected: Side) -> io::Result<SyscallStop> {
        match source {
            SyscallSource::Info => self.syscall_info(),
            SyscallSource::Registers => self.syscall_registers(expected),
        }
    }

    fn syscall_info(&self) -> io::Result<SyscallStop> {
        let mut info = MaybeUninit::<SyscallInfo>::zeroed();
        let data = info.as_mut_ptr().cast();
        request(PTRACE_GET_SYSCALL_INFO, self.tid, size_of::<SyscallInfo>(), data)?;
        // SAFETY: all zeroes is a valid value of these integers, and so is whatever the kernel
        // wrote over them.
        let info = unsafe { info.assume_init() };
        let what = match info.op {
            PTRACE_SYSCALL_INFO_ENTRY | PTRACE_SYSCALL_INFO_SECCOMP => SyscallStopKind::Entry {
                arch: info.arch,
                number: info.data[0],
                args: info.data[1..7].try_into().expect("six arguments"),
            },
            PTRACE_SYSCALL_INFO_EXIT => SyscallStopKind::Exit {
                value: info.data[0] as i64,
                failed: info.data[1] as u8 != 0,
            },
            _ => SyscallStopKind::None,
        };
        Ok(SyscallStop { ip: info.ip, sp: info.sp, what })
    }

    fn syscall_registers(&self, expected: Side) -> io::Result<SyscallStop> {
        let mut regs = MaybeUninit::<libc::user_regs_struct>::zeroed();
        let mut iov =
            libc::iovec { iov_base: regs.as_mut_ptr().cast(), iov_len: size_of_val(&regs) };
        let data = (&raw mut iov).cast();
        request(libc::PTRACE_GETREGSET as c_int, self.tid, libc::NT_PRSTATUS as usize, data)?;
        // SAFETY: all zeroes is a valid value of these integers, and so is whatever the kernel
        // wrote over them.
        let regs = unsafe { regs.assume_init() };
        if iov.iov_len == size_of::<Registers32>() {
            // SAFETY: the kernel has filled this many bytes with a 32-bit thread's registers,
            // which are integers; `regs` is larger and more strictly aligned.
            let regs = unsafe { ptr::read((&raw const regs).cast::<Registers32>()) };
            return Ok(regs.stop(expected));
        }
        let what = match expected {
            Side::Entry => SyscallStopKind::Entry {
                arch: AUDIT_ARCH_X86_64,
                number: regs.orig_rax,
                args: [regs.rdi, regs.rsi, regs.rdx, regs.r10, regs.r8, regs.r9],
            },
            Side::Exit => exit(regs.rax as i64),
        };
        Ok(SyscallStop { ip: regs.rip, sp: regs.rsp, what })
    }
}

impl Options {
    fn bits(self) -> usize {
        let mut bits = libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_TRACEEXEC;
        if self.follow {
            bits |= libc::PTRACE_O_TRACECLONE | libc::PTRACE_O_TRACEFORK;
            bits |= libc::PTRACE_O_TRACEVFORK;
        }
        if self.seccomp {
            bits |= libc::PTRACE_O_TRACESECCOMP;
        }
        if self.exit_kill {
            bits |= libc::PTRACE_O_EXITKILL;
        }
        bits as usize
    }
}

/// A result register's value: the kernel's errors are the last 4,095 values (`IS_ERR_VALUE`).
fn exit(value: i64) -> SyscallStopKind {
    SyscallStopKind::Exit { value, failed: (-4095..0).contains(&value) }
}

const PTRACE_GET_SYSCALL_INFO: c_int = 0x420e;
const PTRACE_SYSCALL_INFO_ENTRY: u8 = 1;
const PTRACE_SYSCALL_INFO_EXIT: u8 = 2;
const PTRACE_SYSCALL_INFO_SECCOMP: u8 = 3;

/// `struct ptrace_syscall_info` of `linux/ptrace.h`, its union as plain words.
#[repr(C)]
struct SyscallInfo {
    op: u8,
    pad: [u8; 3],
    arch: u32,
    ip: u64,
    sp: u64,
    data: [u64; 8],
}

const _: () = assert!(offset_of!(SyscallInfo, data) == 24 && size_of::<SyscallInfo>() == 88);

/// `struct user_regs_struct32` of the kernel's `asm/user32.h`: a 32-bit thread's registers.
#[repr(C)]
struct Registers32 {
    ebx: u32,
    ecx: u32,
    edx: u32,
    esi: u32,
    edi: u32,
    ebp: u32,
    eax: u32,
    segments: [u32; 4],
    orig_eax: u32,
    eip: u32,
    cs: u32,
    eflags: u32,
    esp: u32,
    ss: u32,
}

impl Registers32 {
    fn stop(&self, expected: Side) -> SyscallStop {
        let what = match expected {
            Side::Entry => SyscallStopKind::Entry {
                arch: AUDIT_ARCH_I386,
                number: self.orig_eax.into(),
                args: [self.ebx, self.ecx, self.edx, self.esi, self.edi, self.ebp].map(u64::from),
            },
            Side::Exit => exit(i64::from(self.eax as i32)),
        };
        SyscallStop { ip: self.eip.into(), sp: self.esp.into(), what }
    }
}
