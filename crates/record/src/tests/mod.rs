//! Captures made by hand, and what must be decoded from them.

mod bpf;
mod files;
mod foreign;
mod guest;
mod hostile;
mod netlink;
mod processes;
mod shorthand;
mod signals;
mod sockets;
mod times;

use guest::Guest;
use shorthand::{shorthand, shorthand_result};
