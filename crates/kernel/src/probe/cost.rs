//! What a crossing costs here: measured in short-lived children of our own.
//!
//! Everything runs on one processor, unless it says otherwise, so that costs can be compared.

use std::convert::Infallible;
use std::hint::black_box;
use std::io::{self, PipeReader, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::thread;

use super::{LIMIT, Refusal, request, seize_child, stop, syscall_info_of, tracing_program};
use crate::clock;
use crate::fork::Child;
use crate::memory::{GuestMemory, Method, PAGE_SIZE};
use crate::placement::Cpus;
use crate::seccomp;

/// How often each thing is timed; the result is the median.
const BATCHES: usize = 15;
/// Calls in one batch that a guest makes without a stop.
const CALLS: u64 = 1000;
/// Crossings in one batch.
const CROSSINGS: u64 = 60;

/// Something whose cost can be measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A system call that does next to nothing, untraced: the measure of all others.
    Call,
    /// The same call, let pass by a seccomp filter.
    FilteredCall,
    /// The same call with a stop before and one after it (`PTRACE_SYSCALL`), of which nothing is
    /// asked.
    TracedCall,
    /// The same, with guest and supervisor on two processors.
    TracedCallApart,
    /// The same call with the one stop that a filter causes (`SECCOMP_RET_TRACE`).
    PickedCall,
    /// One request on a stopped guest (`PTRACE_GET_SYSCALL_INFO`).
    Request,
    /// Reading a page of a guest's memory (`process_vm_readv`).
    PageRead,
}

impl Subject {
    /// Every subject.
    pub const ALL: [Subject; 7] = [
        Subject::Call,
        Subject::FilteredCall,
        Subject::TracedCall,
        Subject::TracedCallApart,
        Subject::PickedCall,
        Subject::Request,
        Subject::PageRead,
    ];

    /// Whether this can be measured only where programs can be traced.
    pub fn needs_tracing(self) -> bool {
        !matches!(self, Subject::Call | Subject::FilteredCall)
    }

    /// Nanoseconds that it takes, the median of small batches. Takes less than a tenth of a second
    /// on any ordinary machine.
    ///
    /// # Errors
    /// It cannot be done here; `ENODEV` where only one processor may be used and two are needed.
    pub fn measure(self) -> Result<f64, Refusal> {
        // The placement is a matter of this thread, and ends with it.
        thread::scope(|scope| {
            let measuring = scope.spawn(|| {
                let cpus = Cpus::of(0)?.list();
                let home = cpus.first().ok_or(Refusal::Errno(libc::ENODEV))?;
                Cpus::only(*home).confine(0)?;
                match self {
                    Subject::Call => in_guest(|| Ok(())),
                    Subject::FilteredCall => {
                        let program = tracing_program(&[libc::SYS_openat as u32]);
                        in_guest(|| seccomp::install(&program, 0).map(drop))
                    }
                    Subject::TracedCall => traced_call(None),
                    Subject::TracedCallApart => {
                        traced_call(Some(*cpus.get(1).ok_or(Refusal::Errno(libc::ENODEV))?))
                    }
                    Subject::PickedCall => picked_call(),
                    Subject::Request => syscall_info(),
                    Subject::PageRead => page_read(),
                }
            });
            measuring.join().expect("no measurement panics")
        })
    }
}

/// The call that is measured. `getppid(2)` is served neither by the vDSO nor by libc.
fn null_call() {
    // SAFETY: `getppid(2)` takes no memory, and is async-signal-safe.
    black_box(unsafe { libc::getppid() });
}

fn untraced_call() -> Result<(), Infallible> {
    null_call();
    Ok(())
}

/// Nanoseconds of so many steps, for each batch.
fn time_batches<E>(
    steps: u64,
    mut step: impl FnMut() -> Result<(), E>,
) -> Result<[u64; BATCHES], E> {
    let mut batches = [0; BATCHES];
    for batch in &mut batches {
        let start = clock::monotonic();
        for _ in 0..steps {
            step()?;
        }
        *batch = clock::monotonic() - start;
    }
    Ok(batches)
}

fn median(mut batches: [u64; BATCHES], steps: u64) -> f64 {
    batches.sort_unstable();
    batches[BATCHES / 2] as f64 / steps as f64
}

/// Times the call in a child, after `prepare`, which must be async-signal-safe.
fn in_guest(prepare: impl FnOnce() -> io::Result<()>) -> Result<f64, Refusal> {
    let (result, report) = io::pipe()?;
    let body = || {
        if let Err(error) = prepare() {
            return error.raw_os_error().unwrap_or(libc::EIO) as u8;
        }
        let batches = time_batches(CALLS, untraced_call).unwrap_or_default();
        // SAFETY: `write(2)` reads the array, which lives through the call.
        unsafe { libc::write(report.as_raw_fd(), batches.as_ptr().cast(), size_of_val(&batches)) };
        0
    };
    // SAFETY: the preparations of our callers are `seccomp::install`, which is async-signal-safe,
    // and nothing; the rest are `getppid`, `clock_gettime` and `write`.
    let mut child = unsafe { Child::start(LIMIT, body) }?;
    drop(report);
    let end = child.wait_exit()?;
    match (end.code(), end.signal()) {
        (Some(0), _) => Ok(median(read_batches(result)?, CALLS)),
        (Some(errno), _) => Err(Refusal::Errno(errno)),
        (None, signal) => Err(Refusal::Signal(signal.unwrap_or_default())),
    }
}

