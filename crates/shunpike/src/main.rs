//! The `shunpike` command.
#![forbid(unsafe_code)]

fn main() {}
