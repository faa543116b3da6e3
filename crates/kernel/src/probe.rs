//! What this kernel permits this user.
//!
//! Each answer comes from trying, in a short-lived child of our own; the versions of kernels say
//! little, since sandboxes, security modules and settings take away what a version promises. No
//! probe hangs: an alarm ends (or stops, when traced) the child after [`LIMIT`].

use std::ffi::CStr;
use std::fs;
use std::io;
use std::mem::{self, MaybeUninit};
use std::num::NonZero;
use std::os::unix::process::ExitStatusExt;
use std::thread;
use std::time::Duration;

use libc::{c_int, c_uint, pid_t};

use crate::fork::Child;
use crate::memory::{GuestMemory, Method, PAGE_SIZE, ReadError};
use crate::placement::Cpus;
use crate::proc;
use crate::ptrace::Tracee;
use crate::seccomp::{self, Action, CallPolicy, Program};
use crate::userfault::Userfault;

pub mod cost;
pub mod pages;
mod rewinding;

pub use rewinding::{Refused, rewind_calls};

/// How long a probe may take.
const LIMIT: Duration = Duration::from_secs(5);

/// Whether a thing can be done, and if not, why.
pub type Answer = Result<(), Refusal>;

/// Why a thing cannot be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The kernel refused it.
    #[error("{}", io::Error::from_raw_os_error(*.0))]
    Errno(c_int),
    /// A signal ended (or stopped) the child that tried it: `SIGALRM` when it hung, `SIGSYS` when
    /// a sandbox forbids it.
    #[error("signal {0} ended the attempt")]
    Signal(c_int),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Errno(error.raw_os_error().unwrap_or(libc::EIO))
    }
}

impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Refusal {
        match error {
            ReadError::Gone { .. } => Refusal::Errno(libc::ESRCH),
            ReadError::Denied { source, .. } | ReadError::Failed { source, .. } => source.into(),
        }
    }
}

/// Whether a tracer can have calls raise signals: `PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG`.
pub fn dispatch() -> Answer {
    let child = stop()?;
    Tracee::reported(child.pid()).set_dispatch(None).map_err(Refusal::from)
}

/// Whether the kernel is as new as that which lets tracers set up dispatch (6.4): no child is needed
/// to see that.
pub fn has_dispatch() -> bool {
    const SINCE: (u32, u32) = (6, 4);
    version(&release()).is_some_and(|version| version >= SINCE)
}