fn read_batches(mut result: PipeReader) -> io::Result<[u64; BATCHES]> {
    let mut bytes = [0; BATCHES * size_of::<u64>()];
    result.read_exact(&mut bytes)?;
    let words = bytes.as_chunks::<{ size_of::<u64>() }>().0;
    Ok(std::array::from_fn(|batch| u64::from_ne_bytes(words[batch])))
}

/// A call with two stops; the supervisor moves to the processor `away`.
fn traced_call(away: Option<usize>) -> Result<f64, Refusal> {
    // SAFETY: `getppid` is async-signal-safe.
    let mut child = unsafe { Child::start(LIMIT, call_forever) }?;
    if let Some(cpu) = away {
        Cpus::only(cpu).confine(0)?;
    }
    seize_child(&child, libc::PTRACE_O_TRACESYSGOOD)?;
    request(libc::PTRACE_INTERRUPT, &child, 0)?;
    next_stop(&mut child)?;
    let batches = time_batches(CROSSINGS, || {
        for _ in 0..2 {
            request(libc::PTRACE_SYSCALL, &child, 0)?;
            next_stop(&mut child)?;
        }
        Ok::<_, Refusal>(())
    })?;
    Ok(median(batches, CROSSINGS))
}

/// A call with the one stop that a filter causes.
fn picked_call() -> Result<f64, Refusal> {
    let program = tracing_program(&[libc::SYS_getppid as u32]);
    let body = || match seccomp::install(&program, 0) {
        Ok(_) => call_forever(),
        Err(error) => error.raw_os_error().unwrap_or(libc::EIO) as u8,
    };
    // SAFETY: `install` and `getppid` are async-signal-safe.
    let mut child = unsafe { Child::start(LIMIT, body) }?;
    // Until then there is no tracer, and the call fails.
    seize_child(&child, libc::PTRACE_O_TRACESECCOMP)?;
    next_stop(&mut child)?;
    let batches = time_batches(CROSSINGS, || {
        request(libc::PTRACE_CONT, &child, 0)?;
        next_stop(&mut child)
    })?;
    Ok(median(batches, CROSSINGS))
}

fn call_forever() -> u8 {
    loop {
        null_call();
    }
}

/// Waits until the child has stopped.
fn next_stop(child: &mut Child) -> Result<(), Refusal> {
    let status = child.wait()?;
    if libc::WIFEXITED(status) {
        return Err(Refusal::Errno(libc::WEXITSTATUS(status)));
    }
    let signal =
        if libc::WIFSIGNALED(status) { libc::WTERMSIG(status) } else { libc::WSTOPSIG(status) };
    match signal {
        libc::SIGALRM | libc::SIGKILL | libc::SIGSYS => Err(Refusal::Signal(signal)),
        _ => Ok(()),
    }
}

fn syscall_info() -> Result<f64, Refusal> {
    let child = stop()?;
    Ok(median(time_batches(CALLS, || syscall_info_of(&child))?, CALLS))
}

fn page_read() -> Result<f64, Refusal> {
    let child = stop()?;
    let page = page_read as fn() -> Result<f64, Refusal> as usize as u64 & !(PAGE_SIZE as u64 - 1);
    let mut memory = GuestMemory::only(Method::Vectored);
    let mut copy = [[0; PAGE_SIZE]];
    let batches =
        time_batches(CROSSINGS, || match memory.read_pages(child.pid(), &[page], &mut copy) {
            Ok(read) if read == [true] => Ok(()),
            Ok(_) => Err(Refusal::Errno(libc::EFAULT)),
            Err(error) => Err(error.into()),
        })?;
    Ok(median(batches, CROSSINGS))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing is said about times: machines differ.
    #[test]
    fn what_this_host_permits_has_a_cost() {
        for subject in Subject::ALL {
            match subject.measure() {
                Ok(cost) => assert!(cost > 0.0 && cost.is_finite(), "{subject:?}: {cost}"),
                Err(Refusal::Errno(libc::ENODEV)) => {
                    assert_eq!(subject, Subject::TracedCallApart);
                }
                // So busy is the machine that it was given up: a stop may cost a time slice.
                Err(Refusal::Signal(libc::SIGALRM)) if subject.needs_tracing() => {
                    println!("skipped: {subject:?} took too long");
                }
                Err(refusal) => {
                    let filtered = [Subject::FilteredCall, Subject::PickedCall];
                    assert!(filtered.contains(&subject), "{subject:?}: {refusal}");
                }
            }
        }
    }

    #[test]
    fn the_median_is_of_one_step() {
        let batches = std::array::from_fn(|batch| 1000 - batch as u64);
        assert_eq!(median(batches, 10), (1000 - BATCHES as u64 / 2) as f64 / 10.0);
    }

    #[test]
    fn a_measurement_leaves_this_thread_where_it_was() {
        let before = Cpus::of(0).unwrap().list();
        Subject::TracedCallApart.measure().ok();
        assert_eq!(Cpus::of(0).unwrap().list(), before);
    }
}
