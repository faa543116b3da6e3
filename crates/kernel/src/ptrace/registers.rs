//! The registers of a stopped thread, and the words of its memory.

use std::io;
use std::mem::offset_of;

use libc::{c_int, c_void};

use super::{Stopped, Tracee, number, request};
use crate::memory::peek_word;
use crate::toll;

/// The results of calls that begin anew behind a signal, as far as the kernel does not decide
/// otherwise: `ERESTARTSYS` to `ERESTART_RESTARTBLOCK`.
pub const RESTARTS: std::ops::RangeInclusive<i64> = -516..=-512;
/// One of them, of a call that begins anew in any case.
pub const ERESTARTNOINTR: i64 = -513;

/// The general registers of a 64-bit thread, as the kernel saves them: `struct user_regs_struct`
/// of `sys/user.h`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Registers {
    /// Preserved by calls.
    pub r15: u64,
    /// Preserved by calls.
    pub r14: u64,
    /// Preserved by calls.
    pub r13: u64,
    /// Preserved by calls.
    pub r12: u64,
    /// Preserved by calls.
    pub rbp: u64,
    /// Preserved by calls.
    pub rbx: u64,
    /// The flags after a system call.
    pub r11: u64,
    /// Fourth argument of a system call.
    pub r10: u64,
    /// Sixth argument.
    pub r9: u64,
    /// Fifth argument.
    pub r8: u64,
    /// The number of a system call, its result after it.
    pub rax: u64,
    /// The address behind the instruction after a system call.
    pub rcx: u64,
    /// Third argument.
    pub rdx: u64,
    /// Second argument.
    pub rsi: u64,
    /// First argument.
    pub rdi: u64,
    /// The number of the system call in which the thread stopped. All ones where it is in none: the
    /// kernel then neither makes nor restarts one.
    pub orig_rax: u64,
    /// The instruction pointer.
    pub rip: u64,
    /// Code segment.
    pub cs: u64,
    /// The flags.
    pub flags: u64,
    /// The stack pointer.
    pub rsp: u64,
    /// Stack segment.
    pub ss: u64,
    /// Where `%fs` begins.
    pub fs_base: u64,
    /// Where `%gs` begins.
    pub gs_base: u64,
    /// Data segment.
    pub ds: u64,
    /// Extra segment.
    pub es: u64,
    /// Selector of `%fs`.
    pub fs: u64,
    /// Selector of `%gs`.
    pub gs: u64,
}

const _: () = assert!(size_of::<Registers>() == size_of::<libc::user_regs_struct>());

/// Where the arguments of calls are: of 64-bit code.
const ARGUMENTS: [usize; 6] = [
    offset_of!(Registers, rdi),
    offset_of!(Registers, rsi),
    offset_of!(Registers, rdx),
    offset_of!(Registers, r10),
    offset_of!(Registers, r8),
    offset_of!(Registers, r9),
];
/// Of 32-bit code.
const ARGUMENTS_32: [usize; 6] = [
    offset_of!(Registers, rbx),
    offset_of!(Registers, rcx),
    offset_of!(Registers, rdx),
    offset_of!(Registers, rsi),
    offset_of!(Registers, rdi),
    offset_of!(Registers, rbp),
];
/// The length of `syscall`, and of `int 0x80`.
const CALL_LEN: u64 = 2;

/// `PTRACE_ARCH_PRCTL` of `asm/ptrace-abi.h`: `arch_prctl(2)` on a tracee's behalf.
const PTRACE_ARCH_PRCTL: c_int = 30;
/// `ARCH_SET_GS` of `asm/prctl.h`.
const ARCH_SET_GS: usize = 0x1001;
const PTRACE_GETSIGMASK: c_int = 0x420a;
const PTRACE_SETSIGMASK: c_int = 0x420b;

impl Tracee<Stopped> {
    /// Its registers (`PTRACE_GETREGSET`).
    ///
    /// # Errors
    /// `Unsupported` when the thread runs 32-bit code.
    pub fn registers(&self) -> io::Result<Registers> {
        let mut registers = Registers::default();
        let got =
            self.register_set(libc::PTRACE_GETREGSET as c_int, (&raw mut registers).cast())?;
        if got == size_of::<Registers>() {
            Ok(registers)
        } else {
            Err(io::Error::new(io::ErrorKind::Unsupported, "the thread runs 32-bit code"))
        }
    }

