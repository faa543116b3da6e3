//! Whatever a guest does, what is shown of it neither panics nor is without bound. The fuzz target
//! `decode` does the same with inputs that it breeds: `fuzz/`.
#![forbid(unsafe_code)]

#[path = "../fuzz/anything.rs"]
mod anything;

use contract::Arch;
use proptest::prelude::*;
use proptest::test_runner::Config;
use table::arch::x86_64;

/// How many inputs, each for every call.
fn inputs() -> u32 {
    if std::env::var_os("SHUNPIKE_SOAK").is_some() { 100_000 } else { 96 }
}

proptest! {
    #![proptest_config(Config { cases: inputs(), ..Config::default() })]

    #[test]
    fn any_bytes_of_any_call_are_shown(bytes in proptest::collection::vec(any::<u8>(), 0..1500)) {
        let mut capture = anything::capture(&bytes);
        let mut outputs = anything::Outputs::new();
        for call in x86_64::calls() {
            capture.number = u64::from(call.number);
            for arch in [Arch::X86_64, Arch::I386, Arch::X32] {
                capture.arch = arch;
                outputs.show(&capture);
            }
        }
        anything::show(&bytes);
    }
}
