//! The calls that the agent never makes, or not with all arguments: they go on through the net.

use agent::abi;
use table::Id;
use table::arch::x86_64::*;

/// Calls after which the thread is not where the agent made them, or not what it was, or which
/// change what the agent rests upon.
pub(super) const LEFT_TO_THE_NET: [Id; 25] = [
    // The child would begin in the agent, as a thread without a slot.
    CLONE,
    CLONE3,
    FORK,
    VFORK,
    // The agent is gone after them, and the thread's slot is to be freed.
    EXECVE,
    EXECVEAT,
    // They go on somewhere else than behind the call.
    RT_SIGRETURN,
    RESTART_SYSCALL,
    // The kernel permits them at certain addresses only.
    URETPROBE,
    UPROBE,
    // Segments: `%gs` leads to the slot.
    MODIFY_LDT,
    SET_THREAD_AREA,
    // Interception: filters, tracers.
    SECCOMP,
    PTRACE,
    // Calls that no one sees.
    IO_URING_SETUP,
    IO_URING_ENTER,
    IO_URING_REGISTER,
    // The layout of the address space, and what else a process shares.
    PERSONALITY,
    UNSHARE,
    SETNS,
    // It can put its segment, whose size it does not say, over the agent's memory.
    SHMAT,
    // What it writes is told where it fails, too.
    NAME_TO_HANDLE_AT,
    SCHED_SETATTR,
    PERF_EVENT_OPEN,
    // The same, and what its descriptors are has to be asked.
    BPF,
];

/// What else is left to the net where that is syscall user dispatch: what a thread blocks, as
/// `SIGSYS` must not be blocked.
pub(super) const LEFT_UNDER_DISPATCH: Id = RT_SIGPROCMASK;

/// The call whose first condition, of those in [`SOMETIMES_LEFT`], counts there only.
pub(super) const FIRST_UNDER_DISPATCH: Id = RT_SIGACTION;

