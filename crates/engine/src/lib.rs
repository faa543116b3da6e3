//! Runs guests: the event loop, the tracee table and the mechanisms.
//!
//! A [`Session`] starts a guest or attaches to one, and [`Session::run`] serves it until it ends:
//! each round collects every change that the kernel has to report, then serves them one by one
//! ([`event_loop`]). A system call stop fills a [`contract::Capture`] by the call's plan
//! ([`capture`], [`memory`]), and what happened is told to the [`Observer`]. How guests are made to
//! stop is the [`mechanism`]'s business.
//!
//! [`rewind`] runs a program up to a point and returns to it as often as is wanted.
#![forbid(unsafe_code)]

mod asides;
mod audience;
mod bpf;
mod calls;
mod capture;
mod chain;
mod delays;
mod demangle;
mod descriptors;
mod detach;
mod eh_frame;
mod elf;
mod enforce;
mod error;
mod event_loop;
mod filter_mode;
mod flushing;
mod log;
pub mod mechanism;
pub mod memory;
mod multiplexed;
mod netlink;
mod observer;
mod options;
mod placement;
mod plans;
mod queue;
pub mod rewind;
mod security_contexts;
mod session;
mod shown;
pub mod sites;
mod sockets;
mod stacks;
mod tasks;
mod toll;
mod tracee;
mod tracee_table;

pub use asides::Asides;
pub use error::Error;
pub use flushing::LONGEST_WAIT;
pub use log::Log;
pub use mechanism::{Emulation, Mechanism};
pub use observer::{ModuleFailure, Observer};
pub use options::{Limits, Options, RING_LEN, RING_LENS, ShownBeside, StackOptions};
pub use security_contexts::SecurityContexts;
pub use session::{End, GuestEnd, Session};
pub use toll::{Stops, Toll};
