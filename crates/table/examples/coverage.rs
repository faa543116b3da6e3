//! Prints how many calls of each ABI are described fully, and which are not.
#![forbid(unsafe_code)]

use table::arch::{i386, x86_64};
use table::{Call, Depth};

fn main() {
    print("x86-64", x86_64::calls());
    print("i386", i386::calls().map(|(_, call)| call));
}

fn print(abi: &str, calls: impl Iterator<Item = &'static Call>) {
    let (full, named): (Vec<_>, Vec<_>) = calls.partition(|call| call.depth == Depth::Full);
    let all = full.len() + named.len();
    println!("{abi}: {} of {all} calls are fully described", full.len());
    for call in named {
        println!("by name only: {}", call.name);
    }
}
