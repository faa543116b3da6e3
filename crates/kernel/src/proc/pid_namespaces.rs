//! Process ids of other pid namespaces: `pid_namespaces(7)`.
//!
//! `/proc/TID/status` tells the ids of a thread in its own namespace and in those around it, as far as
//! our `/proc` is of one of these. There is no way back but to look at all threads.

use std::fs;

use libc::pid_t;

use super::{namespaces, path_of, read, tasks};

/// What tells a pid namespace from others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PidNamespace(u64);

/// The namespace of a thread; `None` where the thread is gone, or this user may not look at it.
pub fn of(tid: pid_t) -> Option<PidNamespace> {
    namespaces::inode(tid, "pid").map(PidNamespace)
}

/// Whether a thread, by our id, has this id in its own namespace, which is that one.
pub fn is_called(tid: pid_t, namespace: PidNamespace, id: pid_t) -> bool {
    own_id(tid) == Some(id) && of(tid) == Some(namespace)
}

/// Our id of the thread that has this id in a namespace.
pub fn find(namespace: PidNamespace, id: pid_t) -> Option<pid_t> {
    let processes = fs::read_dir("/proc")
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<pid_t>().ok());
    let inside: Vec<pid_t> = processes.filter(|pid| of(*pid) == Some(namespace)).collect();
    let is_it = |tid: &pid_t| own_id(*tid) == Some(id);
    let process = inside.iter().copied().find(is_it);
    let thread = || inside.iter().flat_map(|pid| tasks(*pid).unwrap_or_default()).find(is_it);
    process.or_else(thread)
}

/// The id of a thread in its own namespace.
fn own_id(tid: pid_t) -> Option<pid_t> {
    let text = read(&path_of(tid, "status")).ok()?;
    let line = text.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"NSpid:"))?;
    str::from_utf8(line).ok()?.split_ascii_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn we_are_found_in_our_own_namespace() {
        let own = std::process::id() as pid_t;
        let namespace = of(own).unwrap();
        let id = own_id(own).unwrap();
        assert!(is_called(own, namespace, id));
        assert!(!is_called(own, PidNamespace(0), id) && !is_called(own, namespace, id + 1));
        assert_eq!(find(namespace, id), Some(own));
        assert_eq!(find(PidNamespace(0), id), None);
    }
}
