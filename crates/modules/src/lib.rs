//! Modules: what changes the guest's view of its system, one folder each.
#![forbid(unsafe_code)]

pub mod paths;
