//! The start of a command without the part of Rust's runtime that stands before `main`, a tenth of a
//! millisecond of each start: it lists the mappings of the process to find the end of the stack, and
//! sets up a second stack, to say it in words when the first one overflows.
//! See docs/decisions/0030.

use std::panic::{self, UnwindSafe};
use std::process;

pub use libc::{c_char, c_int};

use crate::inherited;

/// The exit status after a panic, as the runtime has it.
const PANICKED: u8 = 101;

/// Has the process begin with this function, which returns the exit status. The command line is where
/// the standard library has it anyway, with glibc: for other C libraries it needs the runtime.
#[macro_export]
macro_rules! entry {
    ($run:path) => {
        // SAFETY: no other function of the executable is called `main`: the crate is `no_main`.
        #[unsafe(no_mangle)]
        extern "C" fn main(
            _: $crate::entry::c_int,
            _: *const *const $crate::entry::c_char,
        ) -> $crate::entry::c_int {
            $crate::entry::begin($run)
        }
    };
}

/// Does what the runtime does and is of use, and then `run`.
pub fn begin(run: impl FnOnce() -> u8 + UnwindSafe) -> ! {
    inherited::prepare();
    // The standard library writes out what stdout holds back.
    process::exit(panic::catch_unwind(run).unwrap_or(PANICKED).into())
}
