//! Syscall user dispatch: calls raise a signal, at whose delivery the guest stops. Then it makes the
//! call as under `PTRACE_SYSCALL`.

use kernel::ptrace::Resume;

/// To the signal of the next call that the agent does not make.
pub(super) const OUTSIDE_CALL: Resume = Resume::Continue;
