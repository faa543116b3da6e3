//! The calls that stop while a program runs from its snapshot on, and what they mean.

use std::ops::Range;

use contract::Arch;
use kernel::ptrace::AUDIT_ARCH_X86_64;
use kernel::seccomp::{Action, ByArgument, CallPolicy, Program, TooLong};
use libc::c_long;

use crate::memory::annex::Annex;

/// What a call does to the state that a snapshot holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Ends the process.
    Ends,
    /// Ends the thread.
    EndsThread,
    /// Waits for children.
    WaitsForChildren,
    /// Changes what can be put back.
    Changes(Change),
    /// Drops pages at some time, unless they are written before (`MADV_FREE`).
    DropsLater,
    /// Changes something for good, if its first arguments say so.
    Irreversible(&'static str),
    /// Nothing that lasts.
    Nothing,
}

/// What can be put back, once it is known that it has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// What signals do.
    Handlers,
    /// The stack of handlers.
    AlternateStack,
    /// The working directory.
    Directory,
    /// The rights that new files do not get.
    FileMask,
    /// A timer runs: `alarm(2)`, `setitimer(2)`.
    Timer,
    /// The kernel writes to memory of the thread: `rseq(2)`.
    Rseq,
    /// What is mapped, or pages were dropped: known only while such calls stop.
    Memory,
    /// What shared memory holds, other than by writes to it (`MADV_REMOVE`).
    Shared,
    /// There were other threads or processes.
    Tasks,
    /// A descriptor of the snapshot was closed or replaced, or the flags of a file set: known only while
    /// such calls stop.
    Descriptors,
}

/// Which of these have changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Changes(u16);

impl Changes {
    /// Notes one.
    pub fn note(&mut self, change: Change) {
        self.0 |= 1 << change as u8;
    }

    /// Whether this one has.
    pub fn has(self, change: Change) -> bool {
        self.0 & 1 << change as u8 != 0
    }

    /// Whether any has that takes calls to be put back.
    pub fn any(self) -> bool {
        /// Those that are looked for, or put back with the pages.
        const BY_LOOKING: [Change; 4] =
            [Change::Memory, Change::Shared, Change::Tasks, Change::Descriptors];
        BY_LOOKING.iter().fold(self.0, |rest, change| rest & !(1 << *change as u8)) != 0
    }
}

/// Each call that stops, with its name where it cannot be undone.
const WATCHED: &[(c_long, Effect)] = &[
    (libc::SYS_exit_group, Effect::Ends),
    (libc::SYS_exit, Effect::EndsThread),
    (libc::SYS_wait4, Effect::WaitsForChildren),
    (libc::SYS_waitid, Effect::WaitsForChildren),
    (libc::SYS_rt_sigaction, Effect::Changes(Change::Handlers)),
    (libc::SYS_sigaltstack, Effect::Changes(Change::AlternateStack)),
    (libc::SYS_chdir, Effect::Changes(Change::Directory)),
    (libc::SYS_fchdir, Effect::Changes(Change::Directory)),
    (libc::SYS_umask, Effect::Changes(Change::FileMask)),
    (libc::SYS_alarm, Effect::Changes(Change::Timer)),
    (libc::SYS_setitimer, Effect::Changes(Change::Timer)),
    (libc::SYS_rseq, Effect::Changes(Change::Rseq)),
    (libc::SYS_timer_create, Effect::Irreversible("timer_create")),
    (libc::SYS_prctl, Effect::Irreversible("prctl")),
    (libc::SYS_seccomp, Effect::Irreversible("seccomp")),
    (libc::SYS_setuid, Effect::Irreversible("setuid")),
    (libc::SYS_setgid, Effect::Irreversible("setgid")),
    (libc::SYS_setreuid, Effect::Irreversible("setreuid")),
    (libc::SYS_setregid, Effect::Irreversible("setregid")),
    (libc::SYS_setresuid, Effect::Irreversible("setresuid")),
    (libc::SYS_setresgid, Effect::Irreversible("setresgid")),
    (libc::SYS_setgroups, Effect::Irreversible("setgroups")),
    (libc::SYS_setfsuid, Effect::Irreversible("setfsuid")),
    (libc::SYS_setfsgid, Effect::Irreversible("setfsgid")),
    (libc::SYS_capset, Effect::Irreversible("capset")),
    (libc::SYS_setsid, Effect::Irreversible("setsid")),
    (libc::SYS_setpgid, Effect::Irreversible("setpgid")),
    (libc::SYS_setrlimit, Effect::Irreversible("setrlimit")),
    (libc::SYS_prlimit64, Effect::Irreversible("prlimit64")),
    (libc::SYS_unshare, Effect::Irreversible("unshare")),
    (libc::SYS_setns, Effect::Irreversible("setns")),
    (libc::SYS_chroot, Effect::Irreversible("chroot")),
    (libc::SYS_pivot_root, Effect::Irreversible("pivot_root")),
    (libc::SYS_mount, Effect::Irreversible("mount")),
    (libc::SYS_umount2, Effect::Irreversible("umount2")),
    (libc::SYS_personality, Effect::Irreversible("personality")),
    (libc::SYS_setpriority, Effect::Irreversible("setpriority")),
    (libc::SYS_sched_setaffinity, Effect::Irreversible("sched_setaffinity")),
    (libc::SYS_sched_setscheduler, Effect::Irreversible("sched_setscheduler")),
    (libc::SYS_ptrace, Effect::Irreversible("ptrace")),
    (libc::SYS_userfaultfd, Effect::Irreversible("userfaultfd")),
    (libc::SYS_io_uring_setup, Effect::Irreversible("io_uring_setup")),
    (libc::SYS_io_setup, Effect::Irreversible("io_setup")),
];

