//! The calls that stop while a program runs from its snapshot on, and what they mean.

use std::collections::BTreeMap;
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
    /// Asks on which processors it may run.
    AsksForProcessors,
    /// Changes what can be put back.
    Changes(Change),
    /// Drops pages at some time, unless they are written before (`MADV_FREE`).
    DropsLater,
    /// Changes something for good, if its first arguments say so.
    Irreversible(&'static str),
    /// The same, if the descriptor that is its first argument is one of the snapshot's.
    OfDescriptor(&'static str),
    /// The same, if that is an end of a pair of datagram sockets besides.
    OfDatagrams(&'static str),
    /// The same, if the memory that its first two arguments tell is the snapshot's.
    OfMemory(&'static str),
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
    /// The name of a thread.
    Name,
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
        const BY_LOOKING: [Change; 5] =
            [Change::Memory, Change::Shared, Change::Tasks, Change::Descriptors, Change::Name];
        BY_LOOKING.iter().fold(self.0, |rest, change| rest & !(1 << *change as u8)) != 0
    }
}

/// Each call that stops, with its name where it cannot be undone.
const WATCHED: &[(c_long, Effect)] = &[
    (libc::SYS_exit_group, Effect::Ends),
    (libc::SYS_exit, Effect::EndsThread),
    (libc::SYS_wait4, Effect::WaitsForChildren),
    (libc::SYS_waitid, Effect::WaitsForChildren),
    (libc::SYS_sched_getaffinity, Effect::AsksForProcessors),
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
    (libc::SYS_move_mount, Effect::Irreversible("move_mount")),
    (libc::SYS_mount_setattr, Effect::Irreversible("mount_setattr")),
    (libc::SYS_umount2, Effect::Irreversible("umount2")),
    (libc::SYS_personality, Effect::Irreversible("personality")),
    (libc::SYS_setpriority, Effect::Irreversible("setpriority")),
    (libc::SYS_sched_setaffinity, Effect::Irreversible("sched_setaffinity")),
    (libc::SYS_sched_setscheduler, Effect::Irreversible("sched_setscheduler")),
    (libc::SYS_sched_setparam, Effect::Irreversible("sched_setparam")),
    (libc::SYS_sched_setattr, Effect::Irreversible("sched_setattr")),
    (libc::SYS_ioprio_set, Effect::Irreversible("ioprio_set")),
    (libc::SYS_landlock_restrict_self, Effect::Irreversible("landlock_restrict_self")),
    (libc::SYS_add_key, Effect::Irreversible("add_key")),
    (libc::SYS_request_key, Effect::Irreversible("request_key")),
    (libc::SYS_keyctl, Effect::Irreversible("keyctl")),
    (libc::SYS_modify_ldt, Effect::Irreversible("modify_ldt")),
    (libc::SYS_pkey_alloc, Effect::Irreversible("pkey_alloc")),
    (libc::SYS_pkey_free, Effect::Irreversible("pkey_free")),
    (libc::SYS_set_mempolicy, Effect::Irreversible("set_mempolicy")),
    (libc::SYS_mlockall, Effect::Irreversible("mlockall")),
    (libc::SYS_munlockall, Effect::Irreversible("munlockall")),
    (libc::SYS_mlock, Effect::OfMemory("mlock")),
    (libc::SYS_mlock2, Effect::OfMemory("mlock2")),
    (libc::SYS_munlock, Effect::OfMemory("munlock")),
    (libc::SYS_mbind, Effect::OfMemory("mbind")),
    (libc::SYS_mseal, Effect::OfMemory("mseal")),
    (libc::SYS_bind, Effect::OfDescriptor("bind")),
    // Of streams and packets an end that was shut down is found, and no other can be connected to.
    (libc::SYS_connect, Effect::OfDatagrams("connect")),
    (libc::SYS_shutdown, Effect::OfDatagrams("shutdown")),
    (libc::SYS_ptrace, Effect::Irreversible("ptrace")),
    (libc::SYS_userfaultfd, Effect::Irreversible("userfaultfd")),
    (libc::SYS_io_uring_setup, Effect::Irreversible("io_uring_setup")),
    (libc::SYS_io_setup, Effect::Irreversible("io_setup")),
];

/// Calls that stop only where an argument has one of these values: its place, and what they mean.
const WATCHED_BY_ARGUMENT: &[(c_long, u8, &[u32], Effect)] = &[
    // No look at pages tells what these have done.
    (libc::SYS_madvise, 2, &[libc::MADV_REMOVE as u32], Effect::Changes(Change::Shared)),
    (libc::SYS_madvise, 2, &[libc::MADV_FREE as u32], Effect::DropsLater),
    (libc::SYS_madvise, 2, INHERITED, Effect::OfMemory("madvise")),
    (libc::SYS_fcntl, 1, COMMANDS, Effect::OfDescriptor("fcntl")),
    (libc::SYS_ioctl, 1, REQUESTS, Effect::OfDescriptor("ioctl")),
    (libc::SYS_membarrier, 0, REGISTRATIONS, Effect::Irreversible("membarrier")),
    (libc::SYS_arch_prctl, 0, OF_PROCESSOR, Effect::Irreversible("arch_prctl")),
];

/// What becomes of memory in a child.
const INHERITED: &[u32] = &[
    libc::MADV_DONTFORK as u32,
    libc::MADV_DOFORK as u32,
    libc::MADV_WIPEONFORK as u32,
    libc::MADV_KEEPONFORK as u32,
];

/// What of a file none of its flags tells: who gets its signals, its leases, its seals and hints.
const COMMANDS: &[u32] = {
    /// `linux/fcntl.h` and `asm-generic/fcntl.h`.
    const F_SETSIG: u32 = 10;
    const F_SETOWN_EX: u32 = 15;
    const F_SET_RW_HINT: u32 = 1036;
    const F_SET_FILE_RW_HINT: u32 = 1038;
    &[
        libc::F_SETOWN as u32,
        F_SETOWN_EX,
        F_SETSIG,
        libc::F_SETLEASE as u32,
        libc::F_NOTIFY as u32,
        libc::F_ADD_SEALS as u32,
        F_SET_RW_HINT,
        F_SET_FILE_RW_HINT,
    ]
};

/// The same by `ioctl(2)`: `FIOASYNC`, `FIOSETOWN` and `SIOCSPGRP`.
const REQUESTS: &[u32] = &[libc::FIOASYNC as u32, 0x8901, 0x8902];

/// Those of `membarrier(2)`: there is no way to take one back.
const REGISTRATIONS: &[u32] = &[
    libc::MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED as u32,
    libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED as u32,
    libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE as u32,
    libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ as u32,
];

/// `ARCH_SET_CPUID`, `ARCH_REQ_XCOMP_PERM`, `ARCH_REQ_XCOMP_GUEST_PERM`, `ARCH_ENABLE_TAGGED_ADDR`,
/// `ARCH_FORCE_TAGGED_SVA` and `ARCH_SHSTK_ENABLE` to `ARCH_SHSTK_UNLOCK` of `asm/prctl.h`.
const OF_PROCESSOR: &[u32] =
    &[0x1012, 0x1023, 0x1025, 0x4002, 0x4004, 0x5001, 0x5002, 0x5003, 0x5004];

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
/// has several. `flock(2)` locks it.
const OF_DESCRIPTORS: [(c_long, u8); 4] =
    [(libc::SYS_close, 0), (libc::SYS_dup2, 1), (libc::SYS_dup3, 1), (libc::SYS_flock, 0)];

/// Those that set the flags of a file, or of the descriptor, by their second argument.
const OF_FLAGS: [(c_long, &[u32]); 2] = [
    (libc::SYS_fcntl, &[libc::F_SETFL as u32, libc::F_SETFD as u32]),
    (libc::SYS_ioctl, &[libc::FIONBIO as u32, libc::FIOCLEX as u32, libc::FIONCLEX as u32]),
];

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
    let mut values: BTreeMap<(u32, u8), Vec<u32>> = BTreeMap::new();
    for (call, argument, of_it, _) in WATCHED_BY_ARGUMENT {
        values.entry((*call as u32, *argument)).or_default().extend(*of_it);
    }
    let stop = |(&(call, argument), values)| ByArgument {
        call,
        argument,
        values: Vec::as_slice(values),
        action: Action::Trace(0),
    };
    let by_argument: Vec<ByArgument> = values.iter().map(stop).collect();
    let (x32, foreign) = (Action::Trace(0), Action::Trace(0));
    CallPolicy { x32, foreign, ..policy(&calls, &by_argument, None) }.program()
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
    if (number, args[0]) == (libc::SYS_prctl as u64, libc::PR_SET_NAME as u64) {
        return Effect::Changes(Change::Name);
    }
    let is_it = |(call, place, values, _): &&(c_long, u8, &[u32], Effect)| {
        *call as u64 == number && values.contains(&(args[usize::from(*place)] as u32))
    };
    if let Some((.., effect)) = WATCHED_BY_ARGUMENT.iter().find(is_it) {
        return *effect;
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
        libc::SYS_keyctl => is_harmless_keyctl(args[0]),
        // Other functions write.
        libc::SYS_modify_ldt => args[0] == 0,
        _ => false,
    };
    if harmless { Effect::Nothing } else { effect }
}

/// Whether this `prctl(2)` only asks, or names no more than memory.
fn is_harmless_prctl(option: u64) -> bool {
    /// `linux/prctl.h`.
    const PR_SET_VMA: i32 = 0x5356_4d41;
    const PR_GET_MDWE: i32 = 66;
    const PR_GET_MEMORY_MERGE: i32 = 68;
    const HARMLESS: [i32; 17] = [
        libc::PR_GET_DUMPABLE,
        libc::PR_GET_NAME,
        libc::PR_CAPBSET_READ,
        libc::PR_GET_SECCOMP,
        libc::PR_GET_NO_NEW_PRIVS,
        libc::PR_GET_PDEATHSIG,
        libc::PR_GET_TIMERSLACK,
        libc::PR_GET_CHILD_SUBREAPER,
        libc::PR_GET_KEEPCAPS,
        libc::PR_GET_SECUREBITS,
        libc::PR_GET_TSC,
        libc::PR_GET_THP_DISABLE,
        libc::PR_GET_TID_ADDRESS,
        libc::PR_GET_SPECULATION_CTRL,
        PR_GET_MDWE,
        PR_GET_MEMORY_MERGE,
        PR_SET_VMA,
    ];
    HARMLESS.contains(&(option as i32))
}

/// Whether this `keyctl(2)` only asks.
fn is_harmless_keyctl(operation: u64) -> bool {
    const HARMLESS: [u32; 5] = [
        libc::KEYCTL_DESCRIBE,
        libc::KEYCTL_SEARCH,
        libc::KEYCTL_READ,
        libc::KEYCTL_GET_SECURITY,
        libc::KEYCTL_GET_PERSISTENT,
    ];
    HARMLESS.contains(&(operation as u32))
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
        let of_prctl = |option: i32| of(libc::SYS_prctl, [option as u64, 0, 0]);
        assert_eq!(of_prctl(libc::PR_SET_NAME), Effect::Changes(Change::Name));
        assert_eq!(of_prctl(libc::PR_GET_NAME), Effect::Nothing);
        assert_eq!(of(libc::SYS_umask, [0; 3]), Effect::Changes(Change::FileMask));
        let mut changes = Changes::default();
        assert!(!changes.any());
        changes.note(Change::Directory);
        assert!(changes.has(Change::Directory) && !changes.has(Change::Timer) && changes.any());
        let advised = |advice: i32| of(libc::SYS_madvise, [0, 0, advice as u64]);
        assert_eq!(advised(libc::MADV_REMOVE), Effect::Changes(Change::Shared));
        assert_eq!(advised(libc::MADV_FREE), Effect::DropsLater);
        assert_eq!(advised(libc::MADV_DONTNEED), Effect::Changes(Change::Memory));
        assert_eq!(advised(libc::MADV_DONTFORK), Effect::OfMemory("madvise"));
        let command = |command: i32| of(libc::SYS_fcntl, [0, command as u64, 0]);
        assert_eq!(command(libc::F_SETOWN), Effect::OfDescriptor("fcntl"));
        assert_eq!(of(libc::SYS_bind, [0; 3]), Effect::OfDescriptor("bind"));
        assert_eq!(of(libc::SYS_shutdown, [0; 3]), Effect::OfDatagrams("shutdown"));
        assert_eq!(of(libc::SYS_brk, [0; 3]), Effect::Changes(Change::Memory));
        assert_eq!(of(libc::SYS_dup2, [0; 3]), Effect::Changes(Change::Descriptors));
        filter().unwrap();
        descriptor_filter(&Vec::from_iter(0..64)).unwrap();
        memory_filter().unwrap();
    }
}
