//! What the test programs share: guests and how they are built, runs under a time limit, traces
//! and how they are made comparable.
#![allow(dead_code, reason = "each test program uses its own part of the harness")]

pub mod cases;
pub mod compile;
pub mod coverage;
pub mod diff;
pub mod guest;
pub mod kernel_calls;
pub mod launch;
pub mod normalise;
pub mod place;
pub mod tools;
pub mod trace;
pub mod tracer;
