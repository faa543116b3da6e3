//! Prints how many calls are described fully, and which are not.
#![forbid(unsafe_code)]

use table::{Depth, arch::x86_64};

fn main() {
    let (full, named): (Vec<_>, Vec<_>) =
        x86_64::calls().partition(|call| call.depth == Depth::Full);
    let all = full.len() + named.len();
    println!("{} of {all} calls are fully described", full.len());
    for call in named {
        println!("by name only: {}", call.name);
    }
}
