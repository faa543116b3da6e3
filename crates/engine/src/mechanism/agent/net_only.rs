//! The calls that the agent never makes: they go on through the net.

use table::Id;
use table::arch::x86_64::*;

/// Calls after which the thread is not where the agent made them, or not what it was, or which
/// change what the agent rests upon.
pub(super) const LEFT_TO_THE_NET: [Id; 26] = [
    // The child would begin in the agent, as a thread without a slot.
    CLONE,
    CLONE3,
    FORK,
    VFORK,
    // The agent is gone after them, and the thread's slot is to be freed.
    EXECVE,
    EXECVEAT,
    EXIT,
    EXIT_GROUP,
    // They go on somewhere else than behind the call.
    RT_SIGRETURN,
    RESTART_SYSCALL,
    // The kernel permits them at certain addresses only.
    URETPROBE,
    UPROBE,
    // What becomes of signals; the supervisor has to know of it.
    RT_SIGACTION,
    SIGALTSTACK,
    // Segments: `%gs` leads to the slot.
    ARCH_PRCTL,
    MODIFY_LDT,
    SET_THREAD_AREA,
    // Interception: filters, syscall user dispatch, tracers.
    PRCTL,
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
];