/// The calls that change what is mapped, or drop pages.
const OF_MEMORY: [c_long; 11] = [
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_pkey_mprotect,
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_process_madvise,
    libc::SYS_remap_file_pages,
    libc::SYS_shmat,
    libc::SYS_shmdt,
];

/// The calls that change what a descriptor is of, by the argument that is its number; `close_range(2)`
/// has several.
const OF_DESCRIPTORS: [(c_long, u8); 3] =
    [(libc::SYS_close, 0), (libc::SYS_dup2, 1), (libc::SYS_dup3, 1)];

/// Those that set the flags of a file, by their second argument.
const OF_FLAGS: [(c_long, &[u32]); 2] =
    [(libc::SYS_fcntl, &[libc::F_SETFL as u32]), (libc::SYS_ioctl, &[libc::FIONBIO as u32])];

/// Advices of `madvise(2)` that stop always: no look at pages tells what they have done.
const ADVICES: [u32; 2] = [libc::MADV_REMOVE as u32, libc::MADV_FREE as u32];

/// A further filter, which stops the calls that change what is mapped, but for ours.
pub fn memory_filter() -> Result<Program, TooLong> {
    policy(&OF_MEMORY.map(|number| number as u32), &[], Some(Annex::CALLS)).program()
}

/// A further filter, which stops the calls that touch one of these descriptors, but for ours.
pub fn descriptor_filter(numbers: &[u32]) -> Result<Program, TooLong> {
    let stop = |call: c_long, argument, values| ByArgument {
        call: call as u32,
        argument,
        values,
        action: Action::Trace(0),
    };
    let closed = OF_DESCRIPTORS.map(|(call, argument)| stop(call, argument, numbers));
    let flags = OF_FLAGS.map(|(call, commands)| stop(call, 1, commands));
    let by_argument: Vec<ByArgument> = closed.into_iter().chain(flags).collect();
    policy(&[libc::SYS_close_range as u32], &by_argument, Some(Annex::CALLS)).program()
}

/// The filter under which the guest runs. All calls of other ABIs stop.
pub fn filter() -> Result<Program, TooLong> {
    let calls: Vec<u32> = WATCHED.iter().map(|(number, _)| *number as u32).collect();
    let advices = ByArgument {
        call: libc::SYS_madvise as u32,
        argument: 2,
        values: &ADVICES,
        action: Action::Trace(0),
    };
    let (x32, foreign) = (Action::Trace(0), Action::Trace(0));
    CallPolicy { x32, foreign, ..policy(&calls, &[advices], None) }.program()
}

fn policy<'a>(
    calls: &'a [u32],
    by_argument: &'a [ByArgument<'a>],
    trusted: Option<Range<u64>>,
) -> CallPolicy<'a> {
    CallPolicy {
        calls,
        listed: Action::Trace(0),
        others: Action::Allow,
        answered: &[],
        by_argument,
        unless_null: &[],
        x32: Action::Allow,
        foreign: Action::Allow,
        trusted,
    }
}

