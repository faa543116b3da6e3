//! Decodes captures into records: trees of values without text.
//!
//! A [`Record`] is what a call meant: its arguments and its result as [`Value`]s that borrow from
//! the capture and the table. It holds no text, and no pointer into the guest; how a value looks
//! is for the outputs to say.
#![forbid(unsafe_code)]

mod aside;
mod btrfs;
mod bytes;
mod capabilities;
mod change;
mod control;
mod decoder;
mod device_mapper;
mod dirents;
pub mod dump;
mod event;
mod exchange;
mod filter;
mod fitting;
mod growing;
mod kind;
mod length;
mod list;
mod netlink;
mod place;
mod record;
mod siginfo;
mod sockaddr;
mod special;
mod structure;
mod target;
#[cfg(test)]
mod tests;
mod value;
mod vector;
mod walk;

pub use decoder::Decoder;
pub use event::{Event, Origin, What};
pub use record::{More, Node, Nodes, Record, Result, Siblings};
pub use value::{Fraction, NotRead, Value};

/// What outputs need of the words that records are made of.
pub use contract::{
    Arch, Changes, Code, FdDetail, FdDetails, FdInfo, Frame, Function, GuestAddr, SecurityContext,
    Socket, SocketName, SourceLine, Stack, Stamp, Tid, TidMap,
};
pub use table::flags::{
    CAPABILITY, CAPABILITY_UPPER, FUTEX_WAKE_OP_ACTION, FUTEX_WAKE_OP_COMPARISON,
    FUTEX_WAKE_OP_SHIFT, IOPRIO_CLASS, KEY_KIND, KEY_SYMBOL, NETLINK_PROTOCOL, QUOTA_COMMAND,
    QUOTA_TYPE,
};
pub use table::request;
pub use table::{
    Base, Classes, FlagSet, Named, NumberBits, Numerals, Parts, Special, Width, errno, signal,
};
