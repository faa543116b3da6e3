//! The agent: code that runs in the guest and records its calls without stopping it.
//!
//! [`abi`] says what the supervisor and the agent share; both sides are compiled from it. [`guest`]
//! is what the agent does, [`mod@image`] what is mapped, and [`entries`] how the supervisor reads what
//! it has written.
#![no_std]

#[cfg(any(test, feature = "testing"))]
extern crate std;

pub mod abi;
pub mod entries;
pub mod guest;
pub mod image;
