//! System calls that a stopped guest thread makes for the supervisor.
//!
//! [`RemoteCalls`] sends the thread through a `syscall` instruction of its own address space, and
//! puts everything back at the end. Where the agent's image is mapped there is such an instruction,
//! and a loop that makes many calls ([`Stub`], [`RemoteCalls::batch`]). Before that, the code at the
//! thread's instruction pointer is borrowed: to make calls one by one, or to bring in the image
//! ([`RemoteCalls::bring_in`]).
//!
//! Meanwhile all signals are blocked that can be: they stay queued as they were sent. A call or a
//! batch ends at an `int3`, which is one stop. A guest that ignores `SIGTRAP` would lose that
//! setting by it (the kernel forces the signal), so that there each call takes the two stops of
//! `PTRACE_SYSCALL`. So it does where the guest lives on should the supervisor be killed
//! ([`RemoteCalls::begin_outliving`]). Where a seccomp filter of ours asks for it, a call outside of the trusted page
//! stops once more.

mod batch;
mod image;
mod outliving;
mod stub;

use std::io;

use libc::{c_int, c_long, pid_t};

use crate::ptrace::{CodeSpot, RESTARTS, Registers, Resume, Stopped, Tracee, gone, is_gone};
use crate::signal;
use crate::wait::{self, Change, CpuTime, Stop, What};

pub use batch::{Call, OnFailure, Room};
pub use image::{Image, Part};

use outliving::{Code, Leavings};

/// Instructions in the guest for calls at the supervisor's behest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stub {
    /// The address of a `syscall` with an `int3` behind it.
    pub call: u64,
    /// The address of a loop that makes calls: `rbp` of them, at least one, which lie at `r14` as
    /// [`Call`]s do. `rbp` counts down. The results go to `r12`, 8 bytes each, unless that is 0.
    /// Where `r13` is not 0, the loop ends at a call that fails, before it counts that; `rax` is its
    /// result.
    pub batch: u64,
    /// The address of the `int3` at the loop's end.
    pub batch_end: u64,
}

