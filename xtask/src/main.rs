//! The project's own chores: `cargo xtask gen | walls | bench`.
#![forbid(unsafe_code)]

fn main() {}
