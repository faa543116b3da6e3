//! Waiting for guests: `wait4(2)`, its status taken apart.

use std::cell::RefCell;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::time::Duration;

use libc::pid_t;

use crate::proc;
use crate::ptrace::{Stopped, Tracee, gone};
use crate::ticker::Ticker;
use crate::toll;

/// A change of a child's or tracee's state.
#[derive(Debug)]
pub struct Change {
    /// The thread.
    pub tid: pid_t,
    /// System CPU time that the thread has used, in nanoseconds; 0 if nobody asked.
    pub system_time: u64,
    /// The page faults of the thread's process, and of the children that it has waited for; 0 if
    /// nobody asked.
    pub faults: u64,
    /// What happened.
    pub what: What,
}

/// The kinds of change.
#[derive(Debug)]
pub enum What {
    /// A tracee has stopped.
    Stopped(Tracee<Stopped>, Stop),
    /// The thread has exited with this status, 0 to 255.
    Exited(i32),
    /// The thread was killed.
    Killed {
        /// By this signal.
        signal: i32,
        /// Whether a core dump was written.
        core_dumped: bool,
    },
}

/// Why a tracee stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// At the entry to or the exit from a system call.
    Syscall,
    /// A seccomp filter said `SECCOMP_RET_TRACE`.
    Seccomp,
    /// It has created a process or a thread.
    NewTask,
    /// It has replaced its program.
    Exec,
    /// A signal is about to be delivered.
    Signal(i32),
    /// Its process is stopped by this signal (job control).
    Group(i32),
    /// A new tracee's first stop, an answer to an interrupt, or the end of a group stop.
    Trap,
}

/// Whether to wait until there is something to report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// Wait.
    Block,
    /// Answer at once.
    Poll,
}

/// Whether to ask for the CPU time that a thread has used, and the faults of its process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CpuTime {
    /// Ask.
    Wanted,
    /// Do not: it costs a few hundred nanoseconds.
    Unwanted,
}

/// Children of every kind, of this thread only.
const OURS: libc::c_int = libc::__WALL | libc::__WNOTHREAD;

/// Prepares this process for [`next`]: where `SIGCHLD` is ignored, the kernel throws the ends of
/// children away; and where stops raise it, each stop costs the sending of a signal that nobody
/// takes.
pub fn listen() -> io::Result<()> {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: all zeroes is a valid `sigaction`: the default action with an empty mask.
    let result = unsafe {
        (*action.as_mut_ptr()).sa_flags = libc::SA_NOCLDSTOP;
        libc::sigaction(libc::SIGCHLD, action.as_ptr(), ptr::null_mut())
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The next change of any child or tracee of this thread; `None` if `patience` is `Poll` and there
/// is none now. Fails with `EINTR` when a signal came, with `ECHILD` when no child is left.
pub fn next(patience: Patience, cpu_time: CpuTime) -> io::Result<Option<Change>> {
    wait(-1, patience, cpu_time)
}

/// The same, but a stop at a signal is not taken: it is reported again until its thread goes on.
/// Should this process be killed before that, the thread gets its signal, which is lost where the stop
/// was taken.
pub fn next_keeping_signals(patience: Patience, cpu_time: CpuTime) -> io::Result<Option<Change>> {
    loop {
        let Some(change) = look(patience, cpu_time)? else { return Ok(None) };
        if matches!(change.what, What::Stopped(_, Stop::Signal(_))) {
            return Ok(Some(change));
        }
        match wait(change.tid, Patience::Poll, cpu_time) {
            // It was killed meanwhile, and its end is not due yet; or it goes by another id.
            Ok(None) => {}
            Err(error) if is_childless(&error) => {}
            taken => return taken,
        }
    }
}

/// Takes a stop that was kept: from now on its signal is lost should this process be killed. Fails as
/// [`crate::ptrace::is_gone`] knows it if the thread was killed meanwhile.
pub fn take(stopped: &Tracee<Stopped>) -> io::Result<()> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    // Its end, if it has been killed meanwhile, is left to be reported.
    let flags = OURS | libc::WSTOPPED | libc::WNOHANG;
    toll::count(toll::Kind::Wait);
    // SAFETY: the kernel writes to `info`, which lives through the call.
    let result =
        unsafe { libc::waitid(libc::P_PID, stopped.tid() as libc::id_t, info.as_mut_ptr(), flags) };
    if result >= 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    // There is an end to wait for, and no stop.
    Err(if is_childless(&error) { gone() } else { error })
}

/// The next change of this child or tracee of this thread, whatever happens to others. Fails with
/// `ESRCH` if it is the first thread of a process, and was killed with it: its end is reported only
/// when those of the others have been taken.
pub fn next_of(tid: pid_t) -> io::Result<Change> {
    next_of_asking(tid, CpuTime::Unwanted)
}

/// The same, and asks for the CPU time and the faults if they are wanted.
pub fn next_of_asking(tid: pid_t, cpu_time: CpuTime) -> io::Result<Change> {
    /// How often it is looked whether that has happened.
    const LOOK: Duration = Duration::from_millis(10);
    thread_local! {
        static TICKER: RefCell<Option<Ticker>> = RefCell::new(Ticker::new().ok());
    }
    let tick = |period| {
        TICKER.with_borrow_mut(|ticker| ticker.as_mut().map(|ticker| ticker.set(period)));
    };
    tick(Some(LOOK));
    let change = loop {
        match wait(tid, Patience::Block, cpu_time) {
            Ok(change) => break Ok(change.expect("without WNOHANG there is a change")),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                if proc::is_zombie(tid) {
                    // It may have become one when nobody was left but it.
                    break wait(tid, Patience::Poll, cpu_time)
                        .and_then(|change| change.ok_or_else(gone));
                }
            }
            Err(error) => break Err(error),
        }
    };
    tick(None);
    change
}

