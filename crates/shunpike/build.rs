//! Has the linker compress the debugging information of release builds, which is most of the binary
//! (backtraces can read it so too), and place them at a fixed address: the description table is full
//! of pointers, which would have to be relocated at each start. libgcc's unwinder is linked in, where
//! the linker takes it: its shared library is a good part of a start (docs/decisions/0030).
#![forbid(unsafe_code)]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rustc-link-arg-bins=-Wl,--compress-debug-sections=zlib");
        println!("cargo::rustc-link-arg-bins=-no-pie");
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}
