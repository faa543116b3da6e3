//! The agent: code that runs in the guest and records its calls without stopping it.
//!
//! [`abi`] says what the supervisor and the agent share; both sides are compiled from it.
#![no_std]

pub mod abi;
