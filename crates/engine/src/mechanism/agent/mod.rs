//! The agent: guests record their own calls, and stop only for those that it leaves to the net.

pub mod clock;
mod net_only;
pub mod tables;