/// The first two numbers of a kernel's release.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers =
        release.split(|c: char| !c.is_ascii_digit()).map(|digits| digits.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

/// Whether programs may read the base of `%gs` by an instruction (`rdgsbase`, Linux 5.9), as the
/// agent does: `AT_HWCAP2` of getauxval(3).
pub fn reads_gs_base() -> bool {
    /// `HWCAP2_FSGSBASE` of `asm/hwcap2.h`.
    const FSGSBASE: u64 = 1 << 1;
    // SAFETY: takes no memory.
    unsafe { libc::getauxval(libc::AT_HWCAP2) & FSGSBASE != 0 }
}

/// What this kernel, this process and this user can do.
#[derive(Clone, Debug)]
pub struct Host {
    /// The kernel's release, as `uname -r` prints it.
    pub release: String,
    /// How many processors this process may use; 1 where that cannot be told.
    pub cpus: usize,
    /// Yama's `ptrace_scope`: 0 any process of the same user may be attached to, 1 descendants
    /// only, 2 only with `CAP_SYS_PTRACE`, 3 none. `None` where there is no Yama.
    pub yama_scope: Option<u8>,
    /// `NO_NEW_PRIVS` is set already: no guest gains rights by its set-user-ID bits.
    pub no_new_privs: bool,
    /// The thread that traces this one. Guests started under a tracer that follows forks are
    /// traced by it, and cannot be traced by us.
    pub tracer: Option<pid_t>,
    /// This process is under a seccomp filter already, of a sandbox or a container.
    pub filtered: bool,
    /// Tracing a child of one's own: `PTRACE_SEIZE`.
    pub seize: Answer,
    /// Tracing a process of the same user that is no descendant.
    pub attach: Answer,
    /// `PTRACE_GET_SYSCALL_INFO` (since Linux 5.3).
    pub syscall_info: Answer,
    /// A seccomp filter, without setting `NO_NEW_PRIVS` for it.
    pub filter: Answer,
    /// A seccomp filter, with `NO_NEW_PRIVS` set where needed.
    pub filter_no_new_privs: Answer,
    /// `PTRACE_EVENT_SECCOMP` for a call that a filter sends to the tracer.
    pub filter_trace: Answer,
    /// A filter with a listener: `seccomp_unotify(2)`.
    pub filter_notify: Answer,
    /// What the agent needs of the processor: reading the base of `%gs` by an instruction, and a
    /// time stamp counter that runs evenly.
    pub agent: Answer,
    /// Syscall user dispatch, set by a tracer (since Linux 6.4).
    pub dispatch: Answer,
    /// Choosing where a thread of the same user runs: `sched_setaffinity(2)`.
    pub placement: Answer,
    /// Learning which pages a program writes: `userfaultfd(2)` with asynchronous write protection
    /// (since Linux 6.7).
    pub written_pages: Answer,
    /// The other calls without which programs cannot be rewound.
    pub rewind_calls: Result<(), Refused<Refusal>>,
    /// Reading a tracee's memory, by each method.
    pub memory: [(Method, Answer); Method::ALL.len()],
}

impl Host {
    /// Tries everything. Takes milliseconds, unless a probe hangs.
    pub fn probe() -> Host {
        let attach = attach();
        // Where a sandbox kills for ptrace it has killed a child just now. It shall not kill us.
        let fatal = attach == Err(Refusal::Signal(libc::SIGSYS));
        let traced = |probe: &dyn Fn() -> Answer| if fatal { attach } else { probe() };
        Host {
            release: release(),
            cpus: thread::available_parallelism().map_or(1, NonZero::get),
            yama_scope: yama_scope(),
            no_new_privs: no_new_privs(),
            tracer: tracer(),
            filtered: filtered(),
            seize: traced(&|| seize().map(drop)),
            attach,
            syscall_info: traced(&syscall_info),
            filter: filter(|program| seccomp::set_filter(program, 0).map(drop)),
            filter_no_new_privs: filter(|program| seccomp::install(program, 0).map(drop)),
            filter_trace: traced(&filter_trace),
            filter_notify: filter(|program| {
                seccomp::install(program, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER).map(drop)
            }),
            agent: agent(),
            dispatch: traced(&dispatch),
            placement: placement(),
            written_pages: written_pages(),
            rewind_calls: rewinding::children_try(),
            memory: Method::ALL.map(|method| (method, traced(&|| memory(method)))),
        }
    }
}

fn release() -> String {
    let mut names = MaybeUninit::<libc::utsname>::uninit();
    // SAFETY: `uname(2)` fails only for a bad address, and fills in the whole struct.
    let names = unsafe {
        libc::uname(names.as_mut_ptr());
        names.assume_init()
    };
    // SAFETY: the kernel ends each name with NUL, within the struct, which lives long enough.
    let release = unsafe { CStr::from_ptr(names.release.as_ptr()) };
    release.to_string_lossy().into_owned()
}

fn yama_scope() -> Option<u8> {
    fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").ok()?.trim().parse().ok()
}

/// Whether `NO_NEW_PRIVS` is set for us.
pub(crate) fn no_new_privs() -> bool {
    // SAFETY: this prctl takes no memory.
    unsafe { libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 }
}

/// False also where no `/proc` tells. `prctl(2)` could tell too, but a filter may kill for it.
fn filtered() -> bool {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    status.lines().filter_map(|line| line.strip_prefix("Seccomp:")).any(|mode| mode.trim() == "2")
}

/// `None` also where no `/proc` tells.
fn tracer() -> Option<pid_t> {
    // SAFETY: `gettid(2)` takes no memory.
    let tid = unsafe { libc::gettid() };
    proc::status(tid).ok()?.tracer
}

/// Forks a child that pauses, and seizes it.
fn seize() -> Result<Child, Refusal> {
    // SAFETY: `pause(2)` is async-signal-safe.
    let child = unsafe { Child::start(LIMIT, || libc::pause() as u8) }?;
    seize_child(&child, 0)?;
    Ok(child)
}

/// Forks a child that seizes another child: neither descends from the other.
fn attach() -> Answer {
    // SAFETY: `pause(2)` is async-signal-safe.
    let target = unsafe { Child::start(LIMIT, || libc::pause() as u8) }?;
    let attempt = || match seize_child(&target, 0) {
        Err(Refusal::Errno(errno)) => errno as u8,
        Ok(()) | Err(Refusal::Signal(_)) => 0,
    };
    // SAFETY: `ptrace(2)` is a bare system call here, and an errno takes no memory.
    answer_of(unsafe { Child::start(LIMIT, attempt) }?)
}

/// The same as [`seize`], and waits until the child is in a ptrace stop.
fn stop() -> Result<Child, Refusal> {
    let mut child = seize()?;
    request(libc::PTRACE_INTERRUPT, &child, 0)?;
    let status = child.wait()?;
    if libc::WIFSTOPPED(status) { Ok(child) } else { Err(Refusal::Signal(libc::WTERMSIG(status))) }
}

fn seize_child(child: &Child, options: c_int) -> Result<(), Refusal> {
    request(libc::PTRACE_SEIZE, child, options)
}

/// A request that takes no memory, with its `data`.
fn request(request: c_uint, child: &Child, data: c_int) -> Result<(), Refusal> {
    // SAFETY: only requests whose data is a number are made through here.
    let result = unsafe { libc::ptrace(request, child.pid(), 0, data) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error().into()) }
}

/// Tries `PTRACE_GET_SYSCALL_INFO`.
fn syscall_info() -> Answer {
    syscall_info_of(&stop()?)
}

