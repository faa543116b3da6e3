//! Compiles what the agent records of each call.
#![forbid(unsafe_code)]

use std::path::Path;
use std::{env, fs};

#[path = "src/mechanism/agent/tables/compile.rs"]
mod compile;
#[path = "src/mechanism/agent/net_only.rs"]
#[allow(dead_code)] // Some of it is asked about when guests run.
mod net_only;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/mechanism/agent/net_only.rs");
    println!("cargo::rerun-if-changed=src/mechanism/agent/tables/compile.rs");
    let folder = env::var_os("OUT_DIR").expect("cargo sets it");
    let file = Path::new(&folder).join("agent_tables.rs");
    let source = compile::Compiled::all().source();
    fs::write(&file, source).expect("the folder is there and takes files");
}