    /// Changes its registers (`PTRACE_SETREGSET`).
    ///
    /// # Errors
    /// `EIO` when a segment or a base is none that a program may have.
    pub fn set_registers(&self, registers: &Registers) -> io::Result<()> {
        let data = (&raw const *registers).cast_mut().cast();
        self.register_set(libc::PTRACE_SETREGSET as c_int, data).map(drop)
    }

    /// Reads to or writes from `registers`, which are those of a thread. How many bytes it were.
    fn register_set(&self, how: c_int, registers: *mut c_void) -> io::Result<usize> {
        let mut iov = libc::iovec { iov_base: registers, iov_len: size_of::<Registers>() };
        request(how, self.tid, libc::NT_PRSTATUS as usize, (&raw mut iov).cast())?;
        Ok(iov.iov_len)
    }

    /// Has the thread execute the instruction at this address next, as if it were in no system call.
    /// Of 32-bit code too.
    pub fn go_to(&self, address: u64) -> io::Result<()> {
        self.set_register(offset_of!(Registers, rip), address)?;
        self.set_register(offset_of!(Registers, orig_rax), u64::MAX)
    }

    /// Of a thread that stopped before a call, at its entry or since a filter picked it: has it make
    /// the call of this number instead. Of 32-bit code too. A filter looks at the new number again.
    pub fn set_call_number(&self, number: u64) -> io::Result<()> {
        self.set_register(offset_of!(Registers, orig_rax), number)
    }

    /// Of a thread that stopped before a call: has it make none, and go on as if the call had returned
    /// this. Of 32-bit code too.
    pub fn skip_call(&self, result: i64) -> io::Result<()> {
        self.set_call_number(u64::MAX)?;
        self.set_result(result)
    }

    /// Of a thread that stopped behind a call: sets what it has returned. Of 32-bit code too.
    pub fn set_result(&self, result: i64) -> io::Result<()> {
        self.set_register(offset_of!(Registers, rax), result as u64)
    }

    /// Of a thread that stopped before or behind a call: sets the call's argument, 0 to 5, as 64-bit
    /// code passes it, or as 32-bit code does (`int 0x80`).
    ///
    /// # Panics
    /// If there is no such argument.
    pub fn set_argument(&self, index: u8, value: u64, of_32_bits: bool) -> io::Result<()> {
        let places = if of_32_bits { ARGUMENTS_32 } else { ARGUMENTS };
        self.set_register(places[usize::from(index)], value)
    }

    /// Of a thread that stopped behind a call: has it make the call of this number, with the
    /// arguments in its registers, at the instruction that ends at this address. Of 32-bit code too.
    pub fn call_again(&self, number: u64, behind: u64) -> io::Result<()> {
        self.go_to(behind.wrapping_sub(CALL_LEN))?;
        self.set_result(number as i64)
    }

    /// Changes one register, by its place in [`Registers`].
    fn set_register(&self, place: usize, value: u64) -> io::Result<()> {
        request(libc::PTRACE_POKEUSER as c_int, self.tid, place, number(value as usize)).map(drop)
    }

    /// Where `%gs` begins, of 32-bit code too.
    pub fn gs_base(&self) -> io::Result<u64> {
        toll::count(toll::Kind::Ptrace);
        let (mut base, place) = (0u64, offset_of!(Registers, gs_base));
        // The bare call, and not libc's wrapper, whose result cannot be told from an error.
        // SAFETY: the kernel writes one word to `base`, which lives through the call.
        let result = unsafe {
            libc::syscall(libc::SYS_ptrace, libc::PTRACE_PEEKUSER, self.tid, place, &mut base)
        };
        if result == 0 { Ok(base) } else { Err(io::Error::last_os_error()) }
    }

    /// Sets where `%gs` begins, and nothing else.
    ///
    /// # Errors
    /// `EPERM` when the address lies beyond what a program may have.
    pub fn set_gs_base(&self, base: u64) -> io::Result<()> {
        request(PTRACE_ARCH_PRCTL, self.tid, base as usize, number(ARCH_SET_GS)).map(drop)
    }

