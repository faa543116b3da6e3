//! Modules: what changes the guest's view of its system, one folder each.
//!
//! A module is a [`contract::Module`]: it claims calls and decides about them. It sees guests through
//! [`contract::Guest`] alone, and never how they are run.
#![forbid(unsafe_code)]

pub mod paths;
#[cfg(test)]
mod testing;
pub mod uts;
