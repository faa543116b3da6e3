//! Raw kernel interfaces: ptrace, seccomp, guest memory. The supervisor's only unsafe code.

pub mod clock;
mod fork;
pub mod generic_netlink;
pub mod guardian;
pub mod guest_socket;
mod inherited;
pub mod interface;
pub mod interrupts;
pub mod kcmp;
pub mod limits;
pub mod memory;
pub mod pidfd;
pub mod placement;
pub mod probe;
pub mod proc;
pub mod ptrace;
pub mod remote;
pub mod seccomp;
pub mod shared;
pub mod signal;
pub mod spawn;
pub mod ticker;
pub mod toll;
pub mod unix_diag;
pub mod user;
pub mod wait;
