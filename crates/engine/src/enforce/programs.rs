//! Programs that guests must not run.

use std::os::unix::fs::MetadataExt;

use contract::{Enforcement, ForbiddenFiles, Refusal, Tid, shown};
use kernel::proc;

/// Whether what a thread has just executed is forbidden: its program, or what loads it. Where that cannot
/// be told it is. It stands before its first instruction. The refusal is noted.
///
/// The path of an `execve(2)` is in memory that others can change, so what was looked at before the call
/// says nothing; this is what the kernel has opened.
pub(crate) fn forbidden_program(enforcement: &Enforcement, tid: Tid) -> bool {
    if enforcement.files.iter().all(|files| files.readable) {
        return false;
    }
    let Ok(mappings) = proc::mappings::mappings(tid.0) else { return true };
    // On some file systems mappings tell another device than the file itself.
    let data = std::fs::metadata(format!("/proc/{}/exe", tid.0));
    let program = data.map(|data| (data.dev(), data.ino())).ok();
    for mapping in &mappings {
        let name = &unescaped(&mapping.name);
        let inode = mapping
            .file
            .map(|(device, inode)| (libc::makedev((device >> 32) as u32, device as u32), inode));
        let is = |files: &&ForbiddenFiles| files.is(name, inode) || files.is(b"", program);
        let about = enforcement.files.iter().find(|files| !files.readable && is(files));
        if let Some(files) = about {
            enforcement.refusals.note(Refusal {
                rule: files.rule.clone(),
                call: "execve",
                path: Some(shown(name)),
            });
            return true;
        }
    }
    false
}

/// A path as the kernel's list of mappings writes it.
fn unescaped(name: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&byte, after)) = rest.split_first() {
        match rest.strip_prefix(br"\012") {
            Some(after) => {
                plain.push(b'\n');
                rest = after;
            }
            None => {
                plain.push(byte);
                rest = after;
            }
        }
    }
    plain
}