/// Whether a call is of an ABI whose calls are watched.
pub fn is_known(arch: u32, number: u64) -> bool {
    arch == AUDIT_ARCH_X86_64 && number & Arch::X32_BIT == 0
}

/// What a call of these arguments means.
pub fn effect(number: u64, args: [u64; 6]) -> Effect {
    if number == libc::SYS_madvise as u64 {
        match args[2] as i32 {
            libc::MADV_REMOVE => return Effect::Changes(Change::Shared),
            libc::MADV_FREE => return Effect::DropsLater,
            _ => {}
        }
    }
    if OF_MEMORY.iter().any(|of_memory| *of_memory as u64 == number) {
        return Effect::Changes(Change::Memory);
    }
    let of_descriptors = OF_DESCRIPTORS.iter().map(|(call, _)| call);
    let mut of_descriptors = of_descriptors.chain(OF_FLAGS.iter().map(|(call, _)| call));
    if number == libc::SYS_close_range as u64 || of_descriptors.any(|call| *call as u64 == number) {
        return Effect::Changes(Change::Descriptors);
    }
    let Some((number, effect)) =
        WATCHED.iter().find(|(watched, _)| *watched as u64 == number).copied()
    else {
        return Effect::Nothing;
    };
    let harmless = match number {
        libc::SYS_prctl => is_harmless_prctl(args[0]),
        // No new limit, no new handler, no new stack: only asked for.
        libc::SYS_prlimit64 => args[2] == 0,
        libc::SYS_rt_sigaction => args[1] == 0,
        libc::SYS_sigaltstack => args[0] == 0,
        libc::SYS_personality => args[0] as u32 == u32::MAX,
        _ => false,
    };
    if harmless { Effect::Nothing } else { effect }
}

/// Whether this `prctl(2)` only asks, or sets no more than a name.
fn is_harmless_prctl(option: u64) -> bool {
    /// `PR_SET_VMA` of `linux/prctl.h`.
    const PR_SET_VMA: i32 = 0x5356_4d41;
    const HARMLESS: [i32; 9] = [
        libc::PR_GET_DUMPABLE,
        libc::PR_GET_NAME,
        libc::PR_SET_NAME,
        libc::PR_CAPBSET_READ,
        libc::PR_GET_SECCOMP,
        libc::PR_GET_NO_NEW_PRIVS,
        libc::PR_GET_PDEATHSIG,
        libc::PR_GET_TIMERSLACK,
        PR_SET_VMA,
    ];
    HARMLESS.contains(&(option as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_calls_do() {
        let of = |number: c_long, args: [u64; 3]| {
            let [a, b, c] = args;
            effect(number as u64, [a, b, c, 0, 0, 0])
        };
        assert_eq!(of(libc::SYS_exit_group, [0; 3]), Effect::Ends);
        assert_eq!(of(libc::SYS_read, [0; 3]), Effect::Nothing);
        assert_eq!(of(libc::SYS_prlimit64, [0, 7, 0]), Effect::Nothing);
        assert_eq!(of(libc::SYS_prlimit64, [0, 7, 1]), Effect::Irreversible("prlimit64"));
        assert_eq!(of(libc::SYS_prctl, [libc::PR_SET_NAME as u64, 0, 0]), Effect::Nothing);
        assert_eq!(of(libc::SYS_umask, [0; 3]), Effect::Changes(Change::FileMask));
        let mut changes = Changes::default();
        assert!(!changes.any());
        changes.note(Change::Directory);
        assert!(changes.has(Change::Directory) && !changes.has(Change::Timer) && changes.any());
        let advised = |advice: i32| of(libc::SYS_madvise, [0, 0, advice as u64]);
        assert_eq!(advised(libc::MADV_REMOVE), Effect::Changes(Change::Shared));
        assert_eq!(advised(libc::MADV_FREE), Effect::DropsLater);
        assert_eq!(advised(libc::MADV_DONTNEED), Effect::Changes(Change::Memory));
        assert_eq!(of(libc::SYS_brk, [0; 3]), Effect::Changes(Change::Memory));
        assert_eq!(of(libc::SYS_dup2, [0; 3]), Effect::Changes(Change::Descriptors));
        filter().unwrap();
        descriptor_filter(&Vec::from_iter(0..64)).unwrap();
        memory_filter().unwrap();
    }
}