/// Of a child in a ptrace stop.
fn syscall_info_of(child: &Child) -> Answer {
    let mut info = MaybeUninit::<libc::ptrace_syscall_info>::uninit();
    // SAFETY: the kernel writes at most the size we name to `info`, which lives through the call.
    let size = unsafe {
        let request = libc::PTRACE_GET_SYSCALL_INFO;
        libc::ptrace(request, child.pid(), mem::size_of_val(&info), info.as_mut_ptr())
    };
    if size > 0 { Ok(()) } else { Err(io::Error::last_os_error().into()) }
}

/// Does `install` with an allowing filter, in a child.
fn filter(install: impl FnOnce(&Program) -> io::Result<()>) -> Answer {
    let program = tracing_program(&[]);
    // SAFETY: our callers install the program (async-signal-safe, see `install`) and do no more.
    answer_of(unsafe { Child::start(LIMIT, || errno_of(install(&program))) }?)
}

/// What a child has found out, whose exit status is 0 or an errno.
fn answer_of(mut child: Child) -> Answer {
    let end = child.wait_exit()?;
    match (end.code(), end.signal()) {
        (Some(0), _) => Ok(()),
        (Some(errno), _) => Err(Refusal::Errno(errno)),
        (None, signal) => Err(Refusal::Signal(signal.unwrap_or_default())),
    }
}

/// A program that sends these calls to the tracer, and allows all others.
fn tracing_program(calls: &[u32]) -> Program {
    let policy = CallPolicy {
        trusted: None,
        answered: &[],
        by_argument: &[],
        unless_null: &[],
        calls,
        listed: Action::Trace(0),
        others: Action::Allow,
        x32: Action::Allow,
        foreign: Action::Allow,
    };
    policy.program().expect("a short list makes a short program")
}

/// 0 for success: errnos of Linux fit an exit status.
fn errno_of(result: io::Result<()>) -> u8 {
    result.map_or_else(|error| error.raw_os_error().unwrap_or(libc::EIO) as u8, |()| 0)
}

/// Tries `PTRACE_EVENT_SECCOMP` for a call that a filter sends to the tracer.
pub fn filter_trace() -> Answer {
    let program = tracing_program(&[libc::SYS_getppid as u32]);
    let call_under_filter = || {
        let installed = seccomp::install(&program, 0).map(drop);
        // SAFETY: both calls are async-signal-safe and take no memory. The stop is for the tracer,
        // who may come late.
        unsafe {
            libc::raise(libc::SIGSTOP);
            libc::getppid();
        }
        errno_of(installed)
    };
    // SAFETY: `install`, `raise` and `getppid` are async-signal-safe.
    let mut child = unsafe { Child::start(LIMIT, call_under_filter) }?;
    seize_child(&child, libc::PTRACE_O_TRACESECCOMP)?;
    loop {
        let status = child.wait()?;
        if libc::WIFEXITED(status) {
            // Without an errno the call went by, and no one was told.
            let errno = libc::WEXITSTATUS(status);
            return Err(Refusal::Errno(if errno == 0 { libc::ENOSYS } else { errno }));
        } else if libc::WIFSIGNALED(status) {
            return Err(Refusal::Signal(libc::WTERMSIG(status)));
        } else if status >> 16 == libc::PTRACE_EVENT_SECCOMP {
            return Ok(());
        } else if libc::WSTOPSIG(status) == libc::SIGALRM {
            return Err(Refusal::Signal(libc::SIGALRM));
        }
        request(libc::PTRACE_CONT, &child, 0)?;
    }
}

/// Whether filters can send calls to the tracer. The kernel is asked, which is cheap, and only
/// where it does not answer is it tried, as [`filter_trace`] does.
pub fn has_filter_trace() -> bool {
    seccomp::has_action(Action::Trace(0)) || filter_trace().is_ok()
}

/// Asks the processor; nothing is tried.
fn agent() -> Answer {
    let able = reads_gs_base() && crate::clock::tsc_is_invariant();
    if able { Ok(()) } else { Err(Refusal::Errno(libc::ENOSYS)) }
}

/// Tries to confine a child to where it may run anyway.
fn placement() -> Answer {
    let confine = || errno_of(Cpus::of(0).and_then(|cpus| cpus.confine(0)));
    // SAFETY: both are bare system calls, async-signal-safe, on memory of the child's own.
    answer_of(unsafe { Child::start(LIMIT, confine) }?)
}

/// Has a child ask for its own.
pub fn written_pages() -> Answer {
    let ask = || errno_of(Userfault::is_permitted());
    // SAFETY: bare system calls, async-signal-safe, on memory of the child's own.
    answer_of(unsafe { Child::start(LIMIT, ask) }?)
}

fn memory(method: Method) -> Answer {
    let child = stop()?;
    // The child has our memory, so the page of this function's code lies in both.
    let page = memory as fn(Method) -> Answer as usize as u64 & !(PAGE_SIZE as u64 - 1);
    let read = GuestMemory::only(method).read_pages(child.pid(), &[page], &mut [[0; PAGE_SIZE]]);
    match read {
        Ok(read) if read == [true] => Ok(()),
        Ok(_) => Err(Refusal::Errno(libc::EFAULT)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests;
