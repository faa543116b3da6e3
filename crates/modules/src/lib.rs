//! Changes what guests see: one folder a module.
//!
//! A module is a [`contract::Module`]: it claims calls and decides about them. It sees guests through
//! [`contract::Guest`] alone, and never how they are run.
#![forbid(unsafe_code)]

pub mod answer;
pub mod deny;
pub mod map;
pub mod paths;
pub mod sysemu;
#[cfg(test)]
mod testing;
pub mod unreal;
pub mod uts;
