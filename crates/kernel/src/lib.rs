//! Raw kernel interfaces: ptrace, seccomp, guest memory. The supervisor's only unsafe code.