/// With which arguments a call is left to the net.
#[derive(Clone, Copy, Debug)]
pub(super) enum Condition {
    /// This argument, as a number of 32 bits, is one of these.
    Is(u8, &'static [u64]),
    /// It is none of these.
    IsNot(u8, &'static [u64]),
    /// It is one of these, and the other argument is not 0.
    IsWith(u8, &'static [u64], u8),
    /// Memory of the agent lies between one argument and so much behind it as another says.
    Touches(u8, u8),
    /// The same, if the fourth argument has this flag.
    TouchesIf(u64, u8, u8),
    /// The descriptor in the first argument may be a socket of netlink.
    MayBeNetlink,
    /// The descriptor in the first argument leads to where calls are shown.
    IsShown,
}

/// Options of `prctl(2)`, of `linux/prctl.h`.
pub const PR_GET_SECCOMP: u64 = 21;
pub const PR_SET_SECCOMP: u64 = 22;
pub const PR_SET_SYSCALL_USER_DISPATCH: u64 = 59;
/// Options of `arch_prctl(2)`, of `asm/prctl.h`.
pub const ARCH_SET_GS: u64 = 0x1001;
const ARCH_SET_FS: u64 = 0x1002;
const ARCH_GET_FS: u64 = 0x1003;

const SEGV: u64 = libc::SIGSEGV as u64;
const BUS: u64 = libc::SIGBUS as u64;
const TRAP: u64 = libc::SIGTRAP as u64;
const SYS: u64 = libc::SIGSYS as u64;

const AF_NETLINK: u64 = libc::AF_NETLINK as u64;

/// The flag of shmat(2) for a segment that may replace what is mapped.
const SHM_REMAP: u64 = libc::SHM_REMAP as u64;

/// The argument of [`Condition::TouchesIf`].
pub(super) const FLAGS: u8 = 3;

/// The call that writes to where calls are shown. Others that write are rare there, or never the agent's.
pub const WRITTEN_BESIDE: Id = WRITE;

/// It, and the calls by which other descriptors come to lead there: their first conditions count only where
/// anything is written to where calls are shown.
pub const ABOUT_SHOWN: [Id; 5] = [WRITTEN_BESIDE, DUP, DUP2, DUP3, FCNTL];

/// Calls of which some are left to the net, with their conditions: any of them is enough.
pub(super) const SOMETIMES_LEFT: [(Id, Condition); 22] = [
    // Who reads both wants the call before what it writes; and by which descriptors else it may be written.
    (WRITE, Condition::IsShown),
    (DUP, Condition::IsShown),
    (FCNTL, Condition::IsShown),
    (DUP2, Condition::IsShown),
    (DUP3, Condition::IsShown),
    // The supervisor has to know what becomes of dispatch ([`FIRST_UNDER_DISPATCH`]), of its
    // breakpoints, and of what it may have to put back.
    (RT_SIGACTION, Condition::Is(0, &[SYS])),
    (RT_SIGACTION, Condition::IsWith(0, &[SEGV, BUS, TRAP], 1)),
    // `%gs` leads to the slot.
    (ARCH_PRCTL, Condition::IsNot(0, &[ARCH_SET_FS, ARCH_GET_FS])),
    // Filters, and syscall user dispatch.
    (PRCTL, Condition::Is(0, &[PR_GET_SECCOMP, PR_SET_SECCOMP, PR_SET_SYSCALL_USER_DISPATCH])),
    // Whoever changes the agent's memory gets records no more.
    (MMAP, Condition::TouchesIf(libc::MAP_FIXED as u64, 0, 1)),
    (MUNMAP, Condition::Touches(0, 1)),
    (MPROTECT, Condition::Touches(0, 1)),
    (PKEY_MPROTECT, Condition::Touches(0, 1)),
    (MADVISE, Condition::Touches(0, 1)),
    (MREMAP, Condition::Touches(0, 1)),
    (MREMAP, Condition::TouchesIf(libc::MREMAP_FIXED as u64, 4, 2)),
    (REMAP_FILE_PAGES, Condition::Touches(0, 1)),
    (MBIND, Condition::Touches(0, 1)),
    (MSEAL, Condition::Touches(0, 1)),
    // What goes over such a socket is decoded by its protocol, which the supervisor asks it for.
    (SOCKET, Condition::Is(0, &[AF_NETLINK])),
    (SENDTO, Condition::MayBeNetlink),
    (RECVFROM, Condition::MayBeNetlink),
];

/// Whether the agent cannot work any more in a thread that makes this call: it takes away `%gs`, or
/// has calls made at foreign addresses dispatched.
pub(super) fn disables_agent(number: u64, args: &[u64; 6]) -> bool {
    let is = |id: Id, option| number == id.number.into() && u64::from(args[0] as u32) == option;
    is(ARCH_PRCTL, ARCH_SET_GS) || is(PRCTL, PR_SET_SYSCALL_USER_DISPATCH)
}

/// Whether a call changes memory of the agent.
pub(super) fn touches_agent(number: u64, args: &[u64; 6]) -> bool {
    let arg = |index: &u8| args[usize::from(*index)];
    if number == SHMAT.number.into() {
        // How far it reaches is not said.
        return args[2] & SHM_REMAP != 0;
    }
    let of_call = SOMETIMES_LEFT.iter().filter(|(id, _)| number == id.number.into());
    of_call.into_iter().any(|(_, condition)| match condition {
        Condition::Is(..)
        | Condition::IsNot(..)
        | Condition::IsWith(..)
        | Condition::MayBeNetlink
        | Condition::IsShown => false,
        Condition::Touches(start, len) => abi::touches(arg(start), arg(len)),
        Condition::TouchesIf(flag, start, len) => {
            arg(&FLAGS) & flag != 0 && abi::touches(arg(start), arg(len))
        }
    })
}
