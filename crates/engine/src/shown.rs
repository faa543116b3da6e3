//! Which descriptors of guests lead to where their calls are shown: what is written there comes behind
//! what is told of the calls before it. That holds where `write(2)` is among the calls that are told: else
//! only what is written to the streams that a program begins with stops.

use std::collections::HashMap;

use contract::{Arch, Pid};
use kernel::proc;
use table::Id;
use table::arch::x86_64::{DUP, DUP2, DUP3, FCNTL};

use crate::options::ShownBeside;

/// Stands for all descriptors from here on.
const LAST_BIT: u32 = 63;

/// The descriptors of processes, bit n for descriptor n. One that has once led there counts until its
/// process ends, and for all that this makes meanwhile: that costs stops.
#[derive(Debug)]
pub struct ShownDescriptors {
    /// What processes begin with.
    streams: u64,
    /// Of those that have more.
    others: HashMap<Pid, u64>,
}

impl ShownDescriptors {
    /// Of processes that begin with these streams.
    pub fn new(beside: ShownBeside) -> ShownDescriptors {
        let streams = beside.streams().iter().fold(0, |bits, stream| bits | 1 << stream);
        ShownDescriptors { streams, others: HashMap::new() }
    }

    /// Those of a process.
    pub fn of(&self, process: Pid) -> u64 {
        self.others.get(&process).copied().unwrap_or(self.streams)
    }

    /// Whether this one of a process leads there.
    pub fn has(&self, process: Pid, fd: u64) -> bool {
        self.of(process) & bit(fd) != 0
    }

    /// A process is about to make this call. Returns whether it has another descriptor then.
    pub fn note_call(&mut self, process: Pid, arch: Arch, number: u64, args: &[u64; 6]) -> bool {
        if !self.has(process, args[0]) {
            return false;
        }
        let is_open = |fd: u32| proc::is_descriptor(process.0, fd);
        match copy(arch.native_number(number), args, is_open) {
            Some(fd) if !self.has(process, fd) => {
                self.others.insert(process, self.of(process) | bit(fd));
                true
            }
            _ => false,
        }
    }

    /// A process has begun as a copy of its maker.
    pub fn inherit(&mut self, process: Pid, maker: Pid) {
        if let Some(bits) = self.others.get(&maker).copied() {
            self.others.insert(process, bits);
        }
    }

    /// A process has ended.
    pub fn forget(&mut self, process: Pid) {
        self.others.remove(&process);
    }
}

/// The descriptor that becomes a copy of the one in the first argument, if this call makes one: shells redirect
/// so (`echo >&2`). Where it is the lowest that is free, another thread may take that one first: this is rare,
/// and then the copy is not known.
fn copy(number: u64, args: &[u64; 6], is_open: impl Fn(u32) -> bool) -> Option<u64> {
    let is = |id: Id| number == id.number.into();
    let from = |least: u64| (least as u32..LAST_BIT).find(|fd| !is_open(*fd)).unwrap_or(LAST_BIT);
    if is(DUP2) || is(DUP3) {
        Some(args[1])
    } else if is(DUP) {
        Some(from(0).into())
    } else if is(FCNTL) && DUPLICATING.contains(&(args[1] as i32)) {
        Some(from(args[2]).into())
    } else {
        None
    }
}

/// What `fcntl(2)` makes copies by.
const DUPLICATING: [i32; 2] = [libc::F_DUPFD, libc::F_DUPFD_CLOEXEC];

fn bit(fd: u64) -> u64 {
    1 << (fd as u32).min(LAST_BIT)
}

#[cfg(test)]
mod tests {
    use contract::Tid;

    use super::*;

    #[test]
    fn a_copy_of_standard_error_leads_there_too() {
        let (shell, child) = (Tid(5), Tid(6));
        let dup2 = |shown: &mut ShownDescriptors, process, from, to| {
            shown.note_call(process, Arch::X86_64, DUP2.number.into(), &[from, to, 0, 0, 0, 0])
        };
        let mut shown = ShownDescriptors::new(ShownBeside::Errors);
        assert!(!dup2(&mut shown, shell, 3, 1) && !shown.has(shell, 1));
        assert!(dup2(&mut shown, shell, 2, 1) && shown.has(shell, 1) && !shown.has(child, 1));
        assert!(!dup2(&mut shown, shell, 2, 1));
        shown.inherit(child, shell);
        assert!(shown.has(child, 1) && shown.has(child, 2) && !shown.has(child, 3));
        shown.forget(shell);
        assert_eq!((shown.of(shell), shown.of(child)), (4, 6));
    }

    #[test]
    fn a_copy_may_be_the_lowest_that_is_free() {
        let copy = |id: Id, args: [u64; 3]| {
            let [first, second, third] = args;
            copy(id.number.into(), &[first, second, third, 0, 0, 0], |fd| fd < 3 || fd == 10)
        };
        assert_eq!(copy(DUP, [2, 0, 0]), Some(3));
        assert_eq!(copy(FCNTL, [2, libc::F_DUPFD as u64, 10]), Some(11));
        assert_eq!(copy(FCNTL, [2, libc::F_DUPFD_CLOEXEC as u64, 1000]), Some(63));
        assert_eq!(copy(FCNTL, [2, libc::F_GETFL as u64, 0]), None);
        assert_eq!(copy(DUP3, [2, 7, 0]), Some(7));
    }
}