    /// The word at this address, aligned or not (`PTRACE_PEEKDATA`).
    ///
    /// # Errors
    /// `EIO` when not all of it is mapped.
    pub fn peek(&self, address: u64) -> io::Result<u64> {
        peek_word(self.tid, address)
    }

    /// Writes the word at this address, also where the guest itself may not write
    /// (`PTRACE_POKEDATA`): a private mapping gets a page of its own.
    ///
    /// # Errors
    /// `EIO` when not all of it is mapped, or the mapping is shared and may not be written.
    pub fn poke(&self, address: u64, word: u64) -> io::Result<()> {
        let poke = libc::PTRACE_POKEDATA as c_int;
        request(poke, self.tid, address as usize, number(word as usize)).map(drop)
    }

    /// Changes the signal at whose delivery the thread stopped, as the kernel's `siginfo_t`.
    pub fn set_signal_info(&self, info: &[u8; 128]) -> io::Result<()> {
        let data = info.as_ptr().cast_mut().cast();
        request(libc::PTRACE_SETSIGINFO as c_int, self.tid, 0, data).map(drop)
    }

    /// The signals that the thread blocks: bit `n - 1` is signal `n`. Where a call such as
    /// `ppoll(2)` has changed them for its own time, those before it.
    pub fn blocked_signals(&self) -> io::Result<u64> {
        let mut mask = 0u64;
        let data = (&raw mut mask).cast();
        request(PTRACE_GETSIGMASK, self.tid, size_of::<u64>(), data)?;
        Ok(mask)
    }

    /// Blocks these signals and no others. `SIGKILL` and `SIGSTOP` cannot be blocked.
    pub fn block_signals(&self, mask: u64) -> io::Result<()> {
        let data = (&raw const mask).cast_mut().cast();
        request(PTRACE_SETSIGMASK, self.tid, size_of::<u64>(), data).map(drop)
    }

