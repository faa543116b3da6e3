//! The namespaces of a thread: `namespaces(7)`.

use std::fs;
use std::os::unix::fs::MetadataExt;

use libc::pid_t;

use super::path_of;
use crate::toll;

/// The inode of a thread's namespace, by its file's name in `/proc/TID/ns`; `None` where there is none,
/// or this user may not look at it.
pub fn inode(tid: pid_t, name: &str) -> Option<u64> {
    toll::count(toll::Kind::ProcRead);
    fs::metadata(path_of(tid, format!("ns/{name}"))).ok().map(|data| data.ino())
}