/// Why a call was not made, or did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The thread has ended, or an exec of another thread has ended it and taken over its id. The
    /// change is to be served as if [`wait::next`] had reported it.
    #[error("the thread has ended")]
    Ended(Change),
    /// No call can be made at this stop, and why. The thread is as it was.
    #[error("the guest can make no system call here")]
    Unfit(Tracee<Stopped>, #[source] io::Error),
    /// The call failed: what it returned, as an error.
    #[error("the guest's system call failed")]
    Refused(#[source] io::Error),
    /// A request on the thread failed; see [`crate::ptrace::is_gone`].
    #[error(transparent)]
    Kernel(#[from] io::Error),
}

/// A stopped thread that makes calls. It goes on where it was only after [`RemoteCalls::finish`],
/// which is due after a [`Failure::Refused`] as well.
///
/// With a borrowed spot, every other thread of the address space must be stopped.
#[derive(Debug)]
#[must_use = "the thread can go on only after `finish`"]
pub struct RemoteCalls {
    /// `None` once the thread is gone.
    tracee: Option<Tracee<Stopped>>,
    tid: pid_t,
    process: pid_t,
    registers: Registers,
    blocked: u64,
    place: Place,
    end: End,
    /// The signal at whose delivery the thread stopped, and its `siginfo_t`.
    delivered: Option<(i32, [u8; 128])>,
    /// Signals that came and could not be blocked, to be sent again.
    came: Vec<i32>,
    /// A group stop, or what looks like one, was passed over.
    passed_stop: bool,
    /// Whether the faults of its process are asked for.
    asks_faults: bool,
    /// How many faults its process had at the last stop.
    faults: Option<u64>,
}

/// Where the `syscall` is.
#[derive(Debug)]
enum Place {
    /// In the guest's image.
    Stub(Stub),
    /// Over code of the guest's.
    Borrowed(CodeSpot),
    /// The same, by code with which the guest needs us no more.
    Outliving(CodeSpot, Box<Code>),
}

/// How a call's end is seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Breakpoint,
    SyscallExit,
}

/// The calls that block other signals for their own time (`sigmask` in their prototypes). Between
/// the arrival of a signal and its handler the thread has two masks, of which one would be lost.
const OWN_MASK: [c_long; 6] = [
    libc::SYS_rt_sigsuspend,
    libc::SYS_pselect6,
    libc::SYS_ppoll,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    IO_PGETEVENTS,
];
/// `io_pgetevents(2)` of `asm/unistd_64.h`.
const IO_PGETEVENTS: c_long = 333;
/// `ERESTARTNOHAND` of the kernel's `linux/errno.h`.
const ERESTARTNOHAND: i32 = 514;

/// The signals that the kernel raises for what a thread itself does. If they were blocked it would
/// take their handlers away to deliver them (`force_sig`).
const SYNCHRONOUS: [c_int; 6] =
    [libc::SIGTRAP, libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGSYS];
/// The trap flag: stops after each instruction.
const TRAP_FLAG: u64 = 0x100;

impl RemoteCalls {
    /// How much code is borrowed at most, in bytes.
    pub const SPOT_LEN: u64 = Code::LEN as u64;

    /// Prepares a thread of `process` that is about to return to its program: at the exit of a
    /// call, at the stop that follows an exec, at a signal, at the first stop of its life, or at
    /// the answer to an interrupt. `stub` is `None` where the guest has none. `ignores_trap` says
    /// whether the process ignores `SIGTRAP`; where it says no wrongly, the process does not any
    /// more.
    ///
    /// After [`Stop::Exec`] the exit of the `execve(2)` is not reported any more.
    ///
    /// # Errors
    /// [`Failure::Unfit`] at the stops of [`Stop::NewTask`] and [`Stop::Seccomp`], where a signal
    /// has interrupted a call that has a signal mask of its own, such as `ppoll(2)`, at a signal if
    /// the guest ignores `SIGTRAP`, in 32-bit code, and where there is no code to borrow.
    pub fn begin(
        process: pid_t,
        tracee: Tracee<Stopped>,
        stop: Stop,
        stub: Option<Stub>,
        ignores_trap: bool,
    ) -> Result<RemoteCalls, Failure> {
        let place = |tracee: &Tracee<Stopped>, registers: &Registers, _| match stub {
            Some(stub) => Ok(Place::Stub(stub)),
            None => tracee.code_spot(registers.rip).map(Place::Borrowed),
        };
        RemoteCalls::begin_where(process, tracee, stop, place, End::of(ignores_trap))
    }

    /// The same with the code at this address, which no thread executes: then other threads of the
    /// address space may run. No more than [`RemoteCalls::SPOT_LEN`] bytes of one page are borrowed, from
    /// an address on that is a multiple of 64.
    ///
    /// # Errors
    /// As [`RemoteCalls::begin`].
    pub fn begin_at(
        process: pid_t,
        tracee: Tracee<Stopped>,
        stop: Stop,
        spot: u64,
        ignores_trap: bool,
    ) -> Result<RemoteCalls, Failure> {
        let place =
            |tracee: &Tracee<Stopped>, _: &_, _| tracee.code_spot(spot).map(Place::Borrowed);
        RemoteCalls::begin_where(process, tracee, stop, place, End::of(ignores_trap))
    }

    /// As [`RemoteCalls::begin_at`], for a guest that lives on should the supervisor be killed: at each
    /// moment the thread goes on where it was, and as it was but for what its calls have done.
    ///
    /// # Errors
    /// As [`RemoteCalls::begin`]; [`Failure::Unfit`] at every signal.
    pub fn begin_outliving(
        process: pid_t,
        tracee: Tracee<Stopped>,
        stop: Stop,
        spot: u64,
    ) -> Result<RemoteCalls, Failure> {
        let place = |tracee: &Tracee<Stopped>, registers: &Registers, blocked| {
            let spot = tracee.code_at(spot, Code::LEN)?;
            let code = Code::new(registers, blocked);
            spot.write(tracee, &code.bytes(0))?;
            // What puts its mask back comes before that is changed.
            let (rip, rdi) = (spot.at() + Code::START, u64::MAX);
            tracee.set_registers(&Registers { rip, rdi, ..outside_call(registers) })?;
            Ok(Place::Outliving(spot, Box::new(code)))
        };
        RemoteCalls::begin_where(process, tracee, stop, place, End::SyscallExit)
    }

    fn begin_where(
        process: pid_t,
        tracee: Tracee<Stopped>,
        stop: Stop,
        place: impl FnOnce(&Tracee<Stopped>, &Registers, u64) -> io::Result<Place>,
        end: End,
    ) -> Result<RemoteCalls, Failure> {
        match RemoteCalls::prepare(process, &tracee, stop, place, end) {
            Ok(calls) => Ok(RemoteCalls { tracee: Some(tracee), ..calls }),
            Err(error) if is_gone(&error) => Err(Failure::Kernel(error)),
            Err(error) => Err(Failure::Unfit(tracee, error)),
        }
    }

    /// Blocks the thread's signals, and notes how it was.
    fn prepare(
        process: pid_t,
        tracee: &Tracee<Stopped>,
        stop: Stop,
        place: impl FnOnce(&Tracee<Stopped>, &Registers, u64) -> io::Result<Place>,
        end: End,
    ) -> io::Result<RemoteCalls> {
        let busy = |why| Err(io::Error::new(io::ErrorKind::ResourceBusy, why));
        if matches!(stop, Stop::NewTask | Stop::Seccomp) {
            return busy("the thread is inside of a system call");
        }
        let registers = tracee.registers()?;
        if stop != Stop::Trap && has_own_mask(&registers) {
            return busy("a signal has interrupted a call with a signal mask of its own");
        }
        let delivered = match stop {
            Stop::Signal(_) if end == End::SyscallExit => {
                return busy("a signal is on its way, which can be put back at an int3 only");
            }
            Stop::Signal(signal) => Some((signal, tracee.signal_info()?)),
            _ => None,
        };
        let blocked = tracee.blocked_signals()?;
        let place = place(tracee, &registers, blocked)?;
        tracee.block_signals(!SYNCHRONOUS.iter().fold(0, |mask, signal| mask | bit(*signal)))?;
        Ok(RemoteCalls {
            tid: tracee.tid(),
            tracee: None,
            process,
            registers,
            blocked,
            place,
            end,
            delivered,
            came: Vec::new(),
            passed_stop: matches!(stop, Stop::Group(_)),
            asks_faults: false,
            faults: None,
        })
    }

    /// Puts everything back. The thread is to be resumed with the signal that is returned, 0 where
    /// it stopped at none.
    ///
    /// If the thread's process was stopped meanwhile (job control), the thread reports that when it
    /// is resumed; and so it does, as [`Stop::Trap`], if that looked possible, or where a guest that
    /// ignores `SIGTRAP` has a call to restart.
    pub fn finish(mut self) -> Result<(Tracee<Stopped>, i32), Failure> {
        let tracee = self.tracee.take().ok_or_else(gone)?;
        for &signal in &self.came {
            signal::send_to_thread(self.process, self.tid, signal)?;
        }
        // The code is needed up to where the thread is as it was.
        tracee.block_signals(self.blocked)?;
        tracee.set_registers(&self.registers)?;
        if let Place::Borrowed(spot) | Place::Outliving(spot, _) = &self.place {
            spot.put_back(&tracee)?;
        }
        if self.passed_stop || self.must_restart() {
            tracee.interrupt_when_resumed()?;
        }
        let Some((signal, info)) = self.delivered else { return Ok((tracee, 0)) };
        tracee.set_signal_info(&info)?;
        Ok((tracee, signal))
    }

    /// Whether the interrupted call is to be restarted, and the kernel would not: it looks for that
    /// only behind a stop that has to do with signals, as the one at the breakpoint.
    fn must_restart(&self) -> bool {
        let in_call = self.registers.orig_rax as i64 >= 0;
        in_call && self.end == End::SyscallExit && RESTARTS.contains(&(self.registers.rax as i64))
    }

    /// Makes a call that neither starts nor ends a task, and returns its result.
    pub fn call(&mut self, Call { number, args }: Call) -> Result<u64, Failure> {
        let number = number as u64;
        let start = match &self.place {
            Place::Stub(stub) => stub.call,
            Place::Borrowed(spot) => {
                spot.write(self.tracee()?, &borrowed_code(number))?;
                spot.at()
            }
            Place::Outliving(spot, code) => {
                spot.write(self.tracee()?, &code.bytes(number))?;
                spot.at()
            }
        };
        let [rdi, rsi, rdx, r10, r8, r9] = args;
        let registers = Registers {
            rip: start,
            rax: number,
            rdi,
            rsi,
            rdx,
            r10,
            r8,
            r9,
            ..self.outside_call()
        };
        self.tracee()?.set_registers(&registers)?;
        let end = self.after_call();
        let registers = self.run_to(&[end], None)?;
        result(registers.rax).map_err(Failure::Refused)
    }

    /// Where `%gs` is to begin from [`RemoteCalls::finish`] on.
    pub fn set_gs_base(&mut self, base: u64) {
        self.registers.gs_base = base;
    }

    fn outside_call(&self) -> Registers {
        outside_call(&self.registers)
    }

    /// What the calls from now on leave, where the guest lives on.
    fn leave(&mut self, leavings: Leavings) -> io::Result<()> {
        let Place::Outliving(spot, code) = &mut self.place else { return Ok(()) };
        code.leave(leavings);
        let code = code.bytes(0);
        spot.write(self.tracee.as_ref().ok_or_else(gone)?, &code)
    }

    /// The address behind the `syscall`, where the `int3` is.
    fn after_call(&self) -> u64 {
        match &self.place {
            Place::Stub(stub) => stub.call + 2,
            Place::Borrowed(spot) | Place::Outliving(spot, _) => spot.at() + Code::BEHIND,
        }
    }

    /// From now on [`RemoteCalls::faults`] is known.
    pub fn ask_faults(mut self) -> RemoteCalls {
        self.asks_faults = true;
        self
    }

    /// How many faults its process had at the end of the last call ([`Change::faults`]), if it has made one
    /// since [`RemoteCalls::ask_faults`].
    pub fn faults(&self) -> Option<u64> {
        self.faults
    }

    fn tracee(&self) -> io::Result<&Tracee<Stopped>> {
        self.tracee.as_ref().ok_or_else(gone)
    }

    /// Resumes the thread until it has come to one of the `int3` at `ends`, or behind its call where
    /// that is the end, or until the filter stops a call that ends at `filtered`. Its registers.
    fn run_to(&mut self, ends: &[u64], filtered: Option<u64>) -> Result<Registers, Failure> {
        let mut entered = false;
        loop {
            let stop = self.resume()?;
            match stop {
                Stop::Signal(signal) => {
                    if let Some(registers) = self.signal(signal, ends)? {
                        return Ok(registers);
                    }
                }
                Stop::Syscall => {
                    let registers = self.tracee()?.registers()?;
                    // Else it is the exit of the call at whose stop we began: an exec.
                    let ours = registers.rip == self.after_call();
                    if ours && entered {
                        return Ok(registers);
                    }
                    entered = ours;
                }
                Stop::Group(_) | Stop::Trap => self.passed_stop = true,
                Stop::Seccomp if filtered.is_some() => {
                    let registers = self.tracee()?.registers()?;
                    if Some(registers.rip) == filtered {
                        return Ok(registers);
                    }
                }
                // The filter tells the tracer of our call, which shall be made.
                Stop::Seccomp | Stop::NewTask | Stop::Exec => {}
            }
        }
    }

    /// Lets the thread go on to its next stop.
    fn resume(&mut self) -> Result<Stop, Failure> {
        let tracee = self.tracee.take().ok_or_else(gone)?;
        let how = match self.end {
            End::Breakpoint => Resume::Continue,
            End::SyscallExit => Resume::Syscall,
        };
        tracee.resume(how, 0)?;
        let cpu_time = if self.asks_faults { CpuTime::Wanted } else { CpuTime::Unwanted };
        let Change { tid, system_time, faults, what } = wait::next_of_asking(self.tid, cpu_time)
            .map_err(|error| if wait::is_childless(&error) { gone() } else { error })?;
        match what {
            What::Stopped(tracee, stop) if stop != Stop::Exec => {
                self.tracee = Some(tracee);
                self.faults = self.asks_faults.then_some(faults);
                Ok(stop)
            }
            what => Err(Failure::Ended(Change { tid, system_time, faults, what })),
        }
    }

    /// A signal would be delivered: that of an `int3` at the end, or one that has to wait.
    fn signal(&mut self, signal: i32, ends: &[u64]) -> Result<Option<Registers>, Failure> {
        let tracee = self.tracee()?;
        let registers = tracee.registers()?;
        if signal == libc::SIGTRAP && ends.contains(&registers.rip.wrapping_sub(1)) {
            return Ok(Some(registers));
        }
        let code = i32::from_ne_bytes(tracee.signal_info()?[8..12].try_into().expect("four bytes"));
        match signal {
            // A filter of the guest's own does not like the call.
            libc::SIGSYS if code > 0 => Err(refused(libc::EPERM)),
            // The code of the call cannot be executed.
            libc::SIGSEGV | libc::SIGBUS | libc::SIGILL if code > 0 => Err(refused(libc::EFAULT)),
            _ => {
                self.came.push(signal);
                Ok(None)
            }
        }
    }
}

impl End {
    fn of(ignores_trap: bool) -> End {
        if ignores_trap { End::SyscallExit } else { End::Breakpoint }
    }
}

/// A thread's registers, such that no call will be restarted, and no step is made.
fn outside_call(registers: &Registers) -> Registers {
    Registers { orig_rax: u64::MAX, flags: registers.flags & !TRAP_FLAG, ..*registers }
}

/// `mov number,%eax; syscall; int3`. The number is in the code since after an exec the kernel sets
/// `rax` once more when the thread is resumed.
fn borrowed_code(number: u64) -> [u8; 8] {
    let [a, b, c, d, ..] = number.to_le_bytes();
    [0xb8, a, b, c, d, 0x0f, 0x05, 0xcc]
}

fn has_own_mask(registers: &Registers) -> bool {
    OWN_MASK.contains(&(registers.orig_rax as c_long))
        && [libc::EINTR, ERESTARTNOHAND].contains(&(registers.rax as i32).wrapping_neg())
}

/// A signal's place in a mask.
fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// What a call has returned: a value or an error.
fn result(value: u64) -> io::Result<u64> {
    match value as i64 {
        error @ -4095..0 => Err(io::Error::from_raw_os_error(-error as i32)),
        _ => Ok(value),
    }
}

fn refused(errno: i32) -> Failure {
    Failure::Refused(io::Error::from_raw_os_error(errno))
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
