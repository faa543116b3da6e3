//! `PTRACE_SYSCALL`: the guest stops before and after every call.

use kernel::ptrace::Resume;

/// To the next call's entry.
pub(super) const OUTSIDE_CALL: Resume = Resume::Syscall;

/// To the call's exit. It cannot be left out: without it the next stop would be an exit as well.
pub(super) const INSIDE_CALL: Resume = Resume::Syscall;