    /// Has the kernel stop the thread again as soon as it is resumed, and say whether its process
    /// is stopped (job control).
    pub fn interrupt_when_resumed(&self) -> io::Result<()> {
        request(libc::PTRACE_INTERRUPT as c_int, self.tid, 0, number(0)).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::fork::Child;
    use crate::ptrace::{Options, Resume, gone};
    use crate::wait::{self, Stop, What};

    const LIMIT: Duration = Duration::from_secs(60);

    /// The next stop of the thread.
    fn stop(tid: i32) -> (Tracee<Stopped>, Stop) {
        match wait::next_of(tid).unwrap().what {
            What::Stopped(tracee, stop) => (tracee, stop),
            what => panic!("{what:?}"),
        }
    }

    /// A child of ours that pauses, stopped.
    fn stopped_child() -> (Child, Tracee<Stopped>) {
        // SAFETY: `pause(2)` is async-signal-safe.
        let child = unsafe { Child::start(LIMIT, || libc::pause() as u8) }.unwrap();
        let mut running = Tracee::seize(child.pid(), Options::default()).unwrap();
        loop {
            running.interrupt().unwrap();
            let (tracee, why) = stop(child.pid());
            assert_eq!(why, Stop::Trap);
            if tracee.registers().unwrap().orig_rax == libc::SYS_pause as u64 {
                return (child, tracee);
            }
            // It has not come to its call yet.
            running = tracee.resume(Resume::Continue, 0).unwrap();
        }
    }

    #[test]
    fn registers_are_read_and_written() {
        let (_child, tracee) = stopped_child();
        let before = tracee.registers().unwrap();
        assert_eq!(before.cs, 0x33);
        let changed = Registers { r12: 0x1234_5678_9abc_def0, ..before };
        tracee.set_registers(&changed).unwrap();
        assert_eq!(tracee.registers().unwrap(), changed);
        tracee.set_gs_base(0x20_0004_0000).unwrap();
        let with_gs = Registers { gs_base: 0x20_0004_0000, ..changed };
        assert_eq!(tracee.registers().unwrap(), with_gs);
        assert_eq!(tracee.gs_base().unwrap(), with_gs.gs_base);
        tracee.go_to(0x1234).unwrap();
        let gone = Registers { rip: 0x1234, orig_rax: u64::MAX, ..with_gs };
        assert_eq!(tracee.registers().unwrap(), gone);
        let errno = |result: io::Result<()>| result.unwrap_err().raw_os_error();
        assert_eq!(errno(tracee.set_gs_base(u64::MAX)), Some(libc::EPERM));
    }

    #[test]
    fn memory_is_peeked_and_poked_where_the_guest_may_not_write() {
        static CONSTANT: u64 = 0x1122_3344_5566_7788;
        let (_child, tracee) = stopped_child();
        let address = (&raw const CONSTANT) as u64;
        assert_eq!(tracee.peek(address).unwrap(), CONSTANT);
        tracee.poke(address, 7).unwrap();
        assert_eq!(tracee.peek(address).unwrap(), 7);
        assert_eq!(tracee.peek(0x10).unwrap_err().raw_os_error(), Some(libc::EIO));
        assert_eq!(tracee.poke(0x10, 1).unwrap_err().raw_os_error(), Some(libc::EIO));
    }

    #[test]
    fn a_step_is_one_instruction() {
        let (child, tracee) = stopped_child();
        let registers = tracee.registers().unwrap();
        // Two `nop`, in the place of the code behind the call.
        let word = tracee.peek(registers.rip).unwrap();
        tracee.poke(registers.rip, word & !0xffff | 0x9090).unwrap();
        tracee.set_registers(&Registers { orig_rax: u64::MAX, ..registers }).unwrap();
        tracee.resume(Resume::Step, 0).unwrap();
        let (tracee, why) = stop(child.pid());
        assert_eq!(why, Stop::Signal(libc::SIGTRAP));
        assert_eq!(tracee.registers().unwrap().rip, registers.rip + 1);
    }

    #[test]
    fn a_call_is_skipped_or_another_made_instead() {
        let (child, tracee) = stopped_child();
        // Back to the instruction of the call that the interrupt has ended.
        let registers = tracee.registers().unwrap();
        let again = Registers { rip: registers.rip - 2, orig_rax: u64::MAX, ..registers };
        let at_entry = |tracee: Tracee<Stopped>| {
            let call = Registers { rax: libc::SYS_pause as u64, ..again };
            tracee.set_registers(&call).unwrap();
            tracee.resume(Resume::Syscall, 0).unwrap();
            stop(child.pid()).0
        };
        let behind = |tracee: Tracee<Stopped>| {
            tracee.resume(Resume::Syscall, 0).unwrap();
            let (tracee, why) = stop(child.pid());
            assert_eq!(why, Stop::Syscall);
            tracee
        };
        let tracee = at_entry(tracee);
        tracee.skip_call(-4095).unwrap();
        let tracee = behind(tracee);
        assert_eq!(tracee.registers().unwrap().rax as i64, -4095);
        let tracee = at_entry(tracee);
        tracee.set_call_number(libc::SYS_getpid as u64).unwrap();
        let tracee = behind(tracee);
        assert_eq!(tracee.registers().unwrap().rax, child.pid() as u64);
        tracee.set_result(7).unwrap();
        assert_eq!(tracee.registers().unwrap().rax, 7);
    }

    #[test]
    fn a_signals_description_can_be_changed() {
        let (child, tracee) = stopped_child();
        crate::signal::send(child.pid(), libc::SIGUSR1).unwrap();
        tracee.resume(Resume::Continue, 0).unwrap();
        let (tracee, why) = stop(child.pid());
        assert_eq!(why, Stop::Signal(libc::SIGUSR1));
        let mut info = tracee.signal_info().unwrap();
        info[16] ^= 0xff;
        tracee.set_signal_info(&info).unwrap();
        assert_eq!(tracee.signal_info().unwrap(), info);
    }

    #[test]
    fn a_killed_thread_is_gone() {
        let (child, tracee) = stopped_child();
        crate::signal::send(child.pid(), libc::SIGKILL).unwrap();
        let what = wait::next_of(child.pid()).unwrap().what;
        assert!(matches!(what, What::Killed { signal: libc::SIGKILL, .. }), "{what:?}");
        let errno = tracee.registers().unwrap_err().raw_os_error();
        assert_eq!(errno, gone().raw_os_error());
    }
}
