//! Raw kernel interfaces: ptrace, seccomp, guest memory. The supervisor's only unsafe code.

mod fork;
pub mod memory;
pub mod pidfd;
pub mod probe;
pub mod proc;
pub mod seccomp;
pub mod toll;