/// Waits for one thread, or for any if `tid` is -1.
fn wait(tid: pid_t, patience: Patience, cpu_time: CpuTime) -> io::Result<Option<Change>> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    let flags = match patience {
        Patience::Block => OURS,
        Patience::Poll => OURS | libc::WNOHANG,
    };
    let usage_ptr = match cpu_time {
        CpuTime::Wanted => usage.as_mut_ptr(),
        CpuTime::Unwanted => ptr::null_mut(),
    };
    toll::count(toll::Kind::Wait);
    // SAFETY: the pointers are null, or to live objects of ours of the types that `wait4(2)` writes.
    let tid = unsafe { libc::wait4(tid, &mut status, flags, usage_ptr) };
    match tid {
        -1 => return Err(io::Error::last_os_error()),
        0 => return Ok(None),
        _ => {}
    }
    // SAFETY: all zeroes is a valid value of its integers, and so is what the kernel wrote.
    let usage = unsafe { usage.assume_init() };
    Ok(Some(change(tid, status, usage)))
}

/// What [`wait`] for any thread would report, which it still does afterwards.
fn look(patience: Patience, cpu_time: CpuTime) -> io::Result<Option<Change>> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    let flags = OURS | libc::WEXITED | libc::WNOWAIT;
    let flags = if patience == Patience::Poll { flags | libc::WNOHANG } else { flags };
    let usage_ptr = match cpu_time {
        CpuTime::Wanted => usage.as_mut_ptr(),
        CpuTime::Unwanted => ptr::null_mut(),
    };
    toll::count(toll::Kind::Wait);
    // SAFETY: the pointers are null, or to live objects of ours of the types that `waitid(2)` writes:
    // the call itself, unlike the C library's function, takes the last one.
    let result = unsafe {
        libc::syscall(libc::SYS_waitid, libc::P_ALL, 0, info.as_mut_ptr(), flags, usage_ptr)
    };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: all zeroes is a valid value of these integers, and so is what the kernel wrote. Where it
    // tells of a child these two are what it has written; else they are 0.
    let (info, tid, status, usage) = unsafe {
        let info = info.assume_init();
        (info, info.si_pid(), info.si_status(), usage.assume_init())
    };
    if tid == 0 {
        return Ok(None);
    }
    // As `wait4(2)` has it.
    let status = match info.si_code {
        libc::CLD_EXITED => (status & 0xff) << 8,
        libc::CLD_KILLED => status,
        libc::CLD_DUMPED => status | 0x80,
        _ => status << 8 | 0x7f,
    };
    Ok(Some(change(tid, status, usage)))
}

fn change(tid: pid_t, status: i32, usage: libc::rusage) -> Change {
    let time = usage.ru_stime;
    let system_time = time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
    let faults = (usage.ru_minflt + usage.ru_majflt) as u64;
    Change { tid, system_time, faults, what: what(tid, status) }
}

