//! The programs in `tests/guests/rewound`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// One of them, compiled; without a compiler none.
pub fn built(name: &str) -> Option<PathBuf> {
    built_as(name, name, &[])
}

/// The same by another name, compiled with these options.
pub fn built_as(target: &str, name: &str, options: &[&str]) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/guests/rewound");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("{target}-{:?}", std::thread::current().id()));
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-pthread", "-o"]).arg(&program);
    compiler.arg(source.join(name).with_extension("c")).args(options);
    let Ok(status) = compiler.status() else {
        println!("skipped: there is no C compiler");
        return None;
    };
    assert!(status.success(), "the guest cannot be compiled");
    Some(program)
}
