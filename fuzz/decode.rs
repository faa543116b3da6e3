//! `cargo fuzz run decode`: whatever a capture holds, decoding and showing it neither panics nor
//! writes without bound.
#![no_main]

mod anything;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anything::show(bytes));