/// Whether [`next`] failed since there is no child left to wait for.
pub fn is_childless(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ECHILD)
}

fn what(tid: pid_t, status: i32) -> What {
    if libc::WIFEXITED(status) {
        return What::Exited(libc::WEXITSTATUS(status));
    }
    if libc::WIFSIGNALED(status) {
        let core_dumped = libc::WCOREDUMP(status);
        return What::Killed { signal: libc::WTERMSIG(status), core_dumped };
    }
    let signal = libc::WSTOPSIG(status);
    let stop = match status >> 16 {
        0 if signal == libc::SIGTRAP | 0x80 => Stop::Syscall,
        0 => Stop::Signal(signal),
        libc::PTRACE_EVENT_SECCOMP => Stop::Seccomp,
        libc::PTRACE_EVENT_EXEC => Stop::Exec,
        libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
            Stop::NewTask
        }
        libc::PTRACE_EVENT_STOP if is_stop_signal(signal) => Stop::Group(signal),
        _ => Stop::Trap,
    };
    What::Stopped(Tracee::reported(tid), stop)
}

/// Whether the signal's default action is to stop the process; `PTRACE_EVENT_STOP` comes with one
/// of these at a group stop, and with `SIGTRAP` else.
fn is_stop_signal(signal: i32) -> bool {
    matches!(signal, libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::fork::Child;
    use crate::ptrace::{Options, Resume};

    const LIMIT: Duration = Duration::from_secs(60);

    /// A child that waits until it is traced, and sends itself a signal.
    fn child() -> Child {
        // SAFETY: the body makes system calls only.
        let child = unsafe {
            Child::start(LIMIT, || {
                libc::raise(libc::SIGSTOP);
                libc::raise(libc::SIGUSR1);
                3
            })
        };
        child.unwrap()
    }

    /// Traces the child up to its signal, which is reported by this function.
    fn up_to_signal(
        pid: pid_t,
        next: fn(Patience, CpuTime) -> io::Result<Option<Change>>,
    ) -> Tracee<Stopped> {
        let running = Tracee::seize(pid, Options::default()).unwrap();
        running.interrupt().unwrap();
        loop {
            let change = next(Patience::Block, CpuTime::Unwanted).unwrap().unwrap();
            assert_eq!(change.tid, pid);
            let What::Stopped(stopped, stop) = change.what else { panic!("{change:?}") };
            let resumed = match stop {
                Stop::Signal(libc::SIGUSR1) => return stopped,
                Stop::Signal(libc::SIGSTOP) => stopped.resume(Resume::Continue, 0),
                Stop::Group(_) => {
                    // SAFETY: `kill(2)` takes no memory.
                    unsafe { libc::kill(pid, libc::SIGCONT) };
                    stopped.resume(Resume::Continue, 0)
                }
                Stop::Signal(signal) => stopped.resume(Resume::Continue, signal),
                _ => stopped.resume(Resume::Continue, 0),
            };
            resumed.unwrap();
        }
    }

    /// What becomes of a child whose tracer, a thread, has its signal reported and ends.
    fn signalled(
        next: fn(Patience, CpuTime) -> io::Result<Option<Change>>,
    ) -> std::process::ExitStatus {
        let mut child = child();
        let pid = child.pid();
        let trace = move || assert_eq!(up_to_signal(pid, next).tid(), pid);
        thread::spawn(trace).join().unwrap();
        child.wait_exit().unwrap()
    }

    #[test]
    fn a_signal_that_is_kept_outlives_the_tracer() {
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(signalled(next_keeping_signals).signal(), Some(libc::SIGUSR1));
        assert_eq!(signalled(next).code(), Some(3));
    }

    #[test]
    fn who_was_killed_at_a_kept_signal_is_gone() {
        let child = child();
        let pid = child.pid();
        let trace = move || {
            let stopped = up_to_signal(pid, next_keeping_signals);
            // SAFETY: `kill(2)` takes no memory.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            // Its end is there, and is not taken.
            while !crate::proc::is_zombie(pid) {
                thread::yield_now();
            }
            let error = take(&stopped).unwrap_err();
            assert!(crate::ptrace::is_gone(&error), "{error}");
        };
        thread::spawn(trace).join().unwrap();
    }
}
